import { KeyedQueue } from '../../keyed-queue';
import type { RunUpdate } from '../command';
import type { Happening } from '../event';
import { logText, readLog, readState, stateText } from '../serialise';
import { IDLE, type RunState } from '../state';
import { replay, step } from '../step';
import { LostLines, RunFiles, withTaken, type RunHeader, type StoredRun } from './run-files';
import type { NoteStore } from '../../ports';
import type { RunAnswer } from '../runs';

/** Lines, and characters, after which a segment of the log is full. */
const MOST_LINES = 200;

const MOST_CHARS = 200_000;

interface Segment {
  readonly first: number;
  readonly last: Happening | undefined;
  /** behind its first line, which has the whole board */
  readonly chars: number;
}

/** What only adds to a turn, and asks for nothing. */
const QUIET: ReadonlySet<string> = new Set(['said', 'tokens']);

/** Events that the stored state may be behind its log. */
const MOST_BEHIND = 20;

/**
 * What a run is on the disk. Each event is a numbered line of the log first, then the state is stored
 * with that number, unless the event asks for nothing: where only the line was written, the state
 * hears it when it is opened again.
 */
export class RunJournal {
  readonly #writes = new KeyedQueue();
  /** events since the state was stored */
  #behind = 0;

  private constructor(
    private readonly files: RunFiles,
    readonly id: string,
    private stored: StoredRun,
    private segment: Segment,
    /** what the person was to be told when the state was left behind its log */
    readonly untold: readonly RunUpdate[],
  ) {}

  static begin(files: RunFiles, id: string, stored: StoredRun): RunJournal {
    return new RunJournal(files, id, stored, { first: 1, last: undefined, chars: 0 }, []);
  }

  /** Takes a stored run over. @param mine who carries it out from now on */
  static async open(
    files: RunFiles,
    id: string,
    before: StoredRun,
    mine: Pick<RunHeader, 'program' | 'driver'>,
  ): Promise<RunJournal> {
    const tail = await readTail(files, id, before.n);
    const { n, taken } = before;
    const untold: RunUpdate[] = [];
    let { state } = before;
    for (const one of tail.ahead) {
      const [next, commands] = step(state, one);
      state = next;
      for (const command of commands) if (command.type === 'tell') untold.push(command.what);
    }
    const stored: StoredRun = {
      ...{ ...before, ...mine, state, n: n + tail.ahead.length },
      taken: tail.taken.reduce((all, name) => withTaken(all, name), [...taken]),
    };
    await files.write(id, stored, before.driver);
    // A segment of its own: a program that was overtaken while it slept knows the one before, and
    // writes there once more before it learns that.
    const segment: Segment = { first: stored.n + 1, last: tail.last, chars: 0 };
    return new RunJournal(files, id, stored, segment, untold);
  }

  get now(): StoredRun {
    return this.stored;
  }

  /** The last event that was heard, with the plan as it stood then. */
  get last(): Happening | undefined {
    return this.segment.last;
  }

  /**
   * @param action the name of the action that the event is, where it came through the inbox
   * @throws StoreError where it could not be stored: then the run stands where it stood
   */
  add(happening: Happening, state: RunState, action?: string): Promise<void> {
    return this.#writes.run('', () => this.#add(happening, state, action));
  }

