import { escapeMarkup } from '../../core/board/note/escape';
import type { Board, Task } from '../../core/board/task';
import type { Session } from '../../core/session/session';
import { boardSession } from '../session/session-list';
import { plainLine, typedProblem } from '../ui/text';
import { COMMA, t } from '../language/text';

/** The action after `obsidian://`. */
export const LINK_ACTION = 'agent-task-boards';

const VERBS = ['open', 'add', 'complete'] as const;
const KEYS = ['session', 'agent', 'id', 'title'] as const;

/** What a link requests of the current boards and sessions. Anyone can have written it. */
export type LinkRequest =
  /** of a session without a board */
  | { readonly do: 'converse'; readonly session: string }
  | { readonly do: 'open'; readonly session: string; readonly board?: Board; readonly task?: Task }
  | { readonly do: 'complete'; readonly board: Board; readonly task: Task }
  | {
      readonly do: 'add';
      readonly board: Board;
      /** as it will be displayed */
      readonly title: string;
      /** as typed: nothing in it is markup or a field */
      readonly typed: string;
    };

/** Why a link does nothing, in sentences for the person. */
export interface LinkProblem {
  readonly problem: string;
}

/** Maximum characters of a value. */
const MAX_VALUE_CHARS = 500;

interface LinkTargets {
  readonly boards: readonly Board[];
  readonly sessions: readonly Pick<Session, 'id'>[];
}

/** Parses the query of a link, and finds what it names. */
export function readLink(
  params: Readonly<Record<string, string>>,
  { boards, sessions }: LinkTargets,
): LinkRequest | LinkProblem {
  const verb = VERBS.find((one) => one === params['do']);
  if (verb === undefined) {
    const asked = params['do'];
    if (asked === undefined) return { problem: t('link.asksForNothing') };
    return { problem: t('link.asksFor', { what: quoted(asked) }) };
  }
  const long = KEYS.find((key) => (params[key] ?? '').length > MAX_VALUE_CHARS);
  if (long !== undefined) return { problem: t('link.valueTooLong', { key: long }) };
  const [session = '', agent = '', id = '', title = ''] = KEYS.map((key) => params[key]?.trim());
  const matching = boards.filter(
    (board) =>
      (session === '' || boardSession(board) === session) &&
      (agent === '' || board.agent === agent),
  );
  const named = [session, agent].filter((one) => one !== '').map(quoted);
  if (matching.length === 0 && named.length > 0) {
    const namesSession = verb === 'open' && agent === '' && id === '';
    if (namesSession && sessions.some((one) => one.id === session)) {
      return { do: 'converse', session };
    }
    return { problem: t('link.noSuchPlan', { plan: named.join(COMMA) }) };
  }
  if (verb === 'add') return addRequest(matching, title);
  if (id !== '') {
    const found = findTaskById(matching, id);
    return 'problem' in found ? found : { do: verb, session, ...found };
  }
  if (verb === 'complete') return { problem: t('link.whichTask') };
  const [only, ...more] = agent === '' ? [] : matching;
  return { do: 'open', session, ...(only !== undefined && more.length === 0 && { board: only }) };
}

function findTaskById(
  boards: readonly Board[],
  id: string,
): { readonly board: Board; readonly task: Task } | LinkProblem {
  const found = boards.flatMap((board) =>
    board.tasks.filter((task) => task.id === id).map((task) => ({ board, task })),
  );
  const [first, ...more] = found;
  if (first === undefined) return { problem: t('link.noSuchTask', { id: quoted(id) }) };
  if (more.length > 0)
    return { problem: t('link.sameId', { count: found.length, id: quoted(id) }) };
  return first;
}

function addRequest(boards: readonly Board[], given: string): LinkRequest | LinkProblem {
  const [board, ...more] = boards;
  if (board === undefined) return { problem: t('link.noPlanToAddTo') };
  if (more.length > 0) {
    return { problem: t('link.plansFit', { count: boards.length }) };
  }
  const title = plainLine(given).replace(/\s+/gu, ' ');
  if (title === '') return { problem: t('link.noTitle') };
  const typed = escapeMarkup(title);
  const problem = typedProblem(board, typed);
  return problem === undefined ? { do: 'add', board, title, typed } : { problem };
}

function quoted(text: string): string {
  const line = plainLine(text);
  return `“${line.length > 60 ? `${line.slice(0, 60)}…` : line}”`;
}

/** A link that opens a session, a board, or one of its tasks. */
export function linkTo(
  vault: string,
  target: { readonly session: string; readonly agent?: string; readonly id?: string },
): string {
  const parts = Object.entries({ vault, do: 'open', ...target }).map(
    ([key, value]) => `${key}=${encodeURIComponent(value)}`,
  );
  return `obsidian://${LINK_ACTION}?${parts.join('&')}`;
}
