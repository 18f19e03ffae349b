import type { NoteStore } from '../../core/ports';
import { SHARED_SETTINGS_PATH } from '../../core/shared-settings';

/**
 * Writes the board root into the shared settings and leaves everything else in them as it is; an
 * empty root takes the entry out. @returns why it was not saved, undefined where it was
 */
export async function saveRoot(store: NoteStore, root: string): Promise<string | undefined> {
  try {
    await store.update(SHARED_SETTINGS_PATH, (text) => withRoot(text, root));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function withRoot(text: string | undefined, root: string): string {
  const before: unknown = text === undefined ? {} : JSON.parse(text.replace(/^\uFEFF/, ''));
  if (typeof before !== 'object' || before === null || Array.isArray(before)) {
    throw new Error('It must be an object.');
  }
  const rest = Object.entries(before).filter(([key]) => key !== 'root');
  const after = root === '' ? rest : [['root', root], ...rest];
  return `${JSON.stringify(Object.fromEntries(after), null, 2)}\n`;
}
