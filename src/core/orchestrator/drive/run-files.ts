import { StateFiles } from '../../board/state-file';
import { jsonAs } from '../../json';
import { STATE_ROOT } from '../../board/todo-manager';
import type { NoteStore, Stat } from '../../ports';
import { catchStoreError } from '../../fault';
import { damaged, readState, RUN_VERSION, stateText, type ReadRun } from '../serialise';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import { RUN_SENTENCES, runSentence, type RunState } from '../state';
import type { MarkUnchecked } from '../../board/facts';
import { takenTasks, markUnchecked, type TakenTasks } from '../runs';

const FOLDER = 'runs';

const SEGMENT = /^(\d{8})\.jsonl$/;

const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Another program carries the run out; the caller must stop and write nothing more. */
export class SupersededError extends Error {}

/** The log has fewer lines than were written: something else removed them. */
export class LostLinesError extends Error {}

/**
 * The files of runs, in the state folder: `runs/<id>/run.json`; the log in segments named by the
 * number of their first line; `inbox/` for actions of other programs; `kept/<n>.json` for the state
 * at checkpoint n. All methods throw StoreError.
 */
export class RunFiles {
  readonly #state: StateFiles;
  readonly #root: string;

  constructor(
    private readonly store: NoteStore,
    stateRoot: string = STATE_ROOT,
  ) {
    this.#state = new StateFiles(store, stateRoot);
    this.#root = `${stateRoot}/${FOLDER}`;
  }

