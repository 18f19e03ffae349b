import { StoreError } from '../../ports';
import type { Archives } from '../archive/archives';
import type { BlockText } from '../archive/archive-tasks';
import { writeBoth, type Attempt } from '../archive/write-both';
import type { BoardFiles } from '../board-files';
import { readBoardPath } from '../board-path';
import { boardFacts } from '../facts';
import { bumpRev } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { reparse } from '../note/reparse';
import { completesRecurring } from '../said';
import type { StateFiles } from '../state-file';
import { closedFault } from '../outcome';
import { apply } from '../apply';
import { pastArchived } from '../archive/archive-tasks';
import type { Op } from '../op';
import { PERSON_POLICY, type ApplyContext } from '../policy';
import type { Board } from '../task';
import type { Actor } from './actor';
import type { Histories, WrittenChange } from './histories';
import { seenAfter } from './undo-record';
import { fault, type Fault } from '../../fault';

/** What a change makes of a note; `said` and the rest go into the history. */
export type Change =
  | ({
      readonly ok: true;
      readonly text: string;
      readonly said: readonly string[];
      /** what goes to the archive */
      readonly blocks?: readonly BlockText[];
    } & Pick<WrittenChange, 'undoes' | 'redoes' | 'restored'>)
  | Fault;

export type BoardWritten =
  | {
      readonly ok: true;
      /** names the change, for `undo` */
      readonly change: string;
      readonly board: Board;
      /** undefined: the note is new */
      readonly before: Note | undefined;
      /** how many tasks no longer wait */
      readonly frees: number;
      /** it completed a task that repeats, of which no next occurrence is made */
      readonly repeats?: true;
      /** why the change can't be taken back later: it could not be kept */
      readonly unrecorded?: string;
    }
  | Fault;

/** Writes that are no call of `tasks`, as of a person or of what is taken over. One change is one write. */
export class BoardWriter {
  constructor(
    private readonly files: BoardFiles,
    private readonly histories: Histories,
    readonly archives: Archives,
    private readonly state: StateFiles,
  ) {}

  /** `change` gets the note as it is then, undefined where there is none, and may be asked again; `moves`: something may go to the archive; `closed`: what becomes of a board whose plan goes on elsewhere. */
  write(
    path: string,
    by: Actor,
    change: (note: Note | undefined) => Change,
    moves = false,
    closed: 'refuse' | 'write' = 'refuse',
  ): Promise<BoardWritten> {
    if (readBoardPath(this.files.root, path) === undefined) {
      return Promise.resolve(fault('unknown_board', `${path} is no board.`));
    }
    return this.files.exclusively(path, async () => {
      try {
        const checked = closed === 'refuse' ? openOnly(change) : change;
        return await this.writeNow(path, by, checked, moves);
      } catch (error) {
        if (error instanceof StoreError) return fault(error.code, error.message);
        throw error;
      }
    });
  }

  /**
   * The only way in which a board is changed by operations that are no call of `tasks`: all of them
   * in one write, or none.
   * @param today local date, `YYYY-MM-DD`
   */
  async commit(path: string, by: Actor, ops: readonly Op[], today: string): Promise<BoardWritten> {
    const restores = ops.some(({ type }) => type === 'restore');
    const moves = ops.some(({ type }) => type === 'archive');
    try {
      const archive = restores ? await this.archives.read(path) : undefined;
      const context = { ...PERSON_CONTEXT, path, today, archive };
      return await this.write(path, by, (note) => changeBy(note, ops, context), moves);
    } catch (error) {
      if (error instanceof StoreError) return fault(error.code, error.message);
      throw error;
    }
  }

  private async writeNow(
    path: string,
    by: Actor,
    change: (note: Note | undefined) => Change,
    moves: boolean,
  ): Promise<BoardWritten> {
    const { before, changed } = await writeBoth(
      this.files.store,
      this.archives,
      path,
      (text, refused) => {
        const before = text === undefined ? undefined : this.files.parsed(path, text);
        return carryOut(path, before, change, refused);
      },
      moves,
    );
    if (before !== undefined) this.files.learn(path, before, 'disk');
    if (!changed.ok) return changed;
    const { board } = this.files.learn(path, changed.note, by.kind);
    const name = this.histories.draw(path);
    const same = changed.note.text === before?.text;
    const lost = same ? undefined : await this.keep(name, path, by, before, changed);
    return {
      ok: true,
      change: name,
      board,
      before,
      frees: before === undefined ? 0 : freed(before.board, board),
      ...(before && completesRecurring(before, changed.note) && { repeats: true as const }),
      ...(lost !== undefined && { unrecorded: lost }),
    };
  }

