import { addPlan } from '../../exchange/text-plans';
import { WireError } from '../../../protocol/wire-error';
import { underReview } from '../../board/facts';
import type { Status } from '../../board/task';
import type { KeyedCommand } from '../command';
import type { PlanLook } from '../plan-look';
import { runPrompt } from '../run-prompt';
import { stateText } from '../serialise';
import { RUN_SENTENCES, type RunOptions, type TaskWrite } from '../state';
import { stepsOf } from '../runs';
import { unprompted, type CarriedRun, type PendingEvent } from './carried-run';
import { lookWords, sentBefore } from './pending-events';
import type { OrchestratorDeps } from './orchestrator-deps';
import { bodyMeaning } from '../../board/note/task-block';
import type { DecideOps } from '../../board/op';
import { withTitle } from '../../board/find-task';
import type { TodoManager } from '../../board/todo-manager';
import { fault, type Fault } from '../../fault';

type Command<T extends KeyedCommand['type']> = Extract<KeyedCommand, { type: T }>;

/** A command and the circumstances of its request. */
export interface Order {
  readonly command: KeyedCommand;
  /** the board when the command was requested; undefined if unknown */
  readonly plan: PlanLook | undefined;
  /** whether it may have been executed before */
  readonly again: boolean;
  /** ms since the epoch of the first request, or a little earlier */
  readonly since: number;
}

/** The command may succeed unchanged if tried again later. */
export class RetryableError extends Error {}

/** Whether an error of the store may pass: the disk is full or a file is locked for the moment. */
export function retryable(code: string): boolean {
  return code === 'busy' || code === 'disk_full' || code === 'io';
}

/** Executes a command, once per key. Throws retryable errors, returns all other outcomes as events. */
export async function execute(run: CarriedRun, order: Order): Promise<readonly PendingEvent[]> {
  const { command } = order;
  switch (command.type) {
    case 'start_session':
      return startSession(run, command);
    case 'prompt':
      return prompt(run, command);
    case 'interrupt':
      return interrupt(run, command);
    case 'checkpoint':
      return checkpoint(run, command, order);
    case 'write':
    case 'number':
    case 'plan_text':
      return write(run, command, order);
  }
}

async function startSession(
  run: CarriedRun,
  { key, role, title, parent, task, agent }: Command<'start_session'>,
): Promise<readonly PendingEvent[]> {
  const { wish } = started(run);
  const bound = { session: parent ?? '', agent: wish.agent, ...(task !== null && { task }) };
  const { sessionId } = await runtimeOf(run).start({
    ...{ key, title, agent: agent ?? wish.agent },
    ...(wish.model !== null && { model: wish.model }),
    ...(parent !== null && { parentId: parent }),
    ...(role !== 'plan' && { board: bound }),
  });
  return [{ type: 'opened', key, sessionId }];
}

async function prompt(
  run: CarriedRun,
  command: Command<'prompt'>,
): Promise<readonly PendingEvent[]> {
  const { key, session, role, task } = command;
  const { wish } = started(run);
  const said = runPrompt(command, wish.goal, await run.board.load(), run.deps.strategy);
  if (!said.ok) return [{ type: 'refused', key, message: said.message }];
  const related = await notesFor(run, command, wish);
  run.sent.set(session, (run.sent.get(session) ?? 0) + 1);
  const still = unprompted(run, session);
  // The agent that was chosen when the step was taken up.
  const step = role === 'work' ? stepsOf(run).find((one) => one.task === task) : undefined;
  try {
    const { before } = await runtimeOf(run).send(session, said.text, {
      ...{ key, agent: step?.agent ?? wish.agent },
      ...(wish.model !== null && { model: wish.model }),
      ...(related !== undefined && { context: { related } }),
    });
    const notes = (related?.notes ?? []).map(({ path }) => path);
    const along = notes.length === 0 ? [] : [{ type: 'sent_along', notes } as const];
    if (!before) return [...along, { type: 'done', key }];
    const look = await runtimeOf(run).look(session);
    return [sentBefore(key, session, look), ...lookWords(session, look, still)];
  } catch (error) {
    return unknownSession(error, session);
  }
}

/**
 * Notes to send with the first prompt for a plan. If the search fails, the run continues without
 * notes.
 */
async function notesFor(
  { deps }: CarriedRun,
  { role, session: sessionId, attempt }: Command<'prompt'>,
  { goal, agent }: RunOptions,
) {
  if (role !== 'plan' || attempt > 1) return undefined;
  try {
    return await deps.notesFor?.(goal, { sessionId, agent });
  } catch (error) {
    const why = { at: 'run.notes', severity: 'error', error: String(error) } as const;
    deps.log.note('Notes for a plan could not be looked for.', why);
    return undefined;
  }
}

/** Interrupts a turn; throws a retryable error as long as the turn runs. */
async function interrupt(
  run: CarriedRun,
  { key, session }: Command<'interrupt'>,
): Promise<readonly PendingEvent[]> {
  const still = unprompted(run, session);
  try {
    await runtimeOf(run).interrupt(session);
    const look = await runtimeOf(run).look(session);
    if (look.status !== 'idle') throw new RetryableError('The turn runs on.');
    return [...lookWords(session, look, still), { type: 'done', key }];
  } catch (error) {
    return [...unknownSession(error, session), { type: 'done', key }];
  }
}

async function checkpoint(
  run: CarriedRun,
  { key, label }: Command<'checkpoint'>,
  { again, since }: Order,
): Promise<readonly PendingEvent[]> {
  const path = await pathOf(run);
  const { checkpoints } = run.deps.boards.manager();
  const there = again
    ? (await checkpoints.list(path)).find(
        (one) => one.by === 'system' && one.label === label && one.at >= since,
      )
    : undefined;
  const made = there ?? (await checkpoints.add(path, { by: 'system', label }));
  if ('ok' in made && !made.ok) return [{ type: 'refused', key, message: made.message }];
  const { n } = 'ok' in made ? made.checkpoint : made;
  await run.files.keepAt(run.journal.id, n, stateText(run.state));
  return [{ type: 'done', key, n }];
}

