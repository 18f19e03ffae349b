import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  CodeAction,
  CompletionList,
  DocumentSymbol,
  FoldingRange,
  Hover,
  InlayHint,
  Location,
  TextDocumentEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol';
import { LSPErrorCodes } from 'vscode-languageserver-protocol';
import { CAPABILITIES, closeEditors, Editor } from './editor';
import { applyEdits, newLines, positionOf } from './sample';

const CORPUS = join(import.meta.dirname, '../corpus/before-07/vault');
const BOARD = '.opencode/todos/hand-archive/build-tasks.md';

let vault = '';
let uri = '';
/** A board with a task that waits for one in the archive, and a task that waits for one here. */
let text = '';

beforeEach(async () => {
  vault = await realpath(await mkdtemp(join(tmpdir(), 'atb-lsp-')));
  await cp(CORPUS, vault, { recursive: true });
  await mkdir(join(vault, '.opencode/agent'));
  await writeFile(
    join(vault, '.opencode/agent/scribe.md'),
    '---\ndescription: Writes\n---\nWrite.\n',
  );
  uri = pathToFileURL(join(vault, BOARD)).href;
  const saved = await readFile(join(vault, BOARD), 'utf8');
  text = `${saved}- [ ] Unsaved ⛔ arch-2,arch-3 [owner:: me]\n`;
});
afterEach(async () => {
  await closeEditors();
  await rm(vault, { recursive: true, force: true });
});

const document = () => ({ textDocument: { uri } });
const at = (words: string, behind = 0) => ({
  ...document(),
  position: positionOf(text, words, behind),
});
const edits = (edit: WorkspaceEdit | undefined) => {
  const [change] = (edit?.documentChanges ?? []) as TextDocumentEdit[];
  expect(change?.textDocument).toEqual({ uri, version: 1 });
  return (change?.edits ?? []) as never[];
};

