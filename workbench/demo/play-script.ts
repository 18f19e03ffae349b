import { AnswerBook } from './answer-book';
import type { Faults } from './faults';
import type { PersonQueue } from './person-queue';
import { runScript } from './run-script';
import type { Script } from './script';
import type { ScriptedModel } from './scripted-model';
import type { Stage } from './stage';
import type { World } from './world';

export interface Performance {
  readonly script: Script;
  readonly world: World;
  readonly stage: Stage;
  readonly model: ScriptedModel | undefined;
  /** whom the model asks before each answer */
  readonly persons: Map<string, PersonQueue>;
  readonly faults: Faults;
  readonly broken: Promise<never>;
  readonly turnLimitMs: number | undefined;
  /** with a real person at the page, who answers what OpenCode asks */
  readonly personAnswers: boolean;
}

/** Plays the whole script. @returns session id → title, in the order of the script */
export async function playScript(performance: Performance): Promise<ReadonlyMap<string, string>> {
  const { script, world, stage, model, persons, faults, broken, turnLimitMs } = performance;
  const answers = new AnswerBook(stage, faults);
  const stop = performance.personAnswers
    ? () => {}
    : world.events.on((event) => answers.take(event));
  const ids = new Map<string, string>();
  await runScript({
    ...{ script, stage, model, answers, faults, persons, broken, turnLimitMs },
    calls: world.calls,
    onSession: (sessionId, title) => void ids.set(title, sessionId),
  });
  stop();
  const titles = script.sessions.map(({ title }) => [ids.get(title), title] as const);
  return new Map(titles.filter((entry): entry is [string, string] => entry[0] !== undefined));
}
