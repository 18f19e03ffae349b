import type { Undo } from '../../../core/ports';

/** The rule that decides what is tried: the field sets it, the table shows it. */
export class TryMark {
  private listener: (() => void) | undefined;
  private now: number | undefined;

  get number(): number | undefined {
    return this.now;
  }

  set(number: number | undefined): void {
    if (number === this.now) return;
    this.now = number;
    this.listener?.();
  }

  onChange(listener: () => void): Undo {
    this.listener = listener;
    return () => (this.listener = undefined);
  }
}
