/** A Map that drops its oldest entries, to bound the memory for short-lived data. */
export class RecentMap<K, V> {
  private readonly entries = new Map<K, V>();

  /** @param limit maximum number of entries, at least 1 */
  constructor(private readonly limit: number) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  delete(key: K): void {
    this.entries.delete(key);
  }

  /** Sets a value and makes its entry the newest. */
  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.limit) return;
    const oldest = this.entries.keys().next();
    if (!oldest.done) this.entries.delete(oldest.value);
  }
}
