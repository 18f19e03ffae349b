import '../json';
import * as z from 'zod/mini';
import { readBoardPath } from '../board/board-path';
import { STATE_ROOT, StateFiles } from '../board/state-file';
import { catchStoreError } from '../fault';
import { jsonAs } from '../json';
import { lazy } from '../lazy';
import { RunFiles } from '../orchestrator/drive/run-files';
import { parseAuditFileName } from '../permission/audit/audit-store';
import { StoreError, type NoteStore, type Stat } from '../ports';
import { boardSums } from './board-sums';
import {
  auditSums,
  fileSums,
  sumJoinedCalls,
  emptySums,
  usageSums,
  type DayOf,
  type FileSums,
  type Wait,
} from './file-sums';
import {
  DIMENSIONS,
  groupCells,
  withoutTasks,
  type Cell,
  type Figures,
  type FigureRow,
  type Group,
} from './figures';

/** A file with recorded data, and how to read it. */
interface Source {
  /** relative to the state folder */
  readonly path: string;
  /** the cache file that holds its sums */
  readonly group: string;
  /** of an audit file */
  readonly writer?: string;
  read(text: string): FileSums | Promise<FileSums>;
}

const cacheFile = lazy(() =>
  z.object({
    v: z.literal(4),
    zone: z.string(),
    files: z.array(
      z.object({ path: z.string(), size: z.number(), mtime: z.number(), sums: fileSums() }),
    ),
  }),
);

type CachedFile = z.infer<ReturnType<typeof cacheFile>>['files'][number];

/** Which figures to compute; days are `YYYY-MM-DD`, both included. */
export interface MetricsQuery {
  readonly by: Group;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface Metrics {
  /** the first day; null if nothing is recorded */
  readonly from: string | null;
  readonly to: string | null;
  readonly by: Group;
  readonly rows: readonly FigureRow[];
  readonly total: Figures;
  /** the longest waits, and those that still last */
  readonly waits: readonly Wait[];
  /** how many lines can't be read, and which files */
  readonly broken: number;
  readonly unread: readonly string[];
  /**
   * the day from which on the histories of all boards reach, if the period begins before it ends;
   * null if they are whole
   */
  readonly tasksSince: string | null;
}

/** All recorded data, read once; figures can be computed from it any number of times. */
export interface RecordedData {
  figures(query: MetricsQuery): Metrics;
}

/** Folder of the cache, in the state folder; it may be deleted at any time. */
export const METRICS_FOLDER = 'metrics';

/** Reads the recorded data of a vault. Writes only its cache, and sends nothing. */
export class MetricsReader {
  readonly #state: StateFiles;

  /**
   * @param pause called before each file that is read, so that other work can run
   * @param zone the time zone of `dayOf` now; a cache of another zone is not used
   */
  constructor(
    private readonly store: NoteStore,
    private readonly dayOf: DayOf,
    private readonly pause: () => Promise<void> = () => Promise.resolve(),
    private readonly zone: () => string = () => Intl.DateTimeFormat().resolvedOptions().timeZone,
  ) {
    this.#state = new StateFiles(store, STATE_ROOT);
  }

  /** @throws StoreError if a folder with recorded data can't be listed */
  async read(): Promise<RecordedData> {
    const zone = this.zone(); // the computer may be taken to another one
    const sources = await this.#sources();
    const files: { readonly source: Source; readonly sums: FileSums }[] = [];
    const unread: string[] = [];
    for (const [group, own] of grouped(sources)) {
      const cached = await this.#cached(group, zone);
      const kept: CachedFile[] = [];
      let changed = false;
      for (const source of own) {
        const path = `${STATE_ROOT}/${source.path}`;
        try {
          const stat = await this.store.stat(path);
          if (stat === undefined) continue;
          const before = cached.get(source.path);
          const isSame = before?.size === stat.size && before.mtime === stat.mtime;
          const file = isSame ? before : await this.#readFile(source, path, stat);
          if (file === undefined) continue;
          changed ||= file !== before;
          kept.push(file);
          files.push({ source, sums: file.sums });
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          unread.push(path);
        }
      }
      if (changed || kept.length !== cached.size) await this.#writeCache(group, zone, kept);
    }
    return new RecordedFiles(files, unread);
  }

  async #readFile(source: Source, path: string, { size, mtime }: Stat) {
    await this.pause();
    const text = await this.store.read(path);
    if (text === undefined) return undefined;
    return { path: source.path, size, mtime, sums: await source.read(text) };
  }

  async #cached(group: string, zone: string): Promise<ReadonlyMap<string, CachedFile>> {
    const read = jsonAs(cacheFile(), await this.#state.text(`${METRICS_FOLDER}/${group}.json`));
    if (read?.zone !== zone) return new Map();
    return new Map(read.files.map((file) => [file.path, file]));
  }

