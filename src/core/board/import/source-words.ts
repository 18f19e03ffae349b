import { readStatus } from '../status-word';
import type { Priority, Status } from '../task';

/** Words of other programs for a status that ours has no word for. */
const STATUS_WORDS: ReadonlyMap<string, Status> = new Map([
  ['review', 'in_progress'],
  ['inreview', 'in_progress'],
  ['ready', 'pending'],
  ['backlog', 'pending'],
  ['draft', 'pending'],
  ['deleted', 'cancelled'],
  ['archived', 'completed'],
]);

const PRIORITY_WORDS: ReadonlyMap<string, Priority> = new Map([
  ['critical', 'critical'],
  ['urgent', 'critical'],
  ['highest', 'critical'],
  ['high', 'high'],
  ['medium', 'medium'],
  ['normal', 'normal'],
  ['none', 'normal'],
  ['low', 'low'],
  ['lowest', 'lowest'],
]);

/** The status that another program means, undefined for a word that says none of ours. */
export function sourceStatus(word: string): Status | undefined {
  return readStatus(word) ?? STATUS_WORDS.get(word.toLowerCase().replace(/[\s_-]/g, ''));
}

export function sourcePriority(word: string): Priority | undefined {
  return PRIORITY_WORDS.get(word.trim().toLowerCase());
}

/** The day of a date or time stamp, undefined where it begins with no day of the calendar. */
export function sourceDay(text: string): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?!\d)/.exec(text.trim())?.[1];
  if (day === undefined) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? undefined : day;
}

/** A label as a tag, empty where nothing of it can stand in one. */
export function tagOf(label: string): string {
  const word = label
    .trim()
    .replace(/^#/, '')
    .replace(/[^\p{L}\p{N}_/-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return word === '' || /^\d+$/.test(word) ? '' : `#${word}`;
}
