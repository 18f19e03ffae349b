import { KeyedQueue } from '../../keyed-queue';
import type { RunUpdate } from '../command';
import type { EventRecord } from '../event';
import { logText, readLog, readState, stateText } from '../serialise';
import { IDLE, runSentence, type RunState, type TimelineEntry } from '../state';
import { replay, step } from '../step';
import { LostLinesError, RunFiles, withTaken, type RunHeader, type StoredRun } from './run-files';
import type { NoteStore } from '../../ports';
import type { RunAnswer } from '../runs';

/** Maximum lines, and characters, of a segment of the log. */
const MAX_LINES = 200;

const MAX_CHARS = 200_000;

interface Segment {
  readonly first: number;
  readonly last: EventRecord | undefined;
  /** size without the first line, which contains the whole board */
  readonly chars: number;
}

/** Events that only add to a turn and lead to no commands. */
const QUIET: ReadonlySet<string> = new Set(['said', 'tokens']);

/** Maximum events by which the stored state may lag behind the log. */
const MAX_UNSAVED_EVENTS = 20;

/**
 * A run on disk. Each event is first appended to the log as a numbered line; then the state is
 * stored with that number, unless the event leads to no commands. Events that are only in the log
 * are applied when the run is opened again.
 */
export class RunJournal {
  readonly #writes = new KeyedQueue();
  /** number of events since the state was stored */
  #unsavedEvents = 0;

  private constructor(
    private readonly files: RunFiles,
    readonly id: string,
    private stored: StoredRun,
    private segment: Segment,
    /** notices for the person that result from log lines which the stored state did not include */
    readonly pendingUpdates: readonly RunUpdate[],
  ) {}

  static begin(files: RunFiles, id: string, stored: StoredRun): RunJournal {
    return new RunJournal(files, id, stored, { first: 1, last: undefined, chars: 0 }, []);
  }

  /** Takes over a stored run. @param owner the new driver */
  static async open(
    files: RunFiles,
    id: string,
    before: StoredRun,
    owner: Pick<RunHeader, 'program' | 'driver'>,
  ): Promise<RunJournal> {
    const tail = await readTail(files, id, before.n);
    const { n, taken } = before;
    const pendingUpdates: RunUpdate[] = [];
    let { state } = before;
    for (const one of tail.ahead) {
      const [next, commands] = step(state, one);
      state = next;
      for (const command of commands)
        if (command.type === 'tell') pendingUpdates.push(command.what);
    }
    const stored: StoredRun = {
      ...{ ...before, ...owner, state, n: n + tail.ahead.length },
      taken: tail.taken.reduce((all, name) => withTaken(all, name), [...taken]),
    };
    await files.write(id, stored, before.driver);
    // A new segment: a program that was suspended and superseded knows only the previous one, and
    // may append to it once more before it notices.
    const segment: Segment = { first: stored.n + 1, last: tail.last, chars: 0 };
    return new RunJournal(files, id, stored, segment, pendingUpdates);
  }

  get current(): StoredRun {
    return this.stored;
  }

  /** The last event that was applied, with the plan at that time. */
  get last(): EventRecord | undefined {
    return this.segment.last;
  }

  /**
   * @param action the name of the action, if the event came through the inbox
   * @throws StoreError if it could not be stored; the run's state is then unchanged
   */
  add(record: EventRecord, state: RunState, action?: string): Promise<void> {
    return this.#writes.run('', () => this.#add(record, state, action));
  }

