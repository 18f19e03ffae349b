import { bodyMeaning } from '../../board/note/body-meaning';
import { addResult } from '../../board/note/add-result';
import { setTaskStatus } from '../../board/note/edit-task';
import { giveId } from '../../board/note/give-id';
import type { Note } from '../../board/note/note';
import { reissue } from '../../board/note/reissue';
import { fault } from '../../board/operation/outcome';
import { withTitle } from '../../board/operation/find-task';
import type { Fault } from '../../board/operation/read-operation';
import type { Status } from '../../board/task';
import type { TodoManager } from '../../board/todo-manager';
import type { KeyedCommand } from '../command';
import type { TaskWrite } from '../task-step';

/** What a run does to the board is no person's doing; the history names it so. */
export const RUN_ACTOR = { kind: 'agent', name: 'run' } as const;

export type Written = { readonly ok: true } | Fault;

type Command<T extends KeyedCommand['type']> = Extract<KeyedCommand, { type: T }>;

/** Whether the history has what was done for a key. */
export async function wasWritten(
  manager: TodoManager,
  path: string,
  key: string,
): Promise<boolean> {
  const records = await manager.changes(path);
  return records.some(
    ({ by, said }) =>
      by.kind === 'agent' &&
      by.name === RUN_ACTOR.name &&
      said.some((one) => one.endsWith(forRun(key))),
  );
}

/**
 * One write of a task for the run. What stands already is written no second time.
 * @param seen the task's status when this was asked for; undefined where that is not known
 */
export function writeTask(
  manager: TodoManager,
  path: string,
  { key, task: id, write }: Command<'write'>,
  seen: Status | undefined,
  today: string,
): Promise<Written> {
  const said = `${saidOf(write)} ${forRun(key)}`;
  return manager.edit(path, RUN_ACTOR, said, (note) => {
    const task = note?.board.tasks.find((one) => one.key === id);
    if (note === undefined || task === undefined) {
      return fault('unknown_task', 'The task is gone from the board.');
    }
    if (write.kind === 'result') {
      const stands = bodyMeaning(task).results.at(-1) === write.result.trim();
      return stands ? { ok: true, text: note.text } : addResult(note, id, write.result);
    }
    const status = statusOf(write);
    if (task.status === status) return { ok: true, text: note.text };
    if (seen !== undefined && task.status !== seen) {
      return fault(
        'changed_since',
        `${withTitle(task)} is ${task.status.replace('_', ' ')} since.`,
      );
    }
    const reason = 'reason' in write && write.reason !== '' ? { reason: write.reason } : {};
    return setTaskStatus(note, id, status, { today, ...reason });
  });
}

/** A number for a line that has none, or another's. */
export function numberLine(
  manager: TodoManager,
  path: string,
  { key, line, title }: Command<'number'>,
): Promise<Written> {
  return manager.edit(path, RUN_ACTOR, `gave a number ${forRun(key)}`, (note) => {
    const bare = (note?.board.tasks ?? []).filter(
      (task) => task.id !== task.key && task.title === title,
    );
    const task = bare.find((one) => one.line === line) ?? (bare.length === 1 ? bare[0] : undefined);
    if (note === undefined || task === undefined) {
      return fault('unknown_task', `"${title}" is no longer there, or was changed.`);
    }
    return numbered(note, task.key, task.id === null);
  });
}

function numbered(note: Note, key: string, without: boolean): ReturnType<typeof giveId> {
  return without ? giveId(note, key) : reissue(note, key);
}

function statusOf(write: Exclude<TaskWrite, { kind: 'result' }>): Status {
  switch (write.kind) {
    case 'begin':
    case 'reopen':
      return 'in_progress';
    case 'fail':
      return 'failed';
    case 'complete':
      return 'completed';
    case 'cancelled':
    case 'deferred':
      return write.kind;
  }
}

function saidOf(write: TaskWrite): string {
  switch (write.kind) {
    case 'begin':
      return 'begun';
    case 'reopen':
      return 'opened again';
    case 'fail':
      return 'failed';
    case 'complete':
      return 'completed';
    case 'result':
      return 'result noted';
    case 'cancelled':
    case 'deferred':
      return write.kind;
  }
}

/** Ends the line in the history by which a write is found again. */
export function forRun(key: string): string {
  return `for the run [${key}]`;
}
