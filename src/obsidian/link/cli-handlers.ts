import { requireApiVersion, type CliFlags, type Plugin } from 'obsidian';
import { boardLines } from '../../core/board/answer/board-lines';
import { boardJson } from '../../core/board/answer/task-json';
import { boardFacts, progress } from '../../core/board/facts';
import { nameWithTitle } from '../../core/board/find-task';
import type { Board } from '../../core/board/task';
import { escapeControls, formatProgress } from '../../core/board/task-display';
import type { BoardActions } from '../board/board-actions';
import { targetOf } from '../board/task-moves';
import type { Overview } from '../model/overview';
import { boardSession } from '../session/session-list';
import type { ChosenTask } from '../ui/view-actions';
import { LINK_ACTION } from './plan-link';

type Params = Readonly<Record<string, string>>;

interface CliDeps {
  readonly overview: Pick<Overview, 'state'>;
  readonly boards: Pick<BoardActions, 'writes'>;
}

type CliRow = readonly [
  verb: string,
  description: string,
  flags: CliFlags,
  run: (params: Params) => string | Promise<string>,
];

const OUTPUT_LIMITS = { lines: 2_000, bytes: 262_144 };

const session = { value: '<id>', description: 'Id of the session' };
const agent = { value: '<name>', description: 'Name of the agent' };
const json = { description: 'As JSON' };

/**
 * Registers commands for the app's own command line, if it has one: showing boards, and two
 * changes.
 */
export function registerCli(plugin: Plugin, deps: CliDeps): void {
  if (requireApiVersion('1.12.2')) {
    for (const [verb, description, flags, run] of rows(deps)) {
      const id = verb === '' ? LINK_ACTION : `${LINK_ACTION}:${verb}`;
      plugin.registerCliHandler(id, description, flags, async (params) => {
        if (!deps.overview.state.loaded) return 'The plans are still being read. Try again.';
        return escapeControls(await run(params));
      });
    }
  }
}

function rows({ overview, boards }: CliDeps): readonly CliRow[] {
  const all = () => overview.state.boards;
  const withBoard =
    (run: (params: Params, board: Board) => string | Promise<string>) => (params: Params) => {
      const board = selectBoard(params, all());
      return typeof board === 'string' ? board : run(params, board);
    };
  return [
    [
      '',
      'List plans of agents',
      { json },
      ({ json: asJson }) => listBoards(all(), asJson !== undefined),
    ],
    [
      'board',
      'Show the plan of an agent',
      { session, agent, json },
      withBoard((params, board) =>
        params['json'] === undefined
          ? boardLines(board, OUTPUT_LIMITS).join('\n')
          : JSON.stringify(boardJson(board)),
      ),
    ],
    [
      'ready',
      'List tasks that are ready to be started',
      { session, agent, json },
      withBoard(readyTasks),
    ],
    [
      'add',
      'Add a task to a plan',
      {
        session,
        agent,
        title: { value: '<text>', description: 'What is to be done', required: true },
      },
      withBoard((params, board) => addTask(boards, board, params['title'] ?? '')),
    ],
    [
      'complete',
      'Mark a task as done',
      {
        ...{ session, agent },
        id: { value: '<id>', description: 'Id of the task, such as k3f9-2', required: true },
        force: { description: 'Also while it waits for others' },
      },
      (params) => {
        const found = selectTask(params, all());
        return typeof found === 'string'
          ? found
          : completeTask(boards, found, params['force'] !== undefined);
      },
    ],
  ];
}

function matchingBoards(
  { session: id, agent: name }: Params,
  boards: readonly Board[],
): readonly Board[] {
  return boards.filter(
    (board) =>
      (id === undefined || boardSession(board) === id) &&
      (name === undefined || board.agent === name),
  );
}

/** The plan that the parameters select, or a sentence that says why there is none. */
function selectBoard(params: Params, boards: readonly Board[]): Board | string {
  const found = matchingBoards(params, boards);
  const [only, ...more] = found;
  if (only === undefined) return 'No plan matches.';
  if (more.length === 0) return only;
  return ['Several plans match. Add session= and agent=:', ...found.map(boardLine)].join('\n');
}

function selectTask(params: Params, boards: readonly Board[]): ChosenTask | string {
  const { id = '' } = params;
  const found = matchingBoards(params, boards).flatMap((board) =>
    board.tasks.filter((task) => task.id === id).map((task) => ({ board, task })),
  );
  const [only, ...more] = found;
  if (only === undefined) return `No task has the id ${id}.`;
  return more.length === 0
    ? only
    : ['Several tasks match:', ...found.map(({ board }) => boardLine(board))].join('\n');
}

function boardLine(board: Board): string {
  return `session=${boardSession(board)} agent=${board.agent}  ${formatProgress(progress(board))}  ${board.title}`;
}

function listBoards(boards: readonly Board[], asJson: boolean): string {
  if (!asJson) return boards.length === 0 ? 'No plans yet.' : boards.map(boardLine).join('\n');
  return JSON.stringify(
    boards.map((board) => {
      const { path, agent: name, title } = board;
      return { session: boardSession(board), agent: name, title, path, ...progress(board) };
    }),
  );
}

function readyTasks(params: Params, board: Board): string {
  const facts = boardFacts(board);
  const ready = board.tasks.filter(({ key }) => facts.get(key)?.ready === true);
  if (params['json'] !== undefined) {
    const ids = new Set(ready.map(({ id, title }) => id ?? title));
    return JSON.stringify(boardJson(board).tasks.filter(({ id, title }) => ids.has(id ?? title)));
  }
  return ready.length === 0 ? 'No task is ready.' : ready.map(nameWithTitle).join('\n');
}

async function addTask(boards: CliDeps['boards'], board: Board, title: string): Promise<string> {
  const done = await boards.writes.write(board, [{ type: 'add', title }], () => `Added: ${title}.`);
  return done.ok ? `Added to ${board.title}.` : done.message;
}

async function completeTask(
  boards: CliDeps['boards'],
  { board, task }: ChosenTask,
  force: boolean,
): Promise<string> {
  if (task.status === 'completed') return `${task.title} is already done.`;
  if (!force && boardFacts(board).get(task.key)?.blocked === true) {
    return `${task.title} waits for other tasks. Add force to mark it done anyway. Nothing was changed.`;
  }
  const operation = { type: 'update', id: targetOf(task), status: 'completed' } as const;
  const resultText = ({ frees }: { readonly frees: number }) =>
    `${task.title} is done.${frees === 0 ? '' : ` Frees ${frees}.`}`;
  const done = await boards.writes.write(board, [operation], resultText, { status: task });
  return done.ok ? resultText(done) : done.message;
}
