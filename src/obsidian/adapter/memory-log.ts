import type { Log } from '../../core/ports';

export interface LogLine {
  readonly at: number;
  readonly message: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** How many lines are kept; the oldest go first. */
const KEPT = 200;

/** A Log that keeps the last lines in memory, for "Copy details". Nothing goes to the console. */
export class MemoryLog implements Log {
  private kept: LogLine[] = [];

  note(message: string, context: Readonly<Record<string, unknown>> = {}): void {
    this.kept = [...this.kept.slice(1 - KEPT), { at: Date.now(), message, context }];
  }

  lines(): readonly LogLine[] {
    return this.kept;
  }
}
