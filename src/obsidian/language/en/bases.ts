import type { Messages } from '../message';

export const basesTexts = {
  agentPlans: 'Agent plans',
  taskNotesByStatus: 'Task notes by status',
  noPlan: 'No plan in this base',
  noPlanText:
    'This base finds no boards. Boards count as notes of the vault only in a visible folder.',
  noteNotChanged: 'The note was not changed.',
  notUndone: 'It was not undone.',
  undone: 'Undone.',
  changedSince: 'A note was changed since, so it was not undone.',
  onlyProperties: 'Only the properties of notes can be changed here.',
  renamed: 'Renamed.',
  moved: 'Moved.',
  movedTo: 'Moved to {status}.',
  nobody: 'Nobody',
} as const satisfies Messages;
