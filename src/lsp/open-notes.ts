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

/** The surroundings of a note in its vault. */
export interface NoteContext {
  /** the board's path, relative to the vault */
  readonly path: string;
  /** whether the note is in the folder of a board */
  readonly isBoard: boolean;
  readonly archive: { readonly uri: string; readonly note: Note } | undefined;
  /** names of the known agents */
  readonly agents: () => Promise<readonly string[]>;
}

/** One version of an open document. Immutable. */
export class OpenNote {
  private read: Note | undefined;
  private large: boolean | undefined;
  private spans: readonly IdSpan[] | undefined;

  constructor(
    private readonly document: TextDocument,
    readonly context: NoteContext | undefined,
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

  /** Whether it exceeds the size limit of notes. */
  get isTooLarge(): boolean {
    return (this.large ??= Buffer.byteLength(this.text) > this.largest);
  }

  /** Whether it is a board, by its header or its path. */
  get isBoard(): boolean {
    return this.context?.isBoard === true || declaresBoard(this.text);
  }

  /** The parsed board; undefined if it is another document, or too large. */
  get note(): Note | undefined {
    if (this.read === undefined && this.isBoard && !this.isTooLarge) {
      this.read = parseNote(this.context?.path ?? nameOf(this.uri), this.text);
    }
    return this.read;
  }

  /** Whether it is a board's archive. Its ids are its board's, which alone gives new ones. */
  get isArchive(): boolean {
    return this.note?.board.path.endsWith('.archive.md') === true;
  }

  get ids(): readonly IdSpan[] {
    return (this.spans ??= this.note === undefined ? [] : idSpans(this.note));
  }

  offsetAt(position: Range['start']): number {
    return this.document.offsetAt(position);
  }

  range(from: number, to: number): Range {
    return { start: this.document.positionAt(from), end: this.document.positionAt(to) };
  }

  /**
   * The range of a line without surrounding blanks.
   * @param line 1-based; clamped to the existing lines
   */
  lineRange(line: number): Range {
    const at = Math.min(Math.max(line, 1), this.document.lineCount) - 1;
    const from = this.document.offsetAt({ line: at, character: 0 });
    const text = this.text.slice(from).match(/^[^\r\n]*/)?.[0] ?? '';
    const blanks = text.length - text.trimStart().length;
    return this.range(from + blanks, from + Math.max(text.trimEnd().length, blanks));
  }

  /** Converts splices to protocol positions, which can't point between CR and LF. */
  private edits(splices: readonly Splice[]): { range: Range; newText: string }[] {
    const inPair = (at: number): boolean => at > 0 && this.text.startsWith('\r\n', at - 1);
    return splices.map(({ from, to, text }) => {
      const [before, after] = [inPair(from) ? '\r' : '', inPair(to) ? '\n' : ''];
      const range = this.range(from - before.length, to + after.length);
      return { range, newText: before + text + after };
    });
  }

  /** Minimal edits that turn its text into another. */
  editsTo(text: string): { range: Range; newText: string }[] {
    return this.edits(textEdits(this.text, text));
  }

  /** The tasks on these lines, from top to bottom. */
  tasksIn({ start, end }: Range): readonly Task[] {
    const tasks = this.note?.board.tasks ?? [];
    return tasks.filter(({ line }) => line > start.line && line <= end.line + 1);
  }

  /** The same document with its surroundings. */
  withContext(context: NoteContext | undefined): OpenNote {
    return new OpenNote(this.document, context, this.largest);
  }

  /**
   * The document after changes of the editor.
   * @throws if the changes are invalid
   */
  withChanges({ contentChanges, textDocument }: DidChangeTextDocumentParams): OpenNote {
    const { uri, languageId } = this.document;
    const next = TextDocument.create(uri, languageId, textDocument.version, this.text);
    TextDocument.update(next, contentChanges, textDocument.version);
    return new OpenNote(next, this.context, this.largest);
  }
}

/** The documents that are open in the editor. */
export class OpenNotes {
  private readonly open = new Map<string, OpenNote>();

  /** @param largest size limit of a note, in bytes */
  constructor(private readonly largest: number) {}

  get(uri: string): OpenNote | undefined {
    return this.open.get(uri);
  }

  add({ textDocument: { uri, languageId, version, text } }: DidOpenTextDocumentParams): void {
    if (typeof text !== 'string') throw new TypeError('A document was opened without its text.');
    const document = TextDocument.create(uri, languageId, version, text);
    this.open.set(uri, new OpenNote(document, undefined, this.largest));
  }

  update(change: DidChangeTextDocumentParams): void {
    const { uri } = change.textDocument;
    const note = this.open.get(uri);
    if (note !== undefined) this.open.set(uri, note.withChanges(change));
  }

  setContext(uri: string, place: NoteContext | undefined): void {
    const note = this.open.get(uri);
    if (note !== undefined) this.open.set(uri, note.withContext(place));
  }

  remove(uri: string): void {
    this.open.delete(uri);
  }
}

/** Most characters of a header: 64 Ki. */
const MAX_HEADER = 65_536;

/** Whether the header declares a board, even if it can't be parsed. */
export function declaresBoard(text: string): boolean {
  const [, opened = ''] = /^\uFEFF?---[ \t]*[\r\n]([^]*)/.exec(text.slice(0, MAX_HEADER)) ?? [];
  const header = opened.split(/^---[ \t]*$/m, 1)[0] ?? '';
  return /^board[ \t]*:/m.test(header) && /^(?:session|agent|prefix)[ \t]*:/m.test(header);
}

function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}
