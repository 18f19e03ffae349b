import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { Lines } from '../note/lines';
import { LAYOUT_KEY } from './split-note';

const KEY_LINE = new RegExp(`^${LAYOUT_KEY}: ["']?([a-z]+)(?: ([0-9a-f]+))?["']?\\s*$`);

/** Lines of a task as its note keeps them, by the note's name. */
export type Written = ReadonlyMap<string, readonly string[]>;

export interface JoinedIndex {
  readonly ok: true;
  readonly text: string;
  /** `textMark` of the note that was split; undefined where the index does not say it */
  readonly exported: string | undefined;
}

/** Whether a text is the index of a folder with one note per task. */
export function isIndex(text: string): boolean {
  return keyLine(text) !== undefined;
}

/** The board's note: the index with the lines of each task in their place. Every line of each task once. */
export function joinIndex(text: string, written: Written): JoinedIndex | Fault {
  const key = keyLine(text);
  if (key === undefined) return fault('bad_layout', 'index.md is no index of a board.');
  const mark = new RegExp(`%%${key.word} ([A-Za-z0-9_-]+) (\\d+)%%`);
  const used = new Set<string>();
  const parts: string[] = [];
  const lines = new Lines(text, 0, 0);
  while (lines.advance()) {
    if (lines.start === key.start) continue;
    const line = text.slice(lines.start, lines.end);
    const found = line.includes(`%%${key.word} `) ? mark.exec(line) : null;
    if (found === null) {
      parts.push(text.slice(lines.start, lines.next));
      continue;
    }
    const [, name = '', part = ''] = found;
    const own = written.get(name)?.[Number(part)];
    const place = `${name} ${part}`;
    if (own === undefined) return missing(name, lines.number);
    if (used.has(place)) {
      return fault(
        'bad_layout',
        `Line ${lines.number} of index.md names ${name} again. Remove it.`,
      );
    }
    used.add(place);
    parts.push(own);
  }
  const { exported } = key;
  return withoutPlace(written, used) ?? { ok: true, text: joined(parts), exported };
}

interface KeyLine {
  readonly word: string;
  readonly exported: string | undefined;
  readonly start: number;
}

function keyLine(text: string): KeyLine | undefined {
  const lines = new Lines(text, 0, 0);
  if (!lines.advance() || !/^\ufeff?---\s*$/.test(text.slice(0, lines.end))) return undefined;
  while (lines.advance()) {
    const line = text.slice(lines.start, lines.end);
    if (/^---\s*$/.test(line)) return undefined;
    const found = KEY_LINE.exec(line);
    if (found !== null) return { word: found[1] ?? '', exported: found[2], start: lines.start };
  }
  return undefined;
}

/** What was last of the board may end without a line end; with lines behind it, it gets one. */
function joined(parts: readonly string[]): string {
  return parts
    .map((part, at) => (at < parts.length - 1 && !/[\r\n]$/.test(part) ? `${part}\n` : part))
    .join('');
}

function missing(name: string, line: number): Fault {
  const message = `Line ${line} of index.md stands for ${name}.md, which is not there or not whole. Put the note back; or, if the task shall go, remove the line.`;
  return fault('bad_layout', message);
}

function withoutPlace(written: Written, used: ReadonlySet<string>): Fault | undefined {
  for (const [name, parts] of written) {
    if (parts.every((_, part) => used.has(`${name} ${part}`))) continue;
    const message = `${name}.md has no place in index.md. Put its line back; or, if the task shall go, remove the note.`;
    return fault('bad_layout', message);
  }
  return undefined;
}
