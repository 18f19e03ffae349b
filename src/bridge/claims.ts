import type { Undo } from '../core/ports';

/** How OpenCode came upon this file: by looking into its plugin folders, or by its configuration. */
export type Origin = 'found' | 'configured';

/**
 * Which folders of this process are served. OpenCode loads one file twice where it both finds it and
 * has it in its configuration; the second would offer the same tool again and open a second line.
 */
export class Claims {
  private readonly served = new Map<string, Origin>();

  /** @returns gives the folder free again; undefined where it is served already */
  claim(directory: string, origin: Origin): Undo | undefined {
    const before = this.served.get(directory);
    // The same origin again: OpenCode loads the folder anew, and may not have said that it let it go.
    if (before !== undefined && before !== origin) return undefined;
    this.served.set(directory, origin);
    return () => {
      if (this.served.get(directory) === origin) this.served.delete(directory);
    };
  }
}
