import { randomUUID } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export { isMissing } from '../is-missing';

/**
 * Puts a text in the place of a file, whole or not at all; readable for this user alone.
 * @param lasting flushed to the disk first, so that it stands after a power cut as well
 */
export async function replaceFile(file: string, text: string, lasting: boolean): Promise<void> {
  const random = randomUUID().replaceAll('-', '');
  // A name by which the doctor knows what a process that died has left.
  const beside = join(dirname(file), `.atb-${random.slice(0, 12)}-${random.slice(12, 20)}.tmp`);
  try {
    const handle = await open(beside, 'wx', 0o600);
    try {
      await handle.writeFile(text, 'utf8');
      if (lasting) await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    throw error;
  }
}
