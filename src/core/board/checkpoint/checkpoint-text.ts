import '../jitless';
import * as z from 'zod/mini';

const metadata = z.object({
  /** ms since the epoch */
  at: z.number(),
  /** whose wish it was; `system` and `error` are automatic */
  by: z.enum(['user', 'system', 'error']),
  label: z.nullable(z.string()),
  /** of the board then */
  rev: z.number(),
});
export type CheckpointMetadata = z.infer<typeof metadata>;

const OPEN = '<!-- checkpoint ';
const CLOSE = ' -->\n';

/** A checkpoint's file: one line that says when and why, then the note byte for byte. */
export function checkpointText(data: CheckpointMetadata, note: string): string {
  // "-->" in a label would end the line early.
  return OPEN + JSON.stringify(data).replaceAll('>', '\\u003e') + CLOSE + note;
}

/** Undefined for what is no checkpoint. */
export function readCheckpoint(
  text: string,
): { readonly data: CheckpointMetadata; readonly note: string } | undefined {
  const end = text.indexOf(CLOSE);
  if (!text.startsWith(OPEN) || end < 0) return undefined;
  try {
    const read = metadata.safeParse(JSON.parse(text.slice(OPEN.length, end)));
    return read.success ? { data: read.data, note: text.slice(end + CLOSE.length) } : undefined;
  } catch {
    return undefined;
  }
}
