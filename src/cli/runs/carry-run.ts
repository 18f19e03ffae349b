import type { RunAction } from '../../core/orchestrator/event';
import type { RunAnswer, RunView } from '../../core/orchestrator/runs';
import { nodeClock } from '../../node/node-clock';
import { printed, type Exit } from '../exit';
import { refused } from '../refused';
import { chooseRun } from './choose-run';
import { followRun } from './follow-run';
import { isOver } from './is-over';
import { connected } from './open-code';
import { RunTeller } from './run-teller';
import type { RunDesk } from './run-verb';

/** Refused, for a reason that is none of the command's words. */
export function cantRun({ given }: RunDesk, message: string): Exit {
  return refused({ ok: false, code: 'run', message }, given.json);
}

/** Connects first. @returns why that can't be */
export function connect(desk: RunDesk, stop: AbortSignal): Promise<string | undefined> {
  return connected(desk.open.openCode, nodeClock, stop);
}

export interface Carrying {
  /** Begins, or takes up. @returns the run */
  readonly begin: () => Promise<RunAnswer<string>>;
  readonly pauses?: boolean;
  /** it is begun also where OpenCode does not run */
  readonly waits?: boolean;
}

/** Carries a run out in this process, from its beginning or from where it rests. */
export async function carryRun(desk: RunDesk, carrying: Carrying): Promise<Exit> {
  const { open, given, around } = desk;
  const stop = around.untilStopped();
  const fault = await connect(desk, stop);
  if (fault !== undefined && (carrying.waits !== true || stop.aborted)) return cantRun(desk, fault);
  const teller = new RunTeller(given.json, (text) => around.print(text));
  const before = open.runs.all().map(({ id, state }) => [id, state] as const);
  const begun = await carrying.begin();
  if (!begun.ok) return cantRun(desk, begun.message);
  const view = open.runs.get(begun.value);
  const known = before.find(([id]) => id === begun.value)?.[1];
  if (view !== undefined) teller.begin(view, known);
  return followRun(desk, { id: begun.value, teller, stop, pauses: carrying.pauses === true });
}

/** What the person wants of a run: told to the program that carries it out, else done here. */
export async function actOn(desk: RunDesk, view: RunView, action: RunAction): Promise<Exit> {
  const { open } = desk;
  const { id, by, state } = view;
  if (isOver(state)) return cantRun(desk, `Run ${id} is over: ${state.kind}.`);
  if (by === 'elsewhere') {
    const told = await open.runs.act(id, action);
    return told.ok ? taken(desk, id) : cantRun(desk, told.message);
  }
  return carryRun(desk, {
    pauses: action.type === 'pause',
    waits: action.type === 'cancel' || action.type === 'finish',
    begin: async () => {
      const acted = await open.runs.act(id, action);
      return acted.ok ? { ok: true, value: id } : acted;
    },
  });
}

function taken({ given }: RunDesk, id: string): Exit {
  if (given.json) return printed(0, JSON.stringify({ ok: true, run: id }));
  return printed(0, `The program that carries ${id} out was told.`);
}

/** The run that is named by a word, or meant; for what is not about a run that is over. */
export function runOf(
  { open }: RunDesk,
  named: string | undefined,
  over = false,
): ReturnType<typeof chooseRun> {
  return chooseRun(open.runs.all(), named, over);
}
