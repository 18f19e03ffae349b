import type { NoteStore } from '../../ports';
import type { ChainEnd } from './audit-chain';

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
