import { KeyedQueue } from '../core/keyed-queue';

/**
 * Runs one at a time, in the order in which they came. One that waits for a person gives its turn up
 * meanwhile, and takes a new one behind those that came since: nobody waits for another's question.
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

/** The turn of one that runs. */
export interface OwnTurn {
  /** Lets the next one go, for good. */
  readonly leave: () => void;
  /** Waits without the turn, and has it again afterwards. */
  readonly without: <T>(wait: () => Promise<T>) => Promise<T>;
}

class QueuedTurn implements OwnTurn {
  private free: (() => void) | undefined;
  private isOver = false;

  constructor(private readonly queue: KeyedQueue) {}

  /** Settles once it has its turn. */
  take(): Promise<void> {
    return new Promise((taken) => {
      void this.queue.run('', () => {
        taken();
        // What it waited for came after its end: nobody is there to give the turn back.
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
