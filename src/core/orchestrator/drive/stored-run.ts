import '../../board/jitless';
import * as z from 'zod/mini';
import { readState, RUN_VERSION, stateText, type ReadRun } from '../serialise';
import type { RunState } from '../state';

const header = z.object({
  v: z.literal(RUN_VERSION),
  /** events that the state has heard: the number of the last one's line in the log */
  n: z.int().check(z.nonnegative()),
  /** ms since the epoch */
  created: z.number(),
  /** which program carried it out last */
  program: z.enum(['obsidian', 'cli']),
  /** unique to who carries it out: nobody else may write */
  driver: z.string(),
  /** names of the newest actions that came through the inbox, oldest first */
  taken: z.array(z.string()),
  /** path of the run note, once there is one */
  note: z.nullable(z.string()),
});
export type RunHeader = Omit<z.infer<typeof header>, 'v'>;

/** A run's file: one line that says who carries it out and how far its log is heard, then the state. */
export interface StoredRun extends RunHeader {
  readonly state: RunState;
}

/** Actions of other programs whose names are remembered: their files are removed long before. */
const MOST_TAKEN = 50;

export function withTaken(taken: readonly string[], name: string): string[] {
  return [...taken, name].slice(-MOST_TAKEN);
}

export function storedText({ state, ...rest }: StoredRun): string {
  return `${JSON.stringify({ v: RUN_VERSION, ...rest })}\n${stateText(state)}`;
}

export function readStored(text: string): ReadRun<StoredRun> {
  const end = text.indexOf('\n');
  const read = headerOf(text.slice(0, Math.max(0, end)));
  if (read === undefined) return { ok: false, message: DAMAGED };
  const state = readState(text.slice(end + 1));
  if (!state.ok) return state;
  const { v: _, ...rest } = read;
  return { ok: true, value: { ...rest, state: state.value } };
}

/** Who carries the run of a file out; undefined where the file says it no longer. */
export function driverOf(text: string): string | undefined {
  return headerOf(text.slice(0, Math.max(0, text.indexOf('\n'))))?.driver;
}

function headerOf(line: string): z.infer<typeof header> | undefined {
  try {
    const read = header.safeParse(JSON.parse(line));
    return read.success ? read.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const DAMAGED =
  'The stored run is damaged in its first line. Move the file away and start the run anew; the plan is on the board.';
