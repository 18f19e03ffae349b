import { byteLength } from '../../board/answer/text-budget';

/** Lines, and bytes, of one kind of facts that are told; there are six kinds, and 48,000 bytes in all. */
const MOST_LINES = 200;
const MOST_BYTES = 7_500;
/** Characters of one fact. */
const MOST_OF_ONE = 300;

/** A head with facts below it, as many as have room; nothing where there are none. */
export function factLines(head: string, facts: readonly string[]): readonly string[] {
  if (facts.length === 0) return [];
  const told: string[] = [];
  let bytes = 0;
  for (const fact of facts) {
    const line = `  ${shortened(fact)}`;
    bytes += byteLength(line) + 1;
    if (told.length === MOST_LINES || bytes > MOST_BYTES) break;
    told.push(line);
  }
  const left = facts.length - told.length;
  return [`${head} (${facts.length}):`, ...told, ...(left > 0 ? [`  … ${left} more`] : [])];
}

/** At most so many characters, no half of one. */
export function shortened(text: string, most = MOST_OF_ONE): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