  /** The write stands; only its undo is lost, or what came back stands in the archive still. */
  private async keep(
    name: string,
    path: string,
    by: Actor,
    before: Note | undefined,
    { change, note }: Changed,
  ): Promise<string | undefined> {
    const archived = change.blocks ?? [];
    try {
      await this.histories.keep(name, { ...change, archived, path, by, before, after: note });
      const restored = change.restored ?? [];
      const moved = archived.length + restored.length > 0;
      if (moved) await this.archives.clean(note.board, { archived, restored });
      if (before === undefined) await this.remember(path);
      if (by.kind === 'agent' && before !== undefined) await this.lookToo(path, before, note);
      return undefined;
    } catch (error) {
      if (error instanceof StoreError) return error.message;
      throw error;
    }
  }

  /** The board made last is its session's newest. */
  private async remember(path: string): Promise<void> {
    const agent = readBoardPath(this.files.root, path)?.agent;
    const folder = path.slice(this.files.root.length + 1).split('/')[0];
    if (agent === undefined || folder === undefined) return;
    await this.state.remember(folder, ({ named, made }) => ({
      named,
      made: [...made.filter((one) => one !== agent), agent],
    }));
  }

  /** What an agent did itself is no news to it. */
  private async lookToo(path: string, before: Note, after: Note): Promise<void> {
    const place = path.slice(this.files.root.length + 1);
    const seen = await this.state.seen(place);
    const now = seen === undefined ? undefined : seenAfter(seen, before, after);
    if (now !== undefined) await this.state.look(place, now);
  }
}

/** Nobody's changes collide with a person's: they see the note. */
const PERSON_CONTEXT = {
  policy: PERSON_POLICY,
  caller: 'me',
  seen: undefined,
  theirs: [],
  told: (note: Note) => note,
  fresh: () => '',
} as const;

function changeBy(note: Note | undefined, ops: readonly Op[], context: ApplyContext): Change {
  if (note === undefined)
    return fault('unknown_board', 'The note of this board is no longer there.');
  let now = pastArchived(note);
  const said: string[] = [];
  const blocks: BlockText[] = [];
  const restored: BlockText[] = [];
  for (const op of ops) {
    const { note: after, outcome, effects } = apply(now, op, context);
    if (!outcome.ok) return outcome;
    said.push(outcome.said);
    blocks.push(...(effects?.archived ?? []));
    restored.push(...(effects?.restored ?? []));
    now = after ?? now;
  }
  return { ok: true, text: now.text, said, blocks, restored };
}

/** The change, for boards that are not closed. */
function openOnly(change: (note: Note | undefined) => Change): typeof change {
  return (note) => {
    const session = note?.board.continued;
    return session === undefined ? change(note) : closedFault(session);
  };
}

interface Changed {
  readonly ok: true;
  readonly note: Note;
  readonly change: Extract<Change, { ok: true }>;
}

interface Done extends Attempt {
  readonly before: Note | undefined;
  readonly changed: Changed | Fault;
}

function carryOut(
  path: string,
  before: Note | undefined,
  edit: (note: Note | undefined) => Change,
  refused: Fault | undefined,
): Done {
  const changed = changedBy(path, before, edit);
  const board = before?.board;
  const blocks = changed.ok ? (changed.change.blocks ?? []) : [];
  if (refused !== undefined && blocks.length > 0) {
    return { before, board, changed: refused, text: undefined, archived: [] };
  }
  return {
    ...{ before, board, changed, archived: blocks },
    text: changed.ok ? changed.note.text : undefined,
  };
}

function changedBy(
  path: string,
  before: Note | undefined,
  edit: (note: Note | undefined) => Change,
): Changed | Fault {
  const broken = before?.board.broken ?? null;
  if (broken !== null) {
    const message = `This note is read-only until it is repaired. ${broken.reason}`;
    return fault('broken_note', message);
  }
  const change = edit(before);
  if (!change.ok) return change;
  if (before !== undefined && change.text === before.text) {
    return { ok: true, note: before, change };
  }
  return raised(before, parseNote(path, change.text), change);
}

/** One write of a note that exists is one step of `rev`, from the higher of the two. */
function raised(
  before: Note | undefined,
  note: Note,
  change: Extract<Change, { ok: true }>,
): Changed | Fault {
  const { broken } = note.board;
  if (broken !== null) {
    const message = `The note could not be read any more then, so it was not written. ${broken.reason}`;
    return fault('broken_note', message);
  }
  if (before === undefined) return { ok: true, note, change };
  const rev = Math.max(before.board.rev, note.board.rev);
  const result = bumpRev({ ...note, board: { ...note.board, rev } });
  if (!result.ok) return result;
  return { ok: true, note: reparse(note, result), change };
}

/** How many tasks waited before and don't any more. */
function freed(before: Board, after: Board): number {
  const [was, is] = [boardFacts(before), boardFacts(after)];
  return after.tasks.filter(
    ({ key, status }) =>
      status === 'pending' && was.get(key)?.blocked === true && is.get(key)?.blocked === false,
  ).length;
}
