import { refuseChange } from '../change-faults';
import type { Clock } from '../../ports';
import { storeRefusal } from '../../fault/store-faults';
import { catchStoreError, refusal, storeFault, fault, type Fault } from '../../fault';
import type { Archives } from '../archive/archives';
import { raiseNextPastArchived, type BlockText } from '../archive/archive-tasks';
import type { BoardFile, BoardFiles } from '../board-files';
import { readBoardPath } from '../board-path';
import { boardFacts } from '../facts';
import { bumpRev } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { completesRecurring } from '../wording';
import type { StateFiles } from '../state-file';
import { closedFault } from '../outcome';
import { apply } from '../apply';
import type { DecideOperations, Op } from '../op';
import { PERSON_POLICY, type ApplyContext } from '../policy';
import type { Board } from '../task';
import type { Actor } from './actor';
import type { Histories, WrittenChange } from './histories';
import { deltaOf, type Delta } from './change-record';
import { seenAfter } from './undo-record';

/** What the history stores about a change; `archived` also goes to the archive. */
export interface ChangeEntry extends Pick<
  WrittenChange,
  'said' | 'undoes' | 'redoes' | 'with' | 'archived' | 'restored'
> {
  /** its id, drawn in advance; `null`: the history does not list the change */
  readonly name?: string | null | undefined;
}

/** Result of a change: the new note. */
export type Change = ({ readonly ok: true; readonly note: Note } & ChangeEntry) | Fault;

export interface CommitOptions {
  /** description of the change for the history; else each operation's own description */
  readonly said?: string;
  /** prefix of the description: what the change was made through */
  readonly via?: string;
  /** default: the person's */
  readonly policy?: ApplyContext['policy'];
  readonly entry?: Pick<ChangeEntry, 'name' | 'undoes' | 'redoes' | 'with'>;
  /** `write`: also writes a board whose plan continues elsewhere, which is refused by default */
  readonly closed?: 'write';
}

export type CommitResult =
  | {
      readonly ok: true;
      /** id of the change, for `undo` */
      readonly change: string;
      readonly board: Board;
      /** undefined: the note is new */
      readonly before: Note | undefined;
      /** number of tasks that are no longer blocked */
      readonly frees: number;
      /** set if it completed a repeating task, of which no next occurrence is created */
      readonly repeats?: true;
      /** why the change can't be undone later: it could not be stored */
      readonly unrecorded?: Fault;
    }
  | Fault;

/** What to write and store; nothing is written if `note` is undefined. */
export interface Attempt extends ChangeEntry {
  readonly note: Note | undefined;
}

/** Result of an attempt. */
interface WriteResult<A extends Attempt> {
  /** undefined: there was no note */
  readonly before: Note | undefined;
  readonly made: A;
  /** undefined: there is no note, or nothing was written */
  readonly file: BoardFile | undefined;
  /** id in the history, undefined if the text did not change */
  readonly change?: string;
  /** why the change can't be undone later */
  readonly unrecorded?: Fault | undefined;
  /** why restored tasks are still in the archive */
  readonly uncleaned?: Fault | undefined;
}

interface AttemptRun<A extends Attempt> extends Pick<WriteResult<A>, 'before' | 'made'> {
  /** undefined if the text does not change */
  readonly delta: Promise<Delta> | undefined;
}

/** How often to try a write again because the board changed after the archive was written. */
const MAX_TRIES = 20;

/** Writes boards. One change is one write. */
export class BoardWriter {
  constructor(
    private readonly files: BoardFiles,
    private readonly histories: Histories,
    readonly archives: Archives,
    private readonly state: StateFiles,
    private readonly clock: Clock,
  ) {}

  /**
   * The only function that writes a board. It reads and changes the current note, writes archived tasks to
   * the archive before the note and removes restored ones after it, tells listeners, and stores the
   * history. Only within `files.runExclusive`.
   * @param attempt is called again if another program wrote in between, and with the reason if the archive
   *   could not be written; it then works without the archive
   * @param how `read`: without a lock, nothing changes; `move`: something may go to the archive
   * @throws StoreError if nothing was written
   */
  async writeAttempt<A extends Attempt>(
    path: string,
    by: Actor,
    attempt: (before: Note | undefined, archiveFault?: Fault) => A,
    how: 'read' | 'write' | 'move',
  ): Promise<WriteResult<A>> {
    const { files, histories, archives } = this;
    const run = (text: string | undefined, archiveFault?: Fault): AttemptRun<A> => {
      const before = text === undefined ? undefined : files.parse(path, text);
      const made = attempt(before, archiveFault);
      return { before, made, delta: deferredDelta(before, made) };
    };
    const { before, made, delta } =
      how === 'read'
        ? run(await files.store.read(path))
        : await this.update(path, run, how === 'move');
    if (before !== undefined) files.cacheNote(path, before, 'disk');
    const { note, archived = [], restored = [] } = made;
    if (note === undefined) return { before, made, file: undefined };
    const file = files.cacheNote(path, note, by.kind);
    if (delta === undefined) return { before, made, file };
    const change = made.name ?? histories.draw(path);
    const unrecorded =
      made.name === null
        ? undefined
        : await refusal(() =>
            histories.storeChange(change, { ...made, path, by, after: note, delta }),
          );
    const uncleaned =
      archived.length + restored.length > 0
        ? await refusal(() => archives.clean(note.board, { archived, restored }))
        : undefined;
    return { before, made, file, change, unrecorded, uncleaned };
  }

