import type { Task } from '../../src/core/board/task';
import type { RunCommand } from '../../src/core/orchestrator/command';
import type { Happening, RunEvent } from '../../src/core/orchestrator/event';
import { LIMITS, type Limits } from '../../src/core/orchestrator/limits';
import { lookAtPlan } from '../../src/core/orchestrator/plan-look';
import { IDLE, type RunOptions, type RunState } from '../../src/core/orchestrator/state';
import { step } from '../../src/core/orchestrator/step';
import { board } from './plan-board';

export function wish(given: Partial<RunOptions> = {}, limits: Partial<Limits> = {}): RunOptions {
  return {
    ...{ goal: 'Make search work', agent: 'build', model: null, approve: true },
    ...given,
    limits: { ...LIMITS, ...limits },
  };
}

/** A run that a test drives by hand: its commands are in `commands`, newest last. */
export class Led {
  state: RunState = IDLE;
  tasks: readonly Task[] = [];
  /** undefined: the board has `tasks` */
  unreadable: string | undefined;
  at = 1_000;
  readonly commands: RunCommand[] = [];
  readonly log: Happening[] = [];

  do(event: RunEvent, after = 1): readonly RunCommand[] {
    this.at += after;
    const plan =
      this.unreadable === undefined
        ? lookAtPlan(board(this.tasks))
        : ({ kind: 'unreadable', message: this.unreadable } as const);
    const happening = { at: this.at, plan, event };
    const [next, commands] = step(this.state, happening);
    this.state = next;
    this.log.push(happening);
    this.commands.push(...commands);
    return commands;
  }

  /** The newest command of a type, which must have a key. */
  asked<T extends RunCommand['type']>(type: T): Extract<RunCommand, { type: T }> {
    const found = this.commands.filter((one) => one.type === type).at(-1);
    if (found === undefined) throw new Error(`no ${type} was asked for`);
    return found as Extract<RunCommand, { type: T }>;
  }

  count(type: RunCommand['type']): number {
    return this.commands.filter((one) => one.type === type).length;
  }

  /** Reports the newest command of a type as executed. */
  done(type: 'checkpoint' | 'write' | 'prompt' | 'plan_text' | 'number' | 'interrupt'): void {
    const { key } = this.asked(type);
    if (type === 'write') this.#write(this.asked('write'));
    this.do({ type: 'done', key });
  }

  opened(sessionId: string): void {
    this.do({ type: 'opened', key: this.asked('start_session').key, sessionId });
  }

  set(id: string, given: Partial<Task>): void {
    this.tasks = this.tasks.map((one) => (one.id === id ? { ...one, ...given } : one));
  }

  turnEnded(
    sessionId: string,
    message: string,
    reason: 'completed' | 'interrupted' | 'error' = 'completed',
  ): void {
    const error = reason === 'error' ? 'The model is overloaded.' : '';
    this.do({ type: 'turn_ended', sessionId, message, reason, error });
  }

  /** Plans and, if needed, approves: the tasks are on the board. */
  planned(
    tasks: readonly Task[],
    given: Partial<RunOptions> = {},
    limits: Partial<Limits> = {},
  ): this {
    this.do({ type: 'start', run: 'r1', wish: wish(given, limits), session: null });
    this.opened('planner');
    this.done('prompt');
    this.tasks = tasks;
    this.turnEnded('planner', 'm1');
    if (given.approve !== false) this.do({ type: 'approve' });
    return this;
  }

  /** Goes from the checkpoint of the newest started task to its running turn. */
  begun(session: string): this {
    this.done('checkpoint');
    this.done('write');
    this.opened(session);
    this.done('prompt');
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