  /** Stores the path of the run note in the header; not an event, so it is not logged. */
  note(path: string): Promise<void> {
    return this.#writes.run('', async () => {
      if (this.stored.note !== path) await this.#write({ ...this.stored, note: path });
    });
  }

  async #add(record: EventRecord, state: RunState, action?: string): Promise<void> {
    const { stored } = this;
    const n = stored.n + 1;
    const segment = await this.#append(record, n, action);
    const taken = action === undefined ? stored.taken : withTaken(stored.taken, action);
    const run: StoredRun = { ...stored, n, taken, state };
    const isDeferred = QUIET.has(record.event.type) && this.#unsavedEvents + 1 < MAX_UNSAVED_EVENTS;
    if (isDeferred) {
      this.stored = run;
      this.#unsavedEvents += 1;
    } else {
      await this.#write(run);
    }
    this.segment = segment;
  }

  /** Appends a line; if the log lost lines, in a new segment. */
  async #append(record: EventRecord, n: number, action?: string): Promise<Segment> {
    try {
      return await this.#appendTo(this.#segmentFor(n), record, n, action);
    } catch (error) {
      if (!(error instanceof LostLinesError)) throw error;
      return this.#appendTo({ first: n, last: undefined, chars: 0 }, record, n, action);
    }
  }

  async #appendTo(
    { first, last, chars }: Segment,
    record: EventRecord,
    n: number,
    action?: string,
  ): Promise<Segment> {
    // Only the newest segment is read back, so the state must include all earlier lines; the write
    // also verifies that this driver still has the run.
    if (first === n && n > 1) await this.#write(this.stored);
    const text = logText(record, first === n ? undefined : last);
    // The line contains the action's name, so that the action counts as applied once its line is
    // written.
    const line =
      action === undefined ? text : `{"action":${JSON.stringify(action)},${text.slice(1)}`;
    await this.files.append(this.id, first, n, line);
    return { first, last: record, chars: first === n ? 0 : chars + line.length };
  }

  async #write(run: StoredRun): Promise<void> {
    await this.files.write(this.id, run, run.n <= 1 ? undefined : run.driver);
    this.stored = run;
    this.#unsavedEvents = 0;
  }

  #segmentFor(n: number): Segment {
    const { first, chars } = this.segment;
    const full = n - first >= MAX_LINES || chars >= MAX_CHARS;
    return full ? { first: n, last: undefined, chars: 0 } : this.segment;
  }
}

/** The end of the log; empty if the log is damaged, or shorter than the state says. */
async function readTail(files: RunFiles, id: string, n: number) {
  const first = (await files.segments(id)).at(-1);
  const text = first === undefined || first > n + 1 ? '' : await files.segment(id, first);
  const read = readLog(text);
  const included = n - (first ?? n + 1) + 1;
  if (!read.ok || read.value.log.length < included || text === '') return { ahead: [], taken: [] };
  const { log } = read.value;
  const lines = text.split('\n').slice(included, log.length);
  return {
    last: log.at(-1),
    /** events in the log that the stored state does not include */
    ahead: log.slice(included),
    /** names of the actions among them */
    taken: lines.flatMap((line) => actionOf(line) ?? []),
  };
}

function actionOf(line: string): string | undefined {
  const json = JSON.parse(line) as unknown;
  const named = typeof json === 'object' && json !== null && 'action' in json;
  return named && typeof json.action === 'string' ? json.action : undefined;
}

/** A run replayed from its log. */
export interface Replayed {
  /** each event, and the state after it */
  readonly steps: readonly { readonly record: EventRecord; readonly state: RunState }[];
  /** the stored state */
  readonly stored: RunState;
  /** whether the log leads to the stored state */
  readonly same: boolean;
}

/**
 * Replays a run and compares the result with the stored state.
 * @throws StoreError if a file can't be read
 */
export async function replayRun(
  store: NoteStore,
  id: string,
  stateRoot?: string,
): Promise<RunAnswer<Replayed>> {
  const files = new RunFiles(store, stateRoot);
  const read = await files.read(id);
  if (read === undefined) return { ok: false, message: runSentence('noRun', { id }) };
  if (!read.ok) return read;
  const { state: stored, n } = read.value;
  const log = await wholeLog(files, id);
  if (!log.ok) return log;
  const events = log.value.slice(0, n);
  if (events.length < n) {
    return { ok: false, message: `The log has ${events.length} of ${n} events: the rest is gone.` };
  }
  const states = replay(events, IDLE);
  const last = states.at(-1) ?? IDLE;
  const steps = events.map((one, at) => ({ record: one, state: states[at] ?? IDLE }));
  // Compares the state as it would be read back, so that the order of its keys does not matter.
  const again = readState(stateText(last));
  const same = again.ok && comparable(again.value) === comparable(stored);
  return { ok: true, value: { steps, stored, same } };
}

/** A state as text, without the details of timeline entries that earlier versions did not store. */
function comparable(state: RunState): string {
  return JSON.stringify(state, (key, value: unknown) =>
    key === 'timeline' ? (value as readonly TimelineEntry[]).map(withoutNewer) : value,
  );
}

function withoutNewer({ count: _count, why: _why, ...entry }: TimelineEntry) {
  return entry;
}

async function wholeLog(files: RunFiles, id: string): Promise<RunAnswer<readonly EventRecord[]>> {
  const log: EventRecord[] = [];
  for (const first of await files.segments(id)) {
    if (first > log.length + 1) {
      const message = `The log has no events from ${log.length + 1} to ${first - 1}: they are gone.`;
      return { ok: false, message };
    }
    const read = readLog(await files.segment(id, first));
    if (!read.ok) return read;
    // A later segment replaces overlapping lines of this one, which were never acted on.
    log.splice(first - 1, log.length, ...read.value.log);
  }
  return { ok: true, value: log };
}
