/** Frames a client may send at once: attaching to every session of a large vault takes thousands. */
const BURST = 5_000;
/** Frames a second in the long run; a person and an app stay far below. */
const PER_SECOND = 200;

/** Counts a client's frames against what it may send: a bucket that fills with time. */
export class FrameBudget {
  private left = BURST;

  /** @param at ms, of a clock that only goes forward */
  constructor(private at: number) {}

  /** Takes one frame; false where there is none left. */
  take(now: number): boolean {
    const passed = Math.max(0, now - this.at);
    this.left = Math.min(BURST, this.left + (passed * PER_SECOND) / 1000);
    this.at = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
