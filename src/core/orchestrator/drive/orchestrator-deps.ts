import type { BoardChange } from '../../board/board-change';
import type { TodoManager } from '../../board/todo-manager';
import type { Clock, Ids, Log, NoteLock, NoteStore, Undo } from '../../ports';
import type { Session } from '../../session/session';
import type { SessionEventBus } from '../../session/session-event-bus';
import type { PromptContext, SessionRuntime } from '../../session/bridge-runtime';
import type { RunUpdate } from '../command';
import type { ContextStrategy } from '../run-prompt';

/** Which program carries a run out. */
export type Program = 'obsidian' | 'cli';

/** Whether OpenCode can be asked. */
export interface RunLink {
  /** connected, and welcomed: sessions are listed */
  up(): boolean;
  /** the bridge does each start and prompt once per key; an old one does not */
  knowsKeys(): boolean;
  /** Called after `up` is another. */
  onChange(listener: () => void): Undo;
}

/** A request of our own tools that waits for the person. */
export interface OwnAsk {
  readonly sessionId: string;
  readonly requestId: string;
  /** the tool and its object, in a few words */
  readonly what?: string;
}

/** @param reader in whose name notes are read */
export type NotesFor = (
  goal: string,
  reader: { readonly sessionId: string; readonly agent: string },
) => Promise<PromptContext['related']>;

/** Requests that this program's own tools make; OpenCode's are on the bus. */
export interface OwnAsks {
  pending(): readonly OwnAsk[];
  onAsk(listener: (ask: OwnAsk) => void): Undo;
  /** @param lapsed nobody answered in time, and it was denied */
  onEnd(listener: (ask: OwnAsk, lapsed: boolean) => void): Undo;
}

/** What an `Orchestrator` is made of. */
export interface OrchestratorDeps {
  readonly store: NoteStore;
  /** held as long as a run is carried out; it must refuse a held key soon, within a second */
  readonly lock: NoteLock;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly bus: Pick<SessionEventBus, 'onAll'>;
  readonly runtime: Pick<SessionRuntime, 'start' | 'send' | 'interrupt' | 'look'>;
  /** all that are known, with what waits for the person in each */
  readonly sessions: () => readonly Session[];
  readonly link: RunLink;
  readonly boards: {
    /** the one in use now: another one after the boards' folder was changed */
    manager(): TodoManager;
    onChange(listener: (change: BoardChange) => void): Undo;
  };
  /** absent where this program runs no tools */
  readonly asks?: OwnAsks | undefined;
  readonly strategy: ContextStrategy;
  /** Notes that go along with the prompt for a plan; absent, and undefined: none. */
  readonly notesFor?: NotesFor;
  readonly program: Program;
  /** The person is told, where no view shows it. */
  readonly tell: (run: string, what: RunUpdate) => void;
  /** how a moment is written in the run note, ms since the epoch */
  readonly time: (at: number) => string;
  /** relative to the vault; `STATE_ROOT` unless set otherwise */
  readonly stateRoot?: string | undefined;
}
