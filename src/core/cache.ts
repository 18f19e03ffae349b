/** How a cache did since its program started. */
interface CacheUse {
  readonly name: string;
  readonly entries: number;
  /** undefined: as many as the vault has of it */
  readonly most: number | undefined;
  readonly hits: number;
  readonly misses: number;
}

/** Counts how often a cache had what it was asked for. What each is for: docs/adr/0031-caches.md. */
export class CacheMeter {
  private hits = 0;
  private misses = 0;

  /**
   * @param entries how many it holds now
   * @param most undefined: as many as the vault has of it
   */
  constructor(
    private readonly name: string,
    private readonly entries: () => number,
    private readonly most?: number,
  ) {}

  count(isHit: boolean): void {
    if (isHit) this.hits += 1;
    else this.misses += 1;
  }

  get use(): CacheUse {
    const { name, hits, misses, most } = this;
    return { name, entries: this.entries(), most, hits, misses };
  }
}

/** The caches, line by line, for a report. */
export function cacheLines(caches: readonly CacheUse[]): readonly string[] {
  return caches.map(({ name, entries, most, hits, misses }) => {
    const bound = most === undefined ? '' : ` of ${most}`;
    return `${name}: ${hits} hits, ${misses} misses, ${entries}${bound} entries`;
  });
}