  /** Without a writable cache, files are read again the next time. */
  async #writeCache(group: string, zone: string, files: readonly CachedFile[]): Promise<void> {
    const text = `${JSON.stringify({ v: 4, zone, files })}\n`;
    await catchStoreError(
      () => this.#state.change(`${METRICS_FOLDER}/${group}.json`, () => text),
      () => undefined,
    );
  }

  async #sources(): Promise<readonly Source[]> {
    const { dayOf } = this;
    const state = this.#state;
    const usage = (await state.names('usage')).flatMap((name): Source[] => {
      const month = /^(\d{4}-\d\d)\.(?:[\w-]+\.)?jsonl$/.exec(name)?.[1];
      if (month === undefined) return [];
      return [{ path: `usage/${name}`, group: month, read: (text) => usageSums(text, dayOf) }];
    });
    const audit = (await state.names('audit')).flatMap((name): Source[] => {
      const { month: group, writer } = parseAuditFileName(name) ?? {};
      if (group === undefined || writer === undefined) return [];
      return [{ path: `audit/${name}`, group, writer, read: (text) => auditSums(text, dayOf) }];
    });
    const boards: Source[] = [];
    for (const folder of await state.folders('history')) {
      for (const name of await state.names(`history/${folder}`)) {
        const file = name.replace(/\.jsonl$/, '-tasks.md');
        const board = readBoardPath('', `/${folder}/${file}`);
        if (board === undefined) continue;
        const { session, agent } = board;
        const path = `history/${folder}/${name}`;
        const read = (text: string) => boardSums(text, session, agent, dayOf);
        boards.push({ path, group: 'boards', read });
      }
    }
    const runs = new RunFiles(this.store);
    const ran = (await runs.ids()).map((id): Source => ({
      ...{ path: `runs/${id}/run.json`, group: 'runs' },
      read: async () => runSums(await runs.read(id)),
    }));
    return [...usage, ...audit, ...boards, ...ran];
  }
}

function grouped(sources: readonly Source[]): ReadonlyMap<string, readonly Source[]> {
  const groups = new Map<string, Source[]>();
  for (const source of sources) {
    const group = groups.get(source.group) ?? [];
    groups.set(source.group, group);
    group.push(source);
  }
  return groups;
}

/** The sessions of a run: the planner and the workers. */
function runSums(read: Awaited<ReturnType<RunFiles['read']>>): FileSums {
  if (read?.ok !== true || read.value.state.kind === 'idle') return { ...emptySums(), broken: 1 };
  const { state } = read.value;
  const { id, planner, timeline, wish } = state.run;
  const steps = 'stage' in state && state.stage.kind === 'executing' ? state.stage.steps : [];
  const sessions = [
    ...[planner, ...timeline.map(({ session }) => session)],
    ...steps.map(({ worker }) => worker?.session),
  ].filter((one) => typeof one === 'string');
  return {
    ...emptySums(),
    ...{ runs: [[id, [...new Set(sessions)]]], titles: [[id, wish.goal.slice(0, 200)]] },
  };
}

class RecordedFiles implements RecordedData {
  readonly #cells: readonly Cell[];
  readonly #waits: readonly Wait[];
  readonly #titles: ReadonlyMap<string, string>;
  readonly #runs: ReadonlyMap<string, string>;
  readonly #broken: number;
  /** the latest day in which a history begins whose older changes are gone; may be empty */
  readonly #tasksSince: string;

  constructor(
    files: readonly { readonly source: Source; readonly sums: FileSums }[],
    private readonly unread: readonly string[],
  ) {
    const byWriter = new Map<string, FileSums[]>();
    for (const { source, sums } of files) {
      if (source.writer === undefined) continue;
      byWriter.set(source.writer, [...(byWriter.get(source.writer) ?? []), sums]);
    }
    const all = [...files.map(({ sums }) => sums), ...[...byWriter.values()].map(sumJoinedCalls)];
    this.#cells = all.flatMap(({ cells }) => cells);
    this.#waits = all.flatMap(({ waits }) => waits);
    this.#titles = new Map(files.flatMap(({ sums }) => sums.titles));
    const runs = files.flatMap(({ sums }) => sums.runs);
    this.#runs = new Map(runs.flatMap(([id, own]) => own.map((session) => [session, id])));
    this.#tasksSince = files.map(({ sums }) => sums.since ?? '').reduce(later, '');
    this.#broken = files.reduce((sum, { sums }) => sum + sums.broken, 0);
  }

  figures({ by, from, to }: MetricsQuery): Metrics {
    const fits = (day: string) => (from ?? day) <= day && day <= (to ?? day);
    const day = ({ k }: Pick<Cell, 'k'>) => k[DIMENSIONS.indexOf('day')] ?? '';
    const cells = this.#cells.filter((cell) => fits(day(cell)));
    const days = cells.map(day).sort();
    const title = (key: string) => this.#titles.get(key);
    const since = this.#tasksSince;
    const { rows, total } = groupCells(cells, by, this.#runs, title);
    const isLost = ({ key }: FigureRow) => by === 'day' && key !== null && key < since;
    return {
      ...{ from: from ?? days[0] ?? null, to: to ?? days.at(-1) ?? null, by, total },
      rows: rows.map((row) => (isLost(row) ? withoutTasks(row) : row)),
      tasksSince: (from ?? '') <= since && since !== '' ? since : null,
      // One that still lasts began on that day and reaches every later one.
      waits: this.#waits.filter((wait) =>
        wait.ms === null ? to === undefined || day(wait) <= to : fits(day(wait)),
      ),
      ...{ broken: this.#broken, unread: this.unread },
    };
  }
}

function later(a: string, b: string): string {
  return a < b ? b : a;
}
