import { WireError } from '../../../protocol/wire-error';
import { KeyedQueue } from '../../keyed-queue';
import { StoreError } from '../../ports';
import { owedCommands, type KeyedCommand } from '../command';
import type { DrivenRun, PendingEvent } from './driven-run';
import { execute, isRetryableCode, RetryableError, type CommandRequest } from './command-executor';

interface Job {
  readonly request: CommandRequest;
  phase: 'waits' | 'runs' | 'answered';
  /** why it failed, after more than one try; else null */
  lastError: string | null;
}

/** Longest pause between two tries, ms. */
const MAX_RETRY_DELAY = 30_000;

/**
 * Executes commands: those for one session, and those for the board, in the order in which they
 * were given. A command that fails with a retryable error is tried again as long as the run owes
 * it.
 */
export class CommandQueue {
  readonly #jobs = new Map<string, Job>();
  readonly #lanes = new KeyedQueue();

  constructor(private readonly run: DrivenRun) {}

  enqueue(request: CommandRequest): void {
    const { command } = request;
    const before = this.#jobs.get(command.key);
    // The answer of an executed command is on its way; only an interrupt is executed again, if its
    // turn still runs.
    if (before !== undefined && !(before.phase === 'answered' && command.type === 'interrupt')) {
      return;
    }
    const job: Job = { request, phase: 'waits', lastError: null };
    this.#jobs.set(command.key, job);
    void this.#lanes.run(laneOf(command), () => this.#runJob(job));
  }

  requestOf(key: string): CommandRequest | undefined {
    return this.#jobs.get(key)?.request;
  }

  /** Whether a prompt to the session is being sent and has no answer yet. */
  isPrompting(session: string): boolean {
    return [...this.#jobs.values()].some(
      ({ phase, request: { command } }) =>
        phase === 'runs' && command.type === 'prompt' && command.session === session,
    );
  }

  /** Why the board can't be written, for the person; null if it can. */
  get boardFault(): string | null {
    const jobs = [...this.#jobs.values()].filter(
      ({ request }) => laneOf(request.command) === 'board',
    );
    return jobs.find(({ lastError }) => lastError !== null)?.lastError ?? null;
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
  dropExecuted(): void {
    for (const [key, { phase }] of this.#jobs) {
      if (phase === 'answered' && !this.#owes(key)) this.#jobs.delete(key);
    }
  }

  async #runJob(job: Job): Promise<void> {
    const { backoff, deps } = this.run;
    const { key, type } = job.request.command;
    const lane = laneOf(job.request.command);
    for (let tries = 1; this.#wants(key); tries += 1) {
      job.phase = 'runs';
      try {
        const request = tries === 1 ? job.request : { ...job.request, isRepeat: true };
        const events = await execute(this.run, request);
        if (!backoff.closed) this.#answer(job, events);
        return;
      } catch (error) {
        if (backoff.closed) return;
        const message = error instanceof Error ? error.message : String(error);
        if (!isRetryable(error)) return this.#answer(job, [{ type: 'refused', key, message }]);
        deps.log.note('A command of a run is tried again.', {
          at: 'run.command',
          key,
          type,
          error: message,
        });
        if (tries > 1) job.lastError = message;
      }
      job.phase = 'waits';
      this.run.changed();
      const ms = Math.min(MAX_RETRY_DELAY, 250 * 2 ** Math.min(tries, 10));
      await (lane === 'board' ? backoff.wait(ms) : backoff.waitOnline(ms));
    }
    this.#jobs.delete(key);
  }

  #answer(job: Job, events: readonly PendingEvent[]): void {
    job.phase = 'answered';
    job.lastError = null;
    for (const event of events) this.run.enqueue(event);
  }

  /** Whether the run still owes the command; an event may have changed that meanwhile. */
  #wants(key: string): boolean {
    return !this.run.backoff.closed && this.#owes(key);
  }

  #owes(key: string): boolean {
    return owedCommands(this.run.state).some((one) => one.key === key);
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
  return (
    error instanceof RetryableError || (error instanceof StoreError && isRetryableCode(error.code))
  );
}
