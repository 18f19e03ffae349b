import type { NoteStore } from '../../core/ports';
import { SHARED_SETTINGS_PATH, type SharedSettings } from '../../core/shared-settings';

/**
 * Writes some of the shared settings and leaves everything else in their file as it is; an empty
 * text takes its entry out. @returns why they were not saved, undefined where they were
 */
export async function saveShared(
  store: NoteStore,
  part: Partial<Omit<SharedSettings, 'problem'>>,
): Promise<string | undefined> {
  try {
    await store.update(SHARED_SETTINGS_PATH, (text) => changed(text, part));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function changed(text: string | undefined, part: Readonly<Record<string, unknown>>): string {
  const before: unknown = text === undefined ? {} : JSON.parse(text.replace(/^\uFEFF/, ''));
  if (typeof before !== 'object' || before === null || Array.isArray(before)) {
    throw new Error('It must be an object.');
  }
  const after = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(part)) {
    if (value === '') after.delete(key);
    else after.set(key, value);
  }
  return `${JSON.stringify(Object.fromEntries(after), null, 2)}\n`;
}
