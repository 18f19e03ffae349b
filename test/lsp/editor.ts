import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ClientCapabilities,
  type InitializeResult,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol/node';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');

const open: Editor[] = [];

/** Kills the programs that a test left running. */
export async function closeEditors(): Promise<void> {
  for (const editor of open.splice(0)) await editor.kill();
}

export const CAPABILITIES: ClientCapabilities = {
  workspace: { workspaceEdit: { documentChanges: true } },
  textDocument: {
    codeAction: { resolveSupport: { properties: ['edit'] }, dataSupport: true },
    rename: { prepareSupport: true },
  },
};

/** An editor that runs its own server, over real pipes. */
export class Editor {
  readonly connection: ProtocolConnection;
  initialized!: InitializeResult;
  /** everything from stdout, and what was written to stderr */
  readonly output: Buffer[] = [];
  errors = '';
  private readonly diagnosticsByUri = new Map<string, PublishDiagnosticsParams[]>();
  private waiting: (() => void)[] = [];
  /** resolves with exit code and signal */
  readonly ended: Promise<readonly unknown[]>;

  private constructor(readonly child: ChildProcessWithoutNullStreams) {
    this.ended = once(child, 'exit');
    child.stdout.on('data', (chunk: Buffer) => this.output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    // Writes to a server that has ended are lost.
    child.stdin.on('error', () => undefined);
    const writer = new StreamMessageWriter(child.stdin);
    this.connection = createProtocolConnection(new StreamMessageReader(child.stdout), writer);
    this.connection.onNotification('textDocument/publishDiagnostics', (params) => {
      const given = params as PublishDiagnosticsParams;
      this.diagnosticsByUri.set(given.uri, [
        ...(this.diagnosticsByUri.get(given.uri) ?? []),
        given,
      ]);
      for (const check of this.waiting.splice(0)) check();
    });
    this.connection.listen();
    open.push(this);
  }

  /** @param processId the editor's id as it reports it; undefined: it reports none */
  static async start(
    cwd: string,
    capabilities: ClientCapabilities = CAPABILITIES,
    processId: number | null = process.pid,
  ): Promise<Editor> {
    const editor = Editor.launch(cwd);
    const params = { processId, rootUri: pathToFileURL(cwd).href, capabilities };
    editor.initialized = await editor.request('initialize', params);
    await editor.notify('initialized', {});
    return editor;
  }

  /** Starts the program without sending anything. */
  static launch(cwd: string): Editor {
    const args = [PROGRAM, 'lsp', '--stdio', `--clientProcessId=${process.pid}`];
    return new Editor(spawn(process.execPath, args, { cwd }));
  }

  request<T>(method: string, params: object): Promise<T> {
    return this.connection.sendRequest(method, params);
  }

  notify(method: string, params: object): Promise<void> {
    return this.connection.sendNotification(method, params);
  }

  openDocument(uri: string, text: string, version = 1): Promise<void> {
    const textDocument = { uri, languageId: 'markdown', version, text };
    return this.notify('textDocument/didOpen', { textDocument });
  }

  /** The diagnostics of a version of a document, as soon as they arrive. */
  async diagnostics(uri: string, version: number): Promise<PublishDiagnosticsParams> {
    for (;;) {
      const found = this.diagnosticsByUri.get(uri)?.find((one) => one.version === version);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** All diagnostics received for a document. */
  diagnosticsOf(uri: string): readonly PublishDiagnosticsParams[] {
    return this.diagnosticsByUri.get(uri) ?? [];
  }

  async kill(): Promise<void> {
    this.connection.dispose();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await this.ended;
    }
  }
}
