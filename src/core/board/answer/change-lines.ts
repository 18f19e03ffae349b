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
  const name = withTitle(change);
  if (field === 'added') return `added ${name}${change.id === null ? NO_ID : ''}`;
  if (field === 'removed') return `removed ${name}`;
  if (field === 'board title') {
    return `the board is called ${valueOf(after)}, was ${valueOf(before)}`;
  }
  if (field === 'title') return `${name}: was called ${valueOf(before)}`;
  if (field === 'status') return `${name}: ${after ?? ''}, was ${before ?? ''}`;
  return `${name}: ${field} ${valueOf(after)}, was ${valueOf(before)}`;
}

const NO_ID = ' (no id yet: name it by its title)';

function valueOf(value: string | null): string {
  return value === null ? 'nothing' : quoted(value);
}
