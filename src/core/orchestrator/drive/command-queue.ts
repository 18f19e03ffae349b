import { WireError } from '../../../protocol/wire-error';
import { KeyedQueue } from '../../keyed-queue';
import { StoreError } from '../../ports';
import { owed, type KeyedCommand } from '../command';
import { retryable, RetryableError, type CommandExecutor, type Order } from './command-executor';
import type { OrchestratorDeps } from './orchestrator-deps';
import type { RunState } from '../state';
import type { Backoff } from './timers';
import type { PendingEvent } from './pending-events';

interface Job {
  readonly order: Order;
  phase: 'waits' | 'runs' | 'answered';
  /** why it did not work yet, where it tried more than once */
  trouble: string | null;
}

/** The longest pause between two tries, ms. */
const LONGEST = 30_000;

/**
 * Has commands carried out: those to one session, and those to the board, in the order in which they
 * were given. One that can't be carried out now is tried again as long as the run waits for it.
 */
export class CommandQueue {
  readonly #jobs = new Map<string, Job>();
  readonly #lanes = new KeyedQueue();

  constructor(
    private readonly hands: CommandExecutor,
    private readonly deps: Pick<OrchestratorDeps, 'log'>,
    private readonly waits: Backoff,
    private readonly port: { state(): RunState; hear(word: PendingEvent): void; changed(): void },
  ) {}

  give(order: Order): void {
    const { command } = order;
    const before = this.#jobs.get(command.key);
    // What was answered is heard soon; a turn that still is to stop is told so once more.
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

  /** A prompt to the session is under way, and not answered. */
  prompts(session: string): boolean {
    return [...this.#jobs.values()].some(
      ({ phase, order: { command } }) =>
        phase === 'runs' && command.type === 'prompt' && command.session === session,
    );
  }

  /** What keeps the board from being written, for the person. */
  get trouble(): string | null {
    const jobs = [...this.#jobs.values()].filter(({ order }) => laneOf(order.command) === 'board');
    return jobs.find(({ trouble }) => trouble !== null)?.trouble ?? null;
  }

  /** Resolves when no write to the board is under way. */
  close(): Promise<void> {
    return this.#lanes.run('board', () => Promise.resolve());
  }

  /** Something is to be done still. */
  get busy(): boolean {
    return [...this.#jobs.values()].some(({ phase }) => phase !== 'answered');
  }

  /** Forgets what the run waits for no more. */
  settle(): void {
    const keys = new Set(owed(this.port.state()).map(({ key }) => key));
    for (const [key, { phase }] of this.#jobs) {
      if (phase === 'answered' && !keys.has(key)) this.#jobs.delete(key);
    }
  }

  async #carry(job: Job): Promise<void> {
    const { command } = job.order;
    for (let tries = 1; this.#wanted(command); tries += 1) {
      job.phase = 'runs';
      try {
        const order = tries === 1 ? job.order : { ...job.order, again: true };
        const words = await this.hands.carryOut(order);
        if (this.waits.closed) return;
        this.#answer(job, words);
        return;
      } catch (error) {
        if (this.waits.closed) return;
        if (!isRetryable(error)) {
          this.#answer(job, [{ type: 'refused', key: command.key, message: wordsOf(error) }]);
          return;
        }
        const words = wordsOf(error);
        const { key, type } = command;
        this.deps.log.note('A command of a run is tried again.', { key, type, error: words });
        if (tries > 1) job.trouble = words;
      }
      job.phase = 'waits';
      this.port.changed();
      const ms = Math.min(LONGEST, 250 * 2 ** Math.min(tries, 10));
      await (laneOf(command) === 'board' ? this.waits.time(ms) : this.waits.turn(ms));
    }
    this.#jobs.delete(command.key);
  }

  #answer(job: Job, words: readonly PendingEvent[]): void {
    job.phase = 'answered';
    job.trouble = null;
    for (const word of words) this.port.hear(word);
  }

  /** An answer is not wanted any more where the run was told otherwise meanwhile. */
  #wanted({ key }: KeyedCommand): boolean {
    return !this.waits.closed && owed(this.port.state()).some((one) => one.key === key);
  }
}

function laneOf(command: KeyedCommand): string {
  switch (command.type) {
    case 'prompt':
    case 'interrupt':
      return `session ${command.session}`;
    case 'start_session':
      return `start ${command.key}`;
    case 'checkpoint':
    case 'write':
    case 'number':
    case 'plan_text':
      return 'board';
  }
}

function isRetryable(error: unknown): boolean {
  if (error instanceof WireError) {
    return error.retryable || error.code === 'cancelled' || error.code === 'timeout';
  }
  return error instanceof RetryableError || (error instanceof StoreError && retryable(error.code));
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
