import { addPlan } from '../../exchange/text-plans';
import { WireError } from '../../../protocol/wire-error';
import type { Status } from '../../board/task';
import type { KeyedCommand } from '../command';
import type { PlanLook } from '../plan-look';
import { runPrompt } from '../run-prompt';
import { stateText } from '../serialise';
import type { RunState, TaskWrite } from '../state';
import { lookWords, sentBefore, stageOf, type PendingEvent } from './pending-events';
import type { OrchestratorDeps } from './orchestrator-deps';
import type { RunBoard } from './run-board';
import type { RunFiles } from './run-files';
import { bodyMeaning } from '../../board/note/task-block';
import { addResult } from '../../board/note/place-task';
import { setTaskStatus } from '../../board/note/edit-task';
import { giveId, reissue } from '../../board/note/give-id';
import type { Note } from '../../board/note/note';
import { withTitle } from '../../board/find-task';
import type { TodoManager } from '../../board/todo-manager';
import { fault, type Fault } from '../../fault';

type Command<T extends KeyedCommand['type']> = Extract<KeyedCommand, { type: T }>;

/** A command with what is known of it beside its words. */
export interface Order {
  readonly command: KeyedCommand;
  /** the board as it was when this was asked for; undefined where that is not known */
  readonly plan: PlanLook | undefined;
  /** it may have been carried out before */
  readonly again: boolean;
  /** when it was asked for first, ms since the epoch, or a little earlier */
  readonly since: number;
}

/** It can be tried again later as it is. */
export class RetryableError extends Error {}

/** Of the store: what a disk that is full or held for a moment answers. */
export function retryable(code: string): boolean {
  return code === 'busy' || code === 'disk_full' || code === 'io';
}

interface ExecutorPort {
  readonly deps: OrchestratorDeps;
  readonly files: RunFiles;
  readonly id: string;
  readonly board: RunBoard;
  state(): RunState;
  readonly sends: Sends;
  /** this program carries the run out no more */
  closed(): boolean;
}

/** Carries commands out, each once per key. Everything that may pass is thrown, all else is a word. */
export class CommandExecutor {
  constructor(private readonly port: ExecutorPort) {}

  async carryOut(order: Order): Promise<readonly PendingEvent[]> {
    const { command } = order;
    switch (command.type) {
      case 'start_session':
        return this.#start(command);
      case 'prompt':
        return this.#prompt(command);
      case 'interrupt':
        return this.#interrupt(command);
      case 'checkpoint':
        return this.#checkpoint(command, order);
      case 'write':
      case 'number':
      case 'plan_text':
        return this.#write(command, order);
    }
  }