type Write = Command<'write' | 'number' | 'plan_text'>;

async function write(
  run: CarriedRun,
  command: Write,
  { again, plan }: Order,
): Promise<readonly PendingEvent[]> {
  const { key } = command;
  const path = await pathOf(run);
  const manager = run.deps.boards.manager();
  const done = again && (await wasWritten(manager, path, key));
  const written = done ? { ok: true as const } : await writeAt(run, manager, path, command, plan);
  if (written.ok) return [{ type: 'done', key }];
  if (retryable(written.code)) throw new RetryableError(written.message);
  return [{ type: 'refused', key, message: written.message }];
}

function writeAt(
  run: CarriedRun,
  manager: TodoManager,
  path: string,
  command: Write,
  plan: PlanLook | undefined,
): Promise<Written> {
  switch (command.type) {
    case 'write': {
      const tasks = plan?.kind === 'plan' ? plan.tasks : [];
      const seen = tasks.find(({ id }) => id === command.task)?.status;
      return writeTask(manager, path, command, seen);
    }
    case 'number':
      return numberLine(manager, path, command);
    case 'plan_text': {
      const { planner, wish } = started(run);
      const board = { session: planner ?? '', agent: wish.agent };
      return addPlan(manager, board, command.text, RUN_ACTOR, forRun(command.key));
    }
  }
}

async function pathOf({ board }: CarriedRun): Promise<string> {
  const path = await board.path();
  if (path === undefined) throw new Error('assertion: a write before there is a board');
  return path;
}

/** The runtime; throws once the run is closed, so that nothing more is requested. */
function runtimeOf({ deps, waits }: CarriedRun): OrchestratorDeps['runtime'] {
  if (waits.closed) throw new RetryableError('The run rests.');
  return deps.runtime;
}

function started({ state }: CarriedRun) {
  if (state.kind === 'idle') throw new Error('assertion: a command of no run');
  return state.run;
}

function unknownSession(error: unknown, sessionId: string): readonly PendingEvent[] {
  if (error instanceof WireError && error.code === 'unknown_session') {
    return [{ type: 'session_ended', sessionId }];
  }
  throw error;
}

/** The author of a run's board changes in the history, distinct from a person. */
export const RUN_ACTOR = { kind: 'agent', name: 'run' } as const;

type Written = { readonly ok: true } | Fault;

/** Whether the history contains the write with this key. */
async function wasWritten(manager: TodoManager, path: string, key: string): Promise<boolean> {
  const records = await manager.changes(path);
  return records.some(
    ({ by, said }) =>
      by.kind === 'agent' &&
      by.name === RUN_ACTOR.name &&
      said.some((one) => one.endsWith(forRun(key))),
  );
}

/** The status that a write sets, and the text for the history. */
const WRITES: Readonly<Record<TaskWrite['kind'], readonly [Status | undefined, string]>> = {
  begin: ['in_progress', 'begun'],
  reopen: ['in_progress', 'opened again'],
  fail: ['failed', 'failed'],
  complete: ['completed', 'completed'],
  cancelled: ['cancelled', 'cancelled'],
  deferred: ['deferred', 'deferred'],
  result: [undefined, 'result noted'],
};

/**
 * Writes a task for the run. Does nothing if the task already has the status or result.
 * @param seen the task's status when the write was requested; undefined if unknown
 */
export function writeTask(
  manager: TodoManager,
  path: string,
  { key, task: id, write }: Command<'write'>,
  seen: Status | undefined,
): Promise<Written> {
  const [status, said] = WRITES[write.kind];
  const decide: DecideOps = (note) => {
    const task = note?.board.tasks.find((one) => one.key === id);
    if (task === undefined) return fault('unknown_task', RUN_SENTENCES.taskGone);
    if (write.kind === 'result' || status === undefined) {
      const result = write.kind === 'result' ? write.result : '';
      const stands = bodyMeaning(task).results.at(-1) === result.trim();
      return stands ? [] : [{ type: 'result', id: task, result }];
    }
    if (task.status === status && !underReview(task)) return [];
    if (seen !== undefined && task.status !== seen) {
      const now = task.status.replace('_', ' ');
      return fault('changed_since', `${withTitle(task)} is ${now} since.`);
    }
    const reason = 'reason' in write && write.reason.trim() !== '' ? { reason: write.reason } : {};
    return [{ type: 'update', id: task, status, ...reason }];
  };
  return manager.commit(path, RUN_ACTOR, decide, { said: `${said} ${forRun(key)}` });
}

/** Assigns a number to a line that has none, or that has another line's. */
function numberLine(
  manager: TodoManager,
  path: string,
  { key, line, title }: Command<'number'>,
): Promise<Written> {
  const decide: DecideOps = (note) => {
    const bare = (note?.board.tasks ?? []).filter(
      (task) => task.id !== task.key && task.title === title,
    );
    const task = bare.find((one) => one.line === line) ?? (bare.length === 1 ? bare[0] : undefined);
    if (task !== undefined) return [{ type: 'renumber', id: task }];
    return fault('unknown_task', `"${title}" is no longer there, or was changed.`);
  };
  return manager.commit(path, RUN_ACTOR, decide, { said: `gave a number ${forRun(key)}` });
}

/** The end of a history entry, by which a write is found again. */
function forRun(key: string): string {
  return `for the run [${key}]`;
}
