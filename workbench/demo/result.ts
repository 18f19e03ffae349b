import type { Status } from '../../src/core/board/task';
import type { EngineName } from './options';
import type { RunLine } from './run-line';

/** The JSON line that a run without a window prints at its end. */
export interface Result {
  /** true if nothing unexpected happened; then `errors` is empty */
  readonly ok: boolean;
  /** engine of the sessions; absent: OpenCode */
  readonly engine?: Exclude<EngineName, 'opencode'>;
  /** version of OpenCode, or of the engine; empty if it never ran */
  readonly opencode: string;
  /**
   * number of ended calls of our tools by OpenCode, by where they ran: in the plugin, or in the
   * bridge alone
   */
  readonly calls: {
    readonly websocket: number;
    readonly headless: number;
    /** calls of the second agent, with `--client mcp` */
    readonly mcp?: number;
  };
  /** name of the second agent's client, with `--client mcp` */
  readonly client?: string;
  /** in the order of the script's sessions, then by path */
  readonly boards: readonly BoardLine[];
  /** by session title: each task as shown in the sidebar, parts joined by " · " */
  readonly sidebar: Readonly<Record<string, readonly string[]>>;
  /** absolute paths */
  readonly screenshots: readonly string[];
  /** each view as opened at the end */
  readonly views: readonly ViewLine[];
  /** result of the run, if there was a goal */
  readonly run?: RunLine;
  /** one sentence each */
  readonly errors: readonly string[];
}

export interface ViewLine {
  /** `sidebar`, `note`, `board`, `graph`, `timeline`, `conversation`, `run`, `audit`, `note-tasks`, `problems`, `agents`, `block` */
  readonly id: string;
  /** number of elements in which axe finds an error */
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
  /** ids of its unfinished dependencies */
  readonly blockedBy: readonly string[];
  readonly depth: number;
}

export const EMPTY_RESULT: Omit<Result, 'ok' | 'errors'> = {
  opencode: '',
  calls: { websocket: 0, headless: 0 },
  boards: [],
  sidebar: {},
  screenshots: [],
  views: [],
};
