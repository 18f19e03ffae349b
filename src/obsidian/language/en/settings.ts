import type { Messages } from '../message';

export const settingsTexts = {
  wholeNumber: 'Enter a whole number from {min} to {max}.',
  token: 'Token',
  tokenText:
    'Only needed with an address that you entered. Kept as a secret, never in a file of the vault.',
  connection: 'Connection',
  mayStart: 'Start OpenCode from Obsidian',
  mayStartText:
    'On this device only. Allows the command “Start OpenCode”; it stops when Obsidian closes.',
  openCode: 'OpenCode',
  pathText: 'On this device only. Leave empty to look for OpenCode when it is started.',
  pathOfOpenCode: 'Path of OpenCode',
  detect: 'Detect',
  notFoundEnterPath: 'OpenCode was not found. Enter its path.',
  state: 'State',
  stop: 'Stop',
  start: 'Start',
  showLog: 'Show log',
  systemShowsNoNotices:
    'Your system does not let Obsidian show notices. Allow them in its settings.',
  sessions: 'Sessions',
  conversations: 'Conversations',
  nameByTitle: 'Name new boards by title',
  nameByTitleText:
    'New notes are named by title and agent, in a folder named by title. If a title changes later, nothing is renamed.',
  subagents: 'Subagents may use task boards',
  subagentsText:
    'Each then has a board of its own, below that of its session. Takes effect after OpenCode restarts.',
  modelSubagents: 'Subagents on a model',
  modelSubagentsText:
    'Agents of sessions on a model may start subagents, each in a session of its own below theirs. Their tokens count for the turn that started them.',
  todowrite: 'OpenCode’s own to-do list',
  todowriteText: 'What happens to OpenCode’s tool todowrite. Takes effect after OpenCode restarts.',
  todowriteMirror: 'Copy it to the board',
  todowriteReplace: 'Replace it with the board',
  todowriteLeave: 'Leave it alone',
  defaultSession: 'Calls without a session',
  defaultSessionText: 'What happens to a task call, or a command, that names no session.',
  defaultSessionIsolate: 'Use one shared session',
  defaultSessionRefuse: 'Refuse them',
  aliases: 'Old task tools',
  aliasesText:
    'Also shows models the tools of earlier versions, which costs tokens in every request. Takes effect after OpenCode restarts.',
  askMinutes: 'If you do not answer',
  askMinutesText:
    'Applies to the note tools of this plugin, and in runs also to what the agent’s program asks (commands, its own edits). The agent is told why and continues without it. Outside of runs, what the program asks waits until you answer.',
  denyAfterMinutes: { one: 'Deny after {count} minute', other: 'Deny after {count} minutes' },
  denyAfterHours: { one: 'Deny after {count} hour', other: 'Deny after {count} hours' },
  waitForEver: 'Wait forever',
  noteTools: 'Note tools',
  noteToolsText:
    'Shows models the tools that search, read and write notes. Takes effect after OpenCode restarts.',
  runPrompts: 'Prompts of runs',
  runPromptsText:
    'Headings keep the text of a note from being taken for another part of the prompt; without them a prompt is shorter.',
  runPromptsHeadings: 'Each part under a heading',
  runPromptsPlain: 'One part after another',
  runNotes: 'Notes for plans',
  runNotesText:
    'Notes that the goal of a run mentions, and notes that contain its words, are sent with the prompt for the plan, if the agent may read them without asking.',
  auditMonths: 'Keep the audit',
  auditMonthsText: 'How many months entries are kept, including this one; 0 keeps them forever.',
  approveText:
    'A run shows you its plan and begins when you approve it. You can choose otherwise each time you start a run.',
  turns: 'Limit of turns',
  turnsText: 'Prompts that a run may send before it stops and asks you.',
  tokens: 'Limit of tokens',
  tokensText:
    'Input, output and thinking of all sessions of the run; what is read from a cache is not counted.',
  minutes: 'Limit of minutes',
  minutesText: 'Time spent planning and working; waiting for you is not counted.',
  attemptsText: 'How often a task is tried before it counts as failed.',
  parallelText: 'Each in a session of its own.',
  agents: 'Agents',
  runs: 'Runs',
  audit: 'Audit',
  whatWasDone: 'What was done',
  whatWasDoneText:
    'Each tool call, with the rule that decided it. Checking shows whether an entry was changed or removed.',
  connectAutomatically: 'Connect automatically',
  connectAutomaticallyText:
    'Connects when Obsidian starts, and whenever OpenCode or another agent starts in this vault.',
  address: 'Address',
  addressText:
    'Leave empty to find OpenCode automatically. Otherwise an address like ws://127.0.0.1:4000/.',
  noAddress: 'This is not an address on this computer. Enter one like ws://127.0.0.1:4000/.',
  defaultAgent: 'Default agent',
  defaultAgentText:
    'The agent of sessions that you start here. Leave empty for the program’s own default.',
  keepSessions: 'Keep sessions',
  keepSessionsText:
    'How many days a conversation is kept here after its last message; 0 keeps it forever. Boards are always kept.',
  foldIdleSessions: 'Fold idle sessions',
  foldIdleSessionsText:
    'Days without activity after which the sidebar folds a session away; 0 never folds any.',
  folderForConversations: 'Folder for conversations',
  folderForConversationsText:
    'The folder for saved conversations. Leave empty for the top of the vault.',
  enterSends: 'Enter sends',
  enterSendsText:
    'On: Enter sends, Shift Enter makes a new line. Off: Enter makes a new line, Shift Enter sends.',
  remoteImages: 'Load images from the network',
  remoteImagesText: 'The server of an image that an agent links to learns that you looked at it.',
  continueByItselfText:
    'When a turn ends and a task is ready, a session counts down and continues. It stops after three turns without a change, when it needs you, and when you write to it. Each session has its own switch in its menu.',
  countdown: 'Countdown',
  countdownText: 'Seconds before a session continues by itself, 3 to 600.',
  compactAhead: 'Compact before the context is full',
  compactAheadText:
    'When 85% of the model’s context is used, the session is compacted before your next message is sent. Otherwise that happens when nothing more fits, which may be in the middle of a turn.',
  notices: 'Notices',
  noticesText: 'Tells you when a session that you don’t see needs you or is done.',
  noticesOfTheSystem: 'System notices',
  noticesOfTheSystemText:
    'While Obsidian is in the background: what needs you and what ended, by title. Click a notice to go there.',
  sections: 'Sections',
  boards: 'Boards',
  permissions: 'Permissions',
  fileNotSaved: '{file} was not saved. {problem}',
  boardRoot: 'Board folder',
  moveBoards: 'Move boards…',
  hiddenRootText:
    'Obsidian Sync skips hidden folders, so these boards stay on this device. Move them to a visible folder to sync them.',
  rootText: 'The folder in this vault that holds the boards, one folder per session.',
  cantBeRead: 'The settings can’t be read.',
} as const satisfies Messages;
