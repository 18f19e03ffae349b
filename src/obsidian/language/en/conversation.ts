import type { Messages } from '../message';

export const conversationTexts = {
  review: 'Review',
  theAgentAsks: 'The agent asks',
  noLongerAskedOf: 'No longer asked: {question}',
  itsContentIsNotShown: 'Its content is not shown.',
  tasksInThisMessage: {
    one: '{count} task in this message is not on the plan.',
    other: '{count} tasks in this message are not on the plan.',
  },
  addToPlan: 'Add to plan…',
  dismissTasks: 'Stop offering these tasks',
  restNotReceived: 'The rest of this text was not received.',
  someTextWasMissedWhileOffline: 'Some text was missed while offline. This is the state now.',
  attached: 'Attached:',
  attempt: 'Attempt {attempt}',
  theTaskPasses: 'The task passes',
  theTaskDoesNotPass: 'The task does not pass',
  thinking: 'Thinking',
  youStoppedThisTurn: 'You stopped this turn.',
  itDidNotSayWhy: 'It did not say why.',
  turnFailedLabel: 'The turn ended with an error',
  turnFailed: 'The turn ended with an error.',
  copyDetails: 'Copy details',
  messageOrNote: 'Message {agent}, @ to add a note',
  messageAgent: 'Message {agent}',
  textIsKept: 'Not connected. Your text is kept.',
  defaultModel: 'Default model',
  model: 'Model',
  addANote: 'Add a note',
  send: 'Send',
  shareOfContext: '{share}% of context',
  context: 'What fills the context',
  contextUsed: '{used} of {room} tokens used',
  contextUsedOnly: '{used} tokens used; how many fit is not known',
  tokens: '{size}',
  contextEstimated: 'The sum is what the provider counted last; the parts are estimates.',
  contextOfSummary:
    'Only the summary is counted; the system prompt and the tools are counted with the next answer.',
  contextFull:
    'The context is {share}% full. Compact it now, or continue the plan in a new session.',
  compactNow: 'Compact now',
  compacting: 'Compacting',
  compactSession: 'Compact session…',
  waitForTheTurn: 'Possible when the turn has ended.',
  compactNotConnected: 'Possible when its program is connected.',
  whatRemained: 'What remained',
  fromTo: '{before} tokens became {after}',
  tokensOfContext: { one: '{count} token of context', other: '{count} tokens of context' },
  commands: 'Commands',
  notes: 'Notes',
  theMessageWasNotSent: 'The message was not sent.',
  theTurnWasNotStopped: 'The turn was not stopped.',
  olderMessagesWereNotLoaded: 'Older messages were not loaded.',
  sessionNotOpened: 'What was said in this session was not loaded.',
  theSessionsOwnChoice: 'The session’s own choice',
  thought: 'Thought',
  findInThisConversation: 'Find in this conversation',
  sessionEnded: 'This session has ended. It can be read and saved; start another to continue.',
  turn: 'turn {turn}',
  stop: 'Stop',
  waitsForYourAnswer: 'Waits for your answer',
  working: 'Working',
  conversation: 'Conversation',
  thisSessionHasNoPlanYet: 'This session has no plan yet.',
  chooseASession: 'Choose a session',
  openConversation: 'Open conversation…',
  saveConversationAsNote: 'Save conversation as note',
  sendSelectionToSession: 'Send selection to session…',
  thereIsNothingToSaveYet: 'There is nothing to save yet.',
  theConversationWasNotSaved: 'The conversation was not saved.',
  selection: 'Selection',
  selectionInPath: 'Selection in {path}',
  none: 'None',
  matchOf: '{place} of {all}',
  earlierMatch: 'Earlier match',
  laterMatch: 'Later match',
  loadOlderMessages: 'Load older messages',
  input: 'Input',
  output: 'Output',
  whatWasSentAndAnswered: 'What was sent and answered',
  refused: 'Refused: {reason}',
  openSession: 'Open session',
  showAllCharacters: { one: 'Show all {count} characters', other: 'Show all {count} characters' },
  removed: 'Removed',
  changed: 'Changed',
  added: 'Added',
  renamed: 'Renamed, was “{before}”',
  waitsForNothingMore: 'No longer waits for anything',
  waitsFor: 'Waits for {after}',
  movedOutOfItsPhase: 'Moved out of its phase',
  movedTo: 'Moved to {after}',
  noLongerASubtask: 'No longer a subtask',
  nowSubtaskOf: 'Now a subtask of {after}',
  textChanged: 'Text changed',
  noReason: 'No reason',
  reason: 'Reason: {after}',
  andMore: 'And {more} more.',
  compacted: 'What was said before this is summarized, to make room in the model’s context window.',
  doneOf: '{done} of {length} done',
  toDoList: 'To-do list',
  sayWhatYouWant:
    'Say what you want done. Ask the agent to plan first, so that you can follow along.',
  loadingOlderMessages: 'Loading older messages',
  openingSession: 'Opening the session. Its program may have to start first.',
  olderWhenBack: 'Older messages are loaded when the agent is back.',
  goToTheEnd: 'Go to the end',
  newTextBelow: 'New text below',
  answered: 'Answered: {question} {answer}',
  youAt: 'You · {time}',
  runAt: 'Run · {time}',
  criterionMet: 'Criterion {n}: met',
  criterionNotMet: 'Criterion {n}: not met',
  thoughtFor: 'Thought for {time}',
  agentsNotTold: 'The program did not say which agents it has.',
  commandsNotTold: 'The program did not say which commands it has.',
  modelsNotTold: 'The program did not say which models it has.',
  chooseAnAgent: 'Choose an agent',
  chooseAModel: 'Choose a model',
  someTextWasMissed: 'Some text was missed while offline.',
  attachedNames: 'Attached: {names}',
  sentNames: 'Notes sent along: {names}',
  theAgent: 'the agent',
  saved: 'Saved to {path}.',
  savedNewest: 'Saved to {path}. Only the messages loaded so far are in it.',
  remove: 'Remove {what}',
  error: 'Error',
  noField: '{field}: none',
  fieldValue: '{field} {value}',
  changes: { one: '{count} change', other: '{count} changes' },
  takenBack: 'Undone',
  copyCode: 'Copy code',
  question: 'Question',
} as const satisfies Messages;

