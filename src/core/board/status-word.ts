import type { Status } from './task';

/** Other spellings of a status, lower case, without blanks, "-" and "_". One spelling is stored. */
const WORDS: ReadonlyMap<string, Status> = new Map(
  Object.entries({
    pending: 'pending todo open new notstarted reopen reopened',
    in_progress: 'inprogress started active doing working wip current',
    completed: 'completed complete done finished closed success',
    cancelled: 'cancelled canceled cancel skipped skip dropped abandoned obsolete wontdo',
    failed: 'failed fail failure error errored',
    deferred: 'deferred defer postponed later onhold paused',
  }).flatMap(([status, words]) => words.split(' ').map((word) => [word, status as Status])),
);

/** The status that a caller means, undefined for a word that is none. */
export function readStatus(word: string): Status | undefined {
  return WORDS.get(word.toLowerCase().replace(/[\s_-]/g, ''));
}
