import { STATUS_OF_MARK } from '../board/note/task-block';
import type { Actor } from '../board/history/actor';
import { applyPlan } from './apply-plan';
import type { ImportLoss } from './imported-plan';
import type { Note } from '../board/note/note';
import type { DecideOperations } from '../board/op';
import { TEXT_POLICY } from '../board/policy';
import { replacePlan, type CommitResult } from '../board/history/board-writer';
import { readPlanText, type PlanDraft } from './plan-text';
import type { Board, Status } from '../board/task';
import type { TodoManager } from '../board/todo-manager';
import { fault, type Fault } from '../fault';
import { tidyTitle, withoutColours } from '../board/note/title';
import { closesFence, fenceOf } from './json-steps';
import { splitBoldTitle } from './list-steps';
import { normalizeTitle } from '../board/find-task';

/** The part of the board manager that writes plans. */
type Boards = Pick<TodoManager, 'commit' | 'load' | 'pathOf' | 'place'>;

type AddedPlan =
  | (Extract<CommitResult, { ok: true }> & {
      readonly form: PlanDraft['form'];
      /** number of tasks added */
      readonly added: number;
      readonly left: readonly ImportLoss[];
    })
  | Fault;

/** Finds possible tasks in a text that the agent's board doesn't have. Writes nothing. */
export async function suggestionsFor(
  boards: Boards,
  session: string,
  agent: string,
  text: string,
): Promise<readonly Suggestion[]> {
  const board = await boards.load(await boards.pathOf(session, agent));
  return newSuggestions(suggestTodos(text), board);
}

/**
 * Adds the chosen suggestions at the end of the board, in one write that can be undone. Skips tasks
 * that the board already has.
 */
export async function addSuggestions(
  boards: Boards,
  board: Pick<Board, 'session' | 'agent'>,
  chosen: readonly Suggestion[],
  by: Actor,
): Promise<CommitResult> {
  const { path, fresh } = await boards.place(board.session, board.agent);
  const count = chosen.length === 1 ? '1 suggested task' : `${chosen.length} suggested tasks`;
  const decide: DecideOperations = (note) => {
    const added = newSuggestions(chosen, note?.board).map(
      ({ title, status }) => ({ type: 'add', title, status }) as const,
    );
    if (note !== undefined) return added;
    if (fresh !== undefined) return [{ type: 'replace', text: fresh }, ...added];
    return fault('unknown_board', 'The note of this board is no longer there. Try again.');
  };
  return boards.commit(path, by, decide, { said: `added ${count}`, policy: TEXT_POLICY });
}

/**
 * Adds the plan in a model's text (see `readPlanText`) to the agent's board, under the heading
 * "Plan".
 * @param why appended to the entry in the history
 */
export async function addPlan(
  boards: Boards,
  board: Pick<Board, 'session' | 'agent'>,
  text: string,
  by: Actor,
  why?: string,
): Promise<AddedPlan> {
  const { form, plan } = readPlanText(text);
  if (plan.tasks.length === 0) {
    return fault('empty_plan', 'The text has no plan: it is empty. Send the tasks as a list.');
  }
  const place = await boards.place(board.session, board.agent, plan.title);
  const said = `added a plan of ${plan.tasks.length} tasks${why === undefined ? '' : ` ${why}`}`;
  const make = (note: Note | undefined) => applyPlan(note, plan, place);
  const written = await replacePlan(boards, place.path, by, make, { said });
  if (!written.ok) return written;
  const { added, left } = written.made;
  return { ...written, form, added, left: [...plan.left, ...left] };
}

/** A possible task in a text. Added only if a person chooses it. */
export interface Suggestion {
  readonly title: string;
  readonly status: Status;
  /** 1-based line in the text */
  readonly line: number;
  readonly from: 'checkbox' | 'list' | 'TODO' | 'FIXME';
}

/** Most suggestions shown; more than a person reads. */
export const MAX_SUGGESTIONS = 100;

/** Most characters of a line that are examined; a title is never that long. */
const LONGEST_LINE = 4_000;

const CHECKBOX = /^(?:[-*+•]|\d{1,9}[.)]) +\[(.)\] +(\S.*)$/;

