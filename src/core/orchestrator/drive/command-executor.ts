import { addPlan } from '../../exchange/text-plans';
import { WireError } from '../../../protocol/wire-error';
import { isUnderReview } from '../../board/facts';
import type { Status } from '../../board/task';
import type { KeyedCommand } from '../command';
import type { PlanSnapshot } from '../plan-snapshot';
import { runPrompt } from '../run-prompt';
import { stateText } from '../serialise';
import { RUN_SENTENCES, type RunOptions, type TaskWrite } from '../state';
import { stepsOf } from '../runs';
import { noPromptSince, type DrivenRun, type PendingEvent } from './driven-run';
import { eventsFromStatus, repeatedPromptEvent } from './pending-events';
import type { OrchestratorDeps } from './orchestrator-deps';
import { readCompletionLines } from '../../board/note/task-block';
import type { DecideOperations } from '../../board/op';
import { nameWithTitle } from '../../board/find-task';
import type { TodoManager } from '../../board/todo-manager';
import { fault, type Fault } from '../../fault';

type Command<T extends KeyedCommand['type']> = Extract<KeyedCommand, { type: T }>;

/** A command and the circumstances of its request. */
export interface CommandRequest {
  readonly command: KeyedCommand;
  /** the board when the command was requested; undefined if unknown */
  readonly plan: PlanSnapshot | undefined;
  /** whether it may have been executed before */
  readonly isRepeat: boolean;
  /** ms since the epoch of the first request, or a little earlier */
  readonly since: number;
}

/** The command may succeed unchanged if tried again later. */
export class RetryableError extends Error {}

/** Whether an error of the store may pass: the disk is full or a file is locked for the moment. */
export function isRetryableCode(code: string): boolean {
  return code === 'busy' || code === 'disk_full' || code === 'io';
}

/** Executes a command, once per key. Throws retryable errors, returns all other outcomes as events. */
export async function execute(
  run: DrivenRun,
  request: CommandRequest,
): Promise<readonly PendingEvent[]> {
  const { command } = request;
  switch (command.type) {
    case 'start_session':
      return startSession(run, command);
    case 'prompt':
      return prompt(run, command);
    case 'interrupt':
      return interrupt(run, command);
    case 'checkpoint':
      return checkpoint(run, command, request);
    case 'write':
    case 'number':
    case 'plan_text':
      return write(run, command, request);
  }
}

async function startSession(
  run: DrivenRun,
  { key, role, title, parent, task, agent }: Command<'start_session'>,
): Promise<readonly PendingEvent[]> {
  const { wish } = startedRun(run);
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
  run: DrivenRun,
  command: Command<'prompt'>,
): Promise<readonly PendingEvent[]> {
  const { key, session, role, task } = command;
  const { wish } = startedRun(run);
  const said = runPrompt(command, wish.goal, await run.board.load(), run.deps.strategy);
  if (!said.ok) return [{ type: 'refused', key, message: said.message }];
  const related = await notesForPlan(run, command, wish);
  run.promptCounts.set(session, (run.promptCounts.get(session) ?? 0) + 1);
  const isCurrent = noPromptSince(run, session);
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
    const current = await runtimeOf(run).getStatus(session);
    return [
      repeatedPromptEvent(key, session, current),
      ...eventsFromStatus(session, current, isCurrent),
    ];
  } catch (error) {
    return sessionEndedIfUnknown(error, session);
  }
}

/**
 * Notes to send with the first prompt for a plan. If the search fails, the run continues without
 * notes.
 */
async function notesForPlan(
  { deps }: DrivenRun,
  { role, session: sessionId, attempt }: Command<'prompt'>,
  { goal, agent }: RunOptions,
) {
  if (role !== 'plan' || attempt > 1) return undefined;
  try {
    return await deps.findNotes?.(goal, { sessionId, agent });
  } catch (error) {
    const why = { at: 'run.notes', severity: 'error', error: String(error) } as const;
    deps.log.note('Notes for a plan could not be looked for.', why);
    return undefined;
  }
}

/** Interrupts a turn; throws a retryable error as long as the turn runs. */
async function interrupt(
  run: DrivenRun,
  { key, session }: Command<'interrupt'>,
): Promise<readonly PendingEvent[]> {
  const isCurrent = noPromptSince(run, session);
  try {
    await runtimeOf(run).interrupt(session);
    const current = await runtimeOf(run).getStatus(session);
    if (current.status !== 'idle') throw new RetryableError('The turn runs on.');
    return [...eventsFromStatus(session, current, isCurrent), { type: 'done', key }];
  } catch (error) {
    return [...sessionEndedIfUnknown(error, session), { type: 'done', key }];
  }
}

async function checkpoint(
  run: DrivenRun,
  { key, label }: Command<'checkpoint'>,
  { isRepeat, since }: CommandRequest,
): Promise<readonly PendingEvent[]> {
  const path = await pathOf(run);
  const { checkpoints } = run.deps.boards.manager();
  const there = isRepeat
    ? (await checkpoints.list(path)).find(
        (one) => one.by === 'system' && one.label === label && one.at >= since,
      )
    : undefined;
  const made = there ?? (await checkpoints.add(path, { by: 'system', label }));
  if ('ok' in made && !made.ok) return [{ type: 'refused', key, message: made.message }];
  const { n } = 'ok' in made ? made.checkpoint : made;
  await run.files.saveCheckpointState(run.journal.id, n, stateText(run.state));
  return [{ type: 'done', key, n }];
}

