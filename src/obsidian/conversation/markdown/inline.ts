import { InlineScanner } from './inline-scanner';

/** What stands in a line of a message. Strings are text, whatever is in them. */
export type Inline =
  | string
  | { readonly kind: 'break' }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: Emphasis; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly address: string; readonly children: readonly Inline[] }
  | { readonly kind: 'image'; readonly address: string; readonly alt: string };

export type Emphasis = 'em' | 'strong' | 'del' | 'mark';

/** A delimiter as it was met; `to`: the token that closes it. */
export interface Delimiter {
  readonly kind: 'delimiter';
  readonly text: string;
  to?: number;
}

export type Token = Inline | Delimiter;

const EMPHASIS: ReadonlyMap<string, Emphasis> = new Map([
  ['*', 'em'],
  ['_', 'em'],
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'del'],
  ['==', 'mark'],
]);

/**
 * Reads the text inside a block: emphasis, code, links, line ends. Takes time in proportion to its
 * length, whatever stands in it; HTML stays text.
 * @param depth links around this text; in them no further ones are read
 */
export function readInline(text: string, depth = 0): readonly Inline[] {
  const tokens = new InlineScanner(text, depth).tokens();
  return tree(tokens, 0, tokens.length);
}

/** Delimiters that found no partner are the characters they are. */
function tree(tokens: readonly Token[], from: number, to: number): readonly Inline[] {
  const out: Inline[] = [];
  for (let at = from; at < to; at += 1) {
    const token = tokens[at] as Token;
    if (typeof token === 'string' || token.kind !== 'delimiter') push(out, token);
    else if (token.to === undefined) push(out, token.text);
    else {
      const kind = EMPHASIS.get(token.text) ?? 'em';
      out.push({ kind, children: tree(tokens, at + 1, token.to) });
      at = token.to;
    }
  }
  return out;
}

function push(out: Inline[], token: Inline): void {
  const last = out.at(-1);
  if (typeof token === 'string' && typeof last === 'string') out[out.length - 1] = last + token;
  else out.push(token);
}
