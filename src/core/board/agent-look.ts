import { StoreError, type Clock } from '../ports';
import type { BoardFile, BoardFiles } from './board-files';
import { boardChanges, type TaskChange } from './digest';
import type { Note } from './note/note';
import { parseNote } from './note/parse-note';
import { applyBatch, type Batch } from './operation/apply-batch';
import type { Done, OperationContext } from './operation/outcome';
import type { Fault, Operation } from './operation/read-operation';
import type { StateFiles } from './state-file';
import type { Board } from './task';
import { READS, type Terms } from './tasks-schema';

/** What a call did to one board and found on it. */
export interface Look {
  readonly outcomes: readonly (Done | Fault)[];
  /** undefined: there is still no note */
  readonly file: BoardFile | undefined;
  /** what a person changed since the agent last looked */
  readonly changes: readonly TaskChange[];
  /** the note did not exist before */
  readonly made: boolean;
  /** why what the agent saw could not be kept, so that it will be told again */
  readonly forgotten: string | undefined;
}

export interface LookDeps {
  readonly files: BoardFiles;
  readonly state: StateFiles;
  readonly clock: Clock;
}

/**
 * Carries out a call's operations on one board in one write, on the text as it is then, and keeps
 * what the agent saw. A store that refuses fails the operations, not the call.
 */
export function look(
  { files, state, clock }: LookDeps,
  path: string,
  caller: string,
  operations: readonly Operation[],
  fresh: (title: string | undefined) => string,
  terms?: Terms,
): Promise<Look> {
  return files.exclusively(path, async () => {
    const place = path.slice(files.root.length + 1);
    const seen = seenBoard(path, await state.seen(place));
    const today = clock.today();
    const run = (text: string | undefined): Run =>
      apply(text, operations, { path, caller, seen, today, fresh }, terms);
    let done: Run;
    try {
      done = await write(files, path, operations, run);
    } catch (error) {
      if (error instanceof StoreError) return refused(files.known(path), operations, error);
      throw error;
    }
    const { before, batch, changes } = done;
    if (before !== undefined) files.learn(path, before, 'disk');
    const looked = { outcomes: batch.outcomes, changes, made: false, forgotten: undefined };
    if (batch.note === undefined) return { ...looked, file: undefined };
    const file = files.learn(path, batch.note, 'agent');
    const forgotten = await keep(state, place, batch.note);
    return { ...looked, file, made: before === undefined, forgotten };
  });
}

/** The write of the board stands; only what the agent saw is then unknown. */
async function keep(state: StateFiles, place: string, note: Note): Promise<string | undefined> {
  // A note that can't be read is no look: what stood in it before is compared once it is repaired.
  if (note.board.broken !== null) return undefined;
  try {
    await state.look(place, note.text);
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

interface Run {
  readonly before: Note | undefined;
  readonly batch: Batch;
  readonly changes: readonly TaskChange[];
}

function apply(
  text: string | undefined,
  operations: readonly Operation[],
  context: Omit<OperationContext, 'theirs'>,
  terms: Terms | undefined,
): Run {
  const { path, seen } = context;
  const before = text === undefined ? undefined : parseNote(path, text);
  const changes =
    before === undefined || seen === undefined || before.board.broken !== null
      ? []
      : boardChanges(seen, before.board);
  const batch = applyBatch(before, operations, { ...context, theirs: changes }, terms);
  return { before, batch, changes };
}

/** Reads take no lock. */
async function write(
  files: BoardFiles,
  path: string,
  operations: readonly Operation[],
  run: (text: string | undefined) => Run,
): Promise<Run> {
  if (operations.every(({ type }) => READS.has(type))) return run(await files.store.read(path));
  let done: Run | undefined;
  await files.store.update(path, (text) => {
    done = run(text);
    return done.batch.note?.text;
  });
  if (done === undefined) throw new Error('assertion: the store did not call the edit');
  return done;
}

function seenBoard(path: string, text: string | undefined): Board | undefined {
  if (text === undefined) return undefined;
  const { board } = parseNote(path, text);
  return board.broken === null ? board : undefined;
}

function refused(
  file: BoardFile | undefined,
  operations: readonly Operation[],
  { code, message }: StoreError,
): Look {
  const outcomes = operations.map((): Fault => ({ ok: false, code, message }));
  return { outcomes, file, changes: [], made: false, forgotten: undefined };
}
