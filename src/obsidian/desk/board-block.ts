import type { BoardChange } from '../../core/board/board-change';
import { boardChanges } from '../../core/board/digest';
import { STATUSES, type Board, type Status } from '../../core/board/task';
import type { TaskChange } from '../../core/session/transcript/block';
import { MOST_CHANGES, type BoardNews } from '../../core/session/transcript/join-board';

/**
 * What a change of a board says in its session's conversation; undefined where it says nothing:
 * a note that was there before anybody looked, or is gone.
 */
export function boardBlock(change: BoardChange, at: number): BoardNews | undefined {
  const { board, before, by, path } = change;
  if (board === undefined || (before === undefined && by === 'disk')) return undefined;
  const all = before === undefined ? board.tasks.map(added) : taskChanges(before, board);
  if (all.length === 0) return undefined;
  const more = all.length - MOST_CHANGES;
  return {
    ...{ path, at, by: by === 'import' ? 'person' : by },
    changes: all.slice(0, MOST_CHANGES),
    ...(more > 0 && { more }),
  };
}

function added({ key, title, status }: Board['tasks'][number]): TaskChange {
  return { key, title, status, what: 'added' };
}

/** One entry per task, in the order of the board; removed ones last. */
function taskChanges(before: Board, after: Board): readonly TaskChange[] {
  const now = new Map(after.tasks.map((task) => [task.id ?? task.title, task]));
  const changes = new Map<string, TaskChange>();
  for (const { id, title, field, before: old, after: value } of boardChanges(before, after)) {
    if (field === 'board title') continue;
    const name = id ?? title;
    const task = now.get(name);
    const { key, status } = task ?? { key: name };
    const base = { key, title, ...(status !== undefined && { status }) };
    const what = field === 'added' || field === 'removed' ? field : 'changed';
    if (field !== 'status')
      changes.set(name, changes.get(name) ?? { ...base, what, ...was(status, what) });
    else changes.set(name, { ...base, what: 'status', ...statuses(old, value) });
  }
  return [...changes.values()];
}

/** A task that changed otherwise has the status that it had. */
function was(status: Status | undefined, what: TaskChange['what']): { was?: Status } {
  return what === 'changed' && status !== undefined ? { was: status } : {};
}

function statuses(old: string | null, value: string | null): { was?: Status; status?: Status } {
  const [before, after] = [statusOf(old), statusOf(value)];
  return {
    ...(before !== undefined && { was: before }),
    ...(after !== undefined && { status: after }),
  };
}

function statusOf(text: string | null): Status | undefined {
  return STATUSES.find((status) => status === text);
}