/** What a finished tool call did, before its object. */
export const toolDidTexts = {
  read: 'Read',
  write: 'Wrote',
  edit: 'Edited',
  patch: 'Edited',
  bash: 'Ran',
  grep: 'Searched for',
  glob: 'Looked for',
  list: 'Listed',
  webfetch: 'Fetched',
  websearch: 'Searched the web for',
  task: 'Subagent',
  question: 'Asked you',
  todowrite: 'Updated its list',
  obsidian_search_vault: 'Searched notes for',
  obsidian_list_notes: 'Listed notes',
  obsidian_read_note: 'Read note',
  obsidian_get_note_metadata: 'Looked at note',
  obsidian_create_note: 'Created note',
  obsidian_update_note: 'Updated note',
  tasks: 'Used the board',
} as const satisfies Messages;

/** What a waiting, running or failed tool call does, before its object. */
export const toolDoesTexts = {
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  patch: 'Edit',
  bash: 'Run',
  grep: 'Search for',
  glob: 'Look for',
  list: 'List',
  webfetch: 'Fetch',
  websearch: 'Search the web for',
  task: 'Subagent',
  question: 'Ask you',
  todowrite: 'Update its list',
  obsidian_search_vault: 'Search notes for',
  obsidian_list_notes: 'List notes',
  obsidian_read_note: 'Read note',
  obsidian_get_note_metadata: 'Look at note',
  obsidian_create_note: 'Create note',
  obsidian_update_note: 'Update note',
  tasks: 'Use the board',
} as const satisfies Messages;

