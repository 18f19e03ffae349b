import { refusal, type Clock, type Log } from '../../ports';
import { jsonAs } from '../../json';
import { validAgentName, validSessionId } from '../board-path';
import type { BoardPlace, BoardPlaces } from '../board-places';
import type { Actor } from '../history/actor';
import type { KeyedQueue } from '../../keyed-queue';
import type { EditBoard } from '../history/board-writer';
import { parseNote } from '../note/parse-note';
import type { SessionFolders } from '../session-boards';
import type { StateFiles } from '../state-file';
import {
  mirrored,
  mirrorTodos,
  NOTHING_MIRRORED,
  readTodos,
  type Mirrored,
  type Mirroring,
  type Todo,
  type WantedTask,
} from './mirror-todos';
import { fault, type Fault } from '../../fault';
import '../jitless';
import * as z from 'zod/mini';
import { PRIORITIES, STATUSES } from '../task';

/** Whose doing a mirrored change is. */
const TODOWRITE: Actor = { kind: 'import', name: 'todowrite' };

interface TodoMirrorDeps {
  readonly state: StateFiles;
  readonly folders: SessionFolders;
  readonly places: BoardPlaces;
  /** calls and lists of one session come one after another */
  readonly sessions: KeyedQueue;
  readonly clock: Clock;
  readonly log: Log | undefined;
  readonly edit: EditBoard;
}

/** Whose list it is. */
interface TodoOwner {
  readonly session: string;
  readonly agent: string;
  /** of a board that has to be made */
  readonly title: string | undefined;
}

export type MirrorAnswer =
  | {
      readonly ok: true;
      /** false: the session uses `tasks`, or there was nothing to write */
      readonly mirrored: boolean;
      /** what of the list could not be written, a sentence each */
      readonly left: readonly string[];
    }
  | Fault;

const NOT_MIRRORED: MirrorAnswer = { ok: true, mirrored: false, left: [] };

/**
 * The lists of `todowrite` on the boards, until a session calls `tasks` for the first time. A list is
 * remembered before it is written and once more after, so that a program that dies in between is
 * made up for with the next list. One list of a session at a time.
 */
export class TodoMirror {
  /** sessions that are known to use `tasks` */
  private readonly ended = new Set<string>();

  constructor(private readonly deps: TodoMirrorDeps) {}

  /**
   * From now on, and after a restart, nothing of this session is mirrored. What ended it stands,
   * whether that can be remembered or not; the next call tries again.
   */
  async end(session: string): Promise<void> {
    if (this.ended.has(session)) return;
    const error = await refusal(async () => {
      const folder = await this.deps.folders.folder(session);
      await this.remember(folder, () => ({ used: true, boards: [] }));
      this.ended.add(session);
    });
    if (error === undefined) return;
    this.deps.log?.note('That a session uses tasks could not be remembered.', { session, error });
  }

  /** @throws StoreError where what is remembered can't be kept; then nothing was written */
  async mirror(owner: TodoOwner, todos: readonly Todo[]): Promise<MirrorAnswer> {
    if (!validSessionId(owner.session)) return fault('bad_session', nameless('session id'));
    if (!validAgentName(owner.agent)) return fault('bad_agent', nameless('agent name'));
    return this.deps.sessions.run(owner.session, () => this.next(owner, todos));
  }

  private async next(owner: TodoOwner, todos: readonly Todo[]): Promise<MirrorAnswer> {
    const { session, agent, title } = owner;
    const place = await this.deps.places.find(session, agent, title);
    const memory = readMirrorMemory(await this.deps.state.text(placeOf(place.folder)));
    if (memory.used) return NOT_MIRRORED;
    const own = memory.boards.find(([name]) => name === agent)?.[1];
    let last = own?.last ?? NOTHING_MIRRORED;
    const list = readTodos(todos);
    if (list.length === 0 && last.items.length === 0 && own?.pending === undefined) {
      return NOT_MIRRORED;
    }
    if (own?.pending !== undefined) {
      const made = await this.write(place, own.pending, last, true);
      if (!made.ok) return made;
      last = made.last;
    }
    const kept = await this.keep(place.folder, agent, { last, pending: [...list] });
    if (kept.used) return NOT_MIRRORED;
    const done = await this.write(place, list, last, false);
    await this.keep(place.folder, agent, { last: done.ok ? done.last : last });
    return done.ok ? { ok: true, mirrored: true, left: done.left } : done;
  }

  private async write(
    { path, fresh }: BoardPlace,
    list: readonly WantedTask[],
    last: Mirrored,
    again: boolean,
  ): Promise<Mirroring | Fault> {
    const today = this.deps.clock.today();
    let done: Mirroring | undefined;
    const written = await this.deps.edit(path, TODOWRITE, saidOf(list), (note) => {
      if (note === undefined && fresh === undefined) return fault('gone', GONE);
      // Where a person took the whole note away, the list begins anew.
      const [on, from] =
        note === undefined ? [parseNote(path, fresh ?? ''), NOTHING_MIRRORED] : [note, last];
      const made = mirrorTodos(on, list, from, { today, again });
      done = made.ok ? made : undefined;
      return made;
    });
    if (!written.ok) return written;
    if (done === undefined) throw new Error('assertion: a written list without its outcome');
    return done;
  }

  private keep(folder: string, agent: string, board: BoardMemory): Promise<MirrorMemory> {
    return this.remember(folder, (memory) =>
      memory.used
        ? memory
        : {
            used: false,
            boards: [...memory.boards.filter(([name]) => name !== agent), [agent, board]],
          },
    );
  }

  private async remember(
    folder: string,
    change: (memory: MirrorMemory) => MirrorMemory,
  ): Promise<MirrorMemory> {
    const text = await this.deps.state.change(placeOf(folder), (before) =>
      mirrorMemoryText(change(readMirrorMemory(before))),
    );
    return readMirrorMemory(text);
  }
}

const GONE = 'The note of this board went away meanwhile. The next list makes it anew.';

function nameless(what: string): string {
  return `This list has no board: the ${what} must be 1 to 72 bytes of text without control characters.`;
}

function placeOf(folder: string): string {
  return `sessions/${folder}/todos.json`;
}

function saidOf(list: readonly WantedTask[]): string {
  const open = list.filter(({ status }) => status !== 'completed' && status !== 'cancelled');
  const entries = list.length === 1 ? '1 entry' : `${list.length} entries`;
  return `the agent's list of todowrite, ${entries}, ${open.length} open`;
}

const boardMemory = z.object({
  last: mirrored,
  /** a list that is about to be written, or was and is not in `last` yet */
  pending: z.optional(
    z.array(z.object({ text: z.string(), status: z.enum(STATUSES), priority: z.enum(PRIORITIES) })),
  ),
});

type BoardMemory = z.infer<typeof boardMemory>;

/** What the mirror remembers of a session. */
const mirrorMemory = z.object({
  /** the session has called `tasks`: nothing is mirrored any more */
  used: z.boolean(),
  /** by agent */
  boards: z.array(z.tuple([z.string(), boardMemory])),
});

type MirrorMemory = z.infer<typeof mirrorMemory>;

/** A damaged file counts as none: entries are then found by their titles. */
function readMirrorMemory(text: string | undefined): MirrorMemory {
  return jsonAs(mirrorMemory, text) ?? { used: false, boards: [] };
}

function mirrorMemoryText(memory: MirrorMemory): string {
  return `${JSON.stringify(memory)}\n`;
}