  async ids(): Promise<readonly string[]> {
    const entries = await this.store.list(this.#root);
    return entries.flatMap(({ name, kind }) =>
      kind === 'folder' && RUN_ID.test(name) ? [name] : [],
    );
  }

  stat(id: string): Promise<Stat | undefined> {
    return this.store.stat(this.#at(id, 'run.json'));
  }

  /**
   * Undefined if there is no such run.
   * @param activeOnly whether to skip (undefined) runs that are over
   */
  async read(id: string, activeOnly = false): Promise<ReadRun<StoredRun> | undefined> {
    const text = await this.store.read(this.#at(id, 'run.json'));
    if (text === undefined || (activeOnly && isEndedText(text))) return undefined;
    const read = readStored(text);
    const run = read.ok && read.value.state.kind !== 'idle' ? read.value.state.run : undefined;
    if (run === undefined || run.id === id) return read;
    // Its sessions and keys are the original's: carrying out both would do each step twice.
    return { ok: false, message: runSentence('isCopy', { id: run.id }) };
  }

  /**
   * @param before the driver so far; undefined for a new run
   * @throws Superseded if another driver has written the file
   */
  async write(id: string, run: StoredRun, before: string | undefined): Promise<void> {
    const text = storedText(run);
    await this.#state.change(`${FOLDER}/${id}/run.json`, (now) => {
      // A missing file, as after `git clean`, does not mean that another program has the run.
      const driver = now === undefined ? before : headerOf(now)?.driver;
      if (driver !== before && driver !== run.driver)
        throw new SupersededError(RUN_SENTENCES.elsewhere);
      return text;
    });
  }

  /** Numbers of the first lines of the log's segments, ascending. */
  async segments(id: string): Promise<readonly number[]> {
    const entries = await this.store.list(this.#at(id, 'log'));
    return entries
      .flatMap(({ name }) => SEGMENT.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  async segment(id: string, first: number): Promise<string> {
    return (await this.store.read(this.#at(id, `log/${segmentName(first)}`))) ?? '';
  }

  /**
   * Appends line `n`; lines from that number on were never acted on, and are replaced.
   * @throws LostLines if earlier lines are missing
   */
  async append(id: string, first: number, n: number, line: string): Promise<void> {
    await this.#state.change(
      `${FOLDER}/${id}/log/${segmentName(first)}`,
      (text) => firstLines(text ?? '', n - first) + line,
    );
  }

  /** Names of the pending actions, oldest first. */
  async inbox(id: string): Promise<readonly string[]> {
    const entries = await this.store.list(this.#at(id, 'inbox'));
    return entries
      .flatMap(({ name, kind }) => (kind === 'file' && name.endsWith('.json') ? [name] : []))
      .sort();
  }

  readAction(id: string, name: string): Promise<string | undefined> {
    return this.store.read(this.#at(id, `inbox/${name}`));
  }

  async writeAction(id: string, name: string, text: string): Promise<void> {
    await this.#state.change(`${FOLDER}/${id}/inbox/${name}`, () => text);
  }

  removeAction(id: string, name: string): Promise<void> {
    return this.store.remove(this.#at(id, `inbox/${name}`));
  }

  async saveCheckpointState(id: string, checkpoint: number, text: string): Promise<void> {
    await this.#state.change(`${FOLDER}/${id}/kept/${checkpoint}.json`, () => text);
  }

  #at(id: string, place: string): string {
    return `${this.#root}/${id}/${place}`;
  }
}

function segmentName(first: number): string {
  return `${String(first).padStart(8, '0')}.jsonl`;
}

/** @throws LostLines if there are fewer, as the next line would get a wrong number */
function firstLines(text: string, count: number): string {
  let end = 0;
  for (let line = 0; line < count; line += 1) {
    end = text.indexOf('\n', end) + 1;
    if (end === 0) throw new LostLinesError('The log of the run lost lines.');
  }
  return text.slice(0, end);
}

const header = lazy(() =>
  z.object({
    v: z.literal(RUN_VERSION),
    /**
     * number of events that the state includes, which is the number of the last one's line in the
     * log
     */
    n: z.int().check(z.nonnegative()),
    /** ms since the epoch */
    created: z.number(),
    /** the program that carried it out last */
    program: z.enum(['obsidian', 'cli']),
    /** unique id of the driver that carries it out; no other may write */
    driver: z.string(),
    /** names of the latest actions from the inbox, oldest first */
    taken: z.array(z.string()),
    /** path of the run note; null before there is one */
    note: z.nullable(z.string()),
  }),
);

export type RunHeader = Omit<z.infer<ReturnType<typeof header>>, 'v'>;

/** A run's file: one line with the header, then the state. */
export interface StoredRun extends RunHeader {
  readonly state: RunState;
}

/** How many names of actions are remembered; their files are removed long before. */
const MAX_TAKEN = 50;

export function withTaken(taken: readonly string[], name: string): string[] {
  return [...taken, name].slice(-MAX_TAKEN);
}

export function storedText({ state, ...rest }: StoredRun): string {
  return `${JSON.stringify({ v: RUN_VERSION, ...rest })}\n${stateText(state)}`;
}

function readStored(text: string): ReadRun<StoredRun> {
  const read = headerOf(text);
  if (read === undefined) return damaged('its first line');
  const state = readState(text.slice(text.indexOf('\n') + 1));
  if (!state.ok) return state;
  const { v: _, ...rest } = read;
  return { ok: true, value: { ...rest, state: state.value } };
}

/**
 * Whether a run is over, judged by the first characters of its state: validating the whole state of
 * a long run takes milliseconds. If false, the run may be over all the same.
 */
export function isEndedText(text: string): boolean {
  const start = text.indexOf('\n') + 1;
  return ENDED_HEAD.test(text.slice(start, start + 100));
}

const ENDED_HEAD = /^\{"v":1,"state":\{"kind":"(?:completed|failed|cancelled)"/;

/** The header; undefined if it is damaged. */
function headerOf(text: string) {
  return jsonAs(header(), text.slice(0, Math.max(0, text.indexOf('\n'))));
}

/**
 * Marks unchecked tasks according to the vault's current run files. Runs that can't be read are
 * ignored.
 */
export async function loadMarkUnchecked(store: NoteStore): Promise<MarkUnchecked> {
  const files = new RunFiles(store);
  const runs: TakenTasks[] = [];
  for (const id of (await ignoreStoreError(() => files.ids())) ?? []) {
    const read = await ignoreStoreError(() => files.read(id, true));
    const taken = read?.ok === true ? takenTasks(read.value) : undefined;
    if (taken !== undefined) runs.push(taken);
  }
  return (board) => markUnchecked(board, runs);
}

/** Ignores errors of the store; `run list` and `doctor` report them. */
function ignoreStoreError<T>(read: () => Promise<T>): Promise<T | undefined> {
  return catchStoreError(read, () => undefined);
}
