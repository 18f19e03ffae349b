import { AuditLog, firstKeptMonth } from '../../core/permission/audit/audit-log';
import {
  AUDIT_FOLDER,
  parseAuditFileName,
  noteAuditStore,
  type AuditStore,
  type MarkedEnd,
} from '../../core/permission/audit/audit-store';
import type { AuditEntry } from '../../core/permission/audit/audit-entry';
import { NoteTextStore, TEXTS_FOLDER } from '../../core/permission/audit/note-text-store';
import { Redactor } from '../../core/permission/audit/redact';
import { Listeners } from '../../core/session/listeners';
import { gitIgnoreState } from '../../core/board/state-file';
import type { Clock, Log, NoteStore, Undo } from '../../core/ports';
import { readMark, type AuditMarks } from '../adapter/device-storage';
import { webSha256 } from '../adapter/platform';

/** Where this window's entries are written. */
export interface OwnAuditPlace {
  readonly store: AuditStore;
  /** used by no other window or program at the same time */
  readonly writer: string;
  readonly release: Undo;
}

export interface OwnAuditDeps {
  readonly store: NoteStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly marks: AuditMarks;
  /** identifies this device for this vault */
  readonly device: string;
  readonly open: () => Promise<OwnAuditPlace>;
  /** strings that must never be written */
  readonly secrets: () => readonly string[];
  /** number of months to keep, including the current one; 0: all */
  readonly months: () => number;
}

interface OpenedAudit {
  readonly place: OwnAuditPlace;
  readonly log: AuditLog;
}

/**
 * The plugin's own audit, opened at the first entry, and the texts that undo the changes of calls.
 */
export class OwnAudit {
  /** the audit files of all writers, for reading */
  readonly store: AuditStore;
  readonly texts: NoteTextStore;
  private opening: Promise<OpenedAudit> | undefined;
  /** month of the last deletion of expired files */
  private tidiedMonth: string | undefined;
  private pendingWork: Promise<unknown> = Promise.resolve();
  private readonly redactor: Redactor;
  private readonly listeners = new Listeners<void>();

  constructor(private readonly deps: OwnAuditDeps) {
    const { store, clock, device } = deps;
    this.store = noteAuditStore(store, AUDIT_FOLDER);
    const folder = `${TEXTS_FOLDER}/${device}`;
    this.texts = new NoteTextStore({ store, clock, digest: webSha256, folder });
    this.redactor = new Redactor(deps.secrets);
  }

  /**
   * Writes an entry. Resolves once it is on disk.
   * @throws if it can't be written; the action must not be carried out then
   */
  append(entry: AuditEntry): Promise<void> {
    const done = this.ensureOpen().then(({ log }) => log.append(entry));
    this.pendingWork = Promise.allSettled([this.pendingWork, done]);
    const wrote = () => {
      this.listeners.call();
      this.tidy();
    };
    void done.then(wrote, () => undefined); // the caller handles the error
    return done;
  }

  /** Calls the listener for each entry that is on disk. */
  onWritten(listener: () => void): Undo {
    return this.listeners.add(listener);
  }

  /** Deletes expired entries, once a month. */
  tidy(): void {
    const today = this.deps.clock.today();
    if (this.tidiedMonth === today.slice(0, 7)) return;
    this.applyRetention(this.deps.months());
  }

  /**
   * Deletes old entries at once. Keeps `months` months, including the current one; 0: keeps all.
   */
  applyRetention(months: number): void {
    const today = this.deps.clock.today();
    this.tidiedMonth = today.slice(0, 7);
    const first = firstKeptMonth(today, months);
    if (first === undefined) return;
    const done = this.removeBefore(first).catch((error: unknown) => {
      this.tidiedMonth = undefined;
      this.deps.log.note('Old entries of the audit stay.', {
        at: 'audit.tidy',
        error: String(error),
      });
    });
    this.pendingWork = Promise.allSettled([this.pendingWork, done]);
  }

  /** The writers of this device, including those whose files are gone. */
  get writers(): readonly string[] {
    return this.deps.marks.writers;
  }

  /** The marked end of a writer's audit, as far as it is known here. */
  async mark(writer: string): Promise<MarkedEnd | undefined> {
    const own = await this.deps.marks.of(writer).load();
    if (own !== undefined) return own;
    return readMark(await this.deps.store.read(`${AUDIT_FOLDER}/writers/${writer}.json`));
  }

  /** Releases the writer's name once everything is written. */
  close(): void {
    const { opening } = this;
    if (opening === undefined) return;
    void this.pendingWork.then(async () => {
      const opened = await opening.catch(() => undefined);
      opened?.place.release();
    });
  }

  private async removeBefore(month: string): Promise<void> {
    await this.texts.keepFrom(month);
    const files = (await this.store.list()).flatMap((name) => parseAuditFileName(name) ?? []);
    const old = new Set(files.filter((file) => file.month < month).map(({ writer }) => writer));
    for (const writer of this.deps.marks.writers) {
      if (!old.has(writer)) continue;
      const { place, log } = await this.ensureOpen();
      // Earlier writer names of this window are unused now, since no other window of this device
      // has this vault open.
      const writerLog = writer === place.writer ? log : this.logOf({ ...place, writer });
      await writerLog.keepFrom(month);
    }
  }

  private ensureOpen(): Promise<OpenedAudit> {
    this.opening ??= this.openNow().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async openNow(): Promise<OpenedAudit> {
    const { store, log } = this.deps;
    // Agents' actions in a vault should not be committed.
    await gitIgnoreState(store, log);
    const place = await this.deps.open();
    return { place, log: this.logOf(place) };
  }

  private logOf({ store, writer }: Pick<OwnAuditPlace, 'store' | 'writer'>): AuditLog {
    const { clock, marks } = this.deps;
    const { redactor } = this;
    return new AuditLog({
      ...{ store, mark: marks.of(writer), digest: webSha256, clock, redactor, writer },
    });
  }
}
