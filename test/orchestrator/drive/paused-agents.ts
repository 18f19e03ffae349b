import type { AgentBehaviour } from './fake-opencode';
import { kindOf } from './scripted-agent';

/** Agents whose work is held until the test lets it go on. */
export class PausedAgents {
  readonly #resumeCallbacks: (() => void)[] = [];

  play(well: AgentBehaviour): AgentBehaviour {
    return async (prompt, code) => {
      const answer = prompt.session.answers.at(-1);
      if (kindOf(prompt) === 'work')
        await new Promise<void>((go) => this.#resumeCallbacks.push(go));
      if (answer !== undefined && answer.end !== null) throw new Error('The turn was stopped.');
      return well(prompt, code);
    };
  }

  get count(): number {
    return this.#resumeCallbacks.length;
  }

  resumeAll(): void {
    for (const go of this.#resumeCallbacks.splice(0)) go();
  }
}
