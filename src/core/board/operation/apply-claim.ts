import { boardFacts, isFinished } from '../facts';
import { setTaskFields } from '../note/edit-fields';
import { setTaskStatus } from '../note/edit-task';
import type { Note } from '../note/note';
import { blockedReason } from './blocked-reason';
import { readyInstead } from './ready-instead';
import { conflictWith } from './conflict';
import { cancelledBefore } from './consequences';
import { edited, withIds } from './edit-chain';
import { findTask, withTitle } from './find-task';
import { failed, fault, resultOf, type Applied, type OperationContext } from './outcome';
import type { Fault, OperationOf } from './read-operation';

/** `claim`: the calling agent takes a task and starts it, unless it is another's or can't be started. */
export function applyClaim(
  note: Note,
  operation: OperationOf<'claim'>,
  context: OperationContext,
): Applied {
  const { caller, seen, theirs, today } = context;
  const found = findTask(note.board, operation.id, seen);
  if (!found.ok) return failed(note, found);
  const { task } = found;
  const refused =
    notFree(note, task.key, caller) ??
    conflictWith(
      note,
      task,
      [
        { field: 'owner', value: caller },
        { field: 'status', value: 'in_progress' },
      ],
      theirs,
    );
  if (refused !== undefined) return failed(note, refused);
  const named = withIds(note, [task]);
  if (!named.ok) return failed(note, named);
  const [id = ''] = named.ids;
  const result = edited(named.note, [
    (now) => setTaskFields(now, id, { owner: caller }),
    (now) => setTaskStatus(now, id, 'in_progress', { today }),
  ]);
  if (!result.ok) return failed(note, result);
  const now = result.note.board.tasks.find((one) => one.id === id) ?? task;
  const said = `${withTitle(now)} is yours (${caller}) and in_progress.${cancelledBefore(result.note.board, now)}`;
  return { note: result.note, outcome: { ok: true, said, result: resultOf(now) } };
}

function notFree({ board }: Note, key: string, caller: string): Fault | undefined {
  const task = board.tasks.find((one) => one.key === key);
  if (task === undefined) return undefined;
  const name = withTitle(task);
  if (task.owner === 'me') return fault('owned_by_person', `${name} is the person's own task.`);
  if (task.owner !== null && task.owner !== caller) {
    return fault(
      'owned',
      `${name} is owned by ${task.owner}. Claim another, such as one that is ready.`,
    );
  }
  if (isFinished(task)) {
    return fault(
      'finished',
      `${name} is ${task.status} already. Set it pending first, if it is to be done again.`,
    );
  }
  const facts = boardFacts(board);
  if (facts.get(key)?.blocked !== true) return undefined;
  const why = blockedReason(board, task, facts);
  return fault('blocked', `${name} can't be started: ${why}.${readyInstead(board, facts)}`);
}
