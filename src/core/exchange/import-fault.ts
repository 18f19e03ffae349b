import { fault, type Fault } from '../fault';
import { sentence, type SentenceValues } from '../fault/sentence';

/** Why an import takes nothing, or a part of its source is left out. */
export const IMPORT_FAULTS = {
  noFile: 'There is no file {name}.',
  noPlan:
    'Nothing in {name} looks like a plan. Name the folder that holds the tasks themselves, or say which kind it is: {kinds}.',
  noTasks: '{name} has no tasks of the kind "{kind}".',
  noTasksSince: '{name} has no tasks of the kind "{kind}". {what}: {why}',
  notJson: '{name} is not JSON ({why}). Repair the file.',
  tooLarge: '{name} has over 16 MiB. Split it, and import the parts.',
  isFile: "{name} is a file. Name the folder that holds Backlog.md's tasks.",
  noFolder: 'Name the folder that holds the tasks.',
  notRead: "{name} can't be read: {why}",
  boardGone: 'The board is gone. Import again.',
  boardBroken: 'The board needs repair. {why}',
  bothChanged:
    'The board and the notes both changed {tasks}. Make them say the same in one place, then import again; nothing was written.',
  breaksBoard: 'Nothing was imported: the board could not be read then. {why}',
  changesOthers:
    'Nothing was imported: the new tasks would change what other lines of the board belong to. Close its code blocks and comments, then import again.',
  misread:
    'Nothing was imported: "{task}" would not be read as it was written. Close the code blocks and comments of the board, then import again.',
} as const;

export function importFault(
  code: string,
  name: keyof typeof IMPORT_FAULTS,
  values?: SentenceValues,
): Fault {
  return fault(code, sentence(['importFault', IMPORT_FAULTS], name, values));
}
