import type { Board, Task } from '../task';

/** The longest run of numbers that a header is believed to hold: a longer one is a mistake. */
const MOST = 20_000;

/** Numbers of archived tasks, as a board's header has them. */
interface ArchivedNumbers {
  readonly finished: readonly number[];
  /** archived though they were not finished: what waits for them still waits */
  readonly open: readonly number[];
}

/**
 * What the header says of archived tasks, `archived: 1-4,7,9!`: the numbers of finished ones, and
 * with `!` of those that were not. None where it says something else.
 */
export function readArchived(text: string | null | undefined): ArchivedNumbers {
  const numbers = { finished: [] as number[], open: [] as number[] };
  const compact = (text ?? '').replace(/[ \t]/g, '');
  if (!FORM.test(compact)) return NONE;
  for (const part of compact.split(',')) {
    const [from = 0, to = from] = part.replace('!', '').split('-').map(Number);
    if (to - from > MOST) return NONE;
    const list = part.endsWith('!') ? numbers.open : numbers.finished;
    for (let n = from; n <= to; n += 1) list.push(n);
  }
  return numbers;
}

const FORM = /^\d{1,15}(?:-\d{1,15})?!?(?:,\d{1,15}(?:-\d{1,15})?!?)*$/;
const NONE: ArchivedNumbers = { finished: [], open: [] };

/** Whether `readArchived` reads it: any other text is a person's. */
export function isArchived(text: string | null): boolean {
  return readArchived(text) !== NONE;
}

/** As `readArchived` reads it; empty where there are none. */
export function writeArchived({ finished, open }: ArchivedNumbers): string {
  return [...runs(finished), ...runs(open).map((run) => `${run}!`)].join(',');
}

/** `1-4`, `7` */
function runs(numbers: readonly number[]): readonly string[] {
  const found: [number, number][] = [];
  for (const n of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === n - 1) last[1] = n;
    else found.push([n, n]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
}

/** The finished tasks that were archived. */
export function archivedIds(
  text: string | null | undefined,
  prefix: string,
): Pick<Board, 'archived'> {
  const { finished } = readArchived(text);
  return finished.length === 0 ? {} : { archived: new Set(finished.map((n) => `${prefix}-${n}`)) };
}

/** The tasks as they wait for what is not archived. */
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
