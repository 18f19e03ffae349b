import { sentence, type Sentence, type SentenceValues } from '../fault/sentence';

/** The contents of a board note, facts only. Blocked, ready and progress: see `facts.ts`. */

export const STATUSES = [
  'pending',
  'in_progress',
  'completed',
  'cancelled',
  'failed',
  'deferred',
] as const;
export type Status = (typeof STATUSES)[number];

export const PRIORITIES = ['critical', 'high', 'medium', 'normal', 'low', 'lowest'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Which tasks wait for the person's review when an agent completes them: those with `Success:` lines, or all. */
export const REVIEW_MODES = ['success', 'all'] as const;
export type ReviewMode = (typeof REVIEW_MODES)[number];

/** One task line. A line without an id is a task too, with `id` and `n` null. */
export interface Task {
  /** unique in its board value: the id, or `@<line>` for a line without one and for a duplicate */
  readonly key: string;
  /** `<prefix>-<n>`, or null */
  readonly id: string | null;
  readonly n: number | null;
  /** without checkbox, own fields and tail, unescaped */
  readonly title: string;
  readonly status: Status;
  /** the character between the brackets */
  readonly mark: string;
  /** key of the parent task, null at the top */
  readonly parent: string | null;
  /** 0 at the top */
  readonly depth: number;
  /** text of the heading above it; null without one or for the board's own title heading */
  readonly phase: string | null;
  /** ids as written, without duplicates; kept when the prerequisites are finished */
  readonly dependsOn: readonly string[];
  readonly priority: Priority;
  readonly owner: string | null;
  readonly scope: string | null;
  readonly risk: string | null;
  readonly impact: string | null;
  readonly level: string | null;
  readonly reason: string | null;
  readonly estimate: string | null;
  readonly approve: string | null;
  /** `YYYY-MM-DD`: since when it waits for the person's review; ignored unless in progress */
  readonly review: string | null;
  /** `YYYY-MM-DD` */
  readonly due: string | null;
  readonly done: string | null;
  readonly cancelled: string | null;
  /** `<session>/<id>` of another session's task; only shown, never blocks */
  readonly waitsFor: string | null;
  /** the lines under it that are not tasks, without indentation */
  readonly body: readonly string[];
  /** 1-based line in the note */
  readonly line: number;
  /** why a tool may not edit this line, or null */
  readonly malformed: string | null;
}

/** A problem in a note that a person should know. */
export interface Problem {
  /** 1-based; 0 for the whole note */
  readonly line: number;
  /** one sentence for a person: what is wrong, what to do; in English */
  readonly reason: string;
  /** the same as a value; absent where the store says what is wrong */
  readonly said?: Sentence;
}

/** What the reader of a note finds wrong with it. */
export const NOTE_FAULTS = {
  noHeader: 'Line {line}: the header is missing. Begin the note with "---" and "board: 1".',
  notClosed: 'Line {line}: the header is not closed. Add "---" after it.',
  tooLong: 'Line {line}: the header is longer than 64 KiB. Shorten it.',
  twoVersions: 'Line {line}: two versions meet here. Keep one of them and remove the marks.',
  noYaml: "Line {line}: the header can't be read ({why}). Correct it.",
  anchor: 'Line {line}: the header uses an anchor, an alias or a tag. Write the value itself.',
  noList: 'Line {line}: the header is not a list of "key: value" lines. Write one.',
  twice: 'Line {line}: the header has "{key}" twice. Remove one.',
  continued: 'Line {line}: "{key}" continues on the next line. Write its value on one line.',
  missing: 'Line {line}: the header has no "{key}". Add it above this line.',
  newer: 'Line {line}: this board has format {format}, which is newer. Update Agent Task Boards.',
  format: 'Line {line}: "board" is the format. Write "board: 1".',
  prefix: 'Line {line}: "prefix" must be four of a–z and 0–9, one of them a letter. Correct it.',
  noText: 'Line {line}: "{key}" must be one line of text. Correct it.',
  noCount:
    'Line {line}: "{key}" is not a whole number up to {most}, so it stays as it is and counts as missing. Correct it, or remove the line.',
  noNumbers:
    'Line {line}: "{key}" is not a list of numbers as in "1-4,7,9!", so it stays as it is and counts as missing. Correct it, or remove the line.',
  noMode:
    'Line {line}: "{key}" is not "success" or "all", so it stays as it is and counts as missing. Correct it, or remove the line.',
  idsDiffer: 'Line {line}: the ids {id} and {other} differ. {id} counts; remove the other.',
  linkDiffers: 'Line {line}: 🆔 {id} and ^{other} differ. 🆔 counts; change the other.',
  behindId: 'Line {line}: there is text behind the id {id}. Move it before 🆔.',
  sameId: 'Two tasks are {name}. Give the second a new number.',
} as const;

export type NoteFault = keyof typeof NOTE_FAULTS;

export function noteProblem(line: number, name: NoteFault, values: SentenceValues = {}): Problem {
  const all = { line: String(line), ...values };
  const [reason, said] = sentence(['noteFault', NOTE_FAULTS], name, all);
  return { line, reason, said };
}

/** A line that a merge kept beside the other version of it. */
export interface KeptLine {
  /** 1-based */
  readonly line: number;
  readonly text: string;
  /** the task whose other version it is; absent if unknown, or if there is text under the line */
  readonly beside?: { readonly title: string; readonly line: number; readonly text: string };
}

export interface Board {
  /** relative to the vault */
  readonly path: string;
  readonly session: string;
  readonly agent: string;
  readonly title: string;
  readonly prefix: string;
  /** 0 if missing or invalid */
  readonly rev: number;
  /** ids of finished tasks in the archive: nothing waits for them any more */
  readonly archived?: ReadonlySet<string>;
  /** ids of completed tasks that a run still checks: tasks that depend on them keep waiting */
  readonly unchecked?: ReadonlySet<string>;
  /** the session in which the plan continues: this board is history, and no program changes it */
  readonly continued?: string;
  /** views hide it until the person shows it again */
  readonly shelved?: true;
  /** which completions of agents wait for the person's review, besides those of `approve: me` */
  readonly review?: ReviewMode;
  readonly tasks: readonly Task[];
  /** headings without tasks, in their order; absent if there are none */
  readonly emptyPhases?: readonly string[];
  readonly problems: readonly Problem[];
  /** unresolved lines that a merge kept beside the other version; absent if there are none */
  readonly conflicts?: readonly KeptLine[];
  /** set if the note can't be parsed: it is read-only and never overwritten */
  readonly broken: Problem | null;
}

/** Identifies a task for a view: by id, else by line and title as the view saw them. */
export type TaskTarget = Pick<Task, 'id' | 'line' | 'title'>;

/**
 * Accepted spellings of each status, in lower case, without blanks, "-" and "_". Only the status
 * itself is stored.
 */
const STATUS_BY_WORD: ReadonlyMap<string, Status> = new Map(
  Object.entries({
    pending: 'pending todo open new notstarted reopen reopened',
    in_progress: 'inprogress started active doing working wip current',
    completed: 'completed complete done finished closed success',
    cancelled: 'cancelled canceled cancel skipped skip dropped abandoned obsolete wontdo',
    failed: 'failed fail failure error errored',
    deferred: 'deferred defer postponed later onhold paused',
  }).flatMap(([status, words]) => words.split(' ').map((word) => [word, status as Status])),
);

/** The status that a caller means, undefined for an unknown word. */
export function readStatus(word: string): Status | undefined {
  return STATUS_BY_WORD.get(word.toLowerCase().replace(/[\s_-]/g, ''));
}
