import { hookProblems } from '../../core/config/check-hooks';
import { ConfigFolder, type FolderEntry, type FolderReader } from '../../core/config/config-folder';
import { fileProblem, type ConfigProblem } from '../../core/config/config-problem';
import { readJsonc } from '../../core/config/config-text';
import { loadConfig, type LoadedConfig } from '../../core/config/load-config';
import { StoreError, type Clock, type Stat, type Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import { SHARED_SETTINGS_PATH } from '../../core/shared-settings';

/** Where the configuration of OpenCode is read. */
export interface ConfigPlaces {
  readonly vault: FolderReader;
  /** the person's own folder of OpenCode; undefined where there is none, or it can't be reached */
  readonly home: FolderReader | undefined;
  /** whether a folder of the person would be found */
  readonly reachesHome: boolean;
}

export interface ConfigState {
  /** undefined until it was read */
  readonly loaded: LoadedConfig | undefined;
  /** whether the person's own configuration can be reached from here */
  readonly reachesHome: boolean;
  /** why it can't be read, for the person */
  readonly fault: string | undefined;
}

/** ms that changes of files are gathered before one look. */
const GATHER = 120;

/** So many times as long as a look at the files took, none that nothing has asked for follows. */
const REST = 4;

/**
 * The configuration of OpenCode in the vault: read when somebody first needs it, and again when one of
 * its files has changed, for as long as somebody follows it.
 */
export class ConfigSource {
  private now: ConfigState = { loaded: undefined, reachesHome: true, fault: undefined };
  private hooks: readonly ConfigProblem[] = [];
  private readonly listeners = new Listeners<void>();
  private followers = 0;
  private seen: SeenFiles | undefined;
  private running: Promise<void> | undefined;
  private again = false;
  private rest = 0;
  private timer: Undo = () => undefined;

  constructor(
    private readonly open: () => Promise<ConfigPlaces>,
    private readonly clock: Clock,
    private readonly onFault: (error: unknown) => void,
  ) {}

  get state(): ConfigState {
    return this.now;
  }

  /** What is wrong with the configuration, and with our own `hooks`; nothing until it was read. */
  problems(): readonly ConfigProblem[] {
    return [...(this.now.loaded?.problems ?? []), ...this.hooks];
  }

  /** Follows the configuration until undone. The listener is called whenever it was read anew. */
  subscribe(listener: () => void): Undo {
    const forget = this.listeners.add(listener);
    this.followers += 1;
    void this.refresh();
    let follows = true;
    return () => {
      forget();
      if (follows) this.followers -= 1;
      follows = false;
    };
  }

  onChange(listener: () => void): Undo {
    return this.subscribe(listener);
  }

  /** The configuration as the files have it now; undefined where it can't be read. */
  async read(): Promise<LoadedConfig | undefined> {
    await this.refresh();
    return this.now.loaded;
  }

  /** A regular look at the disk: hidden folders and phones tell of no change. */
  look(): void {
    if (this.followers > 0 && this.clock.now() >= this.rest) void this.refresh();
  }

  /** A file of the vault was touched. */
  touched(path: string): void {
    if (this.followers === 0 || this.seen?.concerns(path) === false) return;
    this.timer();
    this.timer = this.clock.after(GATHER, () => void this.refresh());
  }

  close(): void {
    this.followers = 0;
    this.timer();
    this.listeners.clear();
  }

  /** Settled once the state is that of the files at the time of the call, or later. */
  private refresh(): Promise<void> {
    this.again = this.running !== undefined;
    this.running ??= this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  private async run(): Promise<void> {
    do {
      this.again = false;
      const from = this.clock.now();
      try {
        await this.once();
      } catch (error) {
        const fault = error instanceof Error ? error.message : String(error);
        if (fault !== this.now.fault) this.onFault(error);
        this.set({ fault });
      }
      const to = this.clock.now();
      this.rest = to + (to - from) * REST;
    } while (this.asked());
  }

  private asked(): boolean {
    return this.again;
  }

  private async once(): Promise<void> {
    const { vault, home, reachesHome } = await this.open();
    const isKnown = this.now.fault === undefined && this.seen?.withHome === (home !== undefined);
    if (isKnown && (await this.seen?.changed()) === false) return;
    const seen = new SeenFiles(home !== undefined);
    const loaded = await loadConfig(seen.through('', vault), home && seen.through('~/', home));
    this.hooks = await hooksIn(seen.through('', vault));
    this.seen = seen;
    this.set({ loaded, reachesHome, fault: undefined });
  }

  private set(part: Partial<ConfigState>): void {
    this.now = { ...this.now, ...part };
    this.listeners.call();
  }
}

/** What is wrong with the hooks of the shared settings; of a file that can't be read, or is no JSON, these say it themselves. */
async function hooksIn(vault: FolderReader): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  try {
    if ((await vault.stat(SHARED_SETTINGS_PATH)) === undefined) return [];
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
  const folder = new ConfigFolder(vault, '', problems);
  const read = readJsonc((await folder.read(SHARED_SETTINGS_PATH, 'configuration')) ?? '');
  // What is no UTF-8 OpenCode would read; these settings are refused then, and say it.
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (read.ok) return [...errors, ...hookProblems(SHARED_SETTINGS_PATH, read)];
  if (read.ours === true) {
    problems.push(fileProblem(SHARED_SETTINGS_PATH, 'error', read.message, read.fix));
  }
  return problems;
}

/** What was looked at while a configuration was read: if it is not as it was, the configuration is another. */
class SeenFiles {
  private readonly looks = new Map<
    string,
    { readonly found: string; readonly ask: () => Promise<string> }
  >();
  /** Folders and files of the vault. */
  private readonly paths = new Set<string>();

  constructor(readonly withHome: boolean) {}

  /** The same files; what is asked of them is remembered. @param label before their paths */
  through(label: string, files: FolderReader): FolderReader {
    const seen = async <T>(key: string, ask: () => Promise<T>, words: (found: T) => string) => {
      const again = () => ask().then(words, faultWords);
      let found = '';
      try {
        const answer = await ask();
        found = words(answer);
        return answer;
      } catch (error) {
        found = faultWords(error);
        throw error;
      } finally {
        this.looks.set(key, { found, ask: again });
      }
    };
    const note = (path: string): void => void (label === '' && this.paths.add(path));
    return {
      read: (path) => files.read(path),
      stat: (path) => {
        note(path);
        return seen(`${label}${path}`, () => files.stat(path), statWords);
      },
      list: (path) => {
        note(path);
        return seen(`${label}${path}/`, () => files.list(path), entryWords);
      },
    };
  }

  /** Whether a path of the vault was looked at, or its folder was. */
  concerns(path: string): boolean {
    return (
      this.paths.has(path) || this.paths.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))))
    );
  }

  async changed(): Promise<boolean> {
    for (const { found, ask } of this.looks.values()) if ((await ask()) !== found) return true;
    return false;
  }
}

function statWords(stat: Stat | undefined): string {
  return stat === undefined ? '' : `${stat.mtime} ${stat.size}`;
}

function entryWords(entries: readonly FolderEntry[]): string {
  return entries.map(({ name, kind, real = '' }) => `${kind} ${name} ${real}`).join('/');
}

function faultWords(error: unknown): string {
  if (!(error instanceof StoreError)) throw error;
  return error.message;
}
