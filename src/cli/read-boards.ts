import { AGENT_POLICY } from '../core/board/policy';
import { writeAnswer } from '../core/board/answer/write-answer';
import { parseNote } from '../core/board/note/parse-note';
import type { Note } from '../core/board/note/note';
import type { OperationSuccess } from '../core/board/outcome';
import { getTask, readyTasks } from '../core/board/read-board';
import type { Board, Task } from '../core/board/task';
import { loadMarkUnchecked } from '../core/orchestrator/drive/run-files';
import { chooseBoard, selectBoards } from './choose-board';
import {
  BOARD_OPTIONS,
  EarlyExit,
  textExit,
  refusalExit,
  type Command,
  type Exit,
  type CommandArgs,
} from './command';
import { unreadableLine, unreadableBoards, type UnreadableBoard } from './misplaced-files';
import { answerExit, type SentOperation } from './answer-exit';
import type { Fault } from '../core/fault';
import { boardJson } from '../core/board/answer/task-json';
import { boardLines } from '../core/board/answer/board-lines';
import { planProgress, progressText } from '../core/board/plan-progress';
import { analysisJson, analysisLines } from '../core/board/answer/analysis';
import { findTask } from '../core/board/find-task';

type Outcome = OperationSuccess | Fault;

/**
 * A command that reads one board and answers as the tool `tasks` does. It does not count as the
 * agent's read: changes by a person stay news to the agent.
 */
function readCommand(
  command: Pick<Command, 'name' | 'also' | 'takes' | 'says'>,
  toOperation: (given: CommandArgs) => SentOperation,
  answerFrom: (note: Note, given: CommandArgs) => Outcome,
): Command {
  return {
    ...command,
    options: BOARD_OPTIONS,
    async run(given, vault) {
      const chosen = await chooseBoard(vault, given).catch((error: unknown) => {
        const isEmpty = error instanceof EarlyExit && error.exit.refusal?.code === 'no_boards';
        if (isEmpty && command.takes === '') return undefined;
        throw error;
      });
      if (chosen === undefined) return noBoards(toOperation(given), given);
      const { path, agent, session } = chosen;
      const read = parseNote(path, (await vault.store.read(path)) ?? '');
      // The header of a broken note does not name its owner.
      const mark = await loadMarkUnchecked(vault.store);
      const board = mark({ ...read.board, agent, session });
      const note = { ...read, board };
      const outcome = board.broken === null ? answerFrom(note, given) : brokenNoteFault(note);
      if (!given.json && outcome.ok) return textExit(0, linesOf(outcome));
      const answerBase = {
        sessionId: session,
        agent,
        operations: [toOperation(given)],
        outcomes: [outcome],
      };
      const answer = writeAnswer({ ...answerBase, board, changes: [], others: [], notices: [] });
      return answerExit(answer, given);
    },
  };
}

/** The answer for a vault without boards: nothing is ready, and that is not an error. */
function noBoards(operation: SentOperation, given: CommandArgs): Exit {
  const done = { ok: true, said: 'No boards yet.', result: { ready: [] } } as const;
  if (!given.json) return textExit(0, done.said);
  const answerBase = { sessionId: '', agent: '', operations: [operation], outcomes: [done] };
  const nothing = { board: undefined, changes: [], others: [], notices: [] };
  return answerExit(writeAnswer({ ...answerBase, ...nothing }), given);
}

function linesOf({ said, details = [] }: OperationSuccess): string {
  return [said, ...details.map((line) => `  ${line}`)].join('\n');
}

function brokenNoteFault({ board }: Note): Fault {
  const message = `${board.path} needs repair. ${board.broken?.reason ?? ''}`;
  return { ok: false, code: 'broken_note', message };
}

/** The caller of `get`, which has not read any board before. */
const NO_CALLER = {
  policy: AGENT_POLICY,
  told: (note: Note) => note,
  path: '',
  caller: '',
  today: '',
  seen: undefined,
  theirs: [],
  fresh: () => '',
};

/** `agent-boards get ID`: shows a task. */
const getCommand = readCommand(
  {
    name: 'get',
    also: 'show',
    takes: 'ID',
    says: 'all that one task says',
  },
  ({ words }) => ({ type: 'get', id: words[0] }),
  (note, { words }) => {
    const operation = { type: 'get', id: words[0] ?? '' } as const;
    return getTask(note, operation, NO_CALLER);
  },
);

/** `agent-boards ready`: lists the tasks that can start now. */
const readyCommand = readCommand(
  {
    name: 'ready',
    also: 'next',
    takes: '',
    says: 'what can be started now',
  },
  () => ({ type: 'ready' }),
  (note) => readyTasks(note, NO_CALLER),
);

