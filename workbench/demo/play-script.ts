import { ScriptedAnswers } from './scripted-answers';
import type { Faults } from './faults';
import type { PersonQueue } from './person-queue';
import { runScript } from './run-script';
import type { Script } from './script';
import type { ScriptedModel } from './scripted-model';
import type { Stage } from './stage';
import type { WireMonitor } from './wire-monitor';
import type { World } from './world';

export interface PlayScriptOptions {
  readonly script: Script;
  readonly world: World;
  readonly stage: Stage;
  readonly model: ScriptedModel | undefined;
  /** the page's connection, if a script's person answers in the page */
  readonly wire?: Pick<WireMonitor, 'onWaiting'>;
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
export async function playScript(performance: PlayScriptOptions): Promise<void> {
  const { script, world, stage, model, persons, faults, broken, silenceMs } = performance;
  const answers = new ScriptedAnswers(stage, faults);
  const take = performance.personAnswers ? () => {} : answers.handleEvent.bind(answers);
  const stops = [
    world.events.on(take),
    performance.wire?.onWaiting((call) => answers.answerCall(call)),
  ];
  await runScript({
    ...{ script, stage, model, answers, faults, persons, broken, silenceMs },
    calls: world.calls,
    stirredAt: () => world.events.stirredAt,
    onSession: (sessionId, title) => void performance.titles.set(sessionId, title),
  });
  for (const stop of stops) stop?.();
}
