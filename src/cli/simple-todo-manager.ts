import type { OperationReport } from '../core/board/answer/write-answer';
import { isValidAgentName, isValidSessionId } from '../core/board/board-path';
import { STATUSES, type Board, readStatus } from '../core/board/task';
import type { OpenVault } from './command';
import { findVault, openVault } from './open-vault';
import { callTasks } from './vault-calls';

/** A task in this class's form. */
export interface SimpleTodo {
  readonly id: string;
  readonly content: string;
  /** critical, high, medium, normal, low or lowest */
  readonly priority: string;
  /** pending, in_progress, completed, cancelled, failed or deferred */
  readonly status: string;
  readonly session_id: string;
}

export interface SimpleSessionInfo {
  readonly agent_name: string;
  readonly session_id: string;
  readonly opencode_session_id: string;
  /** path of the note with the todos, relative to the vault; null if there is none yet */
  readonly board: string | null;
  /** the vault, absolute */
  readonly project_root: string;
  readonly total_todos: number;
  readonly pending: number;
  readonly in_progress: number;
  readonly completed: number;
}

export interface SimpleTodoOptions {
  /**
   * path of the vault; by default the nearest folder with `.opencode`, from the working directory
   * upwards
   */
  readonly vault?: string;
  /** maximum wait for another program that writes the note, ms (15,000) */
  readonly waitMs?: number;
}

/** A failed call; `code` identifies the case, `message` says what to do. */
export class SimpleTodoError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'SimpleTodoError';
    this.code = code;
  }
}

/**
 * The todos of one agent in one session, stored in a board note of the vault that the person sees
 * and other programs may write at the same time. Whatever the ids contain, nothing is written
 * outside the vault's folder of boards.
 * @throws SimpleTodoError from every method: `no_vault`, `bad_session`, `bad_agent`, or a code of
 *   the tool `tasks`, such as `conflict` or `broken_note`
 */
export class SimpleTodoManager {
  readonly agentName: string;
  readonly sessionId: string;
  private readonly options: SimpleTodoOptions;
  private opened: Promise<OpenVault> | undefined;

  constructor(agentName: string, sessionId: string, options: SimpleTodoOptions = {}) {
    this.agentName = agentName;
    this.sessionId = sessionId;
    this.options = options;
  }

  /** @returns the id of the new task, such as `k3f9-2` */
  async addTodo(content: string, priority: string = 'medium'): Promise<string> {
    const { result } = await this.send({ type: 'add', title: content, priority });
    if (result !== undefined && 'id' in result && result.id !== null) return result.id;
    throw new Error('assertion: an added task has an id');
  }

  /**
   * @param todoId `k3f9-2`, `2` or the todo's content
   * @returns false if there is no such todo
   */
  async updateStatus(todoId: string, status: string): Promise<boolean> {
    try {
      await this.send({ type: 'update', id: todoId, status });
      return true;
    } catch (error) {
      if (error instanceof SimpleTodoError && error.code === 'unknown_task') return false;
      throw error;
    }
  }

  /** The todos in the order of the note, optionally only those with a status. */
  async listTodos(status?: string): Promise<readonly SimpleTodo[]> {
    const wanted = status === undefined ? undefined : readStatus(status);
    if (status !== undefined && wanted === undefined) {
      throw new SimpleTodoError(
        'bad_field',
        `There is no status "${status}". Send ${STATUSES.join(', ')}.`,
      );
    }
    const tasks = (await this.board())?.tasks ?? [];
    return tasks
      .filter((task) => wanted === undefined || task.status === wanted)
      .map(({ id, title, priority, status: is }) => ({
        ...{ id: id ?? title, content: title, priority, status: is, session_id: this.sessionId },
      }));
  }

  async getSessionInfo(): Promise<SimpleSessionInfo> {
    const { folder } = await this.vault();
    const board = await this.board();
    const tasks = board?.tasks ?? [];
    const count = (status: string): number => tasks.filter((one) => one.status === status).length;
    return {
      agent_name: this.agentName,
      session_id: this.sessionId,
      opencode_session_id: this.sessionId,
      board: board?.path ?? null,
      project_root: folder,
      total_todos: tasks.length,
      pending: count('pending'),
      in_progress: count('in_progress'),
      completed: count('completed'),
    };
  }

  /** Sends one operation to the agent's own board. */
  private async send(operation: object): Promise<Partial<OperationReport>> {
    const actor = { sessionId: this.sessionId, agent: this.agentName, board: this.agentName };
    const { refused, result } = await callTasks(await this.vault(), actor, {
      operations: [operation],
    });
    const [report] = result.results;
    const error = refused ?? report?.error;
    if (error !== undefined) throw new SimpleTodoError(error.code, error.message);
    return report ?? {};
  }

  private async board(): Promise<Board | undefined> {
    const { manager } = await this.vault();
    const { boards } = await manager.inSession(this.sessionId);
    const board = boards.find(({ agent }) => agent === this.agentName);
    if (board === undefined || board.broken === null) return board;
    const message = `${board.path} needs repair. ${board.broken.reason}`;
    throw new SimpleTodoError('broken_note', message);
  }

  private async vault(): Promise<OpenVault> {
    this.opened ??= this.open();
    try {
      return await this.opened;
    } catch (error) {
      // Tries again at the next call: the vault may exist by then.
      this.opened = undefined;
      throw error;
    }
  }

  private async open(): Promise<OpenVault> {
    if (!isValidSessionId(this.sessionId)) throw invalid('bad_session', 'The session id');
    if (!isValidAgentName(this.agentName)) throw invalid('bad_agent', "The agent's name");
    const found = await findVault(process.cwd(), this.options.vault);
    if (!found.ok) {
      const message = `${found.message} From a program: { vault: '/path' } as the third argument.`;
      throw new SimpleTodoError('no_vault', message);
    }
    return openVault(found.vault, this.options.waitMs);
  }
}

function invalid(code: string, what: string): SimpleTodoError {
  const message = `${what} must be 1 to 72 bytes of text without control characters.`;
  return new SimpleTodoError(code, message);
}
