import type { NoteStore } from '../../ports';
import type { ChainEnd } from './audit-chain';

/** Folder of a vault's audit files, relative to the vault. */
export const AUDIT_FOLDER = '.opencode/agent-task-boards/audit';

/** Access to the folder of audit files. Takes file names, not paths. */
export interface AuditStore {
  list(): Promise<readonly string[]>;
  /** undefined if there is no such file */
  read(name: string): Promise<string | undefined>;
  /**
   * Size in bytes; undefined if there is no such file. Without this method, files are read to see
   * whether they grew.
   */
  size?(name: string): Promise<number | undefined>;
  /**
   * Adds whole lines, and resolves once they are on disk. If the process dies before that, a part
   * of them may be; the next call ends that line first.
   */
  append(name: string, text: string): Promise<void>;
  /** Replaces the file atomically. */
  replace(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/**
 * Stores where an audit ends, apart from the audit itself, so that lines missing at its end are
 * noticed. Should be out of agents' reach: in the app's own data.
 */
export interface AuditMark {
  load(): Promise<MarkedEnd | undefined>;
  save(end: MarkedEnd): Promise<void>;
}

export interface MarkedEnd extends ChainEnd {
  /** number of the first line that is kept */
  readonly from: number;
}

/**
 * Stores audit files with the durable writes of notes. Rewrites the whole file for each append, so
 * suited to small files only.
 */
export function noteAuditStore(store: NoteStore, folder: string): AuditStore {
  const at = (name: string): string => `${folder}/${name}`;
  return {
    list: async () =>
      (await store.list(folder)).filter(({ kind }) => kind === 'file').map(({ name }) => name),
    read: (name) => store.read(at(name)),
    size: async (name) => (await store.stat(at(name)))?.size,
    append: async (name, text) => {
      await store.update(at(name), (now = '') => now + (/[^\n]$/.test(now) ? '\n' : '') + text);
    },
    replace: async (name, text) => void (await store.update(at(name), () => text)),
    remove: (name) => store.remove(at(name)),
  };
}

/**
 * Parsed name of an audit file: `2026-11.<writer>.jsonl`; further files of a month are named
 * `2026-11.<writer>.2.jsonl`.
 */
export interface AuditFileName {
  /** `YYYY-MM` */
  readonly month: string;
  /** from 1 */
  readonly part: number;
}

/**
 * Whether a text can name a writer: letters, digits, `_` and `-`. Each process that may run at the
 * same time needs its own name.
 */
export function isValidWriter(writer: string): boolean {
  return /^[\w-]{1,64}$/.test(writer);
}

export function auditFileName({ month, part }: AuditFileName, writer: string): string {
  return `${month}.${writer}${part === 1 ? '' : `.${part}`}.jsonl`;
}

/** Returns undefined for files of other writers and for other files. */
export function parseOwnAuditFileName(name: string, writer: string): AuditFileName | undefined {
  const found = parseAuditFileName(name);
  return found?.writer === writer ? { month: found.month, part: found.part } : undefined;
}

/** Returns undefined if it is not the name of an audit file. */
export function parseAuditFileName(
  name: string,
): (AuditFileName & { readonly writer: string }) | undefined {
  const [, month, writer, part] =
    /^(\d{4}-\d{2})\.([\w-]{1,64})(?:\.([1-9]\d*))?\.jsonl$/.exec(name) ?? [];
  if (month === undefined || writer === undefined) return undefined;
  return { month, writer, part: part === undefined ? 1 : Number(part) };
}

/** All writers of these files, sorted by name. */
export function writersOf(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => parseAuditFileName(name)?.writer ?? []))].sort();
}

/** The writer's files among these names, in the order in which they were written. */
export function auditFilesOf(names: readonly string[], writer: string): string[] {
  return names
    .flatMap((name) => {
      const read = parseOwnAuditFileName(name, writer);
      return read === undefined ? [] : [{ name, ...read }];
    })
    .sort((a, b) => (a.month < b.month ? -1 : a.month > b.month ? 1 : a.part - b.part))
    .map(({ name }) => name);
}
