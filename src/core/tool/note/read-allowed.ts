import type { Look } from '../tool-plan';
import type { VaultNotes } from './vault-notes';

/**
 * The text of a note that was found to be allowed; undefined where there is none, and where the path leads
 * to another place since: a folder on the way may have been swapped for a link while it was read.
 * @param real where it is once links are followed
 */
export async function readAllowed(
  notes: Pick<VaultNotes, 'read'>,
  look: Look,
  path: string,
  real = path,
): Promise<string | undefined> {
  const text = await notes.read(real);
  return text !== undefined && (await look.allows(path, 'file')) ? text : undefined;
}
