import { isDeepStrictEqual } from 'node:util';
import { waitReasonText } from '../../src/core/orchestrator/run-text';
import type { RunView } from '../../src/core/orchestrator/runs';
import { LIMITS } from '../../src/core/orchestrator/limits';
import type { RunOptions, RunState } from '../../src/core/orchestrator/state';
import { ScriptedAnswers } from './scripted-answers';
import type { Faults } from './faults';
import type { RunsInPage } from './runs-in-page';
import type { GoalScript } from './goal-script';
import type { PluginInPage } from './plugin-in-page';
import type { Stage } from './stage';
import { waitUntil } from './wait-until';
import type { WireMonitor } from './wire-monitor';
import type { World } from './world';

export interface PlayGoalOptions {
  readonly goal: string;
  readonly script: GoalScript;
  readonly world: World;
  readonly stage: Stage;
  readonly runs: RunsInPage;
  readonly plugin: Pick<PluginInPage, 'command'>;
  readonly wire: Pick<WireMonitor, 'onWaiting'>;
  readonly faults: Faults;
  readonly broken: Promise<never>;
  /** time limit of the whole run in ms */
  readonly limitMs: number;
}

/** ms between two polls of the run */
const POLL_INTERVAL_MS = 250;
/** ms after which a run that waits for the person is given up, since nobody would answer */
const STUCK_LIMIT_MS = 5_000;

/** The run options that the demo uses for a goal. */
export function demoRunOptions(goal: string, { limits }: Pick<GoalScript, 'limits'>): RunOptions {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return {
    ...{ goal, agent: 'build', model: null, approve: true },
    limits: { ...LIMITS, ...Object.fromEntries(given) },
  };
}

/**
 * Pursues the goal to the run's end in the plugin: approves the plan with the command, answers as
 * scripted. Never throws: errors become faults.
 */
export async function playGoal(play: PlayGoalOptions): Promise<void> {
  const { script, world, stage, wire, faults, broken } = play;
  const answers = new ScriptedAnswers(stage, faults);
  const stops = [
    world.events.on(answers.handleEvent.bind(answers)),
    wire.onWaiting((call) => answers.answerCall(call)),
  ];
  await Promise.race([pursueGoal(play, answers, script), broken]).catch((error: unknown) =>
    faults.addError('The run stopped', error),
  );
  await answers.allSettled();
  for (const stop of stops) stop();
}

async function pursueGoal(
  play: PlayGoalOptions,
  answers: ScriptedAnswers,
  script: GoalScript,
): Promise<void> {
  const { runs, plugin, faults } = play;
  const id = await runs.start(demoRunOptions(play.goal, script));
  let planner: string | null = null;
  let approved = false;
  let last: RunState | undefined;
  let since = Date.now();
  const ended = await waitUntil(
    async () => {
      const view = await runs.view(id);
      if (view === undefined) return false;
      const { state } = view;
      if (planner === null && state.kind !== 'idle' && state.run.planner !== null) {
        planner = state.run.planner;
        answers.setAnswers(planner, 'The run', script.answers);
      }
      if (state.kind === 'going' && state.stage.kind === 'approving' && !approved) {
        approved = true;
        await plugin.command('approve-plan');
      }
      if (stuckReason(view) === undefined || !isDeepStrictEqual(state, last)) since = Date.now();
      last = state;
      return isOver(state) || Date.now() - since > STUCK_LIMIT_MS;
    },
    play.limitMs,
    POLL_INTERVAL_MS,
  );
  if (!ended) faults.add(`The run had no end in ${play.limitMs / 1000} s.`);
  const view = await runs.view(id);
  const words = view === undefined ? 'The plugin lost the run.' : endProblem(view);
  if (words !== undefined) faults.add(words);
}

/** Why the run can't continue without a real person; undefined if it can. */
function stuckReason({ state, fault }: RunView): string | undefined {
  if (fault !== null) return fault;
  if (state.kind === 'paused') return 'It is paused.';
  if (state.kind !== 'waiting') return undefined;
  const other = state.why.filter(({ kind }) => kind !== 'asked' && kind !== 'offline');
  const words = other.map((why) => waitReasonText(why, state.run.wish.limits));
  return words.length === 0 ? undefined : words.join(' ');
}

function endProblem(view: RunView): string | undefined {
  const { state } = view;
  if (state.kind === 'completed') return undefined;
  if (state.kind === 'failed') return `The run failed: ${state.message}`;
  return `The run is ${state.kind}. ${stuckReason(view) ?? ''}`.trim();
}

function isOver({ kind }: RunState): boolean {
  return kind === 'completed' || kind === 'failed' || kind === 'cancelled';
}
