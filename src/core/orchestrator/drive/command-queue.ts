import { WireError } from '../../../protocol/wire-error';
import { KeyedQueue } from '../../keyed-queue';
import { StoreError } from '../../ports';
import { owed, type KeyedCommand } from '../command';
import type { CarriedRun, PendingEvent } from './carried-run';
import { execute, retryable, RetryableError, type Order } from './command-executor';

interface Job {
  readonly order: Order;
  phase: 'waits' | 'runs' | 'answered';
  /** why it failed, after more than one try; else null */
  trouble: string | null;
}

/** Longest pause between two tries, ms. */
const LONGEST = 30_000;

/**
 * Executes commands: those for one session, and those for the board, in the order in which they
 * were given. A command that fails with a retryable error is tried again as long as the run owes
 * it.
 */
export class CommandQueue {
  readonly #jobs = new Map<string, Job>();
  readonly #lanes = new KeyedQueue();

  constructor(private readonly run: CarriedRun) {}

  give(order: Order): void {
    const { command } = order;
    const before = this.#jobs.get(command.key);
    // The answer of an executed command is on its way; only an interrupt is executed again, if its
    // turn still runs.
    if (before !== undefined && !(before.phase === 'answered' && command.type === 'interrupt')) {
      return;
    }
    const job: Job = { order, phase: 'waits', trouble: null };
    this.#jobs.set(command.key, job);
    void this.#lanes.run(laneOf(command), () => this.#carry(job));
  }

  orderOf(key: string): Order | undefined {
    return this.#jobs.get(key)?.order;
  }

  /** Whether a prompt to the session is being sent and has no answer yet. */
  prompts(session: string): boolean {
    return [...this.#jobs.values()].some(
      ({ phase, order: { command } }) =>
        phase === 'runs' && command.type === 'prompt' && command.session === session,
    );
  }

  /** Why the board can't be written, for the person; null if it can. */
  get trouble(): string | null {
    const jobs = [...this.#jobs.values()].filter(({ order }) => laneOf(order.command) === 'board');
    return jobs.find(({ trouble }) => trouble !== null)?.trouble ?? null;
  }

  /** Resolves when no write to the board is running. */
  close(): Promise<void> {
    return this.#lanes.run('board', () => Promise.resolve());
  }

  /** Whether a command has not been executed yet. */
  get busy(): boolean {
    return [...this.#jobs.values()].some(({ phase }) => phase !== 'answered');
  }

  /** Drops executed commands that the run no longer owes. */
  settle(): void {
    for (const [key, { phase }] of this.#jobs) {
      if (phase === 'answered' && !this.#owes(key)) this.#jobs.delete(key);
    }
  }

  async #carry(job: Job): Promise<void> {
    const { waits, deps } = this.run;
    const { key, type } = job.order.command;
    const lane = laneOf(job.order.command);
    for (let tries = 1; this.#wants(key); tries += 1) {
      job.phase = 'runs';
      try {
        const order = tries === 1 ? job.order : { ...job.order, again: true };
        const events = await execute(this.run, order);
        if (!waits.closed) this.#answer(job, events);
        return;
      } catch (error) {
        if (waits.closed) return;
        const message = error instanceof Error ? error.message : String(error);
        if (!isRetryable(error)) return this.#answer(job, [{ type: 'refused', key, message }]);
        deps.log.note('A command of a run is tried again.', {
          at: 'run.command',
          key,
          type,
          error: message,
        });
        if (tries > 1) job.trouble = message;
      }
      job.phase = 'waits';
      this.run.changed();
      const ms = Math.min(LONGEST, 250 * 2 ** Math.min(tries, 10));
      await (lane === 'board' ? waits.time(ms) : waits.turn(ms));
    }
    this.#jobs.delete(key);
  }

  #answer(job: Job, events: readonly PendingEvent[]): void {
    job.phase = 'answered';
    job.trouble = null;
    for (const event of events) this.run.hear(event);
  }

  /** Whether the run still owes the command; an event may have changed that meanwhile. */
  #wants(key: string): boolean {
    return !this.run.waits.closed && this.#owes(key);
  }

  #owes(key: string): boolean {
    return owed(this.run.state).some((one) => one.key === key);
  }
}

function laneOf(command: KeyedCommand): string {
  if ('session' in command) return `session ${command.session}`;
  return command.type === 'start_session' ? `start ${command.key}` : 'board';
}

function isRetryable(error: unknown): boolean {
  if (error instanceof WireError) {
    return error.retryable || error.code === 'cancelled' || error.code === 'timeout';
  }
  return error instanceof RetryableError || (error instanceof StoreError && retryable(error.code));
}
