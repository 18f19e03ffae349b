import { validSessionId } from '../core/board/board-path';
import type { Board } from '../core/board/task';
import { StoreError } from '../core/ports';
import { misused, stopped, type Given, type OpenVault } from './command';
import { unreadLine, unreadPlaces } from './not-files';
import { didYouMean } from './read-command-line';
import type { CallingAgent } from './vault-calls';

type Wish = Pick<Given, 'session' | 'agent'>;

/** What was named is not there, or does not say which is meant; `no_boards`: the vault has none at all. */
function unclear(
  code: 'no_boards' | 'no_board' | 'no_session' | 'unclear',
  message: string,
): never {
  return misused(message, undefined, code);
}

/** The boards of the session and the agent that are named, of all where none is. @throws EarlyExit */
export async function chosenBoards(vault: OpenVault, wish: Wish): Promise<readonly Board[]> {
  const { session, agent } = wish;
  const all = await boardsOf(vault, wish);
  const boards = all.filter((board) => agent === undefined || board.agent === agent);
  if (boards.length > 0 || (session === undefined && agent === undefined)) return boards;
  await checkUnread(vault, wish);
  if (all.length > 0 || session === undefined) {
    const code = all.length === 0 ? 'no_boards' : 'no_board';
    unclear(code, `there is no such board. ${listed(all)}`);
  }
  const ids = await vault.manager.sessionIds();
  const known = ids.length === 0 ? 'This vault has none yet.' : `There is ${names(ids)}.`;
  const near = didYouMean(session, ids);
  return unclear('no_session', `there is no session "${session}".${near} ${known}`);
}

/** The one board that is meant. @throws EarlyExit where it isn't clear which */
export async function chooseBoard(vault: OpenVault, wish: Wish): Promise<Board> {
  const boards = await chosenBoards(vault, wish);
  const [board, ...more] = boards;
  if (board === undefined) await checkUnread(vault, wish);
  if (board === undefined) return unclear('no_boards', `there is no such board. ${listed([])}`);
  if (more.length === 0) return board;
  const which = 'which board? Name it with --session and --agent.';
  return unclear('unclear', `${which} ${listed(boards)}`);
}

/** A board that can't be read is not said to be missing. @throws EarlyExit */
export async function checkUnread(vault: OpenVault, wish: Wish): Promise<void> {
  const unread = await unreadPlaces(vault, wish);
  if (unread.length === 0) return;
  stopped('broken_note', `there is no board that can be read. ${unread.map(unreadLine).join(' ')}`);
}

/** The one board that a person's write is about. @throws EarlyExit */
export async function chooseBoardToWrite(
  vault: OpenVault,
  { session, agent }: Wish,
): Promise<Board> {
  return chooseBoard(vault, { session: await chooseSession(vault, session), agent });
}

/**
 * As whom a write is done, and on whose board: that of `--agent`, which a write may make, or of
 * `--board`; without either the session's newest.
 * @throws EarlyExit
 */
export async function chooseActor(vault: OpenVault, given: Given): Promise<CallingAgent> {
  const sessionId = await chooseSession(vault, given.session);
  const agent = given.agent ?? given.text('board') ?? (await newest(vault, sessionId));
  if (agent === undefined) return unclear('unclear', 'which agent acts? Name it: --agent A.');
  return { sessionId, agent, board: given.text('board') ?? agent };
}

/** The session of a write: the one that is named, else the only one; undefined where there is none yet. */
async function chooseSession(
  { manager, settings }: OpenVault,
  named: string | undefined,
): Promise<string | undefined> {
  // The settings refuse calls without a session: that is said where the call is checked.
  if (named !== undefined || settings.defaultSession === 'refuse') return named;
  const ids = await manager.sessionIds();
  if (ids.length < 2) return ids[0];
  return unclear('unclear', `which session? Name it with --session: ${names(ids)}.`);
}

/**
 * A session that is not there begins under its id, which is told with the one that may be meant.
 * @throws EarlyExit where it is no id
 */
export async function checkNewSession(
  { manager }: OpenVault,
  session: string,
  note: (message: string) => void,
): Promise<void> {
  if (!validSessionId(session)) {
    misused(`--session takes an id, not ${JSON.stringify(session)}.`, undefined, 'bad_session');
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

async function boardsOf(vault: OpenVault, wish: Wish): Promise<readonly Board[]> {
  const { manager } = vault;
  if (wish.session === undefined) {
    await manager.scan();
    return manager.boards();
  }
  try {
    return (await manager.inSession(wish.session)).boards;
  } catch (error) {
    // A link in the session's place is told as any other place that can't be read.
    if (error instanceof StoreError && error.code === 'denied') await checkUnread(vault, wish);
    throw error;
  }
}

const MOST = 5;

function listed(boards: readonly Board[]): string {
  if (boards.length === 0) return 'This vault has none yet.';
  const all = boards.map(({ session, agent }) => `--session ${session} --agent ${agent}`);
  return `There is ${names(all)}.`;
}

/** At most five, the rest counted. */
function names(all: readonly string[]): string {
  const more = all.length > MOST ? ` and ${all.length - MOST} more` : '';
  return `${all.slice(0, MOST).join(', ')}${more}`;
}
