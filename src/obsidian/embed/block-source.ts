import type { Board } from '../../core/board/task';
import { boardsOfSession, boardSessions, boardTitle } from '../board-view/shown-boards';
import type { OverviewState } from '../model/overview';
import { boardSession } from '../session/session-list';
import { plainLine } from '../ui/text';
import { listed } from '../language/listed';
import { t } from '../language/text';

/** The language of code blocks that show plans inside a note. */
export const BLOCK_LANGUAGE = 'agent-board';

export const BLOCK_VIEWS = ['list', 'board', 'progress', 'graph'] as const;
type BlockView = (typeof BLOCK_VIEWS)[number];

const KEYS = ['session', 'agent', 'filter', 'view'] as const;
type BlockKey = (typeof KEYS)[number];

/** The options of a block; an empty string means unset. */
export interface BlockSource {
  /** a session's id or title */
  readonly session: string;
  readonly agent: string;
  /** a filter as in the sidebar */
  readonly filter: string;
  readonly view: BlockView;
}

/** The text of a block for one plan, to insert into a note. */
export function codeBlockOf(
  state: Pick<OverviewState, 'boards' | 'sessions'>,
  board: Board,
): string {
  const session = boardSession(board);
  const several = boardsOfSession(state.boards, session).length > 1;
  const agent = several ? `agent: ${board.agent}\n` : '';
  return `\`\`\`${BLOCK_LANGUAGE}\nsession: ${session}\n${agent}view: list\n\`\`\`\n`;
}

/** Why a block shows nothing, and what to write instead. */
interface BlockProblem {
  readonly problem: string;
}

/** Maximum characters of a value; no title, id or filter is longer. */
const MAX_VALUE_CHARS = 300;

/**
 * Reads the lines `key: value` of a block. Ignores blank lines and lines that start with `#`. A
 * value may be quoted.
 */
export function readBlock(text: string): BlockSource | BlockProblem {
  const found = new Map<BlockKey, string>();
  for (const [at, written] of text.split(/\r?\n/).entries()) {
    const words = written.trim();
    if (words === '' || words.startsWith('#')) continue;
    const [, name = '', given = ''] = /^([^:]*):(.*)$/u.exec(words) ?? [];
    const key = KEYS.find((one) => one === name.trim().toLowerCase());
    const line = at + 1;
    if (key === undefined) {
      const what = quoted(name.trim() === '' ? words : name);
      return { problem: t('embed.notAKey', { line, what }) };
    }
    if (found.has(key)) return { problem: t('embed.twice', { line, key }) };
    const value = /^(["'])(.*)\1$/u.exec(given.trim())?.[2] ?? given.trim();
    if (value.length > MAX_VALUE_CHARS) {
      return {
        problem: t('embed.tooLong', { line, key, longest: MAX_VALUE_CHARS }),
      };
    }
    found.set(key, value);
  }
  const [session = '', agent = '', filter = '', wanted = ''] = KEYS.map((key) => found.get(key));
  const view = BLOCK_VIEWS.find((one) => one === (wanted === '' ? 'list' : wanted.toLowerCase()));
  if (view === 'graph' && filter !== '') return { problem: t('embed.noFilter') };
  if (view !== undefined) return { session, agent, filter, view };
  return {
    problem: t('embed.notAView', { wanted: quoted(wanted), views: listChoices(BLOCK_VIEWS) }),
  };
}

/** The boards that a block shows, and their session; empty: several sessions. */
interface BlockBoards {
  readonly boards: readonly Board[];
  readonly session: string;
}

/** Finds the boards for a block among the current ones. */
export function blockBoards(
  state: Pick<OverviewState, 'boards' | 'sessions'>,
  { session, agent, view }: BlockSource,
): BlockBoards | BlockProblem {
  const id = session === '' ? '' : sessionOf(state, session);
  if (id === undefined) return { problem: unknownSession(state, session) };
  const all = boardsOfSession(state.boards, id);
  const boards = agent === '' ? all : all.filter((board) => equalsIgnoreCase(board.agent, agent));
  if (boards.length === 0 && all.length > 0) {
    const agents = [...new Set(all.map((board) => plainLine(board.agent)))];
    return {
      problem: t('embed.noPlanOfAgent', { agent: quoted(agent), agents: listChoices(agents) }),
    };
  }
  if (view === 'graph' && boards.length > 1) {
    const lines = boards.map((board) => describeBoard(state, board, id !== ''));
    return {
      problem: t('embed.onePlanOnly', { count: boards.length, choices: listChoices(lines) }),
    };
  }
  return { boards, session: id };
}

/** A session by id, else by a title that only one session has. */
function sessionOf(
  state: Pick<OverviewState, 'boards' | 'sessions'>,
  wanted: string,
): string | undefined {
  const known = [
    ...state.boards.map(boardSession).map((id) => ({ id, title: boardTitle(state, id) })),
    ...state.sessions,
  ];
  if (known.some(({ id }) => id === wanted)) return wanted;
  const named = new Set(
    known.filter(({ title }) => equalsIgnoreCase(title, wanted)).map(({ id }) => id),
  );
  return named.size === 1 ? [...named][0] : undefined;
}

function unknownSession(state: Pick<OverviewState, 'boards' | 'sessions'>, wanted: string): string {
  const sessions = boardSessions(state);
  const same = sessions.filter(({ title }) => equalsIgnoreCase(title, wanted));
  if (same.length > 1) {
    const ids = same.map(({ id }) => id);
    return t('embed.sameName', {
      count: same.length,
      wanted: quoted(wanted),
      ids: listChoices(ids),
    });
  }
  if (sessions.length === 0) return t('embed.noSessionNoPlans', { wanted: quoted(wanted) });
  return t('embed.noSession', {
    wanted: quoted(wanted),
    titles: listChoices(sessions.map(({ title }) => plainLine(title))),
  });
}

function describeBoard(
  state: Pick<OverviewState, 'boards' | 'sessions'>,
  board: Board,
  sessionKnown: boolean,
): string {
  const agent = plainLine(board.agent);
  return sessionKnown
    ? `agent: ${agent}`
    : t('embed.sessionWithAgent', {
        session: plainLine(boardTitle(state, boardSession(board))),
        agent,
      });
}

function equalsIgnoreCase(a: string, b: string): boolean {
  return a.trim().toLocaleLowerCase() === b.trim().toLocaleLowerCase();
}

function quoted(text: string): string {
  return `“${plainLine(text.trim()).slice(0, 60)}”`;
}

/** Maximum choices that a sentence names; the rest are counted. */
const MAX_NAMED = 5;

function listChoices(choices: readonly string[]): string {
  const [some, more] = [choices.slice(0, MAX_NAMED), choices.length - MAX_NAMED];
  if (more > 0) some.push(t('embed.oneOfMore', { count: more }));
  return listed(some, 'disjunction');
}
