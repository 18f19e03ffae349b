import { parseNote } from '../src/core/board/note/parse-note';

/** The states a task may have after everything that was tried on it. */
interface AllowedStates {
  /** false: no call that added the task was acknowledged */
  isAcknowledged: boolean;
  titles: Set<string>;
  statuses: Set<string>;
}

/**
 * A model of a board that separates acknowledged from attempted changes: an acknowledged change
 * leaves one value, a refused or unanswered one may have happened or not.
 */
export class ExpectedTasks {
  readonly #tasks = new Map<string, AllowedStates>();
  /** lines that other programs wrote */
  readonly #lines = new Set<string>();

  add(name: string, acknowledged: boolean): void {
    const statuses = new Set(['pending']);
    this.#tasks.set(name, { isAcknowledged: acknowledged, titles: new Set([name]), statuses });
  }

  setStatus(name: string, status: string, acknowledged: boolean): void {
    this.#change(this.#tasks.get(name)?.statuses, status, acknowledged);
  }

  rename(name: string, title: string, acknowledged: boolean): void {
    this.#change(this.#tasks.get(name)?.titles, title, acknowledged);
  }

  addLine(text: string): void {
    this.#lines.add(text);
  }

  #change(values: Set<string> | undefined, value: string, acknowledged: boolean): void {
    if (acknowledged) values?.clear();
    values?.add(value);
  }

  /**
   * Compares a note with the model. Returns one sentence for each acknowledged change that is
   * missing and each task that nobody wrote.
   */
  findLosses(path: string, text: string | undefined): string[] {
    const sure = [...this.#tasks].filter(([, task]) => task.isAcknowledged);
    if (text === undefined)
      return sure.length > 0 || this.#lines.size > 0 ? ['The note is gone.'] : [];
    const { board } = parseNote(path, text);
    if (board.broken !== null) return [`The note is torn: ${board.broken.reason}`];
    const left = [...board.tasks];
    const lost: string[] = [];
    for (const [name, task] of this.#tasks) {
      const at = left.findIndex(({ title }) => task.titles.has(title));
      const found = at < 0 ? undefined : left.splice(at, 1)[0];
      if (found === undefined && task.isAcknowledged) lost.push(`"${name}" is not there.`);
      if (found !== undefined && !task.statuses.has(found.status)) {
        lost.push(`"${name}" is ${found.status}, not ${[...task.statuses].join(' or ')}.`);
      }
    }
    for (const { title } of left) lost.push(`"${title}" is there, and nobody wrote it.`);
    const lines = new Set(text.split('\n'));
    for (const line of this.#lines) if (!lines.has(line)) lost.push(`The line "${line}" is gone.`);
    if (!text.endsWith('\n')) lost.push('The last line is cut.');
    return lost;
  }
}
