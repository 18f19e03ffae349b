import { StoreError, type NoteStore } from '../../core/ports';

/** A file that can't be read just now is left as it is drawn. */
export async function readQuietly(store: NoteStore, path: string): Promise<string | undefined> {
  try {
    return await store.read(path);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
