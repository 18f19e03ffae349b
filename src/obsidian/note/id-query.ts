import type { Task } from '../../core/board/task';

/** What the person is about to name a task by; `from` is where it begins in the line. */
export interface IdQuery {
  readonly from: number;
  readonly words: string;
  /** behind ⛔ the whole id, elsewhere its short form, `#6` */
  readonly form: 'id' | 'number';
}

/** The query that ends at the cursor; undefined where none does. */
export function idQuery(before: string): IdQuery | undefined {
  const waits =
    /⛔\uFE0F?[ \t]*(?:[\w-]+[ \t]*,[ \t]*)*(#?[^,\p{Extended_Pictographic}#^[\]]*)$/u.exec(before);
  if (waits !== null) return queryAt(before, waits[1] ?? '', 'id');
  const [, hash] = /(?:^|[ \t])(#[\p{L}\p{N}_-]*)$/u.exec(before) ?? [];
  return hash === undefined ? undefined : queryAt(before, hash, 'number');
}

function queryAt(before: string, text: string, form: IdQuery['form']): IdQuery {
  return { from: before.length - text.length, words: text.replace(/^#/, '').trim(), form };
}

const MOST = 8;

/** Tasks that fit, by title or number, those that begin with the words first. */
export function fittingTasks(
  tasks: readonly Task[],
  { words }: IdQuery,
  not: string | null,
): readonly Task[] {
  const wanted = words.toLocaleLowerCase();
  const fits = tasks.flatMap((task) => {
    if (task.id === null || task.id === not) return [];
    const title = task.title.toLocaleLowerCase();
    const named = task.id === wanted || `${task.n ?? ''}`.startsWith(wanted);
    if (title.startsWith(wanted) || named) return [{ task, rank: 0 }];
    return title.includes(wanted) ? [{ task, rank: 1 }] : [];
  });
  return fits
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ task }) => task);
}
