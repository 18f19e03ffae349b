/** Use of a cache since its program started. */
interface CacheUse {
  readonly name: string;
  readonly entries: number;
  /** the maximum of entries; undefined if bounded only by the size of the vault */
  readonly most: number | undefined;
  readonly hits: number;
  readonly misses: number;
}

/** Counts the hits and misses of a cache. docs/adr/0031-caches.md describes each cache. */
export class CacheMeter {
  private hits = 0;
  private misses = 0;

  /**
   * @param entries returns how many entries the cache has now
   * @param most the maximum of entries; undefined if bounded only by the size of the vault
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

/** One line for each cache, for a report. */
export function cacheLines(caches: readonly CacheUse[]): readonly string[] {
  return caches.map(({ name, entries, most, hits, misses }) => {
    const bound = most === undefined ? '' : ` of ${most}`;
    return `${name}: ${hits} hits, ${misses} misses, ${entries}${bound} entries`;
  });
}
