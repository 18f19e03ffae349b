import type { PermissionRequest } from '../../protocol/requests';

/** One line of a change; `place` stands where lines are left out, and names those that follow. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'place';
  readonly text: string;
}

const KINDS = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

/** What an edit would change, where OpenCode sent a unified diff with its request; else nothing. */
export function diffLines({ metadata }: PermissionRequest): readonly DiffLine[] {
  const { diff } = metadata;
  if (typeof diff !== 'string') return [];
  const start = diff.search(/^@@/m);
  return start < 0 ? [] : diff.slice(start).split(/\r?\n/).flatMap(lineOf);
}

function lineOf(line: string): readonly DiffLine[] {
  const place = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
  if (place !== null) return [{ kind: 'place', text: placeWords(place[1], place[2]) }];
  const sign = line.charAt(0);
  if (sign !== '+' && sign !== '-' && sign !== ' ') return [];
  return [{ kind: KINDS[sign], text: line.slice(1) }];
}

/** "Lines 10 to 20", as they will be numbered. */
function placeWords(first = '1', count = '1'): string {
  const last = Number(first) + Number(count) - 1;
  return last > Number(first) ? `Lines ${first} to ${last}` : `Line ${first}`;
}
