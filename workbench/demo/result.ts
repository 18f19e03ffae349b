import type { Status } from '../../src/core/board/task';
import type { EngineName } from './options';
import type { RunLine } from './run-line';

/** The one line of JSON that a run without a window ends with. */
export interface Result {
  /** nothing unexpected happened; then `errors` is empty */
  readonly ok: boolean;
  /** what ran the sessions; absent: OpenCode */
  readonly engine?: Exclude<EngineName, 'opencode'>;
  /** version of OpenCode, or of the engine; empty where it never ran */
  readonly opencode: string;
  /** ended calls of OpenCode of our tools, by who ran them: the plugin, or the bridge alone */
  readonly calls: {
    readonly websocket: number;
    readonly headless: number;
    /** of the second agent, with `--client mcp` */
    readonly mcp?: number;
  };
  /** with `--client mcp`: the second agent, as it names itself */
  readonly client?: string;
  /** in the order of the script's sessions, then by path */
  readonly boards: readonly BoardLine[];
  /** by session title: each task as the sidebar shows it, parts joined by " · " */
  readonly sidebar: Readonly<Record<string, readonly string[]>>;
  /** absolute paths */
  readonly screenshots: readonly string[];
  /** each view as it was opened at the end */
  readonly views: readonly ViewLine[];
  /** with a goal: what its run came to */
  readonly run?: RunLine;
  /** sentences */
  readonly errors: readonly string[];
}

export interface ViewLine {
  /** `sidebar`, `note`, `board`, `graph`, `timeline`, `conversation`, `run`, `audit`, `note-tasks`, `problems`, `agents`, `block` */
  readonly id: string;
  /** elements in which axe finds a fault */
  readonly axe: number;
  /** absolute path */
  readonly screenshot: string;
}

export interface BoardLine {
  /** relative to the vault */
  readonly path: string;
  readonly session: string;
  /** null for a session that the script did not start */
  readonly sessionTitle: string | null;
  readonly agent: string;
  readonly title: string;
  /** in the order of the note */
  readonly tasks: readonly TaskLine[];
}

export interface TaskLine {
  readonly id: string | null;
  readonly title: string;
  readonly status: Status;
  /** ids of what it waits for and is not finished */
  readonly blockedBy: readonly string[];
  readonly depth: number;
}

export const NOTHING: Omit<Result, 'ok' | 'errors'> = {
  opencode: '',
  calls: { websocket: 0, headless: 0 },
  boards: [],
  sidebar: {},
  screenshots: [],
  views: [],
};
