import '../../protocol/jitless';
import * as z from 'zod/mini';
import type { Undo } from '../../core/ports';

/** What concerns Obsidian alone; stands in the plugin's own data. Secrets never do. */
const ownSettings = z.object({
  connectAutomatically: z.catch(z.boolean(), true),
  /** `ws://127.0.0.1:<port>/`; empty: the bridge is found by its run file */
  address: z.catch(z.string().check(z.maxLength(200)), ''),
  /** empty: OpenCode's own default */
  defaultAgent: z.catch(z.string().check(z.maxLength(200)), ''),
  /** days that a session's transcript is kept after its last activity; 0: for ever */
  keepDays: z.catch(z.int().check(z.gte(0), z.lte(3650)), 7),
  /** days without activity after which a session is folded away in the sidebar; 0: never */
  foldDays: z.catch(z.int().check(z.gte(0), z.lte(3650)), 7),
  /** the folder that saved conversations go to; empty: the top of the vault */
  conversationFolder: z.catch(z.string().check(z.maxLength(400)), 'Conversations'),
  /** Enter sends and Shift Enter makes a new line; false: the other way round */
  enterSends: z.catch(z.boolean(), true),
  /** whether what an agent writes may load images from the network */
  remoteImages: z.catch(z.boolean(), false),
  /** whether sessions go on by themselves, each until its own switch says otherwise */
  autoContinue: z.catch(z.boolean(), false),
  /** seconds that a session counts down before it goes on */
  continueAfter: z.catch(z.int().check(z.gte(3), z.lte(600)), 10),
  /** whether a notice tells that a session needs the person, or is done, where no view shows it */
  notices: z.catch(z.boolean(), true),
  /** whether the system tells it too, while the window has not the focus */
  systemNotices: z.catch(z.boolean(), false),
});

type OwnSettings = z.infer<typeof ownSettings>;

/** Settings out of whatever the data file holds: what does not fit takes its default. */
export function readOwnSettings(data: unknown): OwnSettings {
  const read = ownSettings.safeParse(data);
  return read.success ? read.data : ownSettings.parse({});
}

/** The address in its one form; undefined where it is no loopback WebSocket address. */
export function loopbackAddress(text: string): string | undefined {
  const given = text.trim();
  if (given === '') return '';
  const url = parsed(/^\w+:\/\//.test(given) ? given : `ws://${given}`);
  if (url?.protocol !== 'ws:' || url.username !== '' || url.search !== '') return undefined;
  const loopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return loopback && url.port !== '' ? `ws://${url.host}/` : undefined;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Where the plugin's own data stands. */
interface DataFile {
  loadData(): Promise<unknown>;
  saveData(data: unknown): Promise<void>;
}

/** The plugin's own settings: read once, saved at each change. */
export class SettingsStore {
  private readonly listeners = new Set<() => void>();

  private constructor(
    private readonly file: DataFile,
    private now: OwnSettings,
  ) {}

  static async load(file: DataFile): Promise<SettingsStore> {
    return new SettingsStore(file, readOwnSettings(await file.loadData()));
  }

  get current(): OwnSettings {
    return this.now;
  }

  async change(part: Partial<OwnSettings>): Promise<void> {
    this.now = { ...this.now, ...part };
    await this.file.saveData(this.now);
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
