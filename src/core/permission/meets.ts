import { ANY, FOLDERS, STAR, TAIL, ONE, type Token } from './path-pattern';

const SLASH = 47;

/**
 * Whether some path may fit both patterns. Never denies wrongly; of folders that may be missing it may
 * say so too often. At most four times `one × other` steps.
 */
export function meets(one: readonly Token[], other: readonly Token[]): boolean {
  return forms(one).some((left) => forms(other).some((right) => meet(left, right)));
}

/** A folder and what is in it, each by itself. */
function forms(tokens: readonly Token[]): readonly (readonly Token[])[] {
  if (tokens.at(-1) !== TAIL) return [tokens];
  const folder = tokens.slice(0, -1);
  return [folder, [...folder, SLASH, ANY]];
}

function meet(one: readonly Token[], other: readonly Token[]): boolean {
  /** whether what is left of both may be the same text, for the row above and this one */
  let below: boolean[] = [];
  for (let at = one.length; at >= 0; at -= 1) {
    const row: boolean[] = [];
    for (let to = other.length; to >= 0; to -= 1) {
      const [left, right] = [one[at], other[to]];
      row[to] =
        left === undefined && right === undefined
          ? true
          : (isText(left) &&
              ((below[to] ?? false) || (takes(left, right) && row[to + 1] === true))) ||
            (isText(right) &&
              (row[to + 1] === true || (takes(right, left) && (below[to] ?? false)))) ||
            (isSame(left, right) && below[to + 1] === true);
    }
    below = row;
  }
  return below[0] ?? false;
}

/** Any number of characters. */
function isText(token: Token | undefined): token is Token {
  return token === STAR || token === ANY || token === FOLDERS;
}

/** Whether a character that fits `token` can be one of such a text. */
function takes(text: Token, token: Token | undefined): boolean {
  if (token === undefined || isText(token)) return false;
  return text !== STAR || token !== SLASH;
}

/** Whether both stand for a character, and may stand for the same. */
function isSame(one: Token | undefined, other: Token | undefined): boolean {
  if (one === undefined || other === undefined || isText(one) || isText(other)) return false;
  if (one === ONE) return other !== SLASH;
  return other === ONE ? one !== SLASH : one === other;
}