/** Notes that are sent along with a message. */
export const relatedTexts = {
  title: 'Related notes',
  add: 'Add related notes',
  looking: 'Looking for related notes',
  none: 'No related note that the agent may read',
  noRoom: 'The context has no room for notes',
  along: {
    one: '{count} note goes along: {used} of {room} tokens',
    other: '{count} notes go along: {used} of {room} tokens',
  },
  tokens: { one: '{count} token', other: '{count} tokens' },
  beginning: '{why}, beginning only',
  sent: { one: '{count} note sent along', other: '{count} notes sent along' },
  notSent: {
    one: '{count} note was not sent along: it is gone or may not be read any more.',
    other: '{count} notes were not sent along: they are gone or may not be read any more.',
  },
  notFound: 'Related notes could not be looked for.',
} as const satisfies Messages;

/** Why a note is sent along. */
export const relatedWhyTexts = {
  named: 'You named it',
  selection: 'Text is selected in it',
  open: 'It is open',
  task: 'Note of the task',
  linked: 'Linked from the open note',
  words: 'Has words of the message',
  recent: 'Changed recently',
} as const satisfies Messages;

/** The parts of a model's context. */
export const contextPartTexts = {
  system: 'System prompt and tools',
  instructions: 'Instructions',
  skills: 'Skills',
  board: 'Board',
  notes: 'Notes and files read',
  tools: 'Other tool calls',
  conversation: 'Messages',
  reserve: 'Kept for the answer',
  free: 'Free',
} as const satisfies Messages;

/** The state of a call. */
export const callStateTexts = {
  pending: 'Waiting',
  running: 'Running',
  completed: 'Done',
  error: 'Failed',
} as const satisfies Messages;

/** Who changed the board. */
export const boardChangedByTexts = {
  agent: 'Updated the board',
  person: 'You changed the board',
  disk: 'The board was changed on disk',
} as const satisfies Messages;

/** What happened to a task, by its status now. */
export const becameTexts = {
  pending: 'Open again',
  in_progress: 'Started',
  completed: 'Done',
  failed: 'Failed',
  deferred: 'Deferred',
  cancelled: 'Cancelled',
} as const satisfies Messages;

/** Fields of a task whose names in notes are not words. */
export const fieldTexts = {
  priority: 'Priority',
  owner: 'Owner',
  scope: 'Scope',
  risk: 'Risk',
  impact: 'Impact',
  level: 'Level',
  estimate: 'Estimate',
  approve: 'Approval by',
  review: 'Review',
  due: 'Due',
  waitsFor: 'Outside prerequisite',
} as const satisfies Messages;

/** How a turn ended, for screen readers. */
export const turnNewsTexts = {
  completed: '{agent} finished.',
  changed: {
    one: '{agent} finished. {count} task changed.',
    other: '{agent} finished. {count} tasks changed.',
  },
  interrupted: '{agent} was stopped.',
  error: '{agent} stopped with an error.',
} as const satisfies Messages;

/** The answer to a permission request. */
export const permissionReplyTexts = {
  once: 'Allowed once: {what}',
  always: 'Always allowed: {what}',
  reject: 'Denied: {what}',
  none: 'No longer asked: {what}',
} as const satisfies Messages;

/** As `permissionReplyTexts`, in a conversation's note. */
export const noteReplyTexts = {
  once: 'Allowed once.',
  always: 'Always allowed.',
  reject: 'Denied.',
  none: 'Not answered.',
} as const satisfies Messages;

/** The purpose of a prompt that a run sends. */
export const runPromptTexts = {
  plan: 'Plan the goal',
  work: 'Do the task',
  check: 'Check the task',
} as const satisfies Messages;

/** What is sent along with a message. */
export const attachedTexts = {
  note: 'Attached note: {path}',
  open: 'Open note: {path}',
  selection: 'Selected text in {path}',
} as const satisfies Messages;
