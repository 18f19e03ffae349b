import { hookProblems } from '../../core/config/check-hooks';
import { ConfigFolder, type FolderEntry, type FolderReader } from '../../core/config/config-folder';
import { fileProblem, type ConfigProblem } from '../../core/config/config-problem';
import { readJsonc } from '../../core/config/config-text';
import { loadConfig, type LoadedConfig } from '../../core/config/load-config';
import { StoreError, type Clock, type Stat, type Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import { SHARED_SETTINGS_PATH } from '../../core/shared-settings';
import { errorText } from '../language/text';

/** The folders from which OpenCode's configuration is read. */
export interface ConfigPlaces {
  readonly vault: FolderReader;
  /** the person's own folder of OpenCode; undefined if it does not exist or can't be reached */
  readonly home: FolderReader | undefined;
  /** whether the person's own folder would be found if it existed */
  readonly reachesHome: boolean;
}

export interface ConfigState {
  /** undefined until the configuration was read */
  readonly loaded: LoadedConfig | undefined;
  /** whether the person's own configuration can be reached from here */
  readonly reachesHome: boolean;
  /** why it can't be read, as text for the person */
  readonly fault: string | undefined;
}

/** Delay from the first file change to reading, ms, to collect further changes. */
const CHANGE_DELAY = 120;

/** After a read, regular scans pause for this many times the read's duration. */
const REST_FACTOR = 4;

/**
 * The configuration of OpenCode in the vault. It is read on first use, and again when one of its
 * files changes, as long as it has subscribers.
 */
export class ConfigSource {
  private currentState: ConfigState = { loaded: undefined, reachesHome: true, fault: undefined };
  private hooks: readonly ConfigProblem[] = [];
  private readonly listeners = new Listeners<void>();
  private subscribers = 0;
  private lastQueries: RecordedQueries | undefined;
  private running: Promise<void> | undefined;
  private refreshNeeded = false;
  private restUntil = 0;
  private timer: Undo = () => undefined;

  constructor(
    private readonly open: () => Promise<ConfigPlaces>,
    private readonly clock: Clock,
    private readonly onFault: (error: unknown) => void,
  ) {}

  get state(): ConfigState {
    return this.currentState;
  }

  /** Problems of the configuration and of our own `hooks`; none until it was read. */
  problems(): readonly ConfigProblem[] {
    return [...(this.currentState.loaded?.problems ?? []), ...this.hooks];
  }

  /** Follows the configuration until undone. Calls the listener each time it was read again. */
  subscribe(listener: () => void): Undo {
    const unsubscribe = this.listeners.add(listener);
    this.subscribers += 1;
    void this.refresh();
    let follows = true;
    return () => {
      unsubscribe();
      if (follows) this.subscribers -= 1;
      follows = false;
    };
  }

  onChange(listener: () => void): Undo {
    return this.subscribe(listener);
  }

  /** Reads the configuration from the files as they are now; undefined if it can't be read. */
  async read(): Promise<LoadedConfig | undefined> {
    await this.refresh();
    return this.currentState.loaded;
  }

  /**
   * Called at each scan of the disk, since no changes are reported for hidden folders and on
   * phones.
   */
  onScan(): void {
    if (this.subscribers > 0 && this.clock.now() >= this.restUntil) void this.refresh();
  }

  /** A file of the vault was touched. */
  touched(path: string): void {
    if (this.subscribers === 0 || this.lastQueries?.concerns(path) === false) return;
    this.timer();
    this.timer = this.clock.after(CHANGE_DELAY, () => void this.refresh());
  }

  close(): void {
    this.subscribers = 0;
    this.timer();
    this.listeners.clear();
  }

  /**
   * Reads the configuration. Settles once the state reflects the files at the time of the call, or
   * later.
   */
  private refresh(): Promise<void> {
    this.refreshNeeded = this.running !== undefined;
    this.running ??= this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  private async run(): Promise<void> {
    do {
      this.refreshNeeded = false;
      const from = this.clock.now();
      try {
        await this.refreshOnce();
      } catch (error) {
        const fault = errorText(error);
        if (fault !== this.currentState.fault) this.onFault(error);
        this.set({ fault });
      }
      const to = this.clock.now();
      this.restUntil = to + (to - from) * REST_FACTOR;
    } while (this.needsRefresh());
  }

  private needsRefresh(): boolean {
    return this.refreshNeeded;
  }

  private async refreshOnce(): Promise<void> {
    const { vault, home, reachesHome } = await this.open();
    const isKnown =
      this.currentState.fault === undefined && this.lastQueries?.withHome === (home !== undefined);
    if (isKnown && (await this.lastQueries?.changed()) === false) return;
    const seen = new RecordedQueries(home !== undefined);
    const loaded = await loadConfig(seen.recording('', vault), home && seen.recording('~/', home));
    this.hooks = await readHookProblems(seen.recording('', vault));
    this.lastQueries = seen;
    this.set({ loaded, reachesHome, fault: undefined });
  }

  private set(part: Partial<ConfigState>): void {
    this.currentState = { ...this.currentState, ...part };
    this.listeners.call();
  }
}

/**
 * Problems of the hooks in the shared settings. If that file can't be read or is not JSON, the
 * settings themselves report it.
 */
async function readHookProblems(vault: FolderReader): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  try {
    if ((await vault.stat(SHARED_SETTINGS_PATH)) === undefined) return [];
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
  const folder = new ConfigFolder(vault, '', problems);
  const read = readJsonc((await folder.read(SHARED_SETTINGS_PATH, 'configuration')) ?? '');
  // OpenCode would read a file that is not UTF-8; our settings refuse it and report that.
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (read.ok) return [...errors, ...hookProblems(SHARED_SETTINGS_PATH, read)];
  if (read.isOwnLimit === true) {
    problems.push(fileProblem(SHARED_SETTINGS_PATH, 'error', read.message, read.fix));
  }
  return problems;
}

/**
 * Records the file queries of a read. If any would now have another result, the configuration has
 * changed.
 */
class RecordedQueries {
  private readonly queries = new Map<
    string,
    { readonly found: string; readonly ask: () => Promise<string> }
  >();
  /** Queried folders and files of the vault. */
  private readonly paths = new Set<string>();

  constructor(readonly withHome: boolean) {}

  /**
   * The same files, with queries recorded.
   * @param label put before their paths
   */
  recording(label: string, files: FolderReader): FolderReader {
    const seen = async <T>(key: string, ask: () => Promise<T>, words: (found: T) => string) => {
      const again = () => ask().then(words, faultFingerprint);
      let found = '';
      try {
        const answer = await ask();
        found = words(answer);
        return answer;
      } catch (error) {
        found = faultFingerprint(error);
        throw error;
      } finally {
        this.queries.set(key, { found, ask: again });
      }
    };
    const note = (path: string): void => void (label === '' && this.paths.add(path));
    return {
      read: (path) => files.read(path),
      stat: (path) => {
        note(path);
        return seen(`${label}${path}`, () => files.stat(path), statFingerprint);
      },
      list: (path) => {
        note(path);
        return seen(`${label}${path}/`, () => files.list(path), entriesFingerprint);
      },
    };
  }

  /** Whether a path of the vault, or its folder, was queried. */
  concerns(path: string): boolean {
    return (
      this.paths.has(path) || this.paths.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))))
    );
  }

  async changed(): Promise<boolean> {
    for (const { found, ask } of this.queries.values()) if ((await ask()) !== found) return true;
    return false;
  }
}

function statFingerprint(stat: Stat | undefined): string {
  return stat === undefined ? '' : `${stat.mtime} ${stat.size}`;
}

function entriesFingerprint(entries: readonly FolderEntry[]): string {
  return entries.map(({ name, kind, real = '' }) => `${kind} ${name} ${real}`).join('/');
}

function faultFingerprint(error: unknown): string {
  if (!(error instanceof StoreError)) throw error;
  return error.message;
}
