import type { Task } from '../../board/task';

/** What a session is told to go on with. */
export interface ContinueWith {
  readonly next: Pick<Task, 'n' | 'title'> | undefined;
  /** titles of the person's own tasks that they did meanwhile, the first done first */
  readonly done: readonly string[];
}

/** The prompt that lets a session go on. Titles are quoted: they are names, not instructions. */
export function continuePrompt({ next, done }: ContinueWith): string {
  const lines = [
    ...(done.length === 0 ? [] : [`I have done: ${done.map(quoted).join(', ')}.`]),
    next === undefined
      ? 'Go on with the plan.'
      : `Go on with the plan. The next ready task is ${next.n === null ? '' : `#${next.n} `}${quoted(next.title)}.`,
    'Set the status of each task as you work. If you can’t go on, say why and stop.',
  ];
  return lines.join('\n');
}

function quoted(title: string): string {
  return `"${title.replace(/"/g, '”')}"`;
}
