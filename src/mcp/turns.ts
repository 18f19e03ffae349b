import { KeyedQueue } from '../core/keyed-queue';

/**
 * Runs tasks one at a time, in order. A task that waits for a person gives up its turn and queues
 * again afterwards, so that no task waits for another's question.
 */
export class Turns {
  private readonly queue = new KeyedQueue();

  async run<T>(work: (turn: OwnTurn) => Promise<T>): Promise<T> {
    const turn = new QueuedTurn(this.queue);
    await turn.take();
    try {
      return await work(turn);
    } finally {
      turn.end();
    }
  }
}

/** The turn of a running task. */
export interface OwnTurn {
  /** Gives up the turn for good. */
  readonly leave: () => void;
  /** Gives up the turn while waiting, and takes a new one afterwards. */
  readonly without: <T>(wait: () => Promise<T>) => Promise<T>;
}

class QueuedTurn implements OwnTurn {
  private free: (() => void) | undefined;
  private isOver = false;

  constructor(private readonly queue: KeyedQueue) {}

  /** Resolves when it is this task's turn. */
  take(): Promise<void> {
    return new Promise((taken) => {
      void this.queue.run('', () => {
        taken();
        // The task ended while it was waiting for its turn, so nobody would release it.
        if (this.isOver) return Promise.resolve();
        return new Promise<void>((free) => (this.free = free));
      });
    });
  }

  readonly leave = (): void => {
    this.free?.();
    this.free = undefined;
  };

  readonly without = async <T>(wait: () => Promise<T>): Promise<T> => {
    this.leave();
    try {
      return await wait();
    } finally {
      if (!this.isOver) await this.take();
    }
  };

  end(): void {
    this.isOver = true;
    this.leave();
  }
}
