import type { KeptMessage, RingLimits } from '../../src/core/link/link';

/** An outbox that keeps every message and computes which of them it should have kept. */
export class NaiveOutbox<M> {
  private all: (KeptMessage<M> | 'snapshot')[] = [];
  private base = 0;

  constructor(private readonly limits: RingLimits) {}

  get last(): number {
    return this.all.length;
  }

  get kept(): KeptMessage<M>[] {
    return this.all.slice(this.base).filter((one) => one !== 'snapshot');
  }

  get bytes(): number {
    return this.kept.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get size(): number {
    return this.kept.length;
  }

  add(message: M, bytes: number, now: number): void {
    this.all.push({ seq: this.all.length + 1, message, bytes, at: now });
    this.prune(now);
  }

  ack(seq: number): void {
    if (seq <= this.all.length) this.base = Math.max(this.base, seq);
  }

  since(seq: number, now: number): readonly KeptMessage<M>[] | 'gone' {
    this.prune(now);
    return seq < this.base || seq > this.last ? 'gone' : this.kept.filter((one) => one.seq > seq);
  }

  replace(seq: number, message: M, bytes: number): boolean {
    const found = this.kept.find((one) => one.seq === seq);
    if (found) this.all[seq - 1] = { ...found, message, bytes };
    return found !== undefined;
  }

  takeSnapshotNumber(): void {
    this.all.push('snapshot');
    this.base = this.all.length;
  }

  private prune(now: number): void {
    const { messages, bytes, age } = this.limits;
    const tooMuch = (): boolean =>
      this.size > messages || this.bytes > bytes || this.kept.some(({ at }) => now - at > age);
    while (this.size > 0 && tooMuch()) this.base++;
  }
}
