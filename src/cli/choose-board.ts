import { isValidSessionId } from '../core/board/board-path';
import type { Board } from '../core/board/task';
import { StoreError } from '../core/ports';
import { failUsage, fail, type CommandArgs, type OpenVault } from './command';
import { unreadableLine, unreadableBoards } from './misplaced-files';
import { didYouMean } from './read-command-line';
import type { CallingAgent } from './vault-calls';

type BoardSelection = Pick<CommandArgs, 'session' | 'agent'>;

/**
 * Ends the run because the named board does not exist or is ambiguous; `no_boards`: the vault has
 * no boards.
 */
function failChoice(
  code: 'no_boards' | 'no_board' | 'no_session' | 'unclear',
  message: string,
): never {
  return failUsage(message, undefined, code);
}

/**
 * The boards of the named session and agent; without names, all boards.
 * @throws EarlyExit
 */
export async function selectBoards(
  vault: OpenVault,
  selection: BoardSelection,
): Promise<readonly Board[]> {
  const { session, agent } = selection;
  const all = await boardsOf(vault, selection);
  const boards = all.filter((board) => agent === undefined || board.agent === agent);
  if (boards.length > 0 || (session === undefined && agent === undefined)) return boards;
  await failIfUnreadable(vault, selection);
  if (all.length > 0 || session === undefined) {
    const code = all.length === 0 ? 'no_boards' : 'no_board';
    failChoice(code, `there is no such board. ${listed(all)}`);
  }
  const ids = await vault.manager.sessionIds();
  const known = ids.length === 0 ? 'This vault has none yet.' : `There is ${names(ids)}.`;
  const near = didYouMean(session, ids);
  return failChoice('no_session', `there is no session "${session}".${near} ${known}`);
}

/**
 * The one board that the options select.
 * @throws EarlyExit if it is ambiguous
 */
export async function chooseBoard(vault: OpenVault, selection: BoardSelection): Promise<Board> {
  const boards = await selectBoards(vault, selection);
  const [board, ...more] = boards;
  if (board === undefined) await failIfUnreadable(vault, selection);
  if (board === undefined) return failChoice('no_boards', `there is no such board. ${listed([])}`);
  if (more.length === 0) return board;
  const which = 'which board? Name it with --session and --agent.';
  return failChoice('unclear', `${which} ${listed(boards)}`);
}

/**
 * Ends the run if there are boards that can't be read, so that they are not reported as missing.
 * @throws EarlyExit
 */
export async function failIfUnreadable(vault: OpenVault, selection: BoardSelection): Promise<void> {
  const unread = await unreadableBoards(vault, selection);
  if (unread.length === 0) return;
  fail(
    'broken_note',
    `there is no board that can be read. ${unread.map(unreadableLine).join(' ')}`,
  );
}

/**
 * The board for a person's write.
 * @throws EarlyExit
 */
export async function chooseBoardToWrite(
  vault: OpenVault,
  { session, agent }: BoardSelection,
): Promise<Board> {
  return chooseBoard(vault, { session: await chooseSession(vault, session), agent });
}

/**
 * The agent that writes, and the board it writes to: that of `--agent`, which the write may create,
 * or of `--board`. Without either, the agent with the session's newest board.
 * @throws EarlyExit
 */
export async function chooseActor(vault: OpenVault, given: CommandArgs): Promise<CallingAgent> {
  const sessionId = await chooseSession(vault, given.session);
  const agent = given.agent ?? given.text('board') ?? (await newest(vault, sessionId));
  if (agent === undefined) return failChoice('unclear', 'which agent acts? Name it: --agent A.');
  return { sessionId, agent, board: given.text('board') ?? agent };
}

/** The session for a write: the named one, else the only one; undefined if there is none yet. */
async function chooseSession(
  { manager, settings }: OpenVault,
  named: string | undefined,
): Promise<string | undefined> {
  // If the settings refuse calls without a session, the check of the call reports it.
  if (named !== undefined || settings.defaultSession === 'refuse') return named;
  const ids = await manager.sessionIds();
  if (ids.length < 2) return ids[0];
  return failChoice('unclear', `which session? Name it with --session: ${names(ids)}.`);
}

/**
 * Notes that a missing session starts under this id, and suggests a similar existing one.
 * @throws EarlyExit if it is not a valid id
 */
export async function checkNewSession(
  { manager }: OpenVault,
  session: string,
  note: (message: string) => void,
): Promise<void> {
  if (!isValidSessionId(session)) {
    failUsage(`--session takes an id, not ${JSON.stringify(session)}.`, undefined, 'bad_session');
  }
  const ids = await manager.sessionIds();
  if (ids.includes(session)) return;
  note(`There is no session "${session}" yet; it begins here.${didYouMean(session, ids)}`);
}

async function newest(
  { manager }: OpenVault,
  session: string | undefined,
): Promise<string | undefined> {
  return session === undefined ? undefined : (await manager.inSession(session)).newest;
}

async function boardsOf(vault: OpenVault, selection: BoardSelection): Promise<readonly Board[]> {
  const { manager } = vault;
  if (selection.session === undefined) {
    await manager.scan();
    return manager.boards();
  }
  try {
    return (await manager.inSession(selection.session)).boards;
  } catch (error) {
    // A link in place of the session's folder is reported like any other place that can't be read.
    if (error instanceof StoreError && error.code === 'denied')
      await failIfUnreadable(vault, selection);
    throw error;
  }
}

const MAX_NAMED = 5;

function listed(boards: readonly Board[]): string {
  if (boards.length === 0) return 'This vault has none yet.';
  const all = boards.map(({ session, agent }) => `--session ${session} --agent ${agent}`);
  return `There is ${names(all)}.`;
}

/** Names at most five, and counts the rest. */
function names(all: readonly string[]): string {
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '';
  return `${all.slice(0, MAX_NAMED).join(', ')}${more}`;
}
