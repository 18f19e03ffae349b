import { fault, type Fault } from '../fault';
import type { ImportLoss } from './imported-plan';
import { sentence, type SaidSentence, type SentenceValues } from '../fault/sentence';

/** Why an import takes nothing, or a part of its source is left out. */
export const IMPORT_FAULTS = {
  noFile: 'There is no file {name}.',
  noPlan:
    'Nothing in {name} looks like a plan. Name the folder that holds the tasks themselves, or say which kind it is: {kinds}.',
  noTasks: '{name} has no tasks of the kind "{kind}".',
  noTasksSince: '{name} has no tasks of the kind "{kind}". {since}',
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
  noNames: 'Its session or agent can name no folder. Choose the board that takes its tasks.',
  notBoardJson: '{name} is not a board exported as JSON. Name another kind.',
  otherVersion:
    '{name} has version {version} of this format, and this program reads version {own}. Update it.',
  noIndex: 'There is no {name} in the folder.',
  notReadRepair: "{name} can't be read. {why} Repair it.",
  linesChanged: '"{key}" in {name} was changed. Put it back.',
  notIndex: 'index.md is not the index of a board.',
  namedAgain: 'Line {line} of index.md names {name} again. Remove it.',
  lineWithoutNote:
    'Line {line} of index.md stands for {name}.md, which is not there or not whole. Put the note back; or, if the task shall go, remove the line.',
  noteWithoutLine:
    '{name}.md has no place in index.md. Put its line back; or, if the task shall go, remove the note.',
  inNote: '{name}.md: {why}',
  notStatus: '"{word}" is not a status.',
  notPriority: '"{word}" is not a priority.',
  notOneOf: '"{word}" is not one of {words}.',
  waitsForItself: '{task} would wait for itself: {way}. Change "dependsOn".',
  itWaitsForItself: 'it would wait for itself: {way}.',
  noParent: 'there is no task {parent} to be its parent.',
  splitRepairFirst: 'The board needs repair first. {why}',
} as const;

