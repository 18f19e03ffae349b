import type { TaskChange } from '../digest';
import { quoted, withTitle } from '../operation/find-task';

/** What a person changed, in one line per field; `most` lines, the rest counted. */
export function changeLines(changes: readonly TaskChange[], most: number): readonly string[] {
  const lines = changes.slice(0, most).map((change) => `- ${sentence(change)}`);
  if (changes.length <= most) return lines;
  return [...lines, `- and ${changes.length - most} more changes; see the board`];
}

function sentence(change: TaskChange): string {
  const { field, before, after } = change;
  switch (field) {
    case 'added':
      return `added ${withTitle(change)}${change.id === null ? ' (no id yet: name it by its title)' : ''}`;
    case 'removed':
      return `removed ${withTitle(change)}`;
    case 'board title':
      return `the board is called ${valueOf(after)}, was ${valueOf(before)}`;
    case 'title':
      return `${withTitle(change)}: was called ${valueOf(before)}`;
    case 'status':
      return `${withTitle(change)}: ${after ?? ''}, was ${before ?? ''}`;
    default:
      return `${withTitle(change)}: ${field} ${valueOf(after)}, was ${valueOf(before)}`;
  }
}

function valueOf(value: string | null): string {
  return value === null ? 'nothing' : quoted(value);
}