const UNBOUNDED = { lines: Infinity, bytes: Infinity };

/** `agent-boards list`: shows the boards of a session, or all. */
const listBoards: Command = {
  name: 'list',
  also: 'status',
  takes: '',
  says: 'the boards of a session and agent, or of all',
  options: BOARD_OPTIONS,
  async run(given, vault) {
    const chosen = await selectBoards(vault, given);
    const boards = chosen.map(await loadMarkUnchecked(vault.store));
    const file = ({ path }: Board): string => vault.store.fileOf(path);
    const unread = await unreadableBoards(vault, given);
    return given.json
      ? boardsJsonExit(boards, unread, (one) => boardSummary(one, file(one)))
      : boardsTextExit(boards, unread, (one) => boardText(one, file(one)));
  },
};

function codeOf(boards: readonly Board[], unread: readonly UnreadableBoard[]): 0 | 3 {
  return unread.length > 0 || boards.some(({ broken }) => broken !== null) ? 3 : 0;
}

function boardsJsonExit(
  boards: readonly Board[],
  unread: readonly UnreadableBoard[],
  toJson: (board: Board) => object,
): Exit {
  const rest = unread.length === 0 ? {} : { unread };
  const text = JSON.stringify({ boards: boards.map(toJson), ...rest });
  return textExit(codeOf(boards, unread), text);
}

/** Says "No boards." only if there are no unreadable ones either. */
function boardsTextExit(
  boards: readonly Board[],
  unread: readonly UnreadableBoard[],
  toText: (board: Board) => string,
): Exit {
  const none = unread.length === 0 ? 'No boards.' : 'No board can be read.';
  const text = boards.length === 0 ? none : boards.map(toText).join('\n\n');
  const err = unread.map((one) => `agent-boards: ${unreadableLine(one)}\n`).join('');
  return textExit(codeOf(boards, unread), text, err);
}

/** @param file path of the note, included if it differs from the board's path */
function boardSummary(board: Board, file: string) {
  const { current, ...progress } = planProgress(board);
  const named = file === board.path ? {} : { file };
  return {
    ...boardJson(board),
    ...named,
    progress: { ...progress, current: current.map(({ id }) => id) },
  };
}

function boardText(board: Board, file: string): string {
  const { title, broken } = board;
  if (broken !== null) return `${file}: needs repair. ${broken.reason}`;
  const progress = planProgress(board);
  const { completed, counted } = progress;
  const rest = progressText(progress);
  const far = `${completed} of ${counted} done${rest === '' ? '' : `, ${rest}`}`;
  return [`${title} (${file}, ${far})`, ...boardLines(board, UNBOUNDED)].join('\n');
}

/** `agent-boards analyze`: analyzes the plans of a session, or of all, as graphs. */
const analyzeBoards: Command = {
  name: 'analyze',
  takes: '[ID]',
  says: 'the plan as a graph: critical path, what can run at the same time, risk; what ID would free',
  options: BOARD_OPTIONS,
  async run(given, vault) {
    const mark = await loadMarkUnchecked(vault.store);
    const [reference] = given.words;
    if (reference === undefined) {
      const boards = (await selectBoards(vault, given)).map(mark);
      return analysisExit(boards, given, await unreadableBoards(vault, given));
    }
    const board = await chooseBoard(vault, given);
    const found = findTask(board, reference);
    if (!found.ok) return refusalExit(found);
    return analysisExit([mark(board)], given, [], found.task);
  },
};

/** The commands of the small program that `main.ts` starts for them. */
export const READ_COMMANDS: readonly Command[] = [
  listBoards,
  getCommand,
  readyCommand,
  analyzeBoards,
];

function analysisExit(
  boards: readonly Board[],
  { json }: CommandArgs,
  unread: readonly UnreadableBoard[],
  task?: Task,
): Exit {
  return json
    ? boardsJsonExit(boards, unread, (board) => analysisObject(board, task))
    : boardsTextExit(boards, unread, (board) => analysisText(board, task));
}

function analysisObject(board: Board, task: Task | undefined): object {
  const { path, agent, title, rev, broken } = board;
  if (broken !== null) {
    const { line, reason } = broken;
    return { path, agent, title, rev, broken: { line, reason } };
  }
  return { path, agent, title, rev, analysis: analysisJson(board, task) };
}

function analysisText(board: Board, task: Task | undefined): string {
  const { path, title, broken } = board;
  if (broken !== null) return `${path}: needs repair. ${broken.reason}`;
  const analysis = analysisJson(board, task);
  const head = `${title} (${path}, ${analysis.open} open of ${board.tasks.length})`;
  return [head, ...analysisLines(board, analysis)].join('\n');
}
