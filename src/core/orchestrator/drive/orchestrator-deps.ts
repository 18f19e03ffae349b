import type { BoardChange } from '../../board/board-change';
import type { TodoManager } from '../../board/todo-manager';
import type { Clock, Ids, Log, NoteLock, NoteStore, Undo } from '../../ports';
import type { Session } from '../../session/session';
import type { SessionEventBus } from '../../session/session-event-bus';
import type { PromptContext, SessionRuntime } from '../../session/bridge-runtime';
import type { RunUpdate } from '../command';
import type { ContextStrategy } from '../run-prompt';

/** The kind of program that carries out a run. */
export type Program = 'obsidian' | 'cli';

/** The connection to OpenCode. */
export interface RunLink {
  /** whether it is connected and has listed its sessions */
  isUp(): boolean;
  /** whether the bridge supports idempotency keys for starts and prompts; old ones don't */
  supportsKeys(): boolean;
  /** Called after `isUp` changed. */
  onChange(listener: () => void): Undo;
}

/** A request of our own tools that waits for the person. */
export interface ToolRequest {
  readonly sessionId: string;
  readonly requestId: string;
  /** the tool and its object, in a few words */
  readonly what?: string;
}

/** Finds notes for a goal. @param reader whose permissions apply to reading them */
export type FindNotes = (
  goal: string,
  reader: { readonly sessionId: string; readonly agent: string },
) => Promise<PromptContext['related']>;

/** Requests of this program's own tools; OpenCode's requests are on the bus. */
export interface ToolRequests {
  pending(): readonly ToolRequest[];
  onRequest(listener: (ask: ToolRequest) => void): Undo;
  /** @param lapsed whether it was denied because nobody answered in time */
  onEnd(listener: (ask: ToolRequest, lapsed: boolean) => void): Undo;
}

/** Dependencies of an `Orchestrator`. */
export interface OrchestratorDeps {
  readonly store: NoteStore;
  /** held while a run is carried out; must refuse a held key within a second */
  readonly lock: NoteLock;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly bus: Pick<SessionEventBus, 'onAll'>;
  readonly runtime: Pick<SessionRuntime, 'start' | 'send' | 'interrupt' | 'getStatus'>;
  /** all known sessions, with their pending requests */
  readonly sessions: () => readonly Session[];
  readonly link: RunLink;
  readonly boards: {
    /** the current one; replaced when the boards' folder changes */
    manager(): TodoManager;
    onChange(listener: (change: BoardChange) => void): Undo;
  };
  /** absent if this program runs no tools */
  readonly toolRequests?: ToolRequests | undefined;
  readonly strategy: ContextStrategy;
  /** Finds notes to send with the prompt for a plan; if absent, none are sent. */
  readonly findNotes?: FindNotes;
  readonly program: Program;
  /** Notifies the person, unless a view shows the run. */
  readonly notify: (run: string, what: RunUpdate) => void;
  /** formats a time (ms since the epoch) for the run note */
  readonly formatTime: (at: number) => string;
  /** relative to the vault; `STATE_ROOT` by default */
  readonly stateRoot?: string | undefined;
}
