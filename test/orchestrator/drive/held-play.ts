import type { Play } from './fake-opencode';
import { kindOf } from './scripted-agent';

/** Agents whose work is held until the test lets it go on. */
export class Held {
  readonly #waiting: (() => void)[] = [];

  play(well: Play): Play {
    return async (prompt, code) => {
      const answer = prompt.session.answers.at(-1);
      if (kindOf(prompt) === 'work') await new Promise<void>((go) => this.#waiting.push(go));
      if (answer !== undefined && answer.end !== null) throw new Error('The turn was stopped.');
      return well(prompt, code);
    };
  }

  get count(): number {
    return this.#waiting.length;
  }

  goOn(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}
