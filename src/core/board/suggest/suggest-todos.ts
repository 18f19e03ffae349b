import { tidyTitle } from '../note/title';
import { closesFence, fenceOf } from '../plan-text/fences';
import { STATUS_OF_MARK } from '../plan-text/status-of-mark';
import type { Board, Status } from '../task';

/** Something in a text that might be a task. It is shown, and added only if a person chooses it. */
export interface Suggestion {
  readonly title: string;
  readonly status: Status;
  /** 1-based, in the text */
  readonly line: number;
  readonly from: 'checkbox' | 'TODO' | 'FIXME';
}

/** More than a person looks through. */
export const MOST_SUGGESTIONS = 100;

/** Of a line, more is not looked at: what stands behind that is no title. */
const LONGEST_LINE = 4_000;

const CHECKBOX = /^(?:[-*+•]|\d{1,9}[.)]) +\[(.)\] +(\S.*)$/;
const AT_START = /^[/*#<!;%>"'-]{0,8} *\b(TODO|FIXME)\b(?:\([^()]{0,80}\))?:? +(\S.*)$/;
const WITH_COLON = /\b(TODO|FIXME)(?:\([^()]{0,80}\))?: *(\S.*)$/;

/**
 * Checkboxes, and TODO and FIXME lines, of a conversation's text, at most 100, each title once. In a
 * fence a checkbox is an example and left out; a TODO in code is what the person may want, and counts.
 */
export function suggestTodos(text: string): readonly Suggestion[] {
  const found: Suggestion[] = [];
  const titles = new Set<string>();
  let open: string | undefined;
  for (const [at, whole] of text.split(/\r\n|[\r\n\u2028\u2029]/).entries()) {
    const line = whole.slice(0, LONGEST_LINE).trim();
    if (open === undefined) open = fenceOf(line);
    else if (closesFence(open, line)) open = undefined;
    const one = (open === undefined ? checkbox(line) : undefined) ?? marker(line);
    if (one === undefined || one.title === '') continue;
    const title = tidyTitle(one.title);
    if (titles.has(folded(title))) continue;
    titles.add(folded(title));
    found.push({ ...one, title, line: at + 1 });
    if (found.length === MOST_SUGGESTIONS) break;
  }
  return found;
}

/** Those whose title no task of the board has, without regard to case and white space. */
export function newSuggestions(
  suggestions: readonly Suggestion[],
  board: Pick<Board, 'tasks'> | undefined,
): readonly Suggestion[] {
  const there = new Set(board?.tasks.map(({ title }) => folded(title)));
  return suggestions.filter(({ title }) => !there.has(folded(title)));
}

type Found = Omit<Suggestion, 'line'>;

function checkbox(line: string): Found | undefined {
  const [, mark = '', title] = CHECKBOX.exec(withoutQuote(line)) ?? [];
  if (title === undefined) return undefined;
  return { title, status: STATUS_OF_MARK.get(mark) ?? 'pending', from: 'checkbox' };
}

function marker(line: string): Found | undefined {
  const [, word, title] = AT_START.exec(line) ?? WITH_COLON.exec(line) ?? [];
  if (word === undefined || title === undefined) return undefined;
  const from = word === 'TODO' ? 'TODO' : 'FIXME';
  return { title: withoutCommentEnd(title), status: 'pending', from };
}

/** `> - [ ] x` is said by someone too. */
function withoutQuote(line: string): string {
  let at = 0;
  while (line.charAt(at) === '>' || line.charAt(at) === ' ') at += 1;
  return line.slice(at);
}

function withoutCommentEnd(title: string): string {
  for (const end of ['*/', '-->', '#}', '%>']) {
    if (title.endsWith(end)) return title.slice(0, -end.length).trim();
  }
  return title;
}

function folded(title: string): string {
  return title.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}
