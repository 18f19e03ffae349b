import '../../protocol/jitless';
import type { App } from 'obsidian';
import * as z from 'zod/mini';
import { lazy } from '../../core/lazy';
import { orElse } from '../../core/or-else';
import type { Ids, Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import type { AuditMark, MarkedEnd } from '../../core/permission/audit/audit-store';
import type { ConfirmedRules } from '../../core/permission/policy-store';
import type { BoardFolderStorage } from '../../core/permission/board-folders';
import type { Endpoint } from '../../core/session/connection';
import { storedAgent } from '../program/agent-entry';

/** The app's storage for this vault on this device, outside the vault. */
type LocalStorage = Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>;

const DEVICE_SETTINGS_KEY = 'agent-task-boards-device';

/**
 * Settings that apply to this vault on this device only. They are stored outside the vault, since a
 * vault from elsewhere must not name a program to run here.
 */
const deviceSettings = lazy(() =>
  z.object({
    /** whether OpenCode may be started from Obsidian */
    mayStart: orElse(z.boolean(), false),
    /** path of the program OpenCode; empty: looked for where it is usually installed */
    openCodePath: orElse(z.string().check(z.maxLength(4_000)), ''),
    /** whether agents may be started from Obsidian */
    mayStartAgents: orElse(z.boolean(), false),
    /**
     * path of the command line, which runs agents; empty: looked for where it is usually installed
     */
    agentBoardsPath: orElse(z.string().check(z.maxLength(4_000)), ''),
    /** the agents that the person set up */
    agents: orElse(z.array(storedAgent()).check(z.maxLength(50)), []),
    /** id of the provider whose model runs sessions here; empty: none */
    provider: orElse(z.string().check(z.maxLength(40)), ''),
    /** replaces the provider's own address */
    providerUrl: orElse(z.string().check(z.maxLength(2_000)), ''),
    /** the provider's name for the model; empty: the first that it lists */
    model: orElse(z.string().check(z.maxLength(200)), ''),
  }),
);

export type DeviceSettings = z.infer<ReturnType<typeof deviceSettings>>;

/** Settings of this device, stored by the app outside the vault. */
export class DeviceStore {
  constructor(private readonly app: LocalStorage) {}

  get current(): DeviceSettings {
    const read = deviceSettings().safeParse(this.app.loadLocalStorage(DEVICE_SETTINGS_KEY));
    return read.success ? read.data : deviceSettings().parse({});
  }

  change(part: Partial<DeviceSettings>): void {
    this.app.saveLocalStorage(DEVICE_SETTINGS_KEY, { ...this.current, ...part });
  }
}

const ALLOWED_KEY = 'agent-task-boards-allowed';

const allowedTargets = lazy(() => z.record(z.string(), z.string()));

/**
 * The programs and addresses that the person set or allowed on this device, by what they are for.
 * Kept apart from the settings, so that it is noticed if something else changes those.
 */
export class AllowedTargets {
  constructor(private readonly app: LocalStorage) {}

  of(id: string): string | undefined {
    return this.all().get(id);
  }

  set(id: string, target: string): void {
    this.app.saveLocalStorage(ALLOWED_KEY, Object.fromEntries(this.all().set(id, target)));
  }

  private all(): Map<string, string> {
    const read = allowedTargets().safeParse(this.app.loadLocalStorage(ALLOWED_KEY));
    return new Map(Object.entries(read.success ? read.data : {}));
  }
}

const DEVICE_ID_KEY = 'agent-task-boards-id';

/**
 * Identifies this device among those that write into one folder of the vault. Created at the first
 * call, then stored.
 */
export function deviceId(app: LocalStorage, ids: Pick<Ids, 'unique'>): string {
  const known: unknown = app.loadLocalStorage(DEVICE_ID_KEY);
  if (typeof known === 'string' && /^[0-9a-f]{12}$/.test(known)) return known;
  const fresh = ids.unique().replaceAll('-', '').slice(0, 12);
  app.saveLocalStorage(DEVICE_ID_KEY, fresh);
  return fresh;
}

const AUDIT_MARKS_KEY = 'agent-task-boards-audit';

const markedEnd = lazy(() =>
  z.object({
    n: z.int().check(z.nonnegative()),
    hash: z.string(),
    from: z.int().check(z.positive()),
  }),
);

const marks = lazy(() => z.record(z.string(), markedEnd()));

/**
 * The marked end of each audit of this device. The app stores it outside the vault, where no agent
 * writes.
 */
export class AuditMarks {
  constructor(private readonly app: LocalStorage) {}

  /** The writers that have written on this device. */
  get writers(): readonly string[] {
    return [...this.all().keys()];
  }

  of(writer: string): AuditMark {
    return {
      load: () => Promise.resolve(this.all().get(writer)),
      save: (end) => {
        const all = this.all().set(writer, end);
        this.app.saveLocalStorage(AUDIT_MARKS_KEY, Object.fromEntries(all));
        return Promise.resolve();
      },
    };
  }

  private all(): Map<string, MarkedEnd> {
    const read = marks().safeParse(this.app.loadLocalStorage(AUDIT_MARKS_KEY));
    return new Map(Object.entries(read.success ? read.data : {}));
  }
}

/** The marked end of another program's audit, from the text of its mark file. */
export function readMark(text: string | undefined): MarkedEnd | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // half-written
  }
  const read = markedEnd().safeParse(value);
  return read.success ? read.data : undefined;
}