  /** What stands beside the state: no event, so the log does not have it. */
  note(path: string): Promise<void> {
    return this.#writes.run('', async () => {
      if (this.stored.note !== path) await this.#write({ ...this.stored, note: path });
    });
  }

  async #add(happening: Happening, state: RunState, action?: string): Promise<void> {
    const { stored } = this;
    const n = stored.n + 1;
    const segment = await this.#append(happening, n, action);
    const taken = action === undefined ? stored.taken : withTaken(stored.taken, action);
    const run: StoredRun = { ...stored, n, taken, state };
    const waits = QUIET.has(happening.event.type) && this.#behind + 1 < MOST_BEHIND;
    if (waits) {
      this.stored = run;
      this.#behind += 1;
    } else {
      await this.#write(run);
    }
    this.segment = segment;
  }

  /** A log that lost lines goes on in a new segment. */
  async #append(happening: Happening, n: number, action?: string): Promise<Segment> {
    try {
      return await this.#appendTo(this.#segmentFor(n), happening, n, action);
    } catch (error) {
      if (!(error instanceof LostLines)) throw error;
      return this.#appendTo({ first: n, last: undefined, chars: 0 }, happening, n, action);
    }
  }

  async #appendTo(
    { first, last, chars }: Segment,
    happening: Happening,
    n: number,
    action?: string,
  ): Promise<Segment> {
    // Only the newest segment is read back: what the state has not heard stands in that. And nobody
    // but who carries the run out may begin one.
    if (first === n && n > 1) await this.#write(this.stored);
    const text = logText(happening, first === n ? undefined : last);
    // The name of an action stands in its line, so that it is known wherever the line was written.
    const line =
      action === undefined ? text : `{"action":${JSON.stringify(action)},${text.slice(1)}`;
    await this.files.append(this.id, first, n, line);
    return { first, last: happening, chars: first === n ? 0 : chars + line.length };
  }

  async #write(run: StoredRun): Promise<void> {
    await this.files.write(this.id, run, run.n <= 1 ? undefined : run.driver);
    this.stored = run;
    this.#behind = 0;
  }

  #segmentFor(n: number): Segment {
    const { first, chars } = this.segment;
    const full = n - first >= MOST_LINES || chars >= MOST_CHARS;
    return full ? { first: n, last: undefined, chars: 0 } : this.segment;
  }
}

/** The end of the log; of one that is damaged, or shorter than the state says, nothing. */
async function readTail(files: RunFiles, id: string, n: number) {
  const first = (await files.segments(id)).at(-1);
  const text = first === undefined || first > n + 1 ? '' : await files.segment(id, first);
  const read = readLog(text);
  const heard = n - (first ?? n + 1) + 1;
  if (!read.ok || read.value.log.length < heard || text === '') return { ahead: [], taken: [] };
  const { log } = read.value;
  const lines = text.split('\n').slice(heard, log.length);
  return {
    last: log.at(-1),
    /** events whose lines were written, and that the state has not heard */
    ahead: log.slice(heard),
    /** names of the actions among them */
    taken: lines.flatMap((line) => actionOf(line) ?? []),
  };
}

function actionOf(line: string): string | undefined {
  const json = JSON.parse(line) as unknown;
  const named = typeof json === 'object' && json !== null && 'action' in json;
  return named && typeof json.action === 'string' ? json.action : undefined;
}

/** A run played again from its log. */
export interface Replayed {
  /** each event, and the state that it led to */
  readonly steps: readonly { readonly heard: Happening; readonly state: RunState }[];
  /** the state that is stored */
  readonly stored: RunState;
  /** whether the log leads to it */
  readonly same: boolean;
}

/** @throws StoreError where a file can't be read */
export async function replayRun(
  store: NoteStore,
  id: string,
  stateRoot?: string,
): Promise<RunAnswer<Replayed>> {
  const files = new RunFiles(store, stateRoot);
  const read = await files.read(id);
  if (read === undefined) return { ok: false, message: `There is no run ${id}.` };
  if (!read.ok) return read;
  const { state: stored, n } = read.value;
  const log = await wholeLog(files, id);
  if (!log.ok) return log;
  const heard = log.value.slice(0, n);
  if (heard.length < n) {
    return { ok: false, message: `The log has ${heard.length} of ${n} events: the rest is gone.` };
  }
  const states = replay(heard, IDLE);
  const last = states.at(-1) ?? IDLE;
  const steps = heard.map((one, at) => ({ heard: one, state: states[at] ?? IDLE }));
  // As it would be read back: what order its parts stand in says nothing.
  const again = readState(stateText(last));
  const same = again.ok && JSON.stringify(again.value) === JSON.stringify(stored);
  return { ok: true, value: { steps, stored, same } };
}

async function wholeLog(files: RunFiles, id: string): Promise<RunAnswer<readonly Happening[]>> {
  const log: Happening[] = [];
  for (const first of await files.segments(id)) {
    if (first > log.length + 1) {
      const message = `The log has no events from ${log.length + 1} to ${first - 1}: they are gone.`;
      return { ok: false, message };
    }
    const read = readLog(await files.segment(id, first));
    if (!read.ok) return read;
    // What a later segment says instead was never acted on in this one.
    log.splice(first - 1, log.length, ...read.value.log);
  }
  return { ok: true, value: log };
}
