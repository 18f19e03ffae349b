import { AGENT_POLICY } from '../core/board/policy';
import { writeAnswer } from '../core/board/answer/write-answer';
import { parseNote } from '../core/board/note/parse-note';
import type { Note } from '../core/board/note/note';
import type { Done } from '../core/board/outcome';
import { getTask, readyTasks } from '../core/board/read-board';
import type { Board, Task } from '../core/board/task';
import { uncheckedNow } from '../core/orchestrator/drive/run-files';
import { chooseBoard, chosenBoards } from './choose-board';
import {
  CHOICE,
  EarlyExit,
  printed,
  refused,
  type Command,
  type Exit,
  type Given,
} from './command';
import { unreadLine, unreadPlaces, type UnreadPlace } from './not-files';
import { shownAnswer, type SentOperation } from './shown-answer';
import type { Fault } from '../core/fault';
import { boardJson } from '../core/board/answer/task-json';
import { boardLines } from '../core/board/answer/board-lines';
import { planProgress, progressWords } from '../core/board/plan-progress';
import { analysisJson, analysisLines } from '../core/board/answer/analysis';
import { findTask } from '../core/board/find-task';

type Outcome = Done | Fault;

/**
 * A command that reads one board and answers as the tool `tasks` does. It does not count as the
 * agent's read: changes by a person stay news to the agent.
 */
function reading(
  command: Pick<Command, 'name' | 'also' | 'takes' | 'says'>,
  sent: (given: Given) => SentOperation,
  tell: (note: Note, given: Given) => Outcome,
): Command {
  return {
    ...command,
    options: CHOICE,
    async run(given, vault) {
      const chosen = await chooseBoard(vault, given).catch((error: unknown) => {
        const isEmpty = error instanceof EarlyExit && error.exit.refusal?.code === 'no_boards';
        if (isEmpty && command.takes === '') return undefined;
        throw error;
      });
      if (chosen === undefined) return noBoards(sent(given), given);
      const { path, agent, session } = chosen;
      const read = parseNote(path, (await vault.store.read(path)) ?? '');
      // The header of a broken note does not name its owner.
      const mark = await uncheckedNow(vault.store);
      const board = mark({ ...read.board, agent, session });
      const note = { ...read, board };
      const outcome = board.broken === null ? tell(note, given) : broken(note);
      if (!given.json && outcome.ok) return printed(0, linesOf(outcome));
      const told = { sessionId: session, agent, operations: [sent(given)], outcomes: [outcome] };
      const answer = writeAnswer({ ...told, board, changes: [], others: [], notices: [] });
      return shownAnswer(answer, given);
    },
  };
}

/** The answer for a vault without boards: nothing is ready, and that is not an error. */
function noBoards(operation: SentOperation, given: Given): Exit {
  const done = { ok: true, said: 'No boards yet.', result: { ready: [] } } as const;
  if (!given.json) return printed(0, done.said);
  const told = { sessionId: '', agent: '', operations: [operation], outcomes: [done] };
  const nothing = { board: undefined, changes: [], others: [], notices: [] };
  return shownAnswer(writeAnswer({ ...told, ...nothing }), given);
}

function linesOf({ said, details = [] }: Done): string {
  return [said, ...details.map((line) => `  ${line}`)].join('\n');
}

function broken({ board }: Note): Fault {
  const message = `${board.path} needs repair. ${board.broken?.reason ?? ''}`;
  return { ok: false, code: 'broken_note', message };
}

