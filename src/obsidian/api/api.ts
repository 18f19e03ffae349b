// What other plugins import as `agent-task-boards/api`. Its types are published on their own, so
// the exports refer to no other file except the events of hooks.
import type { HookEvent, HookHandler, HookOptions } from '../../core/hook/hook-events';

/** The calling plugin: `this` in its `onload`. */
export interface CallingPlugin {
  readonly app: object;
  readonly manifest: { readonly id: string; readonly name: string };
  register(undo: () => unknown): void;
}

/** `app.plugins.plugins['agent-task-boards'].api` */
export interface TaskBoardsApi {
  readonly version: 1;
  /**
   * Returns the same connection at each call, until the plugin is unloaded.
   * @throws TaskBoardsError `closed`, `bad_call`
   */
  connect(plugin: CallingPlugin): TaskBoards;
}

/** Thrown by calls, or the reason of a rejected promise; `message` says what to do. */
export interface TaskBoardsError extends Error {
  /**
   * `closed`: one of the two plugins was unloaded; `bad_call`: an argument is wrong; `not_allowed`:
   * the person does not let this plugin change boards; otherwise the reason of the board's refusal,
   * such as `unknown_task`
   */
  readonly code: string;
}

/**
 * A plugin's connection to Agent Task Boards. Everything it registers is removed when the plugin is
 * unloaded.
 */
export interface TaskBoards {
  readonly boards: {
    /** The readable boards, sorted by path. */
    list(): Promise<readonly BoardEntry[]>;
    /** A board as its note is now; undefined if there is no readable board at the path. */
    read(path: string): Promise<BoardContent | undefined>;
    /**
     * Makes 1 to 50 changes as the person, all or none. The first time, asks the person whether
     * this plugin may; the promise waits for the answer. The person can undo each change.
     */
    commit(
      path: string,
      operations: readonly BoardOperation[],
    ): Promise<BoardContent & { /** ids of new tasks */ readonly added: readonly string[] }>;
  };
  readonly sessions: {
    /** The sessions, those with the newest activity last. */
    list(): readonly SessionEntry[];
    /** The latest entries of a session, at most 200, oldest first. */
    transcript(sessionId: string): Promise<readonly TranscriptEntry[]>;
  };
  readonly hooks: {
    /**
     * Registers a handler, which is called once the person has allowed it. `within` is at most
     * 30,000 ms.
     * @returns removes the handler
     */
    on<E extends HookEvent>(event: E, handler: HookHandler<E>, options?: HookOptions): () => void;
  };
  /** @returns removes the listener */
  on<E extends keyof TaskBoardsEvents>(
    event: E,
    listener: (facts: TaskBoardsEvents[E]) => unknown,
  ): () => void;
}

export interface BoardEntry {
  /** identifies the board, relative to the vault; its note may have another path: `file` */
  readonly path: string;
  readonly file: string;
  readonly session: string;
  readonly agent: string;
  readonly title: string;
  /** number of changes so far */
  readonly rev: number;
  /** number of tasks, and of completed ones */
  readonly total: number;
  readonly completed: number;
}

export interface BoardContent extends BoardEntry {
  readonly tasks: readonly BoardTask[];
}

export interface BoardTask {
  /** `k3f9-2`; null for a task without an id */
  readonly id: string | null;
  readonly title: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'deferred';
  /** can start now */
  readonly ready: boolean;
  readonly priority: 'critical' | 'high' | 'medium' | 'normal' | 'low' | 'lowest';
  /** an agent, `me` for the person, null for nobody */
  readonly owner: string | null;
  /** id or title of the parent task */
  readonly parent: string | null;
  readonly dependsOn: readonly string[];
  readonly blockedBy: readonly string[];
}

/** A task's number, id or title. */
type TaskName = number | string;

interface TaskFields {
  readonly priority?: BoardTask['priority'] | null;
  readonly owner?: string | null;
  readonly due?: string | null;
  readonly reason?: string | null;
  readonly estimate?: string | null;
  readonly body?: string | null;
}

/** Titles are plain text: what looks like a field or a link in them is escaped. */
export type BoardOperation =
  | { readonly type: 'init'; readonly title: string }
  | ({
      readonly type: 'add';
      readonly title: string;
      readonly status?: BoardTask['status'];
      readonly parent?: TaskName;
      readonly after?: TaskName;
      readonly phase?: string;
      readonly dependsOn?: readonly TaskName[];
    } & TaskFields)
  | ({
      readonly type: 'update';
      readonly id: TaskName;
      readonly title?: string;
      readonly status?: BoardTask['status'];
      readonly dependsOn?: readonly TaskName[];
    } & TaskFields)
  | { readonly type: 'complete'; readonly id: TaskName; readonly reason?: string }
  | {
      readonly type: 'depend' | 'undepend';
      readonly id: TaskName;
      readonly dependsOn: readonly TaskName[];
    }
  | {
      readonly type: 'remove';
      readonly id: TaskName;
      /** what happens to its subtasks */
      readonly cascade?: boolean;
      readonly promote?: boolean;
    }
  | {
      readonly type: 'move';
      readonly id: TaskName;
      readonly after?: TaskName;
      readonly parent?: TaskName;
      readonly phase?: string;
    };

export interface SessionEntry {
  readonly id: string;
  readonly title: string;
  readonly agent: string | null;
  readonly parentId: string | null;
  readonly state: 'idle' | 'busy' | 'retry' | 'error' | 'ended';
  /** ms since the epoch; 0 if unknown */
  readonly lastActive: number;
}

export interface TranscriptEntry {
  readonly kind: 'prompt' | 'answer' | 'tool';
  /** ms since the epoch */
  readonly at: number;
  /** at most 2,000 characters; for a tool its name and what it did, without its output */
  readonly text: string;
}

export interface TaskBoardsEvents {
  'board-changed': {
    readonly path: string;
    readonly session: string;
    readonly agent: string;
    readonly by: 'agent' | 'person' | 'import' | 'disk';
    /** ids of new and changed tasks; `@12` for line 12 without an id */
    readonly tasks: readonly string[];
    /** the note was removed */
    readonly removed: boolean;
  };
  'session-created': { readonly sessionId: string; readonly title: string };
  'session-ended': {
    readonly sessionId: string;
    readonly reason: 'deleted' | 'closed' | 'error';
  };
  'turn-ended': {
    readonly sessionId: string;
    readonly reason: 'completed' | 'interrupted' | 'error';
  };
}

/** Triggered on the workspace each time the API becomes available. */
export const API_READY = 'agent-task-boards:api';

interface AppParts {
  readonly plugins: {
    readonly plugins: Readonly<Record<string, { readonly api?: TaskBoardsApi } | undefined>>;
  };
  readonly workspace: {
    on(name: string, heard: () => void): object;
    offref(ref: object): void;
  };
}

/**
 * Connects a plugin as soon as Agent Task Boards is available, and again after each reload of it.
 * @param plugin `this` in its `onload`
 * @param use called with each connection
 */
export function withTaskBoards(plugin: CallingPlugin, use: (boards: TaskBoards) => unknown): void {
  const { plugins, workspace } = plugin.app as AppParts;
  const connect = (): void => {
    const api = plugins.plugins['agent-task-boards']?.api;
    if (api?.version === 1) use(api.connect(plugin));
  };
  const ref = workspace.on(API_READY, connect);
  plugin.register(() => workspace.offref(ref));
  connect();
}
