import type { AgentCallDeps } from './agent-call';
import { boardSummaryText } from './answer/summary';
import { validSessionId } from './board-path';
import { boundTask } from './bound-call';
import type { CallContext } from './call-check';
import { boardChanges } from './digest';
import { parseNote } from './note/parse-note';

type Deps = Pick<AgentCallDeps, 'files' | 'state' | 'folders'>;

/** What a prompt should say of the board that an agent works on; undefined where the session has none. */
export async function promptSummary(deps: Deps, context: CallContext): Promise<string | undefined> {
  const { files, state } = deps;
  const { bound } = context;
  const path = await boardOf(deps, context);
  const board = path === undefined ? undefined : files.known(path)?.board;
  if (path === undefined || board === undefined) return undefined;
  const text = await state.seen(path.slice(files.root.length + 1));
  const seen = text === undefined ? undefined : parseNote(path, text).board;
  const comparable = seen !== undefined && seen.broken === null && board.broken === null;
  const changes = comparable ? boardChanges(seen, board) : [];
  if (bound === undefined) return boardSummaryText(board, changes);
  return boardSummaryText(board, changes, boundTask(bound, board) ?? 'none');
}

async function boardOf(
  { folders }: Deps,
  { sessionId, agent, bound }: CallContext,
): Promise<string | undefined> {
  if (sessionId === undefined || !validSessionId(sessionId)) return undefined;
  if (bound === undefined) return folders.current(sessionId, agent);
  const { files } = await folders.boards(await folders.folder(sessionId));
  return files.get(bound.agent)?.board.path;
}