const AT_START = /^[/*#<!;%>"'-]{0,8} *\b(TODO|FIXME)\b(?:\([^()]{0,80}\))?:? +(\S.*)$/;

const WITH_COLON = /\b(TODO|FIXME)(?:\([^()]{0,80}\))?: *(\S.*)$/;

/** Without indentation, since indented lines belong to the item above. */
const NUMBERED = /^(\d{1,3})[.)] +(\S.*)$/;

/** A line that introduces a list: a heading, or a line such as "What is left:", also in bold. */
const ANNOUNCES = /^#{1,6} |[:：][*_]{0,3}$/;

/**
 * Finds possible tasks in the text of a session: checkboxes, numbered lists after an introduction,
 * and TODO and FIXME lines. At most 100, without duplicate titles. Lists in code fences are ignored
 * as examples, but a TODO in code counts.
 */
export function suggestTodos(text: string): readonly Suggestion[] {
  const found: Suggestion[] = [];
  const titles = new Set<string>();
  let open: string | undefined;
  const lines = withoutColours(text)
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.slice(0, LONGEST_LINE).trimEnd());
  const numbered = numberedPlans(lines);
  for (const [at, whole] of lines.entries()) {
    const line = whole.trim();
    if (open === undefined) open = fenceOf(line);
    else if (closesFence(open, line)) open = undefined;
    const one =
      (open === undefined ? checkbox(line) : undefined) ?? todoComment(line) ?? numbered.get(at);
    if (one === undefined || one.title === '') continue;
    const title = tidyTitle(one.title);
    if (titles.has(normalizeTitle(title))) continue;
    titles.add(normalizeTitle(title));
    found.push({ ...one, title, line: at + 1 });
    if (found.length === MAX_SUGGESTIONS) break;
  }
  return found;
}

/** Items of introduced numbered lists with at least two items, by index of their line. */
function numberedPlans(lines: readonly string[]): ReadonlyMap<number, Found> {
  const items = new Map<number, Found>();
  let list: [at: number, title: string][] = [];
  let announced = false;
  let open: string | undefined;
  const end = () => {
    for (const [at, title] of list.length > 1 ? list : []) {
      items.set(at, { title, status: 'pending', from: 'list' });
    }
    list = [];
  };
  for (const [at, line] of lines.entries()) {
    const closes = open !== undefined && closesFence(open, line);
    open = closes ? undefined : (open ?? fenceOf(line));
    const isBelow = line === '' || /^\s/.test(line) || (list.length > 0 && /^[-*+•] /.test(line));
    if (closes || open !== undefined || isBelow) continue;
    const [, label, title = ''] = NUMBERED.exec(line) ?? [];
    if (announced && Number(label) === list.length + 1)
      list.push([at, splitBoldTitle(title).title]);
    else {
      end();
      announced = label === undefined && ANNOUNCES.test(line);
    }
  }
  end();
  return items;
}

/**
 * The suggestions whose title no task of the board has, ignoring case and white space, without
 * duplicates.
 */
export function newSuggestions(
  suggestions: readonly Suggestion[],
  board: Pick<Board, 'tasks'> | undefined,
): readonly Suggestion[] {
  const there = new Set(board?.tasks.map(({ title }) => normalizeTitle(title)));
  return suggestions.filter(({ title }) => there.size < there.add(normalizeTitle(title)).size);
}

type Found = Omit<Suggestion, 'line'>;

function checkbox(line: string): Found | undefined {
  const [, mark = '', title] = CHECKBOX.exec(withoutQuote(line)) ?? [];
  if (title === undefined) return undefined;
  return { title, status: STATUS_OF_MARK.get(mark) ?? 'pending', from: 'checkbox' };
}

function todoComment(line: string): Found | undefined {
  const [, word, title] = AT_START.exec(line) ?? WITH_COLON.exec(line) ?? [];
  if (word === undefined || title === undefined) return undefined;
  const from = word === 'TODO' ? 'TODO' : 'FIXME';
  return { title: withoutCommentEnd(title), status: 'pending', from };
}

/** Removes quote marks: `> - [ ] x` counts too. */
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
