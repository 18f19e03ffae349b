/**
 * Walks the lines of a text without copying them. CR, LF and CRLF each end a line, also mixed; the
 * text after the last of them is a line unless it is empty. Linear in the text, whatever ends its lines.
 */
export class Lines {
  /** offset of the line */
  start = 0;
  /** offset of what ends it */
  end = 0;
  /** offset of the line after it */
  next: number;
  /** offsets of the nearest LF and CR that are not behind `start` */
  private lf = -1;
  private cr = -1;

  /** @param number 1-based number of the line before the one at `from` */
  constructor(
    readonly text: string,
    from: number,
    public number: number,
  ) {
    this.next = from;
  }

  /** Goes to the next line; false behind the last. */
  advance(): boolean {
    const { text } = this;
    if (this.next >= text.length) return false;
    this.start = this.next;
    this.number += 1;
    if (this.lf < this.start) this.lf = found(text.indexOf('\n', this.start), text);
    if (this.cr < this.start) this.cr = found(text.indexOf('\r', this.start), text);
    this.end = this.cr < this.lf ? this.cr : this.lf;
    const pair = this.cr < this.lf && this.cr + 1 === this.lf;
    this.next = Math.min(pair ? this.lf + 1 : this.end + 1, text.length);
    return true;
  }
}

function found(at: number, text: string): number {
  return at < 0 ? text.length : at;
}
