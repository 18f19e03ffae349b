import { AnswerBook } from './answer-book';
import type { Faults } from './faults';
import type { PersonQueue } from './person-queue';
import { runScript } from './run-script';
import type { Script } from './script';
import type { ScriptedModel } from './scripted-model';
import type { Stage } from './stage';
import type { WireWatch } from './wire-watch';
import type { World } from './world';

export interface Performance {
  readonly script: Script;
  readonly world: World;
  readonly stage: Stage;
  readonly model: ScriptedModel | undefined;
  /** that of the page, where a script's person answers in it */
  readonly wire?: Pick<WireWatch, 'onWaiting'>;
  /** whom the model asks before each answer */
  readonly persons: Map<string, PersonQueue>;
  readonly faults: Faults;
  readonly broken: Promise<never>;
  /** as in `Play` */
  readonly silenceMs: number | undefined;
  /** with a real person at the page, who answers what is asked */
  readonly personAnswers: boolean;
  /** session id → title, filled as sessions begin */
  readonly titles: Map<string, string>;
}

/** Plays the whole script. Never throws: what goes wrong is a fault. */
export async function playScript(performance: Performance): Promise<void> {
  const { script, world, stage, model, persons, faults, broken, silenceMs } = performance;
  const answers = new AnswerBook(stage, faults);
  const take = performance.personAnswers ? () => {} : answers.take.bind(answers);
  const stops = [world.events.on(take), performance.wire?.onWaiting((call) => answers.waits(call))];
  await runScript({
    ...{ script, stage, model, answers, faults, persons, broken, silenceMs },
    calls: world.calls,
    stirredAt: () => world.events.stirredAt,
    onSession: (sessionId, title) => void performance.titles.set(sessionId, title),
  });
  for (const stop of stops) stop?.();
}
