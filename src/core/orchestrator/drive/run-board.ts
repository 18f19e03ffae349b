import type { TodoManager } from '../../board/todo-manager';
import type { Board } from '../../board/task';
import type { RunState } from '../state';
import type { RunBoards } from './orchestrator-deps';

/** Finds the board that is the plan of a run: that of the planning session and its agent. */
export class RunBoard {
  #place: { readonly of: TodoManager; readonly planner: string; readonly path: string } | undefined;

  constructor(private readonly boards: Pick<RunBoards, 'manager'>) {}

  /** As it is on the disk now. */
  async load(state: RunState): Promise<Board | undefined> {
    const path = await this.path(state);
    return path === undefined ? undefined : this.boards.manager().load(path);
  }

  /** Where it stands, or will stand; undefined before there is a session that plans. */
  async path(state: RunState): Promise<string | undefined> {
    if (state.kind === 'idle' || state.run.planner === null) return undefined;
    const { planner, wish } = state.run;
    const manager = this.boards.manager();
    const known = this.#place;
    if (known?.of === manager && known.planner === planner) return known.path;
    const { path } = await manager.place(planner, wish.agent);
    this.#place = { of: manager, planner, path };
    return path;
  }
}

/** The board as last seen, without a look at the disk. */
export function seenBoard(manager: TodoManager, state: RunState): Board | undefined {
  if (state.kind === 'idle' || state.run.planner === null) return undefined;
  const { planner, wish } = state.run;
  return manager.boards().find(({ session, agent }) => session === planner && agent === wish.agent);
}