  private async update<A extends Attempt>(
    path: string,
    run: (text: string | undefined, archiveFault?: Fault) => AttemptRun<A>,
    moves: boolean,
  ): Promise<AttemptRun<A>> {
    const { store } = this.files;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const planned = moves ? run(await store.read(path)) : undefined;
      const going = planned?.made.archived ?? [];
      const refused =
        planned?.before !== undefined && going.length > 0
          ? await this.archives.addTasks(planned.before.board, going)
          : undefined;
      let done = undefined as AttemptRun<A> | undefined;
      await store.update(path, (text) => {
        const now = run(text, refused);
        const fits =
          planned === undefined ||
          refused !== undefined ||
          archivedText(now) === archivedText(planned);
        done = fits ? now : undefined;
        return done?.made.note?.text;
      });
      if (done !== undefined) return done;
    }
    throw storeRefusal('busy', 'keepsChanging', { path });
  }

  /** Applies operations other than those of calls of `tasks`: all of them in one write, or none. */
  commit(
    path: string,
    by: Actor,
    ops: readonly Op[] | DecideOperations,
    { said, via, policy = PERSON_POLICY, entry, closed }: CommitOptions = {},
  ): Promise<CommitResult> {
    const decide = typeof ops === 'function' ? ops : () => ops;
    const has = (type: Op['type']) =>
      typeof ops !== 'function' && ops.some((op) => op.type === type);
    return catchStoreError(async () => {
      const archive = has('restore') ? await this.archives.read(path) : undefined;
      const context = { ...NO_CONFLICTS, policy, path, today: this.clock.today(), archive };
      const change = (note: Note | undefined): Change => {
        const changed = applyOps(note, decide(note), context);
        if (!changed.ok) return changed;
        const descriptions = said === undefined ? changed.said : [said];
        const all =
          via === undefined ? descriptions : descriptions.map((line) => `${via}: ${line}`);
        return { ...changed, said: all, ...entry };
      };
      return this.write(path, by, change, has('archive'), closed);
    }, storeFault);
  }

  /** The text of a board now, and the text after operations by the person. Writes nothing. */
  preview(
    path: string,
    ops: readonly Op[],
    policy: ApplyContext['policy'] = PERSON_POLICY,
  ): Promise<{ readonly ok: true; readonly before: string; readonly after: string } | Fault> {
    const today = this.clock.today();
    return catchStoreError(async () => {
      const text = await this.files.store.read(path);
      const note = text === undefined ? undefined : this.files.parse(path, text);
      const changed = previewCommit(path, note, ops, { policy, today });
      return changed.ok ? { ok: true, before: text ?? '', after: changed.note.text } : changed;
    }, storeFault);
  }

  /**
   * Writes a board. `change` gets the current note, undefined if there is none, and may be called
   * again; `moves`: tasks may be archived.
   */
  write(
    path: string,
    by: Actor,
    change: (note: Note | undefined) => Change,
    moves = false,
    closed?: 'write',
  ): Promise<CommitResult> {
    if (readBoardPath(this.files.root, path) === undefined) {
      return Promise.resolve(fault('unknown_board', `${path} is not a board.`));
    }
    let refused: Fault | undefined;
    const attempt = (before: Note | undefined, archiveFault?: Fault): Attempt => {
      const changed = runChange(before, change, closed);
      const lost = changed.ok && (changed.archived ?? []).length > 0 ? archiveFault : undefined;
      refused = changed.ok ? lost : changed;
      return refused === undefined && changed.ok ? changed : { note: undefined, said: [] };
    };
    return this.files.runExclusive(path, () =>
      catchStoreError(async () => {
        const put = await this.writeAttempt(path, by, attempt, moves ? 'move' : 'write');
        return refused ?? this.commitResult(path, by, put);
      }, storeFault),
    );
  }

  private async commitResult(
    path: string,
    by: Actor,
    { before, made: { note }, file, change, unrecorded, uncleaned }: WriteResult<Attempt>,
  ): Promise<CommitResult> {
    if (note === undefined) throw new Error('assertion: a write without its note');
    const board = file?.board ?? note.board;
    const lost =
      unrecorded ??
      uncleaned ??
      (change === undefined
        ? undefined
        : await refusal(() => this.storeNewestAndSeen(path, by, before, note)));
    return {
      ok: true,
      change: change ?? this.histories.draw(path),
      board,
      before,
      frees: before === undefined ? 0 : countUnblocked(before.board, board),
      ...(before && completesRecurring(before, note) && { repeats: true as const }),
      ...(lost !== undefined && { unrecorded: lost }),
    };
  }

  /** Stores a new board as its session's newest; marks an agent's own change as seen by it. */
  private async storeNewestAndSeen(
    path: string,
    by: Actor,
    before: Note | undefined,
    after: Note,
  ): Promise<void> {
    const place = path.slice(this.files.root.length + 1);
    const agent = readBoardPath(this.files.root, path)?.agent;
    if (before === undefined && agent !== undefined) {
      await this.state.updateMemory(place.slice(0, place.indexOf('/')), ({ named, made }) => ({
        named,
        made: [...made.filter((one) => one !== agent), agent],
      }));
    }
    if (before === undefined || by.kind !== 'agent') return;
    const seen = await this.state.seen(place);
    const now = seen === undefined ? undefined : seenAfter(seen, before, after);
    if (now !== undefined) await this.state.setSeen(place, now);
  }
}

