import { StoreError, type NoteLock } from '../../ports';

/** A lock that is kept for longer than a task. */
export class Lease {
  private constructor(private readonly end: () => void) {}

  /** Undefined where another program has it. @throws what the lock throws else */
  static async take(lock: NoteLock, key: string): Promise<Lease | undefined> {
    try {
      return await new Promise<Lease>((taken, failed) => {
        const held = lock.hold(
          key,
          () => new Promise<void>((end) => taken(new Lease(() => end()))),
        );
        held.catch(failed);
      });
    } catch (error) {
      if (error instanceof StoreError && error.code === 'busy') return undefined;
      throw error;
    }
  }

  release(): void {
    this.end();
  }
}

/** Whether nobody has it now. */
export async function isFree(lock: NoteLock, key: string): Promise<boolean> {
  try {
    await lock.hold(key, () => Promise.resolve());
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'busy') return false;
    throw error;
  }
}

/** Names the lock of a run, the same for every program. */
export function leaseKey(run: string): string {
  return `run-${run}`;
}
