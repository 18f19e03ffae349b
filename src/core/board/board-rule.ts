import type { BoardFile } from './board-files';
import type { Note } from './note/note';
import { applyOperation } from './operation/apply-operation';
import type { OperationContext } from './operation/outcome';
import type { Operation } from './operation/read-operation';
import type { SessionMemory } from './state-file';

/** A session's boards as a call finds them. */
export interface SessionBoards {
  /** by agent */
  readonly files: ReadonlyMap<string, BoardFile>;
  readonly memory: SessionMemory;
  /** agent of the board that was made last, undefined where there is none */
  readonly newest: string | undefined;
}

/** The board that `agent` works on without naming one; undefined where the session has none. */
export function currentBoard(agent: string, boards: SessionBoards): string | undefined {
  const named = new Map(boards.memory.named).get(agent);
  if (named !== undefined && boards.files.has(named)) return named;
  return boards.files.has(agent) ? agent : boards.newest;
}

/** The board made last: as remembered, else as the files' times say. */
export async function newestBoard(
  files: ReadonlyMap<string, BoardFile>,
  memory: SessionMemory,
  mtime: (path: string) => Promise<number>,
): Promise<string | undefined> {
  const made = memory.made.filter((agent) => files.has(agent));
  const last = made[made.length - 1];
  if (last !== undefined) return last;
  const timed = await Promise.all(
    [...files].map(async ([agent, { board }]) => ({ agent, at: await mtime(board.path) })),
  );
  return timed.sort((a, b) => b.at - a.at || (a.agent < b.agent ? -1 : 1))[0]?.agent;
}

/** They go by what stands beside the note, which is not asked here: they count as done. */
const BESIDE: ReadonlySet<string> = new Set<Operation['type']>(['restore', 'undo', 'history']);

/**
 * The agent whose board each operation works on (the board rule of docs/SPEC.md). An operation that
 * names an agent and succeeds makes that board the caller's for those that follow; whether it
 * succeeds is found by carrying the batch out in memory.
 */
export function route(
  agent: string,
  boards: SessionBoards,
  operations: readonly Operation[],
  context: (agent: string) => OperationContext,
): readonly string[] {
  let current = currentBoard(agent, boards) ?? agent;
  if (operations.every((operation) => operation.agent === undefined)) {
    return operations.map(() => current);
  }
  const notes = new Map<string, Note | undefined>(
    [...boards.files].map(([name, { note }]) => [name, note]),
  );
  const unreadable = (name: string): boolean => notes.get(name) === undefined && notes.has(name);
  return operations.map((operation) => {
    const target = operation.agent ?? current;
    if (unreadable(target)) return target;
    const { note, outcome } = applyOperation(notes.get(target), operation, context(target));
    if (note !== undefined) notes.set(target, note);
    const done = outcome.ok || BESIDE.has(operation.type);
    if (note !== undefined && done && operation.agent !== undefined) current = target;
    return target;
  });
}
