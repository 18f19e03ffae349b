import '../jitless';
import * as z from 'zod/mini';

/** Where programs that can't replace a note in one step write down what they are about to write. */
export const JOURNAL_FOLDER = '.opencode/agent-task-boards/journal';

/** Texts that could not be brought into their note any more; for the person. */
export const KEPT_FOLDER = `${JOURNAL_FOLDER}/kept`;

const journalEntry = z.object({
  journal: z.literal(1),
  /** the note, relative to the vault */
  path: z.string(),
  /** the text that stood when the write began; null: there was no note */
  before: z.nullable(z.string()),
  after: z.string(),
});

/** A write under way. The entry is there, whole, before the first byte of the note changes. */
export type JournalEntry = z.infer<typeof journalEntry>;

/** @param key the note's, as in the name of its lock */
export function journalPath(key: string): string {
  return `${JOURNAL_FOLDER}/${key}.json`;
}

export function writeEntry(path: string, before: string | undefined, after: string): string {
  const entry: JournalEntry = { journal: 1, path, before: before ?? null, after };
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Undefined for what is no whole entry: one that was cut while it was written, so that its note was
 * not touched yet, or one that was emptied because it could not be removed.
 */
export function readEntry(text: string): JournalEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = journalEntry.safeParse(value);
  return read.success ? read.data : undefined;
}

/** The note whose key an entry or a lock has; case and Unicode form are folded: some disks do. */
export function keyText(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Of the SHA-256 of {@link keyText}, in hexadecimal digits. */
export const KEY_LENGTH = 32;
