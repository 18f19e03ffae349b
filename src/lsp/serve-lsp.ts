import process from 'node:process';
import {
  ErrorCodes,
  LSPErrorCodes,
  ResponseError,
  TextDocumentSyncKind,
  type ClientCapabilities,
  type CodeAction,
  type Connection,
  type Range,
  type ServerCapabilities,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { createConnection, StreamMessageWriter } from 'vscode-languageserver/node';
import type { ErrorHandler } from '../core/error-handler';
import { PRODUCT_VERSION } from '../core/version';
import { LARGEST_NOTE } from '../node/read-file';
import { actions, type Action } from './actions';
import { completions, TRIGGERS } from './completions';
import { noteDiagnostics, SOURCE } from './diagnostics';
import { FrameReader } from './frame-reader';
import { definition, references } from './go-to';
import { OpenNotes, type OpenNote } from './open-notes';
import { foldings, hover, inlayHints, symbols } from './outline';
import { personEdits, renameTask, titleAt, type EditsResult } from './person-edits';
import { readNoteContext, type NoteVault } from './note-context';

interface LspOptions {
  readonly today: () => string;
  /** finds the vault that contains a folder; undefined if there is none */
  readonly vaultOf: (folder: string) => Promise<NoteVault | undefined>;
  /** for messages to the person, since the protocol uses standard output */
  readonly log: ErrorHandler;
}

/**
 * Serves one editor over standard input and output until the input ends. Exits on the protocol's
 * `exit`, and when the process that the editor named ends.
 * @returns whether the editor had sent `shutdown`
 */
export async function serveLsp(options: LspOptions): Promise<boolean> {
  const { log } = options;
  const reader = new FrameReader(process.stdin);
  reader.onError(({ message }) => log.note(message, { at: 'lsp.receive' }));
  const connection = createConnection(reader, new StreamMessageWriter(process.stdout));
  const server = new EditorServer(connection, options);
  const early = connection.onRequest(() => {
    throw new ResponseError(ErrorCodes.ServerNotInitialized, 'Send initialize first.');
  });
  connection.onInitialize(({ capabilities }) => {
    early.dispose();
    server.client = capabilities;
    server.listen();
    return {
      capabilities: serverCapabilities(capabilities),
      serverInfo: { name: 'agent-boards', version: PRODUCT_VERSION },
    };
  });
  let didShutDown = false;
  connection.onShutdown(() => void (didShutDown = true));
  const ended = new Promise<void>((resolve) => void reader.onClose(resolve));
  connection.listen();
  await ended;
  return didShutDown;
}

function serverCapabilities({ textDocument }: ClientCapabilities): ServerCapabilities {
  const prepares = textDocument?.rename?.prepareSupport === true;
  return {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    completionProvider: { triggerCharacters: [...TRIGGERS] },
    codeActionProvider: {
      codeActionKinds: ['quickfix', 'refactor', 'refactor.rewrite'],
      resolveProvider: resolvesEdits(textDocument),
    },
    renameProvider: prepares ? { prepareProvider: true } : true,
    hoverProvider: true,
    definitionProvider: true,
    referencesProvider: true,
    documentSymbolProvider: true,
    foldingRangeProvider: true,
    inlayHintProvider: true,
  };
}

function resolvesEdits(client: ClientCapabilities['textDocument']): boolean {
  return client?.codeAction?.resolveSupport?.properties.includes('edit') === true;
}

/** Identifies an action whose edit has not been computed yet, and the text version. */
interface Offer {
  readonly uri: string;
  readonly version: number;
  readonly range: Range;
}

class EditorServer {
  client: ClientCapabilities = {};
  private readonly notes = new OpenNotes(LARGEST_NOTE);
  /** notes whose surroundings are being read */
  private readonly contextReads = new Map<string, Promise<void>>();
  /** notes to be checked, and notes whose diagnostics the editor shows */
  private readonly due = new Set<string>();
  private readonly shownDiagnostics = new Set<string>();

  constructor(
    private readonly connection: Connection,
    private readonly options: LspOptions,
  ) {}

  listen(): void {
    const { connection, notes } = this;
    connection.onDidOpenTextDocument((opened) => {
      notes.add(opened);
      this.readContext(opened.textDocument.uri);
    });
    connection.onDidChangeTextDocument((change) => {
      notes.update(change);
      this.scheduleDiagnostics(change.textDocument.uri);
    });
    connection.onDidSaveTextDocument(({ textDocument: { uri } }) => this.readContext(uri));
    connection.onDidCloseTextDocument(({ textDocument: { uri } }) => {
      notes.remove(uri);
      if (this.shownDiagnostics.delete(uri))
        void connection.sendDiagnostics({ uri, diagnostics: [] });
    });
    this.answerQuestions();
    this.answerEdits();
  }

  private answerQuestions(): void {
    const { connection } = this;
    connection.onHover((asked) => this.answer(asked, (note) => hover(note, asked.position)));
    connection.onDefinition((asked) =>
      this.answer(asked, (note) => definition(note, asked.position) ?? null),
    );
    connection.onReferences((asked) =>
      this.answer(asked, (note) => [
        ...references(note, asked.position, asked.context.includeDeclaration),
      ]),
    );
    connection.onDocumentSymbol((asked) => this.answer(asked, (note) => [...symbols(note)]));
    connection.onFoldingRanges((asked) => this.answer(asked, (note) => [...foldings(note)]));
    connection.languages.inlayHint.on((asked) =>
      this.answer(asked, (note) => [...inlayHints(note, asked.range)]),
    );
    connection.onCompletion((asked) =>
      this.answer(asked, async (note) => {
        const items = await completions(note, asked.position, this.options.today());
        return { isIncomplete: true, items: [...items] };
      }),
    );
  }

  private answerEdits(): void {
    const { connection } = this;
    const { today } = this.options;
    connection.onPrepareRename((asked) =>
      this.answer(asked, (note) => {
        const found = titleAt(note, asked.position);
        return found ? { range: found.range, placeholder: found.written } : null;
      }),
    );
    connection.onRenameRequest((asked) =>
      this.answer(asked, (note) =>
        this.edit(note, editsOrThrow(renameTask(note, asked.position, asked.newName, today()))),
      ),
    );
    connection.onCodeAction((asked) =>
      this.answer(asked, (note) => {
        const { only, diagnostics: shown } = asked.context;
        const wanted = ({ kind }: Action): boolean =>
          only?.some((one) => kind === one || kind.startsWith(`${one}.`)) !== false;
        const own = shown.filter(({ source }) => source === SOURCE);
        return actions(note, asked.range)
          .filter(wanted)
          .flatMap((action) => this.toCodeAction(note, action, asked.range, own));
      }),
    );
    connection.onCodeActionResolve((action) => {
      const { uri, version, range } = action.data as Offer;
      return this.answer({ textDocument: { uri } }, (note) => {
        if (note.version !== version) throw changedSince();
        const found = actions(note, range).find(({ title }) => title === action.title);
        if (found === undefined) throw changedSince();
        return { ...action, edit: this.edit(note, editsOrThrow(this.editsOf(note, found))) };
      }).then((resolved) => resolved ?? action);
    });
  }

  /**
   * The code action, with its edit unless the editor resolves edits later. Empty if the action
   * can't be done.
   */
  private toCodeAction(
    note: OpenNote,
    action: Action,
    range: Range,
    shown: CodeAction['diagnostics'] = [],
  ): readonly CodeAction[] {
    const { title, kind } = action;
    const isRepair = kind === 'quickfix';
    const whole = { title, kind, ...(isRepair && { diagnostics: shown }) };
    if (resolvesEdits(this.client.textDocument)) {
      const { uri, version } = note;
      return [{ ...whole, data: { uri, version, range } satisfies Offer }];
    }
    const made = this.editsOf(note, action);
    return made.ok ? [{ ...whole, edit: this.edit(note, made.edits) }] : [];
  }

  private editsOf(note: OpenNote, { does }: Action): EditsResult {
    return 'text' in does
      ? { ok: true, edits: note.editsTo(does.text) }
      : personEdits(note, does, this.options.today());
  }

  /** An edit with the note's version, so that the editor doesn't apply it to another version. */
  private edit({ uri, version }: OpenNote, edits: readonly TextEdit[]): WorkspaceEdit {
    return this.client.workspace?.workspaceEdit?.documentChanges === true
      ? { documentChanges: [{ textDocument: { uri, version }, edits: [...edits] }] }
      : { changes: { [uri]: [...edits] } };
  }

  /**
   * Answers a request from the current text; null for a document that is not open.
   * @throws ResponseError if the text changed meanwhile
   */
  private async answer<T>(
    { textDocument: { uri } }: { readonly textDocument: { readonly uri: string } },
    work: (note: OpenNote) => T | Promise<T>,
  ): Promise<T | null> {
    const before = this.notes.get(uri);
    if (before === undefined) return null;
    await this.contextReads.get(uri);
    const note = this.notes.get(uri);
    const result = note === undefined ? null : await work(note);
    if (this.notes.get(uri)?.version !== before.version) throw changedSince();
    return result;
  }

  /** Reads the surroundings of a note, then checks the note. */
  private readContext(uri: string): void {
    const { log, vaultOf } = this.options;
    const message = `What is beside ${uri} can't be read.`;
    const find = log.wrap(message, { at: 'lsp.place' }, async () => {
      const text = this.notes.get(uri)?.text;
      if (text !== undefined) this.notes.setContext(uri, await readNoteContext(uri, text, vaultOf));
    });
    const placed = Promise.resolve(find()).then(() => {
      if (this.contextReads.get(uri) === placed) this.contextReads.delete(uri);
      this.scheduleDiagnostics(uri);
    });
    this.contextReads.set(uri, placed);
  }

  /** Sends a note's diagnostics, once for all changes that arrive together. */
  private scheduleDiagnostics(uri: string): void {
    if (this.due.has(uri)) return;
    this.due.add(uri);
    setImmediate(() => {
      this.due.delete(uri);
      this.sendDiagnostics(uri);
    });
  }

  private sendDiagnostics(uri: string): void {
    const note = this.notes.get(uri);
    if (note === undefined || (!note.isBoard && !this.shownDiagnostics.delete(uri))) return;
    if (note.isBoard) this.shownDiagnostics.add(uri);
    const { version } = note;
    void this.connection.sendDiagnostics({ uri, version, diagnostics: [...noteDiagnostics(note)] });
  }
}

function editsOrThrow(made: EditsResult): readonly TextEdit[] {
  if (made.ok) return made.edits;
  throw new ResponseError(LSPErrorCodes.RequestFailed, made.message);
}

function changedSince(): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.ContentModified, 'The text has changed since.');
}
