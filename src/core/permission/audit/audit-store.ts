import type { NoteStore } from '../../ports';
import type { ChainEnd } from './audit-chain';

/** Where the audits of a vault stand, relative to it. */
export const AUDIT_FOLDER = '.opencode/agent-task-boards/audit';

/** The folder of the audit files. Names only, no paths. */
export interface AuditStore {
  list(): Promise<readonly string[]>;
  /** undefined where there is no such file */
  read(name: string): Promise<string | undefined>;
  /** In bytes; undefined where there is no such file. Without it, files are read to see if they grew. */
  size?(name: string): Promise<number | undefined>;
  /** On disk once it resolves; when the process dies before, a part of it may be. */
  append(name: string, text: string): Promise<void>;
  /** Wholly, or not at all. */
  replace(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/**
 * How far an audit got, kept apart from it, so that lines missing at its end are noticed. Best where
 * an agent can't write: the data of the app.
 */
export interface AuditMark {
  load(): Promise<MarkedEnd | undefined>;
  save(end: MarkedEnd): Promise<void>;
}

export interface MarkedEnd extends ChainEnd {
  /** number of the first line that is kept */
  readonly from: number;
}

/** Over notes' own durable writes; fit for files that stay small. */
export function noteAuditStore(store: NoteStore, folder: string): AuditStore {
  const at = (name: string): string => `${folder}/${name}`;
  return {
    list: async () =>
      (await store.list(folder)).filter(({ kind }) => kind === 'file').map(({ name }) => name),
    read: (name) => store.read(at(name)),
    size: async (name) => (await store.stat(at(name)))?.size,
    append: async (name, text) => void (await store.update(at(name), (now) => (now ?? '') + text)),
    replace: async (name, text) => void (await store.update(at(name), () => text)),
    remove: (name) => store.remove(at(name)),
  };
}

/** Names of audit files: `2026-11.<writer>.jsonl`, from the second of a month `2026-11.<writer>.2.jsonl`. */
export interface AuditFileName {
  /** `YYYY-MM` */
  readonly month: string;
  /** from 1 */
  readonly part: number;
}

/** What writes audits: letters, digits, `_` and `-`; one for each process that may run at the same time. */
export function validWriter(writer: string): boolean {
  return /^[\w-]{1,64}$/.test(writer);
}

export function auditFile({ month, part }: AuditFileName, writer: string): string {
  return `${month}.${writer}${part === 1 ? '' : `.${part}`}.jsonl`;
}

/** Undefined for a file of another writer, and for any other file. */
export function readAuditFile(name: string, writer: string): AuditFileName | undefined {
  const found = anyAuditFile(name);
  return found?.writer === writer ? { month: found.month, part: found.part } : undefined;
}

/** Undefined for what is no file of the audit. */
export function anyAuditFile(
  name: string,
): (AuditFileName & { readonly writer: string }) | undefined {
  const [, month, writer, part] =
    /^(\d{4}-\d{2})\.([\w-]{1,64})(?:\.([1-9]\d*))?\.jsonl$/.exec(name) ?? [];
  if (month === undefined || writer === undefined) return undefined;
  return { month, writer, part: part === undefined ? 1 : Number(part) };
}

/** All that wrote one of these files, by name. */
export function writersOf(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => anyAuditFile(name)?.writer ?? []))].sort();
}

/** The writer's files among all names, in the order in which they were written. */
export function filesOf(names: readonly string[], writer: string): string[] {
  return names
    .flatMap((name) => {
      const read = readAuditFile(name, writer);
      return read === undefined ? [] : [{ name, ...read }];
    })
    .sort((a, b) => (a.month < b.month ? -1 : a.month > b.month ? 1 : a.part - b.part))
    .map(({ name }) => name);
}
