import { ANY, FOLDERS, ONE, STAR, TAIL, type Token } from './path-pattern';

const SLASH = 47;

/**
 * Whether every path that fits `inner` fits `outer` as well. Never says so wrongly; where neither pattern
 * is a plain part of the other it may say no to what is so. At most `inner × outer` steps.
 */
export function covers(outer: readonly Token[], inner: readonly Token[]): boolean {
  /** places between the tokens of `inner` that what was read of `outer` may reach */
  let places = new Set([0]);
  for (const token of outer) {
    if (token === TAIL) return [...places].some((at) => isTail(inner, at));
    const next = new Set<number>();
    for (const at of places) for (const to of reached(token, inner, at)) next.add(to);
    if (next.size === 0) return false;
    places = next;
  }
  return places.has(inner.length);
}

/** What is left of `inner` is nothing, or begins with a slash. */
function isTail(inner: readonly Token[], at: number): boolean {
  return at === inner.length || inner[at] === SLASH || inner[at] === TAIL;
}

function* reached(token: Token, inner: readonly Token[], from: number): Iterable<number> {
  if (token >= ONE) {
    const found = inner[from];
    if (token === ONE ? isOne(found) : found === token) yield from + 1;
    return;
  }
  yield from;
  for (let at = from; at < inner.length; at += 1) {
    const found = inner[at];
    if (token === STAR && !isOne(found) && found !== STAR) return;
    if (token === ANY || token === STAR || found === SLASH || found === FOLDERS) yield at + 1;
  }
}

/** A token that is one character of a name. */
function isOne(token: Token | undefined): boolean {
  return token !== undefined && token >= ONE && token !== SLASH;
}
