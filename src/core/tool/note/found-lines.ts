import { Lines } from '../../board/note/lines';
import { foldText } from './search-words';

/** A line of a note in which words of a query stand. */
export interface FoundLine {
  /** 1-based */
  readonly line: number;
  /** the words around the first of them */
  readonly text: string;
}

export interface FoundLines {
  /** the best, in their order */
  readonly lines: readonly FoundLine[];
  /** how many lines have one of the words */
  readonly count: number;
}

/** Lines of one note that are told. */
const MOST = 3;
/** Characters of a line that are told, and of these in front of the word. */
const WIDTH = 200;
const BEFORE = 60;
/** Words that are looked for. */
const MOST_WORDS = 40;

/** @param words folded */
export function foundLines(text: string, words: readonly string[]): FoundLines {
  const wanted = words.slice(0, MOST_WORDS);
  const best: (FoundLine & { readonly score: number })[] = [];
  let count = 0;
  const lines = new Lines(text, text.startsWith('\uFEFF') ? 1 : 0, 0);
  while (lines.advance()) {
    const line = text.slice(lines.start, lines.end);
    const { score, at } = scoreOf(foldText(line), wanted);
    if (score === 0) continue;
    count += 1;
    if (best.length === MOST && score <= (best.at(-1)?.score ?? 0)) continue;
    best.push({ line: lines.number, text: excerpt(line, at), score });
    best.sort((a, b) => b.score - a.score || a.line - b.line).splice(MOST);
  }
  best.sort((a, b) => a.line - b.line);
  return { lines: best.map(({ line, text: told }) => ({ line, text: told })), count };
}

/** A word that begins where it stands counts; within another it counts little. */
function scoreOf(
  folded: string,
  words: readonly string[],
): { readonly score: number; readonly at: number } {
  let score = 0;
  let first = Infinity;
  for (const word of words) {
    const at = folded.indexOf(word);
    if (at < 0) continue;
    score += /[\p{L}\p{N}]/u.test(folded.charAt(at - 1)) ? 0.2 : 1;
    first = Math.min(first, at);
  }
  return { score, at: score === 0 ? 0 : first };
}

/** @param at about where the word stands */
function excerpt(line: string, at: number): string {
  if (line.length <= WIDTH) return line.trim();
  const from = at <= BEFORE ? 0 : at - BEFORE;
  const part = line
    .slice(from, from + WIDTH)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
  return `${from > 0 ? '…' : ''}${part}${from + WIDTH < line.length ? '…' : ''}`;
}
