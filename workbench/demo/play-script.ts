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
  /** the page's connection, if a script's person answers in the page */
  readonly wire?: Pick<WireWatch, 'onWaiting'>;
  /** by session: its person, who acts before each answer of the model */
  readonly persons: Map<string, PersonQueue>;
  readonly faults: Faults;
  readonly broken: Promise<never>;
  /** as in `Play` */
  readonly silenceMs: number | undefined;
  /** whether a real person at the page answers requests */
  readonly personAnswers: boolean;
  /** session id → title, filled as sessions begin */
  readonly titles: Map<string, string>;
}

/** Plays the whole script. Never throws: errors become faults. */
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
