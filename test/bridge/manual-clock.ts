import type { Clock } from '../../src/core/ports';

/** A clock that tests advance. */
export class ManualClock implements Clock {
  private time = 0;
  private tasks: { at: number; task: () => void }[] = [];

  now(): number {
    return this.time;
  }

  today(): string {
    return '2026-11-21';
  }

  after(ms: number, task: () => void): () => void {
    const entry = { at: this.time + ms, task };
    this.tasks.push(entry);
    return () => void (this.tasks = this.tasks.filter((other) => other !== entry));
  }

  /** Changes the wall clock; pending timers keep their remaining time. */
  set(by: number): void {
    this.time += by;
    for (const task of this.tasks) task.at += by;
  }

  /** Advances the clock and runs what becomes due, in order. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = this.tasks.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.tasks = this.tasks.filter((other) => other !== due);
      this.time = due.at;
      due.task();
    }
    this.time = end;
  }
}
