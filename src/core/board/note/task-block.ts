/** A task line and what hangs under it; offsets into the note's text. */
export interface TaskBlock {
  /** 1-based */
  readonly line: number;
  readonly start: number;
  /** where the line ends, without what ends it */
  readonly lineEnd: number;
  /** offset of the list marker */
  readonly marker: number;
  /** offset of `[` */
  readonly box: number;
  /** offset behind `]` */
  readonly after: number;
  /** columns of the marker and of the text behind it */
  readonly column: number;
  readonly contentColumn: number;
  /** index of the heading above it; -1 for none */
  readonly heading: number;
  /** index of the parent task; -1 for none */
  readonly parent: number;
  readonly depth: number;
  /** end of the last line that belongs to it */
  end: number;
  body: readonly string[];
  /** text hangs under it: its body, or the unindented rest of its paragraph */
  hasText: boolean;
}
