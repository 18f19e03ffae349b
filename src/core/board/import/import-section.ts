import { escapeHeading, type Heading } from '../note/heading';
import type { Layout, Note } from '../note/note';
import { titleHeading } from '../note/parse-note';
import { placeFor } from '../note/place';
import type { EditRefusal } from '../note/edit-result';

/** Where lines go, and in which form. */
export interface Spot {
  /** offset of the end of the line that they follow */
  readonly at: number;
  readonly eol: string;
  /** lines that go before them */
  readonly before: readonly string[];
  readonly indent: string;
}

/**
 * The part of a note that an import writes to: the heading of level 2 with the source's name, up to
 * the next of its level or above. Phases of the source are headings of level 3 in it.
 */
export class ImportSection {
  private readonly headings: readonly Heading[];
  private readonly first: number;
  private readonly behind: number;
  private begun = false;

  constructor(
    private readonly note: Note,
    private readonly layout: Layout,
    private readonly name: string,
  ) {
    this.headings = layout.scan.headings;
    const title = titleHeading(this.headings, note.board.title);
    this.first = this.headings.findIndex(
      ({ level, text }, at) => level === 2 && text === name && at !== title,
    );
    const next = this.headings.findIndex(({ level }, at) => at > this.first && level <= 2);
    this.behind = next < 0 ? this.headings.length : next;
  }

  /** Index of the heading of a phase, or of the section itself; -1 for none. */
  heading(phase: string | null): number {
    if (this.first < 0 || phase === null) return this.first;
    return this.headings.findIndex(
      ({ level, text }, at) => at > this.first && at < this.behind && level === 3 && text === phase,
    );
  }

  /** Where the next task of a phase goes; headings that are not there are made. */
  spot(phase: string | null): Spot | EditRefusal {
    const heading = this.heading(phase);
    if (heading < 0) return this.made(phase);
    const { scan } = this.layout;
    const at = scan.blocks.findLastIndex((block) => block.parent < 0 && block.heading === heading);
    const last = this.note.board.tasks[at];
    if (last === undefined) return this.plain(this.areaEnd(heading), ['']);
    const place = placeFor(this.note, this.layout, { after: last.key });
    return place.ok ? { ...place, before: [] } : place;
  }

  /** The section's own heading is made once, by the first that needs it. */
  private made(phase: string | null): Spot {
    const sub = phase === null ? [] : ['', `### ${escapeHeading(phase)}`];
    if (this.first >= 0) return this.plain(this.areaEnd(this.behind - 1), [...sub, '']);
    const head = this.begun ? [] : ['', `## ${escapeHeading(this.name)}`];
    this.begun = true;
    return this.plain(this.note.text.length, [...head, ...sub, '']);
  }

  private areaEnd(heading: number): number {
    return this.headings[heading + 1]?.start ?? this.note.text.length;
  }

  /** Behind the last line before `end` that is not blank. */
  private plain(end: number, before: readonly string[]): Spot {
    const { text } = this.note;
    const least = this.layout.header.end;
    let at = Math.max(end, least);
    while (at > least && /[ \t\r\n]/.test(text.charAt(at - 1))) at -= 1;
    while (at > least && at < end && /[^\r\n]/.test(text.charAt(at))) at += 1;
    return { at, eol: this.layout.eol, before, indent: '' };
  }
}