  async #start({ key, role, title, parent, task, agent }: Command<'start_session'>) {
    const { wish } = this.#run();
    const bound = { session: parent ?? '', agent: wish.agent, ...(task !== null && { task }) };
    const { sessionId } = await this.#runtime.start({
      ...{ key, title, agent: agent ?? wish.agent },
      ...(wish.model !== null && { model: wish.model }),
      ...(parent !== null && { parentId: parent }),
      ...(role !== 'plan' && { board: bound }),
    });
    return [{ type: 'opened', key, sessionId } as const];
  }

  async #prompt(command: Command<'prompt'>): Promise<readonly PendingEvent[]> {
    const { key, session } = command;
    const { deps, board } = this.port;
    const state = this.port.state();
    const { wish } = this.#run();
    const prompt = runPrompt(command, wish.goal, await board.load(state), deps.strategy);
    if (!prompt.ok) return [{ type: 'refused', key, message: prompt.message }];
    const still = this.port.sends.next(session);
    try {
      const { before } = await this.#runtime.send(session, prompt.text, {
        ...{ key, agent: agentOf(state, command) ?? wish.agent },
        ...(wish.model !== null && { model: wish.model }),
      });
      if (!before) return [{ type: 'done', key }];
      const look = await this.#runtime.look(session);
      return [sentBefore(key, session, look), ...lookWords(session, look, still)];
    } catch (error) {
      return unknownSession(error, session);
    }
  }

  /** A turn that runs on is told again to stop. */
  async #interrupt({ key, session }: Command<'interrupt'>): Promise<readonly PendingEvent[]> {
    const still = this.port.sends.now(session);
    try {
      await this.#runtime.interrupt(session);
      const look = await this.#runtime.look(session);
      if (look.status !== 'idle') throw new RetryableError('The turn runs on.');
      return [...lookWords(session, look, still), { type: 'done', key }];
    } catch (error) {
      return [...unknownSession(error, session), { type: 'done', key }];
    }
  }

  async #checkpoint(
    { key, label }: Command<'checkpoint'>,
    { again, since }: Order,
  ): Promise<readonly PendingEvent[]> {
    const path = await this.#path();
    const { checkpoints } = this.port.deps.boards.manager();
    const there = again
      ? (await checkpoints.list(path)).find(
          (one) => one.by === 'system' && one.label === label && one.at >= since,
        )
      : undefined;
    const made = there ?? (await checkpoints.add(path, { by: 'system', label }));
    if ('ok' in made && !made.ok) return [{ type: 'refused', key, message: made.message }];
    const { n } = 'ok' in made ? made.checkpoint : made;
    await this.port.files.keepAt(this.port.id, n, stateText(this.port.state()));
    return [{ type: 'done', key, n }];
  }

  async #write(
    command: Command<'write' | 'number' | 'plan_text'>,
    order: Order,
  ): Promise<readonly PendingEvent[]> {
    const { key } = command;
    const path = await this.#path();
    const done = { type: 'done', key } as const;
    const manager = this.port.deps.boards.manager();
    if (order.again && (await wasWritten(manager, path, key))) return [done];
    const written = await this.#written(command, order, path);
    if (written.ok) return [done];
    if (retryable(written.code)) throw new RetryableError(written.message);
    return [{ type: 'refused', key, message: written.message }];
  }

  async #written(
    command: Command<'write' | 'number' | 'plan_text'>,
    { plan }: Order,
    path: string,
  ): Promise<Written> {
    const { boards, clock } = this.port.deps;
    const manager = boards.manager();
    switch (command.type) {
      case 'write':
        return writeTask(manager, path, command, seenStatus(plan, command.task), clock.today());
      case 'number':
        return numberLine(manager, path, command);
      case 'plan_text': {
        const { planner, wish } = this.#run();
        const why = forRun(command.key);
        return addPlan(
          manager,
          { session: planner ?? '', agent: wish.agent },
          command.text,
          RUN_ACTOR,
          why,
        );
      }
    }
  }

  async #path(): Promise<string> {
    const path = await this.port.board.path(this.port.state());
    if (path === undefined) throw new Error('assertion: a write before there is a board');
    return path;
  }

  /** OpenCode, of which nothing is asked any more once the run rests. */
  get #runtime(): OrchestratorDeps['runtime'] {
    if (this.port.closed()) throw new RetryableError('The run rests.');
    return this.port.deps.runtime;
  }

  #run() {
    const state = this.port.state();
    if (state.kind === 'idle') throw new Error('assertion: a command of no run');
    return state.run;
  }
}

function unknownSession(error: unknown, sessionId: string): readonly PendingEvent[] {
  if (error instanceof WireError && error.code === 'unknown_session') {
    return [{ type: 'session_ended', sessionId }];
  }
  throw error;
}

function seenStatus(plan: PlanLook | undefined, task: string): Status | undefined {
  return plan?.kind === 'plan' ? plan.tasks.find(({ id }) => id === task)?.status : undefined;
}

/** Who works on a task, as it was taken up. */
function agentOf(state: RunState, { role, task }: Command<'prompt'>): string | null {
  const stage = stageOf(state);
  if (role !== 'work' || stage?.kind !== 'executing') return null;
  return stage.steps.find((step) => step.task === task)?.agent ?? null;
}

/** What a run does to the board is no person's doing; the history names it so. */
export const RUN_ACTOR = { kind: 'agent', name: 'run' } as const;

