import '../jitless';
import * as z from 'zod/mini';
import { blockText } from '../archive/block-text';
import { actorSchema } from './actor';

/** Where lines that went stood: id of their task's parent, and the heading above. */
const place = z.object({ parent: z.nullable(z.string()), phase: z.nullable(z.string()) });

/**
 * Lines that a change replaced, each with what ends it. Of the lines around, `above` (nearest first)
 * and `below` hold the keys (`note-rows.ts`), to find the place again in another state of the note.
 */
const hunk = z.object({
  was: z.array(z.string()),
  is: z.array(z.string()),
  above: z.array(z.string()),
  below: z.array(z.string()),
  /** id of the task that the first of these lines belongs to */
  task: z.nullable(z.string()),
  /** of a task line that is there on one side only */
  from: z.optional(place),
  to: z.optional(place),
});
export type Hunk = z.infer<typeof hunk>;

/** One change of a board as its history keeps it: who, when, what, and how to take it back. */
const changeRecord = z.object({
  /** names the change and its board: `<session folder>/<file>#<unique>` */
  change: z.string(),
  /** ms since the epoch */
  at: z.number(),
  by: actorSchema,
  said: z.array(z.string()),
  /** of the board afterwards */
  rev: z.number(),
  /** the change that this one takes back; or the taking back that it takes back */
  undoes: z.optional(z.string()),
  redoes: z.optional(z.string()),
  /** keys of the tasks that it is about: nothing may change but these when it is taken back */
  tasks: z.array(z.string()),
  /** ids that it took off the board; where one stands there again, it can't be taken back */
  gone: z.optional(z.array(z.string())),
  /** undefined: too much to keep, so it can't be taken back */
  hunks: z.optional(z.array(hunk)),
  /** what it moved to the archive, and out of it, as it stands there */
  archived: z.optional(z.array(blockText)),
  restored: z.optional(z.array(blockText)),
});
export type ChangeRecord = z.infer<typeof changeRecord>;

/** Changes that a history keeps, and how long all of it and one of them may be, in characters. */
const MOST_RECORDS = 200;
const LONGEST = 340_000;
const LONGEST_RECORD = 200_000;

/** The records of a history, oldest first. A line that is none (torn, foreign) is passed over. */
export function readRecords(text: string | undefined): readonly ChangeRecord[] {
  const records = (text ?? '').split('\n').flatMap((line) => readRecord(line) ?? []);
  return records.slice(-MOST_RECORDS);
}

function readRecord(line: string): ChangeRecord | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const read = changeRecord.safeParse(JSON.parse(line));
    return read.success ? read.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The history with one more record: the last 200, in at most 340,000 characters, which is less than 1 MiB at three bytes each. */
export function withRecord(text: string | undefined, record: ChangeRecord): string {
  const lines = (text ?? '').split('\n').filter((line) => line.startsWith('{'));
  lines.push(lineOf(record));
  // Twice as many may stand: what only grows is added to its file, not written anew.
  const sum = lines.reduce((length, line) => length + line.length + 1, 0);
  if (lines.length <= 2 * MOST_RECORDS && sum <= LONGEST) return asText(lines);
  let left = LONGEST;
  const kept: string[] = [];
  for (const line of lines.reverse()) {
    left -= line.length + 1;
    if (left < 0 || kept.length === MOST_RECORDS) break;
    kept.push(line);
  }
  return asText(kept.reverse());
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function lineOf(record: ChangeRecord): string {
  const line = JSON.stringify(record);
  if (line.length <= LONGEST_RECORD) return line;
  const { hunks: _, archived: __, restored: ___, ...rest } = record;
  return JSON.stringify({ ...rest, tasks: rest.tasks.slice(0, 1_000) });
}
