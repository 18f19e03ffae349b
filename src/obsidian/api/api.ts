// What other plugins import as `agent-task-boards/api`. Its types go there by themselves, so what is
// exported here names nothing of other files but the events of hooks.
import type { HookEvent, HookHandler, HookOptions } from '../../core/hook/hook-events';

/** The plugin that calls: `this` in its `onload`. */
export interface CallingPlugin {
  readonly app: object;
  readonly manifest: { readonly id: string; readonly name: string };
  register(undo: () => unknown): void;
}

/** `app.plugins.plugins['agent-task-boards'].api` */
export interface TaskBoardsApi {
  readonly version: 1;
  /**
   * The same connection each time, until the plugin is unloaded.
   * @throws TaskBoardsError `closed`, `bad_call`
   */
  connect(plugin: CallingPlugin): TaskBoards;
}

/** Thrown, or what a promise is rejected with; `message` says what to do. */
export interface TaskBoardsError extends Error {
  /**
   * `closed`: one of the two plugins was unloaded; `bad_call`: an argument is wrong; `not_allowed`: the
   * person does not let this plugin change boards; else why the board refused it, as `unknown_task`
   */
  readonly code: string;
}

/** What one plugin has of Agent Task Boards. All that it registers goes when it is unloaded. */
export interface TaskBoards {
  readonly boards: {
    /** Those that can be read, sorted by path. */
    list(): Promise<readonly BoardEntry[]>;
    /** A board as it stands in its note now; undefined where there is none that can be read. */
    read(path: string): Promise<BoardContent | undefined>;
    /**
     * Makes 1 to 50 changes as the person, all or none. The first time the person is asked whether this
     * plugin may; the promise waits for the answer. Each change can be undone by the person.
     */
    commit(
      path: string,
      operations: readonly BoardOperation[],
    ): Promise<BoardContent & { /** ids of new tasks */ readonly added: readonly string[] }>;
  };
  readonly sessions: {
    /** The one with the newest activity last. */
    list(): readonly SessionEntry[];
    /** What was said last in a session, at most 200 entries, oldest first. */
    transcript(sessionId: string): Promise<readonly TranscriptEntry[]>;
  };
  readonly hooks: {
    /** Called once the person allowed it. `within` is at most 30,000 ms. @returns what removes the handler */
    on<E extends HookEvent>(event: E, handler: HookHandler<E>, options?: HookOptions): () => void;
  };
  /** @returns what removes the listener */
  on<E extends keyof TaskBoardsEvents>(
    event: E,
    listener: (facts: TaskBoardsEvents[E]) => unknown,
  ): () => void;
}

export interface BoardEntry {
  /** names the board, relative to the vault; its note may be called otherwise: `file` */
  readonly path: string;
  readonly file: string;
  readonly session: string;
  readonly agent: string;
  readonly title: string;
  /** counts the changes */
  readonly rev: number;
  /** tasks in all, and of these the completed ones */
  readonly total: number;
  readonly completed: number;
}

export interface BoardContent extends BoardEntry {
  readonly tasks: readonly BoardTask[];
}

export interface BoardTask {
  /** `k3f9-2`; null for a line without one */
  readonly id: string | null;
  readonly title: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'deferred';
  /** can be started now */
  readonly ready: boolean;
  readonly priority: 'critical' | 'high' | 'medium' | 'normal' | 'low' | 'lowest';
  /** an agent, `me` for the person, null for nobody */
  readonly owner: string | null;
  /** id or title of the task above */
  readonly parent: string | null;
  readonly dependsOn: readonly string[];
  readonly blockedBy: readonly string[];
}

/** A task by its number, id or title. */
type TaskName = number | string;

interface TaskFields {
  readonly priority?: BoardTask['priority'] | null;
  readonly owner?: string | null;
  readonly due?: string | null;
  readonly reason?: string | null;
  readonly estimate?: string | null;
  readonly body?: string | null;
}

/** Titles are text: what looks like a field or a link in them is written as text. */
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
      /** what becomes of its sub-tasks */
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
  /** ms since the epoch; 0 where it is not known */
  readonly lastActive: number;
}

export interface TranscriptEntry {
  readonly kind: 'prompt' | 'answer' | 'tool';
  /** ms since the epoch */
  readonly at: number;
  /** what was said, at most 2,000 characters; of a tool its name and what it did, without its output */
  readonly text: string;
}

export interface TaskBoardsEvents {
  'board-changed': {
    readonly path: string;
    readonly session: string;
    readonly agent: string;
    readonly by: 'agent' | 'person' | 'import' | 'disk';
    /** ids of tasks that are new or differ; `@12` for line 12 without an id */
    readonly tasks: readonly string[];
    /** the note is gone */
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

/** Told to the workspace each time the api is there. */
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
 * Connects a plugin as soon as Agent Task Boards is there, and anew each time it was reloaded.
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
