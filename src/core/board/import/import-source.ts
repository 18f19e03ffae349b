import type { NoteStore } from '../../ports';

/** Looks at files and never changes them; every NoteStore is one. */
export type ImportReader = Pick<NoteStore, 'read' | 'list'>;

/** What a person names as the source of an import. */
export interface ImportSource {
  /** as `reader` takes it, "/"-separated; its last segment is the source's name */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly reader: ImportReader;
}

/** The last segment of a path. */
export function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The last segment without the extension. */
export function stemOf(path: string): string {
  const name = nameOfPath(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Names of what is directly in a folder, those that end with `end`; numbers in them count as numbers. */
export async function filesIn(
  reader: ImportReader,
  folder: string,
  end: string,
): Promise<string[]> {
  const entries = await reader.list(folder);
  return entries
    .filter(({ name, kind }) => kind === 'file' && name.toLowerCase().endsWith(end))
    .map(({ name }) => name)
    .toSorted(byNumbers);
}

/** Names of the folders directly in a folder. */
export async function foldersIn(reader: ImportReader, folder: string): Promise<string[]> {
  const entries = await reader.list(folder);
  return entries
    .filter(({ kind }) => kind === 'folder')
    .map(({ name }) => name)
    .toSorted(byNumbers);
}

/** `task-2` before `task-10`, `1.2` before `1.10`; the same everywhere, whatever the locale. */
export function byNumbers(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const [one = '', other = ''] = [left[i], right[i]];
    const order = /^\d/.test(one) && /^\d/.test(other) ? Number(one) - Number(other) : 0;
    if (order !== 0) return order;
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

function partsOf(name: string): readonly string[] {
  return name.match(/\d+|\D+/g) ?? [];
}
