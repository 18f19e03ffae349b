import type { Board, Task } from '../task';

/** The longest accepted range of numbers; a longer one is a mistake. */
const MAX_RANGE = 20_000;

/** Numbers of archived tasks, from a board's header. */
interface ArchivedNumbers {
  readonly finished: readonly number[];
  /** archived although unfinished: tasks that depend on them keep waiting */
  readonly open: readonly number[];
}

/**
 * Reads the header key `archived: 1-4,7,9!`: the numbers of finished tasks, and with `!` of
 * unfinished ones. Returns none for any other text.
 */
export function readArchived(text: string | null | undefined): ArchivedNumbers {
  const numbers = { finished: [] as number[], open: [] as number[] };
  const compact = (text ?? '').replace(/[ \t]/g, '');
  if (!NUMBER_LIST.test(compact)) return NONE;
  for (const part of compact.split(',')) {
    const [from = 0, to = from] = part.replace('!', '').split('-').map(Number);
    if (to - from > MAX_RANGE) return NONE;
    const list = part.endsWith('!') ? numbers.open : numbers.finished;
    for (let n = from; n <= to; n += 1) list.push(n);
  }
  return numbers;
}

const NUMBER_LIST = /^\d{1,15}(?:-\d{1,15})?!?(?:,\d{1,15}(?:-\d{1,15})?!?)*$/;
const NONE: ArchivedNumbers = { finished: [], open: [] };

/** Whether `readArchived` can read it; any other text was written by a person. */
export function isArchivedList(text: string | null): boolean {
  return readArchived(text) !== NONE;
}

/** The text for `readArchived`; empty if there are no numbers. */
export function writeArchived({ finished, open }: ArchivedNumbers): string {
  return [...runs(finished), ...runs(open).map((run) => `${run}!`)].join(',');
}

/** The numbers as ranges: `1-4`, `7` */
function runs(numbers: readonly number[]): readonly string[] {
  const found: [number, number][] = [];
  for (const n of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === n - 1) last[1] = n;
    else found.push([n, n]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
}

/** The ids of finished archived tasks. */
export function archivedIds(
  text: string | null | undefined,
  prefix: string,
): Pick<Board, 'archived'> {
  const { finished } = readArchived(text);
  return finished.length === 0 ? {} : { archived: new Set(finished.map((n) => `${prefix}-${n}`)) };
}

/** The tasks with `dependsOn` reduced to what is not archived. */
export function withoutArchived({
  tasks,
  archived,
}: Pick<Board, 'tasks' | 'archived'>): readonly Task[] {
  if (archived === undefined) return tasks;
  const here = new Set(tasks.map(({ key }) => key));
  const gone = (id: string): boolean => archived.has(id) && !here.has(id);
  return tasks.map((task) =>
    task.dependsOn.some(gone)
      ? { ...task, dependsOn: task.dependsOn.filter((id) => !gone(id)) }
      : task,
  );
}
