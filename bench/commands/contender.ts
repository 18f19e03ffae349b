/** A program that keeps tasks in files, on a folder of its own with numbered tasks, all of them to do. */
export interface Contender {
  /** lists all tasks */
  list(): Command;
  /** sets one task, 1 to the number of tasks, to "in progress" */
  status(task: number): Command;
  /** how many tasks are in progress, by its files */
  started(): number;
  /** removes the folder */
  close(): void;
}

/** A whole process: its exit code must be 0. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly input?: string;
}
