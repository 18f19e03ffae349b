import type { SearchResult } from 'obsidian';

type Match = [number, number];

/**
 * Matches texts against a query: each of its words as a whole, else all its letters in order. A
 * higher score is better; scores are negative or 0, as in the app.
 */
export function prepareFuzzySearch(query: string): (text: string) => SearchResult | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    if (words.length === 0) return { score: 0, matches: [] };
    return wholeWords(words, text.toLowerCase()) ?? letters(words.join(''), text.toLowerCase());
  };
}

/** Matches texts that contain all words of the query. */
export function prepareSimpleSearch(query: string): (text: string) => SearchResult | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => wholeWords(words, text.toLowerCase());
}

function wholeWords(words: readonly string[], text: string): SearchResult | null {
  const matches: Match[] = [];
  let score = -text.length / 1000;
  for (const word of words) {
    const boundary = text.search(new RegExp(`(?<![\\p{L}\\p{N}])${escape(word)}`, 'u'));
    const at = boundary === -1 ? text.indexOf(word) : boundary;
    if (at === -1) return null;
    score -= (boundary === -1 ? 0.5 : 0) + at / 1000;
    matches.push([at, at + word.length]);
  }
  return { score, matches: matches.sort((a, b) => a[0] - b[0]) };
}

function letters(query: string, text: string): SearchResult | null {
  const matches: Match[] = [];
  let from = 0;
  for (const letter of query) {
    const at = text.indexOf(letter, from);
    if (at === -1) return null;
    const last = matches.at(-1);
    if (last?.[1] === at) last[1] = at + letter.length;
    else matches.push([at, at + letter.length]);
    from = at + letter.length;
  }
  return { score: -1 - matches.length - text.length / 1000, matches };
}

/** Writes `text` into `el` with the matches highlighted. */
export function renderMatches(
  el: HTMLElement | DocumentFragment,
  text: string,
  matches: readonly (readonly [number, number])[] | null,
  offset = 0,
): void {
  let from = 0;
  for (const [start, end] of matches ?? []) {
    const [first, last] = [Math.max(from, start + offset), end + offset];
    if (last <= first || first >= text.length) continue;
    el.append(text.slice(from, first));
    el.createSpan({ cls: 'suggestion-highlight', text: text.slice(first, last) });
    from = last;
  }
  el.append(text.slice(from));
}

export function renderResults(
  el: HTMLElement,
  text: string,
  result: SearchResult,
  offset?: number,
): void {
  renderMatches(el, text, result.matches, offset);
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
