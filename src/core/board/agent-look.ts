import { StoreError, type Clock } from '../ports';
import type { Archives } from './archive/archives';
import { pastArchived } from './archive/past-archived';
import { writeBoth, type Attempt } from './archive/write-both';
import type { BoardFile, BoardFiles } from './board-files';
import { boardChanges, type TaskChange } from './digest';
import type { Histories } from './history/histories';
import type { Note } from './note/note';
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
  /** what else could not be kept beside the note, in a sentence each */
  readonly notices: readonly string[];
}

export interface LookDeps {
  readonly files: BoardFiles;
  readonly state: StateFiles;
  readonly clock: Clock;
  readonly archives: Archives;
  readonly histories: Histories;
}

/**
 * Carries out a call's operations on one board in one write, on the text as it is then, and keeps
 * what the agent saw. A store that refuses fails the operations, not the call.
 */
export function look(
  deps: LookDeps,
  path: string,
  caller: string,
  operations: readonly Operation[],
  fresh: (title: string | undefined) => string,
  terms?: Terms,
): Promise<Look> {
  const { files, state, clock } = deps;
  return files.exclusively(path, async () => {
    const place = path.slice(files.root.length + 1);
    const seen = seenBoard(files, path, await state.seen(place));
    const context = { path, caller, seen, today: clock.today(), fresh };
    let done: Run;
    try {
      const beside = await besideOf(deps, path, operations);
      const run = (text: string | undefined, archiveFault?: Fault): Run =>
        apply(files, text, operations, { ...context, ...beside, archiveFault }, terms);
      done = await write(deps, path, operations, run);
    } catch (error) {
      if (error instanceof StoreError) return refused(files.known(path), operations, error);
      throw error;
    }
    const { before, batch, changes } = done;
    if (before !== undefined) files.learn(path, before, 'disk');
    const { outcomes } = batch;
    const looked = { outcomes, changes, made: false, forgotten: undefined, notices: [] };
    if (batch.note === undefined) return { ...looked, file: undefined };
    const file = files.learn(path, batch.note, 'agent');
    const forgotten = await keep(state, place, batch.note);
    const notices = await keepBeside(deps, path, caller, done, batch.note);
    return { ...looked, file, made: before === undefined, forgotten, notices };
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

/** What operations ask for that stands beside the note. */
async function besideOf(
  { archives, histories }: LookDeps,
  path: string,
  operations: readonly Operation[],
): Promise<Pick<OperationContext, 'archive' | 'records'>> {
  const types = new Set(operations.map(({ type }) => type));
  const records =
    types.has('undo') || types.has('history') ? await histories.records(path) : undefined;
  const cameFromBoard =
    types.has('undo') && records?.some(({ archived }) => archived !== undefined) === true;
  return {
    ...((types.has('restore') || cameFromBoard) && { archive: await archives.read(path) }),
    ...(records !== undefined && { records }),
  };
}

/** The history of the change, and the archive less what came out of it. The write itself stands. */
async function keepBeside(
  { archives, histories }: LookDeps,
  path: string,
  caller: string,
  { before, batch: { effects, said } }: Run,
  after: Note,
): Promise<readonly string[]> {
  if (after.text === before?.text) return [];
  const { archived = [], restored = [], undoes } = effects;
  const notices: string[] = [];
  const by = { kind: 'agent', name: caller } as const;
  try {
    await histories.keep(histories.draw(path), {
      ...{ path, by, said, before, after, undoes, archived, restored },
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    notices.push(`What was done stands, but it can't be undone later: ${error.message}`);
  }
  try {
    const moved = archived.length + restored.length > 0;
    if (moved) await archives.clean(after.board, { archived, restored });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    notices.push(`What came back also stands in the archive still: ${error.message}`);
  }
  return notices;
}

interface Run extends Attempt {
  readonly before: Note | undefined;
  readonly batch: Batch;
  readonly changes: readonly TaskChange[];
}

function apply(
  files: BoardFiles,
  text: string | undefined,
  operations: readonly Operation[],
  context: Omit<OperationContext, 'theirs'>,
  terms: Terms | undefined,
): Run {
  const { path, seen } = context;
  const before = text === undefined ? undefined : files.parsed(path, text);
  const changes =
    before === undefined ||
    seen === undefined ||
    seen === before.board ||
    before.board.broken !== null
      ? []
      : boardChanges(seen, before.board);
  const base = before && pastArchived(before);
  const batch = applyBatch(base, operations, { ...context, theirs: changes }, terms);
  const archived = batch.effects.archived ?? [];
  return { before, batch, changes, text: batch.note?.text, board: before?.board, archived };
}

/** Reads take no lock. */
async function write(
  { files, archives }: LookDeps,
  path: string,
  operations: readonly Operation[],
  run: (text: string | undefined, refused?: Fault) => Run,
): Promise<Run> {
  if (operations.every(({ type }) => READS.has(type))) return run(await files.store.read(path));
  const moves = operations.some(({ type }) => type === 'archive' || type === 'undo');
  return writeBoth(files.store, archives, path, run, moves);
}

function seenBoard(files: BoardFiles, path: string, text: string | undefined): Board | undefined {
  if (text === undefined) return undefined;
  const { board } = files.parsed(path, text);
  return board.broken === null ? board : undefined;
}

function refused(
  file: BoardFile | undefined,
  operations: readonly Operation[],
  { code, message }: StoreError,
): Look {
  const outcomes = operations.map((): Fault => ({ ok: false, code, message }));
  return { outcomes, file, changes: [], made: false, forgotten: undefined, notices: [] };
}
