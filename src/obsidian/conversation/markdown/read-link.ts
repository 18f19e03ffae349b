/** A link as it is written, and where it ends. */
export interface WrittenLink {
  readonly words: string;
  /** as written; of `[[note]]` the note, with `note:` before it */
  readonly address: string;
  readonly image: boolean;
  /** index behind it */
  readonly end: number;
}

/** UTF-16 units of a link's words, and of its address; what is longer is text. */
const LONGEST = 1_000;

/** The link or image that begins at `at`: `[words](address)`, `![words](address)`, `[[note|words]]`. */
export function readLink(text: string, at: number): WrittenLink | undefined {
  const image = text[at] === '!';
  const open = image ? at + 1 : at;
  if (text[open] !== '[') return undefined;
  if (text[open + 1] === '[') return noteLink(text, open);
  const close = closing(text, open);
  if (close < 0 || text[close + 1] !== '(') return undefined;
  const part = text.slice(close + 2, close + 2 + 2 * LONGEST);
  const found =
    /^[ \n]{0,9}(?:<([^<>\n]{0,1000})>|([^\s<>]{0,1000}))(?:\s{1,9}(?:"[^"]{0,500}"|'[^']{0,500}'))?\s{0,9}\)/.exec(
      balanced(part),
    );
  if (found === null) return undefined;
  return {
    words: text.slice(open + 1, close),
    address: found[1] ?? found[2] ?? '',
    image,
    end: close + 2 + found[0].length,
  };
}

function noteLink(text: string, open: number): WrittenLink | undefined {
  const end = text.slice(open, open + LONGEST).indexOf(']]');
  const inner = end < 0 ? '' : text.slice(open + 2, open + end);
  if (inner.trim() === '' || /[\n[]/.test(inner)) return undefined;
  const [note = '', words = note] = inner.split('|');
  return { words, address: `note:${note.trim()}`, image: false, end: open + end + 2 };
}

/** Index of the bracket that closes the one at `open`, -1 where it is not near. */
function closing(text: string, open: number): number {
  let depth = 0;
  const last = Math.min(text.length, open + LONGEST);
  for (let at = open; at < last; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '[') depth += 1;
    else if (char === ']' && (depth -= 1) === 0) return at;
    else if (char === '\n' && text[at + 1] === '\n') return -1;
  }
  return -1;
}

/** Up to the parenthesis that closes what was opened before the text. */
function balanced(text: string): string {
  let depth = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && (depth -= 1) === 0) return text.slice(0, at + 1);
  }
  return '';
}
