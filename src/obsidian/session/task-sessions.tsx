import type { App } from 'obsidian';
import { h } from 'preact';
import { boardFacts, isFinished, isUnderReview } from '../../core/board/facts';
import { findTask, nameWithTitle, quoted, subtreeOf } from '../../core/board/find-task';
import type { Op } from '../../core/board/op';
import type { Board, Task } from '../../core/board/task';
import { isFeatureAvailable } from '../../core/session/connection';
import type { CoreServices } from '../app/core-services';
import { joinSentences, type BoardActions, type BoardWrites } from '../board/board-actions';
import { targetOf } from '../board/task-moves';
import { isWritable } from '../board-view/shown-boards';
import type { Overview } from '../model/overview';
import { openForm } from '../ui/dialog';
import { beginSession } from './begin-session';
import { startHosts } from './start-choices';
import { StartSessionForm, titleFromPrompt, type SessionOptions } from './session-actions';
import { COMMA, t } from '../language/text';

interface TaskSessionsDeps {
  readonly app: App;
  readonly parts: Pick<CoreServices, 'runtime' | 'ids' | 'settings' | 'connection'>;
  readonly overview: Pick<Overview, 'state'>;
  readonly writes: Pick<BoardWrites, 'write' | 'notify'>;
  readonly boards: Pick<BoardActions, 'maySet'>;
  /** Opens a session's conversation. */
  readonly show: (sessionId: string) => void;
}

/**
 * Has an agent work on chosen tasks of a board, in a session that can change no other tasks there.
 */
export class TaskSessions {
  constructor(private readonly deps: TaskSessionsDeps) {}

  /**
   * A function that asks for the agent and starts it; undefined if no program starts such sessions,
   * or no task is left that an agent can do.
   */
  starter(board: Board, tasks: readonly Task[]): (() => void) | undefined {
    const open = tasks.filter(isLeftToDo);
    const able = isFeatureAvailable(this.deps.parts.connection.state, 'tasks');
    if (!able || open.length === 0 || !isWritable(board)) return undefined;
    return () => void this.start(board, open);
  }

  private async start(board: Board, tasks: readonly Task[]): Promise<void> {
    const { app, parts, overview, writes, boards } = this.deps;
    const taken = alreadyTakenText(overview.state, board, tasks);
    if (taken !== undefined) return writes.notify(taken);
    if (!(await boards.maySet(withDone(board, tasks), tasks, 'in_progress'))) return;
    const { settings } = parts;
    const { defaultAgent: agent, enterSends } = settings.current;
    const given = { agent, enterSends, hosts: () => startHosts(parts) };
    const titles = tasks.map(({ title }) => title);
    const options = await openForm<SessionOptions>(app, t('session.haveItDone'), (onDone) =>
      h(StartSessionForm, { ...given, tasks: titles, onDone }),
    );
    if (options === undefined) return;
    const left = stillOpen(overview.state, board, tasks);
    if (left.length === 0) return writes.notify(t('session.nothingLeftToDo'));
    const takenSince = alreadyTakenText(overview.state, board, left);
    if (takenSince !== undefined) return writes.notify(takenSince);
    const prepared = await this.prepare(board, left);
    if (prepared === undefined) return;
    await this.begin(prepared.board, prepared.tasks, options);
  }

  private async begin(
    board: Board,
    tasks: readonly Task[],
    { text, bridge, ...choice }: SessionOptions,
  ): Promise<void> {
    const ids = tasks.flatMap(({ id }) => id ?? []);
    const bound = { session: board.session, agent: board.agent, tasks: ids };
    const title = titleFromPrompt(tasks.map((task) => task.title).join(COMMA));
    const there = bridge === undefined ? choice : { ...choice, bridge };
    await beginSession(this.deps.parts, {
      ...{ start: { title, board: bound, ...there }, text: taskPrompt(board, tasks, text), choice },
      failureText: t('session.theAgentWasNotStarted'),
      onSent: (sessionId) =>
        this.deps.writes.notify(t('session.anAgentWorksOn', { tasks: tasksText(tasks) }), {
          label: t('common.openConversation'),
          onClick: () => this.deps.show(sessionId),
        }),
    });
  }