type Written = { readonly ok: true } | Fault;

type WriteCommand<T extends KeyedCommand['type']> = Extract<KeyedCommand, { type: T }>;

/** Whether the history has what was done for a key. */
async function wasWritten(manager: TodoManager, path: string, key: string): Promise<boolean> {
  const records = await manager.changes(path);
  return records.some(
    ({ by, said }) =>
      by.kind === 'agent' &&
      by.name === RUN_ACTOR.name &&
      said.some((one) => one.endsWith(forRun(key))),
  );
}

/**
 * One write of a task for the run. What stands already is written no second time.
 * @param seen the task's status when this was asked for; undefined where that is not known
 */
export function writeTask(
  manager: TodoManager,
  path: string,
  { key, task: id, write }: WriteCommand<'write'>,
  seen: Status | undefined,
  today: string,
): Promise<Written> {
  const said = `${saidOf(write)} ${forRun(key)}`;
  return manager.edit(path, RUN_ACTOR, said, (note) => {
    const task = note?.board.tasks.find((one) => one.key === id);
    if (note === undefined || task === undefined) {
      return fault('unknown_task', 'The task is gone from the board.');
    }
    if (write.kind === 'result') {
      const stands = bodyMeaning(task).results.at(-1) === write.result.trim();
      return stands ? { ok: true, text: note.text } : addResult(note, id, write.result);
    }
    const status = statusOf(write);
    if (task.status === status) return { ok: true, text: note.text };
    if (seen !== undefined && task.status !== seen) {
      return fault(
        'changed_since',
        `${withTitle(task)} is ${task.status.replace('_', ' ')} since.`,
      );
    }
    const reason = 'reason' in write && write.reason !== '' ? { reason: write.reason } : {};
    return setTaskStatus(note, id, status, { today, ...reason });
  });
}

/** A number for a line that has none, or another's. */
function numberLine(
  manager: TodoManager,
  path: string,
  { key, line, title }: WriteCommand<'number'>,
): Promise<Written> {
  return manager.edit(path, RUN_ACTOR, `gave a number ${forRun(key)}`, (note) => {
    const bare = (note?.board.tasks ?? []).filter(
      (task) => task.id !== task.key && task.title === title,
    );
    const task = bare.find((one) => one.line === line) ?? (bare.length === 1 ? bare[0] : undefined);
    if (note === undefined || task === undefined) {
      return fault('unknown_task', `"${title}" is no longer there, or was changed.`);
    }
    return numbered(note, task.key, task.id === null);
  });
}

function numbered(note: Note, key: string, without: boolean): ReturnType<typeof giveId> {
  return without ? giveId(note, key) : reissue(note, key);
}

function statusOf(write: Exclude<TaskWrite, { kind: 'result' }>): Status {
  switch (write.kind) {
    case 'begin':
    case 'reopen':
      return 'in_progress';
    case 'fail':
      return 'failed';
    case 'complete':
      return 'completed';
    case 'cancelled':
    case 'deferred':
      return write.kind;
  }
}

function saidOf(write: TaskWrite): string {
  switch (write.kind) {
    case 'begin':
      return 'begun';
    case 'reopen':
      return 'opened again';
    case 'fail':
      return 'failed';
    case 'complete':
      return 'completed';
    case 'result':
      return 'result noted';
    case 'cancelled':
    case 'deferred':
      return write.kind;
  }
}

/** Ends the line in the history by which a write is found again. */
function forRun(key: string): string {
  return `for the run [${key}]`;
}

/** Counts the prompts to each session, so that a look at one knows whether it is out of date. */
export class Sends {
  readonly #counts = new Map<string, number>();

  /** @returns whether no prompt went out since this one */
  next(session: string): () => boolean {
    this.#counts.set(session, this.#of(session) + 1);
    return this.now(session);
  }

  /** @returns whether no prompt went out since now */
  now(session: string): () => boolean {
    const count = this.#of(session);
    return () => this.#of(session) === count;
  }

  #of(session: string): number {
    return this.#counts.get(session) ?? 0;
  }
}
