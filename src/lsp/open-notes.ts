import { Buffer } from 'node:buffer';
import type {
  DidChangeTextDocumentParams,
  DidOpenTextDocumentParams,
  Range,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Note } from '../core/board/note/note';
import { textEdits } from '../core/board/merge/text-edits';
import { parseNote } from '../core/board/note/parse-note';
import type { Splice } from '../core/board/note/edit-result';
import type { Task } from '../core/board/task';
import { idSpans, type IdSpan } from './id-spans';

/** What a note has around it in its vault. */
export interface NotePlace {
  /** as boards are known by, relative to the vault */
  readonly path: string;
  /** whether it stands where boards do */
  readonly isBoard: boolean;
  readonly archive: { readonly uri: string; readonly note: Note } | undefined;
  /** names of the agents that there are */
  readonly agents: () => Promise<readonly string[]>;
}

/** Text of one version of an open document; never changes. */
export class OpenNote {
  private read: Note | undefined;
  private large: boolean | undefined;
  private spans: readonly IdSpan[] | undefined;

  constructor(
    private readonly document: TextDocument,
    readonly place: NotePlace | undefined,
    private readonly largest: number,
  ) {}

  get uri(): string {
    return this.document.uri;
  }

  get version(): number {
    return this.document.version;
  }

  get text(): string {
    return this.document.getText();
  }

  /** Whether it is more than any note may be. */
  get isTooLarge(): boolean {
    return (this.large ??= Buffer.byteLength(this.text) > this.largest);
  }

  /** As it says of itself, or by where it stands. */
  get isBoard(): boolean {
    return this.place?.isBoard === true || saysBoard(this.text);
  }

  /** The board that it is; undefined for another document, and for one that is too large. */
  get note(): Note | undefined {
    if (this.read === undefined && this.isBoard && !this.isTooLarge) {
      this.read = parseNote(this.place?.path ?? nameOf(this.uri), this.text);
    }
    return this.read;
  }

  get ids(): readonly IdSpan[] {
    return (this.spans ??= this.note === undefined ? [] : idSpans(this.note));
  }

  at(position: Range['start']): number {
    return this.document.offsetAt(position);
  }

  range(from: number, to: number): Range {
    return { start: this.document.positionAt(from), end: this.document.positionAt(to) };
  }

  /** Of a line without blanks around it. @param line 1-based; what is not there is the nearest that is */
  lineRange(line: number): Range {
    const at = Math.min(Math.max(line, 1), this.document.lineCount) - 1;
    const from = this.document.offsetAt({ line: at, character: 0 });
    const text = this.text.slice(from).match(/^[^\r\n]*/)?.[0] ?? '';
    const blanks = text.length - text.trimStart().length;
    return this.range(from + blanks, from + Math.max(text.trimEnd().length, blanks));
  }

  /** In the positions of the protocol, which has none between CR and LF. */
  private edits(splices: readonly Splice[]): { range: Range; newText: string }[] {
    const inPair = (at: number): boolean => at > 0 && this.text.startsWith('\r\n', at - 1);
    return splices.map(({ from, to, text }) => {
      const [before, after] = [inPair(from) ? '\r' : '', inPair(to) ? '\n' : ''];
      const range = this.range(from - before.length, to + after.length);
      return { range, newText: before + text + after };
    });
  }

  /** The fewest edits that make another text of it. */
  editsTo(text: string): { range: Range; newText: string }[] {
    return this.edits(textEdits(this.text, text));
  }

  /** The tasks on these lines, from top to bottom. */
  tasksIn({ start, end }: Range): readonly Task[] {
    const tasks = this.note?.board.tasks ?? [];
    return tasks.filter(({ line }) => line > start.line && line <= end.line + 1);
  }

  /** With what stands around it. */
  placed(place: NotePlace | undefined): OpenNote {
    return new OpenNote(this.document, place, this.largest);
  }

  /** After changes of the editor. @throws where they are none */
  changed({ contentChanges, textDocument }: DidChangeTextDocumentParams): OpenNote {
    const { uri, languageId } = this.document;
    const next = TextDocument.create(uri, languageId, textDocument.version, this.text);
    TextDocument.update(next, contentChanges, textDocument.version);
    return new OpenNote(next, this.place, this.largest);
  }
}

/** The documents that an editor has open, as it tells of them. */
export class OpenNotes {
  private readonly open = new Map<string, OpenNote>();

  /** @param largest bytes of a note that is read */
  constructor(private readonly largest: number) {}

  get(uri: string): OpenNote | undefined {
    return this.open.get(uri);
  }

  opened({ textDocument: { uri, languageId, version, text } }: DidOpenTextDocumentParams): void {
    if (typeof text !== 'string') throw new TypeError('A document was opened without its text.');
    const document = TextDocument.create(uri, languageId, version, text);
    this.open.set(uri, new OpenNote(document, undefined, this.largest));
  }

  changed(change: DidChangeTextDocumentParams): void {
    const { uri } = change.textDocument;
    const note = this.open.get(uri);
    if (note !== undefined) this.open.set(uri, note.changed(change));
  }

  placed(uri: string, place: NotePlace | undefined): void {
    const note = this.open.get(uri);
    if (note !== undefined) this.open.set(uri, note.placed(place));
  }

  closed(uri: string): void {
    this.open.delete(uri);
  }
}

/** A header has at most 64 KiB. */
const MOST_HEADER = 65_536;

/** Whether a text says in its header that it is a board, also where the header can't be read. */
export function saysBoard(text: string): boolean {
  const [, opened = ''] = /^\uFEFF?---[ \t]*[\r\n]([^]*)/.exec(text.slice(0, MOST_HEADER)) ?? [];
  const header = opened.split(/^---[ \t]*$/m, 1)[0] ?? '';
  return /^board[ \t]*:/m.test(header) && /^(?:session|agent|prefix)[ \t]*:/m.test(header);
}

function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}