/** The caller of `get`, which has not read any board before. */
const NOBODY = {
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
const getOne = reading(
  {
    name: 'get',
    also: 'show',
    takes: 'ID',
    says: 'all that one task says',
  },
  ({ words }) => ({ type: 'get', id: words[0] }),
  (note, { words }) => {
    const operation = { type: 'get', id: words[0] ?? '' } as const;
    return getTask(note, operation, NOBODY);
  },
);

/** `agent-boards ready`: lists the tasks that can start now. */
const readyOnes = reading(
  {
    name: 'ready',
    also: 'next',
    takes: '',
    says: 'what can be started now',
  },
  () => ({ type: 'ready' }),
  (note) => readyTasks(note, NOBODY),
);

const UNBOUNDED = { lines: Infinity, bytes: Infinity };

/** `agent-boards list`: shows the boards of a session, or all. */
const listBoards: Command = {
  name: 'list',
  also: 'status',
  takes: '',
  says: 'the boards of a session and agent, or of all',
  options: CHOICE,
  async run(given, vault) {
    const chosen = await chosenBoards(vault, given);
    const boards = chosen.map(await uncheckedNow(vault.store));
    const file = ({ path }: Board): string => vault.store.fileOf(path);
    const unread = await unreadPlaces(vault, given);
    return given.json
      ? toldJson(boards, unread, (one) => listed(one, file(one)))
      : toldText(boards, unread, (one) => listedBoard(one, file(one)));
  },
};

function codeOf(boards: readonly Board[], unread: readonly UnreadPlace[]): 0 | 3 {
  return unread.length > 0 || boards.some(({ broken }) => broken !== null) ? 3 : 0;
}

function toldJson(
  boards: readonly Board[],
  unread: readonly UnreadPlace[],
  told: (board: Board) => object,
): Exit {
  const rest = unread.length === 0 ? {} : { unread };
  const text = JSON.stringify({ boards: boards.map(told), ...rest });
  return printed(codeOf(boards, unread), text);
}

/** Says "No boards." only if there are no unreadable ones either. */
function toldText(
  boards: readonly Board[],
  unread: readonly UnreadPlace[],
  told: (board: Board) => string,
): Exit {
  const none = unread.length === 0 ? 'No boards.' : 'No board can be read.';
  const text = boards.length === 0 ? none : boards.map(told).join('\n\n');
  const err = unread.map((one) => `agent-boards: ${unreadLine(one)}\n`).join('');
  return printed(codeOf(boards, unread), text, err);
}

/** @param file path of the note, included if it differs from the board's path */
function listed(board: Board, file: string) {
  const { current, ...progress } = planProgress(board);
  const named = file === board.path ? {} : { file };
  return {
    ...boardJson(board),
    ...named,
    progress: { ...progress, current: current.map(({ id }) => id) },
  };
}

function listedBoard(board: Board, file: string): string {
  const { title, broken } = board;
  if (broken !== null) return `${file}: needs repair. ${broken.reason}`;
  const progress = planProgress(board);
  const { completed, counted } = progress;
  const rest = progressWords(progress);
  const far = `${completed} of ${counted} done${rest === '' ? '' : `, ${rest}`}`;
  return [`${title} (${file}, ${far})`, ...boardLines(board, UNBOUNDED)].join('\n');
}

/** `agent-boards analyze`: analyzes the plans of a session, or of all, as graphs. */
const analyzeBoards: Command = {
  name: 'analyze',
  takes: '[ID]',
  says: 'the plan as a graph: critical path, what can run at the same time, risk; what ID would free',
  options: CHOICE,
  async run(given, vault) {
    const mark = await uncheckedNow(vault.store);
    const [reference] = given.words;
    if (reference === undefined) {
      const boards = (await chosenBoards(vault, given)).map(mark);
      return analysed(boards, given, await unreadPlaces(vault, given));
    }
    const board = await chooseBoard(vault, given);
    const found = findTask(board, reference);
    if (!found.ok) return refused(found);
    return analysed([mark(board)], given, [], found.task);
  },
};

/** The commands of the small program that `main.ts` starts for them. */
export const READ_COMMANDS: readonly Command[] = [listBoards, getOne, readyOnes, analyzeBoards];

function analysed(
  boards: readonly Board[],
  { json }: Given,
  unread: readonly UnreadPlace[],
  task?: Task,
): Exit {
  return json
    ? toldJson(boards, unread, (board) => forPrograms(board, task))
    : toldText(boards, unread, (board) => analysedBoard(board, task));
}

function forPrograms(board: Board, task: Task | undefined): object {
  const { path, agent, title, rev, broken } = board;
  if (broken !== null) {
    const { line, reason } = broken;
    return { path, agent, title, rev, broken: { line, reason } };
  }
  return { path, agent, title, rev, analysis: analysisJson(board, task) };
}

function analysedBoard(board: Board, task: Task | undefined): string {
  const { path, title, broken } = board;
  if (broken !== null) return `${path}: needs repair. ${broken.reason}`;
  const analysis = analysisJson(board, task);
  const head = `${title} (${path}, ${analysis.open} open of ${board.tasks.length})`;
  return [head, ...analysisLines(board, analysis)].join('\n');
}