/** The new text of a whole plan, with extra results of the function that made it. */
export type WholePlan = Pick<Note, 'ok' | 'text'>;

/**
 * Commits a whole plan as one `replace`; creates the note if there is none.
 * @param make may be called again; the answer contains its last result
 */
export async function replacePlan<M extends WholePlan>(
  boards: Pick<BoardWriter, 'commit'>,
  path: string,
  by: Actor,
  make: (note: Note | undefined) => M | Fault,
  options: CommitOptions,
): Promise<(Extract<CommitResult, { ok: true }> & { readonly made: M }) | Fault> {
  let made: M | Fault | undefined;
  const decide: DecideOperations = (note) => {
    made = make(note);
    return made.ok ? [{ type: 'replace', text: made.text }] : made;
  };
  const written = await boards.commit(path, by, decide, options);
  if (!written.ok) return written;
  if (made?.ok !== true) throw new Error('assertion: a plan was written that was not made');
  return { ...written, made };
}

/**
 * Computes the delta of an attempt in the next microtask, when a store on disk already waits for
 * the flush of the note. Dropped attempts need not await it.
 */
function deferredDelta(before: Note | undefined, made: Attempt): Promise<Delta> | undefined {
  const { note, archived } = made;
  if (note === undefined || note.text === before?.text) return undefined;
  const delta = Promise.resolve().then(() => deltaOf(before, note, archived));
  delta.catch(() => undefined);
  return delta;
}

function archivedText({ made }: AttemptRun<Attempt>): string {
  const { archived = [] } = made;
  return archived.map(({ text, phase }) => JSON.stringify([phase, text])).join('\n');
}

/** No conflicts with a person's changes: these operations are based on the current note. */
const NO_CONFLICTS = {
  caller: 'me',
  seen: undefined,
  theirs: [],
  told: (note: Note) => note,
  fresh: () => '',
} as const;

/** The note that `commit` would write for the person, with `rev` raised. Pure; writes nothing. */
export function previewCommit(
  path: string,
  note: Note | undefined,
  ops: readonly Op[],
  { policy = PERSON_POLICY, today }: Partial<ApplyContext> & Pick<ApplyContext, 'today'>,
): Change {
  const context = { ...NO_CONFLICTS, policy, path, today, archive: undefined };
  return runChange(note, (now) => applyOps(now, ops, context), undefined);
}

function applyOps(
  note: Note | undefined,
  ops: readonly Op[] | Fault,
  context: ApplyContext,
): Change {
  if (!('length' in ops)) return ops;
  const [first] = ops;
  if (note === undefined && first?.type !== 'replace')
    return refuseChange('unknown_board', 'boardGone');
  if (note !== undefined && first === undefined) return { ok: true, note, said: [] };
  let now = note === undefined ? parseNote(context.path, '') : raiseNextPastArchived(note);
  const said: string[] = [];
  const archived: BlockText[] = [];
  const restored: BlockText[] = [];
  for (const op of ops) {
    const done = apply(now, op, context);
    if (!done.ok) return done;
    said.push(done.said);
    archived.push(...(done.effects?.archived ?? []));
    restored.push(...(done.effects?.restored ?? []));
    now = done.note ?? now;
  }
  return { ok: true, note: now, said, archived, restored };
}

/** Runs a change. A write of an existing note raises `rev` by one, from the higher of the two. */
function runChange(
  before: Note | undefined,
  change: (note: Note | undefined) => Change,
  closed: 'write' | undefined,
): Change {
  const { broken = null, continued } = before?.board ?? {};
  if (broken !== null) {
    return refuseChange('broken_note', 'readOnly', { why: [broken.reason, broken.said] });
  }
  if (continued !== undefined && closed === undefined) return closedFault(continued);
  const changed = change(before);
  if (!changed.ok || changed.note.text === before?.text) return changed;
  const now = changed.note.board.broken;
  if (now !== null) {
    return refuseChange('broken_note', 'notReadable', { why: [now.reason, now.said] });
  }
  if (before === undefined) return changed;
  return { ...changed, note: bumpRev(changed.note, before.board.rev) };
}

/** Number of pending tasks that were blocked before and are not any more. */
function countUnblocked(before: Board, after: Board): number {
  const [was, is] = [boardFacts(before), boardFacts(after)];
  return after.tasks.filter(
    ({ key, status }) =>
      status === 'pending' && was.get(key)?.blocked === true && is.get(key)?.blocked === false,
  ).length;
}