describe('an editor with a board open', () => {
  it('[LSP1] [LSP4] [LSP5] [LSP6] [LSP7] [LSP10] [LSP11] is answered from the text as it is, saved or not', async () => {
    const editor = await Editor.start(vault);
    expect(editor.initialized).toMatchObject({
      serverInfo: { name: 'agent-boards' },
      capabilities: {
        hoverProvider: true,
        inlayHintProvider: true,
        textDocumentSync: { change: 2 },
      },
    });
    await editor.openDocument(uri, text);
    expect((await editor.diagnostics(uri, 1)).diagnostics).toEqual([]);

    const hover = await editor.request<Hover>('textDocument/hover', at('Piece 3'));
    expect(hover.contents).toMatchObject({
      value: expect.stringContaining('no longer wait: "Unsaved"') as string,
    });
    const there = await editor.request<Location>('textDocument/definition', at('arch-2', 2));
    expect(there.uri).toBe(uri.replace('-tasks.md', '-tasks.archive.md'));
    const places = await editor.request<Location[]>('textDocument/references', {
      ...at('arch-3', 1),
      context: { includeDeclaration: false },
    });
    expect(places.map(({ range }) => range.start)).toEqual([positionOf(text, 'arch-3 [')]);

    const range = { start: positionOf(text, '---'), end: positionOf(text, '[owner') };
    const hints = await editor.request<InlayHint[]>('textDocument/inlayHint', {
      ...document(),
      range,
    });
    expect(hints.map(({ label }) => label)).toEqual([
      'waits for #5 Piece 5 (pending)',
      'waits for #3 Piece 3 (pending)',
    ]);
    const symbols = await editor.request<DocumentSymbol[]>(
      'textDocument/documentSymbol',
      document(),
    );
    expect(symbols[0]?.children?.[0]?.children?.map(({ name }) => name)).toContain('Piece 7');
    const folds = await editor.request<FoldingRange[]>('textDocument/foldingRange', document());
    expect(folds).toContainEqual({ startLine: 0, endLine: 9, kind: 'region' });

    const owner = at('me]');
    const agents = await editor.request<CompletionList>('textDocument/completion', owner);
    expect(agents.items.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['me', 'build', 'plan', 'scribe']),
    );
    const ids = await editor.request<CompletionList>('textDocument/completion', at('arch-2,'));
    expect(ids.items[0]).toMatchObject({ label: 'Piece 1', textEdit: { newText: 'arch-1' } });
  });

  it('[LSP8] [LSP9] gets edits for the version that they were made for; nothing is written to disk', async () => {
    const before = await readFile(join(vault, BOARD), 'utf8');
    const editor = await Editor.start(vault);
    await editor.openDocument(uri, text);
    const prepared = await editor.request('textDocument/prepareRename', at('Piece 7', 2));
    expect(prepared).toMatchObject({
      ...{ placeholder: 'Piece 7', range: { start: positionOf(text, 'Piece 7') } },
    });
    const rename = { ...at('Piece 7'), newName: 'Piece seven' };
    const renamed = await editor.request<WorkspaceEdit>('textDocument/rename', rename);
    expect(newLines(text, applyEdits(text, edits(renamed)))).toEqual([
      'rev: 7',
      '- [ ] Piece seven 🆔 arch-7 ⛔ arch-5 ^arch-7',
    ]);
    const { position: start } = at('Piece 5');
    const asked = { ...document(), range: { start, end: start }, context: { diagnostics: [] } };
    const offered = await editor.request<CodeAction[]>('textDocument/codeAction', asked);
    const action = offered.find(({ title }) => title === 'Set "Piece 5" to completed');
    expect(action?.edit).toBeUndefined();
    const resolved = await editor.request<CodeAction>('codeAction/resolve', action ?? {});
    expect(applyEdits(text, edits(resolved.edit))).toMatch(
      /^- \[x\] Piece 5 🆔 arch-5 ✅ \d{4}-\d\d-\d\d \^arch-5$/m,
    );
    const only = { ...asked, context: { diagnostics: [], only: ['quickfix'] } };
    expect(await editor.request('textDocument/codeAction', only)).toEqual([]);
    await expect(
      editor.request('textDocument/rename', { ...at('## Old', 4), newName: 'x' }),
    ).rejects.toMatchObject({ code: LSPErrorCodes.RequestFailed });
    expect(await readFile(join(vault, BOARD), 'utf8')).toBe(before);
  });

  it('[LSP8] an edit of a text that changed since is not given', async () => {
    const editor = await Editor.start(vault);
    await editor.openDocument(uri, text);
    const { position: start } = at('Piece 5');
    const asked = { ...document(), range: { start, end: start }, context: { diagnostics: [] } };
    const [action] = await editor.request<CodeAction[]>('textDocument/codeAction', asked);
    // This request waits for the archive while the text changes.
    await editor.notify('textDocument/didSave', document());
    const late = Promise.allSettled([editor.request('textDocument/hover', at('Piece 5'))]);
    const range = { start, end: start };
    await editor.notify('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range, text: 'The ' }],
    });
    await expect(editor.request('codeAction/resolve', action ?? {})).rejects.toMatchObject({
      code: LSPErrorCodes.ContentModified,
    });
    const [hover] = await late;
    expect(hover).toMatchObject(
      hover.status === 'rejected'
        ? { reason: { code: LSPErrorCodes.ContentModified } }
        : { value: { contents: { kind: 'plaintext' } } },
    );
    const changed = await editor.request<Hover>('textDocument/hover', at('Piece 5'));
    expect(changed.contents).toMatchObject({
      value: expect.stringContaining('#5 The Piece 5') as string,
    });
  });

  it('[LSP8] one that knows neither versions nor late edits gets them as it can take them', async () => {
    const editor = await Editor.start(vault, {});
    await editor.openDocument(uri, text);
    const { position: start } = at('Piece 5');
    const asked = { ...document(), range: { start, end: start }, context: { diagnostics: [] } };
    const offered = await editor.request<CodeAction[]>('textDocument/codeAction', asked);
    expect(offered.map(({ edit }) => Object.keys(edit?.changes ?? {}))).toEqual(
      offered.map(() => [uri]),
    );
    expect(editor.initialized.capabilities.renameProvider).toBe(true);
  });

  it('[LSP4] [LSP9] repairs what it is told of, and is told when nothing is wrong any more', async () => {
    const editor = await Editor.start(vault);
    const twice = `${text}- [ ] Again 🆔 arch-5 ^arch-5\n`;
    await editor.openDocument(uri, twice);
    const { diagnostics } = await editor.diagnostics(uri, 1);
    expect(diagnostics).toMatchObject([{ code: 'duplicate-id', source: 'agent-boards' }]);
    const { range } = diagnostics[0] ?? { range: undefined };
    const asked = { ...document(), range, context: { diagnostics, only: ['quickfix'] } };
    const [repair] = await editor.request<CodeAction[]>('textDocument/codeAction', asked);
    expect(repair).toMatchObject({ kind: 'quickfix', diagnostics });
    const { edit } = await editor.request<CodeAction>('codeAction/resolve', repair ?? {});
    const contentChanges = [{ text: applyEdits(twice, edits(edit)) }];
    await editor.notify('textDocument/didChange', {
      ...{ textDocument: { uri, version: 2 }, contentChanges },
    });
    expect((await editor.diagnostics(uri, 2)).diagnostics).toEqual([]);
    expect(contentChanges[0]?.text).toContain('- [ ] Again 🆔 arch-10 ^arch-10');
  });
});

