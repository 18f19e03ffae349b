import type { Board, Task } from '../task';

/** The most numbers that a header is believed to hold: more is a mistake, and would only cost time. */
const MOST = 20_000;

/** The finished tasks that were archived, from the header's `archived: 1-4,7`; none where it says something else. */
export function archivedIds(
  text: string | null | undefined,
  prefix: string,
): Pick<Board, 'archived'> {
  const numbers = readNumbers(text ?? '');
  return numbers.length === 0 ? {} : { archived: new Set(numbers.map((n) => `${prefix}-${n}`)) };
}

export function readNumbers(text: string): readonly number[] {
  const compact = text.replace(/[ \t]/g, '');
  if (!/^\d{1,15}(?:-\d{1,15})?(?:,\d{1,15}(?:-\d{1,15})?)*$/.test(compact)) return [];
  const numbers: number[] = [];
  for (const part of compact.split(',')) {
    const [from = 0, to = from] = part.split('-').map(Number);
    if (numbers.length + to - from > MOST) return [];
    for (let n = from; n <= to; n += 1) numbers.push(n);
  }
  return numbers;
}

/** `1-4,7` */
export function writeNumbers(numbers: Iterable<number>): string {
  const runs: [number, number][] = [];
  for (const n of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === n - 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
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
