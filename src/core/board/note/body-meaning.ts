import type { Task } from '../task';

/** What the text under a task says of its end. */
export interface BodyMeaning {
  /** what must be true when the task is done, from top to bottom */
  readonly success: readonly string[];
  /** what came of it, the newest last */
  readonly results: readonly string[];
}

/** The lines `Success: …` and `Result: …` of a task's body; as a list item too, not inside a fence. */
export function bodyMeaning({ body }: Pick<Task, 'body'>): BodyMeaning {
  const success: string[] = [];
  const results: string[] = [];
  let fence = '';
  for (const line of body) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const said = fence === '' ? /^\s*(?:[-*+]\s+)?(Success|Result):\s+(.*\S)/.exec(line) : null;
    if (said?.[1] === 'Success') success.push(said[2] ?? '');
    if (said?.[1] === 'Result') results.push(said[2] ?? '');
  }
  return { success, results };
}