  /**
   * Gives each task an id by which the session names it, and takes the person off as its owner.
   * Returns undefined if that was not written.
   */
  private async prepare(
    board: Board,
    tasks: readonly Task[],
  ): Promise<{ readonly board: Board; readonly tasks: readonly Task[] } | undefined> {
    const own = tasks.filter(({ owner }) => owner === 'me');
    const bare = tasks.filter(({ id }) => id === null);
    const operations = [
      ...own.map((task): Op => ({ type: 'update', id: targetOf(task), owner: null })),
      ...bare.map((task): Op => ({ type: 'renumber', id: targetOf(task) })),
    ];
    if (operations.length === 0) return { board, tasks };
    const told = () =>
      joinSentences(
        own.length === 0 ? '' : t('session.notYours', { count: own.length }),
        bare.length === 0 ? '' : t('session.numbered', { count: bare.length }),
      );
    const written = await this.deps.writes.write(board, operations, told);
    if (!written.ok) return undefined;
    // The ids are written into the lines of the tasks, which keep their order.
    const { before, board: now } = written;
    const old = before?.board ?? board;
    const changed = tasks.flatMap((task) => {
      const found = findTask(old, targetOf(task));
      return found.ok ? (now.tasks[old.tasks.indexOf(found.task)] ?? []) : [];
    });
    return { board: now, tasks: changed };
  }
}

/** Whether an agent can do it: what is finished or under review is the person's. */
function isLeftToDo(task: Task): boolean {
  return !isFinished(task) && !isUnderReview(task);
}

/** The board with these tasks done: what is blocked there waits for something else. */
function withDone(board: Board, tasks: readonly Task[]): Board {
  const done = new Set(tasks.flatMap((task) => subtreeOf(board, task)));
  const completed = (task: Task): Task => ({ ...task, status: 'completed' });
  return { ...board, tasks: board.tasks.map((task) => (done.has(task) ? completed(task) : task)) };
}

/** The tasks as they are now, without those that can't be done any more since they were chosen. */
function stillOpen(
  { boards }: Pick<Overview['state'], 'boards'>,
  { path }: Board,
  tasks: readonly Task[],
): readonly Task[] {
  const board = boards.find((one) => one.path === path);
  return tasks.flatMap((task) => {
    const found = board && findTask(board, targetOf(task));
    return found?.ok === true && isLeftToDo(found.task) ? [found.task] : [];
  });
}

function tasksText(tasks: readonly Task[]): string {
  const [only, ...more] = tasks;
  return only !== undefined && more.length === 0
    ? quoted(only.title)
    : t('common.tasks', { count: tasks.length });
}

/** Why no session may be started for these tasks, as text for the person. */
function alreadyTakenText(
  { sessions, runs }: Pick<Overview['state'], 'sessions' | 'runs'>,
  board: Board,
  tasks: readonly Task[],
): string | undefined {
  const ofBoard = (one: { readonly session: string | null; readonly agent: string }) =>
    one.session === board.session && one.agent === board.agent;
  const isWorkedOn = (id: string) =>
    sessions.some(
      ({ state, board: on }) =>
        (state.kind === 'busy' || state.kind === 'retry') &&
        on !== undefined &&
        ofBoard(on) &&
        on.tasks?.includes(id) === true,
    );
  for (const { id, title } of tasks) {
    if (id === null) continue;
    if (runs.some((run) => ofBoard(run) && run.taken.includes(id))) {
      return t('session.aRunWorksOn', { title: quoted(title) });
    }
    if (isWorkedOn(id)) return t('session.anAgentWorksOnAlready', { title: quoted(title) });
  }
  return undefined;
}

/** The agent's first prompt. The board summary it gets also says what it may change. */
function taskPrompt(board: Board, tasks: readonly Task[], words: string): string {
  const these = tasks.length === 1 ? 'this task' : 'these tasks';
  const listed = tasks.flatMap((task) => [
    `- ${nameWithTitle(task)}`,
    ...task.body.map((line) => `  ${line}`),
  ]);
  const facts = boardFacts(withDone(board, tasks));
  const early = tasks.filter(({ key }) => facts.get(key)?.blocked);
  const allowed = [
    'The person lets you do these although they wait for other tasks. To start or complete one, send "force": true with a reason:',
    ...early.map((task) => `- ${nameWithTitle(task)}`),
  ];
  return [
    `Do ${these} of the plan ${quoted(board.title)}:`,
    ...listed,
    '',
    'With the tool `tasks`, set a task in progress when you begin it, and complete it when it is done; if it can’t be done, set it failed with the reason. You may add subtasks. Change no other task.',
    ...(early.length === 0 ? [] : allowed),
    ...(words === '' ? [] : ['', words]),
  ].join('\n');
}
