import type { AgentCallDeps } from './agent-call';
import { boardSummaryText } from './answer/summary';
import { validSessionId } from './board-path';
import { boardChanges } from './digest';
import { parseNote } from './note/parse-note';

/** What a prompt should say of the board that an agent works on; undefined where the session has none. */
export async function promptSummary(
  { files, state, folders }: Pick<AgentCallDeps, 'files' | 'state' | 'folders'>,
  context: { readonly sessionId: string; readonly agent: string },
): Promise<string | undefined> {
  if (!validSessionId(context.sessionId)) return undefined;
  const path = await folders.current(context.sessionId, context.agent);
  const board = path === undefined ? undefined : files.known(path)?.board;
  if (path === undefined || board === undefined) return undefined;
  const text = await state.seen(path.slice(files.root.length + 1));
  const seen = text === undefined ? undefined : parseNote(path, text).board;
  const comparable = seen !== undefined && seen.broken === null && board.broken === null;
  return boardSummaryText(board, comparable ? boardChanges(seen, board) : []);
}
