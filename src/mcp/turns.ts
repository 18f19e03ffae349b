import { KeyedQueue } from '../core/keyed-queue';

/**
 * Runs tasks one at a time, in order. A task that waits for a person gives up its turn and queues
 * again afterwards, so that no task waits for another's question.
 */
export class TurnQueue {
  private readonly queue = new KeyedQueue();

  async run<T>(work: (turn: CallTurn) => Promise<T>): Promise<T> {
    const turn = new QueuedTurn(this.queue);
    await turn.waitForTurn();
    try {
      return await work(turn);
    } finally {
      turn.end();
    }
  }
}

/** The turn of a running task. */
export interface CallTurn {
  /** Gives up the turn for good. */
  readonly release: () => void;
  /** Gives up the turn while waiting, and takes a new one afterwards. */
  readonly releaseDuring: <T>(wait: () => Promise<T>) => Promise<T>;
}

class QueuedTurn implements CallTurn {
  private releaseSlot: (() => void) | undefined;
  private isOver = false;

  constructor(private readonly queue: KeyedQueue) {}

  /** Resolves when it is this task's turn. */
  waitForTurn(): Promise<void> {
    return new Promise((taken) => {
      void this.queue.run('', () => {
        taken();
        // The task ended while it was waiting for its turn, so nobody would release it.
        if (this.isOver) return Promise.resolve();
        return new Promise<void>((free) => (this.releaseSlot = free));
      });
    });
  }

  readonly release = (): void => {
    this.releaseSlot?.();
    this.releaseSlot = undefined;
  };

  readonly releaseDuring = async <T>(wait: () => Promise<T>): Promise<T> => {
    this.release();
    try {
      return await wait();
    } finally {
      if (!this.isOver) await this.waitForTurn();
    }
  };

  end(): void {
    this.isOver = true;
    this.release();
  }
}
