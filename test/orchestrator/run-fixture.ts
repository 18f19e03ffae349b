import type { Task } from '../../src/core/board/task';
import type { RunCommand } from '../../src/core/orchestrator/command';
import type { EventRecord, RunEvent } from '../../src/core/orchestrator/event';
import { LIMITS, type Limits } from '../../src/core/orchestrator/limits';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import { IDLE, type RunOptions, type RunState } from '../../src/core/orchestrator/state';
import { step } from '../../src/core/orchestrator/step';
import { board } from './plan-board';

export function runOptions(
  given: Partial<RunOptions> = {},
  limits: Partial<Limits> = {},
): RunOptions {
  return {
    ...{ goal: 'Make search work', agent: 'build', model: null, approve: true },
    ...given,
    limits: { ...LIMITS, ...limits },
  };
}

/** A run that a test drives by hand: its commands are in `commands`, newest last. */
export class ManualRun {
  state: RunState = IDLE;
  tasks: readonly Task[] = [];
  /** undefined: the board has `tasks` */
  unreadable: string | undefined;
  at = 1_000;
  readonly commands: RunCommand[] = [];
  readonly log: EventRecord[] = [];

  send(event: RunEvent, after = 1): readonly RunCommand[] {
    this.at += after;
    const plan =
      this.unreadable === undefined
        ? planSnapshotOf(board(this.tasks))
        : ({ kind: 'unreadable', message: this.unreadable } as const);
    const happening = { at: this.at, plan, event };
    const [next, commands] = step(this.state, happening);
    this.state = next;
    this.log.push(happening);
    this.commands.push(...commands);
    return commands;
  }

  /** The newest command of a type, which must have a key. */
  newestCommand<T extends RunCommand['type']>(type: T): Extract<RunCommand, { type: T }> {
    const found = this.commands.filter((one) => one.type === type).at(-1);
    if (found === undefined) throw new Error(`no ${type} was asked for`);
    return found as Extract<RunCommand, { type: T }>;
  }

  count(type: RunCommand['type']): number {
    return this.commands.filter((one) => one.type === type).length;
  }

  /** Reports the newest command of a type as executed. */
  reportDone(type: 'checkpoint' | 'write' | 'prompt' | 'plan_text' | 'number' | 'interrupt'): void {
    const { key } = this.newestCommand(type);
    if (type === 'write') this.#write(this.newestCommand('write'));
    this.send({ type: 'done', key });
  }

  reportOpened(sessionId: string): void {
    this.send({ type: 'opened', key: this.newestCommand('start_session').key, sessionId });
  }

  set(id: string, given: Partial<Task>): void {
    this.tasks = this.tasks.map((one) => (one.id === id ? { ...one, ...given } : one));
  }

  reportTurnEnded(
    sessionId: string,
    message: string,
    reason: 'completed' | 'interrupted' | 'error' = 'completed',
  ): void {
    const error = reason === 'error' ? 'The model is overloaded.' : '';
    this.send({ type: 'turn_ended', sessionId, message, reason, error });
  }

  /** Plans and, if needed, approves: the tasks are on the board. */
  startPlanned(
    tasks: readonly Task[],
    given: Partial<RunOptions> = {},
    limits: Partial<Limits> = {},
  ): this {
    this.send({ type: 'start', run: 'r1', wish: runOptions(given, limits), session: null });
    this.reportOpened('planner');
    this.reportDone('prompt');
    this.tasks = tasks;
    this.reportTurnEnded('planner', 'm1');
    if (given.approve !== false) this.send({ type: 'approve' });
    return this;
  }

  /** Goes from the checkpoint of the newest started task to its running turn. */
  startTask(session: string): this {
    this.reportDone('checkpoint');
    this.reportDone('write');
    this.reportOpened(session);
    this.reportDone('prompt');
    return this;
  }

  #write({ task, write }: Extract<RunCommand, { type: 'write' }>): void {
    switch (write.kind) {
      case 'begin':
      case 'reopen':
        return this.set(task, { status: 'in_progress' });
      case 'fail':
        return this.set(task, { status: 'failed' });
      case 'cancelled':
      case 'deferred':
        return this.set(task, { status: write.kind });
      case 'complete':
        return this.set(task, { status: 'completed' });
      case 'result': {
        const before = this.tasks.find(({ id }) => id === task)?.body ?? [];
        return this.set(task, { body: [...before, `Result: ${write.result}`] });
      }
    }
  }
}
