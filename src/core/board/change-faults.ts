import { fault, type Fault } from '../fault';
import { sentence, type SentenceValues } from '../fault/sentence';

/** Why a change of a board that a person makes in a view is refused. */
export const CHANGE_FAULTS = {
  titleNotOneLine: 'The title has a line break or a control character. Send one line of text.',
  titleHalfCharacter: 'The title has half a character (a lone surrogate). Send it whole.',
  titleEmpty: 'The title is empty. Send 1 to {most} characters.',
  titleTooLong: 'The title has {length} characters. Send at most {most}.',
  titleMisread: 'At that place the line would mean something else. Type another title.',
  typedId:
    'The board numbers its tasks: leave out 🆔 and ^ with an id. A title that ends with ^x is typed \\^x.',
  typedNoTitle: 'This has no title, only fields. Type what is to be done.',
  typedComment:
    'A comment (<!-- or %%) is opened and not closed. Close it, or type a backslash before it.',
  typedDate: '{date} is not a date. Type it as in 📅 2026-11-28.',
  typedNumber: '⛔ takes ids. Did you mean ⛔ {meant}?',
  typedUnknown: '⛔ names no task {id} of this board. Type the id of one, as in ⛔ {example}.',
  taskGone: '"{title}" is no longer there, or was changed. Look at the board again.',
  cycle: 'This would make {task} wait for itself: {task}, {path}.',
  cycleUnder:
    'This would make {task} wait for itself: {task}, {path} ({end} is a subtask of {task}, and waits with it).',
  cycleAbove:
    'This would make {task} wait for itself: {task}, {path} ({above} is done after its subtask {below}).',
  placeCycle: 'There {task} would wait for itself: what it would stand under waits for {path}.',
  noReview: '{task} does not wait for a review.',
  nothingFinished: 'No task is finished with all its subtasks.',
  boardGone: 'The note of this board is no longer there.',
  gone: '{path} is gone.',
  readOnly: 'This note is read-only until it is repaired. {why}',
  notReadable: 'By then the note could no longer be read, so it was not written. {why}',
  history:
    'This board is history: its plan goes on in session {session}. Make the change there; to write here again, take "continued" out of the note\'s header.',
  moveChangesOthers:
    'Moving it would change what other lines of the note belong to. Choose another place, or move it in the note.',
  moveUnderItself: '"{task}" can\'t stand under or behind itself.',
  moveUnderOwn: '"{task}" can\'t stand under or behind its own subtask.',
  removeChangesOthers:
    'Removing "{task}" would change what other lines of the note belong to. Move them first.',
  lineNotEdited:
    "Line {line} can't be edited without changing more than was asked. The line is: {text}",
  malformed: '{why} The line is: {text}',
  repairFirst: 'The note has to be repaired first. {why}',
  repairPathFirst: '{path} has to be repaired first. {why}',
  exportRepairFirst: '{path} needs repair first. {why}',
  notEdited: "This note can't be edited until it is repaired. {why}",
  titleNotEdited: "The title in the header of this note is written in a way that can't be edited.",
  reviewStays:
    'The header of this note says "review" in another form. Correct the line in the note, or remove it.',
  noteGone: 'This note is no longer there.',
  noArchive: 'Nothing is archived here.',
  archiveBroken: "The archive can't be read and stays unchanged until it is repaired. {why}",
  awayChangesOthers:
    'Moving "{task}" away would change what other lines of the note belong to. Move those first.',
  allAwayChangesOthers:
    'Moving these tasks away would change what other lines of the note belong to. Move those first.',
  noPlace:
    'There is no place where the task could stand without changing what other lines belong to.',
  lineIndented:
    'Line {line} is indented, so it would become a part of the new task. Take its indentation away (and close the code block or comment, if it opens one), then add the task.',
  sameSession: 'The plan is of this session already.',
  goesOn: 'This plan goes on in session {session} already.',
  nothingOpen: 'Everything in this plan is finished. Start a new session.',
  hasPlan: 'Session {session} has a plan of {agent} already.',
  nothingToKeep: 'There is no note of this board to keep.',
  notAState: "A note that can't be read is no state to go back to. {why}",
  checkpointDamaged: 'Checkpoint {n} cannot be gone back to: {path} is damaged. Take another one.',
  noCheckpoint: 'This board has no checkpoint {n}. It has none.',
  otherCheckpoints: 'This board has no checkpoint {n}. It has {others}.',
  linesChanged: 'One of the two lines was changed meanwhile. Look at both again.',
  textChanged: 'The text of "{title}" was changed meanwhile. Open the form again.',
  onBoard: '{task} is on the board already.',
  movedMeanwhile: '"{task}" changed meanwhile, so nothing was moved. Try again.',
  keepsChanging: '{path} keeps changing. Try again.',
} as const;

export function refuseChange(
  code: string,
  name: keyof typeof CHANGE_FAULTS,
  values?: SentenceValues,
): Fault {
  return fault(code, sentence(['changeFault', CHANGE_FAULTS], name, values));
}