it('[LSP2] other Markdown gets nothing, and a note that becomes a board does', async () => {
  const editor = await Editor.start(vault);
  const other = pathToFileURL(join(vault, 'Inbox.md')).href;
  await editor.openDocument(other, '# Inbox\n\n- [ ] a 🆔 k3f9-1\n- [ ] b 🆔 k3f9-1\n');
  const textDocument = { uri: other };
  expect(await editor.request('textDocument/documentSymbol', { textDocument })).toEqual([]);
  const position = { line: 2, character: 3 };
  expect(await editor.request('textDocument/hover', { textDocument, position })).toBeNull();
  expect(editor.diagnosticsOf(other)).toEqual([]);
  const contentChanges = [{ text: '---\nboard: 1\nsession: s\nagent: a\n---\n' }];
  await editor.notify('textDocument/didChange', {
    ...{ textDocument: { uri: other, version: 2 }, contentChanges },
  });
  const { diagnostics } = await editor.diagnostics(other, 2);
  expect(diagnostics).toMatchObject([{ code: 'broken-note', severity: 1 }]);
  await editor.notify('textDocument/didClose', { textDocument });
  await editor.request('shutdown', {}).catch(() => undefined);
  expect(editor.diagnosticsOf(other).at(-1)).toMatchObject({ diagnostics: [] });
});

it('[LSP2] a board in no vault, and one that was never saved, are boards too', async () => {
  const editor = await Editor.start(tmpdir());
  for (const place of [pathToFileURL(join(tmpdir(), 'x.md')).href, 'untitled:Untitled-1']) {
    await editor.openDocument(place, text);
    const { diagnostics } = await editor.diagnostics(place, 1);
    expect(diagnostics).toEqual([]);
    const position = positionOf(text, 'arch-2');
    const textDocument = { uri: place };
    expect(await editor.request('textDocument/definition', { textDocument, position })).toBeNull();
  }
});

it('[LSP7] a board that is named by its title finds its archive', async () => {
  const folder = join(vault, '.opencode/todos/hand-archive');
  const titled = join(vault, '.opencode/todos/Archive (rchive)');
  await cp(folder, titled, { recursive: true });
  await rm(folder, { recursive: true });
  for (const name of ['build-tasks.md', 'build-tasks.archive.md']) {
    await cp(join(titled, name), join(titled, `Archive - ${name}`));
    await rm(join(titled, name));
  }
  uri = pathToFileURL(join(titled, 'Archive - build-tasks.md')).href;
  const editor = await Editor.start(vault, CAPABILITIES, null);
  await editor.openDocument(uri, text);
  const there = await editor.request<Location>('textDocument/definition', at('arch-2', 2));
  expect(there.uri).toBe(pathToFileURL(join(titled, 'Archive - build-tasks.archive.md')).href);
});
