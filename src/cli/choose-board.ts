import type { Board } from '../core/board/task';
import type { OpenVault } from './command';
import type { Given } from './given';

/** The boards of the session and the agent that are named, of all where none is. */
export async function chosenBoards(
  { manager }: OpenVault,
  { session, agent }: Pick<Given, 'session' | 'agent'>,
): Promise<readonly Board[]> {
  await manager.scan();
  return manager
    .boards()
    .filter(
      (board) =>
        (session === undefined || board.session === session) &&
        (agent === undefined || board.agent === agent),
    );
}

export type ChosenBoard =
  { readonly ok: true; readonly board: Board } | { readonly ok: false; readonly message: string };

/** The one board that is meant, or why it isn't clear which. */
export async function chooseBoard(
  vault: OpenVault,
  given: Pick<Given, 'session' | 'agent'>,
): Promise<ChosenBoard> {
  const boards = await chosenBoards(vault, given);
  const [board, ...more] = boards;
  if (board === undefined) {
    const all = await chosenBoards(vault, { session: undefined, agent: undefined });
    return { ok: false, message: `there is no such board. ${listed(all)}` };
  }
  if (more.length === 0) return { ok: true, board };
  return {
    ok: false,
    message: `which board? Name it with --session and --agent. ${listed(boards)}`,
  };
}

const MOST = 5;

function listed(boards: readonly Board[]): string {
  if (boards.length === 0) return 'This vault has none yet.';
  const names = boards
    .slice(0, MOST)
    .map(({ session, agent }) => `--session ${session} --agent ${agent}`);
  const more = boards.length > MOST ? ` and ${boards.length - MOST} more` : '';
  return `There is ${names.join(', ')}${more}.`;
}