/** What an import leaves out or changes of its source, and why. */
export const IMPORT_LOSSES = {
  line: '{what}: {why}',
  task: 'task {n}',
  noTitle: 'It has no title, so it is called by its id or place.',
  coloursOf: 'the colours of {name}',
  coloursOfText: 'the colours of the text',
  coloursRemoved: 'Colour sequences of a terminal were removed.',
  fieldOf: { one: '"{field}" of {count} task', other: '"{field}" of {count} tasks' },
  noSuchField: 'A task of a board has no such field.',
  titleOf: 'the title of {name}',
  titleLong: 'A title is one line of at most 500 characters; all of it stands in the text below.',
  labelsOf: 'the labels of {name}',
  labelsLong: 'With them its title has over 500 characters.',
  waitsFor: '{name} waits for {other}',
  partOf: '{name} is a part of {other}',
  placeOf: 'the place of {name}',
  idOf: 'the id {name} of "{title}"',
  idTaken: 'Another task has it; who names it means that one.',
  noSuchParent: 'There is no such task; it stands at the top.',
  partOfItself: 'It would be a part of itself; it stands at the top.',
  tooDeep: 'Subtasks stand at most {most} deep.',
  noSuchTask: 'There is no such task in the source.',
  tooManyCircles: 'Too many tasks wait for each other to look for all circles.',
  circle: 'It would close a circle: {way}.',
  circleOnBoard: 'It would close a circle on the board.',
  textOf: 'the text of "{title}"',
  textLong: 'It has over {most} characters; the rest was left out.',
  checkboxes: 'Its checkboxes are text now.',
  quoted: 'It opens a block that it does not close, so it is quoted.',
  blockIdOf: 'the block id ^{text} of {name}',
  blockIdOfBoards: 'It has the form of the ids that boards give.',
  blockIdTaken: 'Another line of the board has it.',
  wordOf: 'the {field} "{text}" of {name}',
  statusOf: 'the status "{text}" of {name}',
  priorityOf: 'the priority "{text}" of {name}',
  ownerOf: 'the owner "{text}" of {name}',
  estimateOf: 'the estimate "{text}" of {name}',
  lineOf: 'the {field} of {name}',
  completedOf: 'its day of completion, "{text}", of {name}',
  reviewOf: 'its day of review, "{text}", of {name}',
  dueOf: 'its due date, "{text}", of {name}',
  createdOf: 'its day of creation, "{text}", of {name}',
  dayOf: 'its day {emoji}, "{text}", of {name}',
  recurrenceOf: 'the recurrence "{text}" of {name}',
  onCompletionOf: 'the word "{text}" of 🏁 of {name}',
  bracketOf: 'the field [{key}:: {text}] of {name}',
  markOf: 'the mark "{text}" of {name}',
  notOneOf: 'It is not one of {words}.',
  blocked: 'What is blocked follows from what a task waits for; it is pending now.',
  noStatus: 'No status of ours has this name; it is pending now.',
  noPriority: 'No priority of ours has this name.',
  notAName: 'A name has at most 72 bytes in one line.',
  notAnEstimate: 'An estimate is written as 30m or 2h.',
  notADate: 'It is not a date.',
  notALine: 'It is no line of at most 500 characters.',
  notReadBack: 'It would not be read so on a line.',
  isPending: 'Its task is pending.',
  isInProgress: 'Its task is in progress.',
  isCompleted: 'Its task is completed.',
  isCancelled: 'Its task is cancelled.',
  isFailed: 'Its task is failed.',
  isDeferred: 'Its task is deferred.',
  moreFiles: '{count} more files in {name}',
  mostFiles: 'An import reads at most {most} files of one folder.',
  yamlLong: 'It has over {most} characters of YAML.',
  yamlNoLines: 'Its front matter is not a list of "key: value" lines.',
  yamlBroken: "Its front matter can't be read ({why}).",
  noFrontMatter: 'It has no front matter.',
  openFrontMatter: 'Its front matter is not closed.',
  frontMatter: 'the front matter',
  ofFrontMatter: '"{name}" of the front matter',
  noCard: 'It belongs to no card.',
  freeLine: '"{text}"',
  freeLines: '"{text}" and {count} more lines',
  anotherField: 'another {field} of task {n}',
  anotherPriority: 'another priority of task {n}',
  lastCounts: 'A task has one; the last of them counts.',
  lineOfFile: 'line {line} of {name}',
  notJson: 'It is not JSON.',
  deletedIssues: { one: '{count} deleted issue', other: '{count} deleted issues' },
  wereDeleted: { one: 'It was deleted in beads.', other: 'They were deleted in beads.' },
  links: {
    one: '{count} link of the type "{type}"',
    other: '{count} links of the type "{type}"',
  },
  noSuchLink: 'A board has no such link.',
  noId: 'It has no id, so it is not a task.',
  noIdOrStatus: 'It has neither an id nor a status, so it is not a task.',
  namesOf: '{names} of {name}',
  oneOwner: 'A task has one owner.',
  parentById: 'There is no such task; its id says {id}.',
  foldersInside: 'Folders inside are not read.',
  tiedBy: '{name} is tied to {other} by {type}',
  onlyForTheEnd: 'A task waits only for the end of another.',
  gapBetween: 'the gap {gap} between {name} and {other}',
  noGap: 'A task waits for the end of another, without a gap.',
  notTaskName: 'Its name is not that of a task.',
  noTaskInside: 'It holds no task.',
  itemOf: 'item {n} of {name}',
  itemOfList: 'item {n} of the list',
  notATask: 'It is not a task.',
  notATodo: 'It is no todo.',
  notTodos: 'It is not a list of todos.',
  subtasksOf: 'the subtasks of {name}',
  overDeep: 'They stand over {most} deep.',
  noTaskList: 'It does not begin with "# Task List:".',
  memo: 'the memo "{text}"',
  noTasksMemo: 'It belongs to no task.',
  tasksFrom: 'the tasks from number {n} on',
  mostTasks: 'A plan takes {most} tasks; this one has {count}.',
  aChange: 'a change',
  tasksAs: { one: '{count} task, as {id}', other: '{count} tasks, as {id}' },
  onlyOnBoard:
    'Not in the folder, but on the board: they stay. Remove them there if that is meant.',
  indexUnknown:
    'Its order, hierarchy, headings and free text were not followed, since it does not say what was exported; change them on the board.',
  indexOlder:
    'Its order, hierarchy, headings and free text were not followed, since the board was changed since the export; change them on the board.',
  parentNotRead:
    '"parent" in {name}.md is not read: a task belongs to the one under which index.md has its line.',
  phaseNotRead:
    '"phase" in {name}.md is not read: a task stands under the heading under which index.md has its line.',
  orderNotRead: '"order" in {name}.md is not read: the order is that of the lines in index.md.',
  doneNotRead: '"done" in {name}.md is not read: the day is set with the status.',
  cancelledNotRead: '"cancelled" in {name}.md is not read: the day is set with the status.',
  keepsTitle: '{name}.md has no title now; the task keeps its own.',
} as const;

/** A part of a source, or why it is left out. */
export function lossPart(
  name: keyof typeof IMPORT_LOSSES,
  values?: SentenceValues,
): ReturnType<typeof sentence> {
  return sentence(['importLoss', IMPORT_LOSSES], name, values);
}

/** @param what a name of the source stands for itself */
export function importLoss(what: string | SaidSentence, why: SaidSentence): ImportLoss {
  const part = typeof what === 'string' ? ([what, undefined] as const) : what;
  const [, said] = lossPart('line', { what: part, why });
  return { what: part[0], why: why[0], said };
}

export function importFault(
  code: string,
  name: keyof typeof IMPORT_FAULTS,
  values?: SentenceValues,
): Fault {
  return fault(code, sentence(['importFault', IMPORT_FAULTS], name, values));
}
