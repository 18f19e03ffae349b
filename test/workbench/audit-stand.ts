import { Plugin } from 'obsidian';
import { PendingPermissions, type ToolPermissionRequest } from '../../src/core/permission/ask';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import { AuditLog } from '../../src/core/permission/audit/audit-log';
import { noteAuditStore, type MarkedEnd } from '../../src/core/permission/audit/audit-store';
import { NoteTextStore } from '../../src/core/permission/audit/note-text-store';
import { Redactor } from '../../src/core/permission/audit/redact';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import type { Clock } from '../../src/core/ports';
import { randomIds, webSha256 } from '../../src/obsidian/adapter/platform';
import { toTrash } from '../../src/obsidian/adapter/vault-notes';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { makeAuditPanel } from '../../src/obsidian/audit/audit-panel';
import { notify } from '../../src/obsidian/ui/notify';

/** The interface of the stand for tests, as `window.auditStand`. */
export interface AuditHarness {
  /** ms since the epoch: the current time of the view and of the next entries */
  time: number;
  write(entry: AuditEntry, writer?: string): Promise<void>;
  /** Stores a text. @returns its hash */
  keep(text: string): Promise<string>;
  hash(text: string): Promise<string>;
  ask(ask: ToolPermissionRequest): void;
  open(filter?: object): Promise<void>;
  check(): Promise<void>;
  readonly reviewed: string[];
}

const FOLDER = '.opencode/agent-task-boards/audit';

/** The audit view over the real core and a vault; only what OpenCode does is replaced by a fake. */
export default class AuditHarnessPlugin extends Plugin {
  override onload(): void {
    const { vault } = this.app;
    const store = new VaultStore(vault.adapter);
    const files = noteAuditStore(store, FOLDER);
    const marks = new Map<string, MarkedEnd>();
    const logs = new Map<string, AuditLog>();
    const clock: Clock = {
      now: () => stand.time,
      today: () => localDay(stand.time),
      after: (ms, task) => {
        const timer = window.setTimeout(task, ms);
        return () => window.clearTimeout(timer);
      },
    };
    const logOf = (writer: string): AuditLog => {
      const mark = {
        load: () => Promise.resolve(marks.get(writer)),
        save: (end: MarkedEnd) => Promise.resolve(void marks.set(writer, end)),
      };
      const redactor = new Redactor();
      const made =
        logs.get(writer) ??
        new AuditLog({ store: files, mark, digest: webSha256, clock, redactor, writer });
      logs.set(writer, made);
      return made;
    };
    const texts = new NoteTextStore({ store, clock, digest: webSha256, folder: `${FOLDER}-texts` });
    const asks = new PendingPermissions(clock);
    const reviewed: string[] = [];
    const services = makeAuditPanel({
      ...{ plugin: this, store, clock, ids: randomIds, digest: webSha256, asks, notify },
      audit: {
        ...{ store: files, texts },
        append: (entry) => logOf('plugin').append(entry),
        mark: (writer) => Promise.resolve(marks.get(writer)),
      },
      writers: () => [...marks.keys()],
      resolver: new PathResolver(),
      places: () =>
        new ProtectedPlaces({ configFolder: vault.configDir, boardRoot: '.opencode/todos' }),
      names: {
        session: (id) => (id === 'ses_1' ? 'Offline search for the vault' : undefined),
        task: (id) => (id === 'k3f9-3' ? 'Read the notes in batches' : undefined),
      },
      openBoard: () => undefined,
      review: (requestId) => void reviewed.push(requestId),
      trash: toTrash(this.app),
      pause: () => new Promise((resolve) => window.setTimeout(resolve, 0)),
    });
    this.register(services.close);
    const stand: AuditHarness = {
      time: Date.now(),
      write: async (entry, writer = 'plugin') => {
        await logOf(writer).append(entry);
        services.refresh();
      },
      keep: (text) => texts.keep(text),
      hash: webSha256,
      ask: (ask) => void asks.ask(ask),
      open: (filter) => services.open(filter),
      check: () => services.check(),
      reviewed,
    };
    Object.assign(window, { auditStand: stand });
  }
}

function localDay(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