const CONFIRMED_RULES_KEY = 'agent-task-boards-rules';

/**
 * The rules that the person confirmed for this vault on this device. The app stores them outside the vault,
 * so neither an agent that writes into the vault nor a sync from elsewhere can change them.
 */
export function confirmedRules(app: LocalStorage): ConfirmedRules {
  return {
    load: () => Promise.resolve(app.loadLocalStorage(CONFIRMED_RULES_KEY) ?? undefined),
    save: (permissions) => {
      app.saveLocalStorage(CONFIRMED_RULES_KEY, permissions);
      return Promise.resolve();
    },
  };
}

const KNOWN_FOLDERS_KEY = 'agent-task-boards-folders';

/**
 * The folders of boards that this device knows. The app stores them outside the vault, where no
 * agent writes.
 */
export function knownFolders(app: LocalStorage): BoardFolderStorage {
  return {
    load: () => app.loadLocalStorage(KNOWN_FOLDERS_KEY) as unknown,
    save: (folders) => app.saveLocalStorage(KNOWN_FOLDERS_KEY, folders),
  };
}

const CONSENTS_KEY = 'agent-task-boards-plugins';

const consents = lazy(() =>
  z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** change boards as the person */
      may: z.optional(z.boolean()),
      /** have its hooks called */
      hooks: z.optional(z.boolean()),
    }),
  ),
);

/** The person's answers to another plugin, one for each power that it may request. */
export type PluginConsent = Readonly<z.infer<ReturnType<typeof consents>>[number]>;

/** The actions that need the person's consent. */
export type PluginPower = 'may' | 'hooks';

/** The stored answers for this vault on this device. An unreadable entry counts as no answer. */
export class PluginConsents {
  private readonly listeners = new Listeners<void>();

  constructor(private readonly app: LocalStorage) {}

  all(): readonly PluginConsent[] {
    const read = consents().safeParse(this.app.loadLocalStorage(CONSENTS_KEY));
    return read.success ? read.data : [];
  }

  /** undefined: the person has not answered yet */
  of(id: string, power: PluginPower): boolean | undefined {
    return this.all().find((one) => one.id === id)?.[power];
  }

  set(
    { id, name }: Pick<PluginConsent, 'id' | 'name'>,
    power: PluginPower,
    answer: boolean | undefined,
  ): void {
    const all = this.all();
    const others = all.filter((one) => one.id !== id);
    const consent = { ...all.find((one) => one.id === id), id, name, [power]: answer };
    const sorted = [...others, consent].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.app.saveLocalStorage(CONSENTS_KEY, sorted);
    this.listeners.call();
  }

  onChange(listener: () => void): Undo {
    return this.listeners.add(listener);
  }
}

/** A secret in the app's secret storage, or in memory until the app closes if there is none. */
export class Secret {
  private inMemory = '';

  /** Older apps have no secret storage, although the types say so. */
  static isPersistent(app: App): boolean {
    return 'secretStorage' in app;
  }

  constructor(
    private readonly app: App,
    private readonly id: string,
  ) {}

  get(): string {
    return this.storage()?.getSecret(this.id) ?? this.inMemory;
  }

  set(secret: string): void {
    const storage = this.storage();
    if (storage === undefined) this.inMemory = secret;
    else storage.setSecret(this.id, secret);
  }

  private storage(): App['secretStorage'] | undefined {
    return Secret.isPersistent(this.app) ? this.app.secretStorage : undefined;
  }
}

/** Maximum remembered tokens; a bridge keeps its token for as long as it runs. */
const MAX_KNOWN_TOKENS = 32;

/**
 * Secrets that must never be written anywhere: the tokens of all bridges that were found, and those
 * that the person entered.
 */
export class KnownSecrets {
  private readonly tokens = new Set<string>();

  constructor(private readonly entered: () => readonly string[]) {}

  /** Remembers the tokens of the found bridges. */
  async rememberTokens(found: Promise<readonly Endpoint[]>): Promise<readonly Endpoint[]> {
    const endpoints = await found;
    for (const { token } of endpoints) {
      this.tokens.delete(token);
      this.tokens.add(token);
    }
    for (const token of this.tokens)
      if (this.tokens.size > MAX_KNOWN_TOKENS) this.tokens.delete(token);
    return endpoints;
  }

  all(): readonly string[] {
    return [...this.tokens, ...this.entered()];
  }
}
