import '../board/jitless';
import * as z from 'zod/mini';

export const TIMELINE_KINDS = [
  'started',
  'planned',
  'approved',
  'checkpoint',
  'begun',
  'checked',
  'passed',
  'tried_again',
  'failed',
  'person',
  'rolled_back',
  'paused',
  'resumed',
  'waits',
  'connection',
  'ended',
] as const;

/** What an entry is about, as far as that is known when it is made. */
const about = z.object({
  /** of the task, on the board */
  id: z.optional(z.string()),
  /** which worked on it */
  session: z.optional(z.string()),
  /** which one passed or failed, and how many there may be */
  attempt: z.optional(z.object({ n: z.int(), of: z.int() })),
  /** number of the checkpoint */
  checkpoint: z.optional(z.int()),
  /** how long the connection that is back was away */
  ms: z.optional(z.number()),
});
export type About = z.infer<typeof about>;

/** Something that happened in a run, for the person. */
export const timelineEntry = z.object({
  ...about.shape,
  /** ms since the epoch */
  at: z.number(),
  kind: z.enum(TIMELINE_KINDS),
  /** title of the task that it concerns */
  task: z.nullable(z.string()),
  /** a sentence or less; may be empty */
  words: z.string(),
});
export type TimelineEntry = z.infer<typeof timelineEntry>;

/** The oldest go: a run within the default limits has far fewer, and its log has them all. */
export const MOST_ENTRIES = 500;

/** Longer words are cut, so that a chatty error does not fill the file. */
const MOST_WORDS = 300;

export function noted(timeline: readonly TimelineEntry[], entry: TimelineEntry): TimelineEntry[] {
  const words = oneLine(entry.words, MOST_WORDS);
  return [...timeline, { ...entry, words }].slice(-MOST_ENTRIES);
}

/** In one line without control characters, at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ').trim();
  const points = [...line];
  return points.length <= most ? line : `${points.slice(0, most - 1).join('')}…`;
}