type Write = Command<'write' | 'number' | 'plan_text'>;

async function write(
  run: DrivenRun,
  command: Write,
  { isRepeat, plan }: CommandRequest,
): Promise<readonly PendingEvent[]> {
  const { key } = command;
  const path = await pathOf(run);
  const manager = run.deps.boards.manager();
  const done = isRepeat && (await wasWritten(manager, path, key));
  const written = done ? { ok: true as const } : await writeAt(run, manager, path, command, plan);
  if (written.ok) return [{ type: 'done', key }];
  if (isRetryableCode(written.code)) throw new RetryableError(written.message);
  return [{ type: 'refused', key, message: written.message }];
}

function writeAt(
  run: DrivenRun,
  manager: TodoManager,
  path: string,
  command: Write,
  plan: PlanSnapshot | undefined,
): Promise<WriteResult> {
  switch (command.type) {
    case 'write': {
      const tasks = plan?.kind === 'plan' ? plan.tasks : [];
      const seen = tasks.find(({ id }) => id === command.task)?.status;
      return writeTask(manager, path, command, seen);
    }
    case 'number':
      return numberLine(manager, path, command);
    case 'plan_text': {
      const { planner, wish } = startedRun(run);
      const board = { session: planner ?? '', agent: wish.agent };
      return addPlan(manager, board, command.text, RUN_ACTOR, runMark(command.key));
    }
  }
}

async function pathOf({ board }: DrivenRun): Promise<string> {
  const path = await board.path();
  if (path === undefined) throw new Error('assertion: a write before there is a board');
  return path;
}

/** The runtime; throws once the run is closed, so that nothing more is requested. */
function runtimeOf({ deps, backoff }: DrivenRun): OrchestratorDeps['runtime'] {
  if (backoff.closed) throw new RetryableError('The run is suspended.');
  return deps.runtime;
}

function startedRun({ state }: DrivenRun) {
  if (state.kind === 'idle') throw new Error('assertion: a command of no run');
  return state.run;
}

function sessionEndedIfUnknown(error: unknown, sessionId: string): readonly PendingEvent[] {
  if (error instanceof WireError && error.code === 'unknown_session') {
    return [{ type: 'session_ended', sessionId }];
  }
  throw error;
}

/** The author of a run's board changes in the history, distinct from a person. */
export const RUN_ACTOR = { kind: 'agent', name: 'run' } as const;

type WriteResult = { readonly ok: true } | Fault;

/** Whether the history contains the write with this key. */
async function wasWritten(manager: TodoManager, path: string, key: string): Promise<boolean> {
  const records = await manager.changes(path);
  return records.some(
    ({ by, said }) =>
      by.kind === 'agent' &&
      by.name === RUN_ACTOR.name &&
      said.some((one) => one.endsWith(runMark(key))),
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
): Promise<WriteResult> {
  const [status, historyText] = WRITES[write.kind];
  const decide: DecideOperations = (note) => {
    const task = note?.board.tasks.find((one) => one.key === id);
    if (task === undefined) return fault('unknown_task', RUN_SENTENCES.taskGone);
    if (write.kind === 'result' || status === undefined) {
      const result = write.kind === 'result' ? write.result : '';
      const isSame = readCompletionLines(task).results.at(-1) === result.trim();
      return isSame ? [] : [{ type: 'result', id: task, result }];
    }
    if (task.status === status && !isUnderReview(task)) return [];
    if (seen !== undefined && task.status !== seen) {
      const now = task.status.replace('_', ' ');
      return fault('changed_since', `${nameWithTitle(task)} is ${now} since.`);
    }
    const reason = 'reason' in write && write.reason.trim() !== '' ? { reason: write.reason } : {};
    return [{ type: 'update', id: task, status, ...reason }];
  };
  return manager.commit(path, RUN_ACTOR, decide, { said: `${historyText} ${runMark(key)}` });
}

/** Assigns a number to a line that has none, or that has another line's. */
function numberLine(
  manager: TodoManager,
  path: string,
  { key, line, title }: Command<'number'>,
): Promise<WriteResult> {
  const decide: DecideOperations = (note) => {
    const bare = (note?.board.tasks ?? []).filter(
      (task) => task.id !== task.key && task.title === title,
    );
    const task = bare.find((one) => one.line === line) ?? (bare.length === 1 ? bare[0] : undefined);
    if (task !== undefined) return [{ type: 'renumber', id: task }];
    return fault('unknown_task', `"${title}" is no longer there, or was changed.`);
  };
  return manager.commit(path, RUN_ACTOR, decide, { said: `gave a number ${runMark(key)}` });
}

/** The end of a history entry, by which a write is found again. */
function runMark(key: string): string {
  return `for the run [${key}]`;
}
