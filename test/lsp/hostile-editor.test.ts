import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from 'vscode-languageserver-protocol';
import { FrameReader } from '../../src/lsp/frame-reader';
import { fc } from '../seeded';
import { closeEditors, Editor } from './editor';
import { SAMPLE, URI } from './sample';

afterEach(closeEditors);

const frame = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe('[LSP13] what is no message', () => {
  /** The messages read from these bytes, and the number of errors. */
  async function read(bytes: Buffer, size: number) {
    const input = new PassThrough();
    const reader = new FrameReader(input);
    const messages: Message[] = [];
    let faults = 0;
    reader.onError(() => (faults += 1));
    const closed = new Promise<void>((resolve) => void reader.onClose(resolve));
    reader.listen((message) => messages.push(message));
    for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
    input.end();
    await closed;
    return { messages, faults };
  }

  const GOOD = { jsonrpc: '2.0', method: 'ä🎌' };
  it.each([
    ['is not JSON', frame('{"a":'), 1],
    ['is no object', frame('[1]') + frame('null') + frame('7'), 3],
    ['is empty', frame(''), 1],
    ['has no length', 'Content-Type: x\r\n\r\n', 1],
    ['has a negative length', 'Content-Length: -5\r\n\r\n', 1],
    ['has a length in words', 'Content-Length: five\r\n\r\n', 1],
    ['has a head without a colon', 'Hello\r\n\r\n', 1],
    [
      'has more bytes than are kept',
      `Content-Length: 134217729\r\n\r\n${'x'.repeat(134_217_729)}`,
      1,
    ],
    ['has a head that does not end', `${'x'.repeat(9_000)}\r\n\r\n`, 3],
    ['is fine', frame('{"jsonrpc":"2.0"}'), 0],
  ])('that %s costs those around it nothing', async (_, junk, wrong) => {
    const good = frame(JSON.stringify(GOOD));
    const bytes = Buffer.from(good + junk + good + good);
    for (const size of junk.length > 100_000 ? [65_536] : [1, 7, 65_536]) {
      const { messages, faults } = await read(bytes, size);
      expect(messages.filter((one) => 'method' in one)).toEqual([GOOD, GOOD, GOOD]);
      expect(faults).toBe(wrong);
    }
  });

  it('whatever comes, nothing is thrown', async () => {
    const parts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\r\n\r\n', 'Content-Length: ', '5', '-1', frame('{}'), '{"jsonrpc":"2.0"}'),
    );
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(parts), fc.integer({ min: 1, max: 9 }), async (texts, size) => {
        const { messages, faults } = await read(Buffer.from(texts.join('')), size);
        seen += messages.length + faults;
      }),
      { numRuns: 300 },
    );
    expect(seen).toBeGreaterThan(100);
  });
});

it('[LSP13] an editor that sends anything is served on, and gets the protocol alone', async () => {
  const editor = await Editor.start(tmpdir());
  await editor.openDocument(URI, SAMPLE);
  const send = (text: string): void => void editor.child.stdin.write(text);
  send(frame('{"jsonrpc":') + 'Content-Length: -5\r\n\r\n' + 'no head\r\n\r\n' + frame('[]'));
  const call = (method: string, params: unknown, id?: unknown) =>
    send(
      frame(JSON.stringify({ jsonrpc: '2.0', method, params, ...(id !== undefined && { id }) })),
    );
  const textDocument = { uri: URI };
  const wrong = [
    ...[undefined, null, 7, [], {}, { textDocument: null }, { textDocument: { uri: 7 } }],
    { textDocument: { uri: 'file:///nowhere.md' }, position: { line: 0, character: 0 } },
    ...[
      { line: -1, character: -1 },
      { line: 1e9, character: 1e9 },
      { line: 0.5, character: Number.NaN },
      { line: 'x', character: {} },
      null,
    ].map((position) => ({ textDocument, position, range: { start: position, end: position } })),
  ];
  const METHODS = [
    ...['hover', 'definition', 'references', 'completion', 'codeAction', 'rename', 'foldingRange'],
    ...['prepareRename', 'documentSymbol', 'inlayHint'],
  ];
  let id = 1_000;
  for (const params of wrong) {
    for (const method of METHODS) call(`textDocument/${method}`, params, (id += 1));
    for (const method of ['didChange', 'didOpen', 'didSave', 'didClose']) {
      if ((params as { textDocument?: unknown } | null)?.textDocument === textDocument) continue;
      call(`textDocument/${method}`, params);
    }
    call('codeAction/resolve', params, (id += 1));
    call('no/such', params, (id += 1));
  }
  for (const contentChanges of [null, 7, [null], [{ text: 7 }], [{ range: 7, text: 'x' }]]) {
    call('textDocument/didChange', { textDocument: { uri: URI, version: 2 }, contentChanges });
  }
  call('hover', {}, { an: 'object' });
  call('textDocument/didOpen', { textDocument: { uri: 'file:///v/a.md', text: 7 } });
  call('codeAction/resolve', { title: 'x', data: { uri: URI, version: 1, range: 7 } }, (id += 1));
  // The document is unchanged: none of these was a valid change.
  const position = { line: 15, character: 8 };
  const hover = await editor.request('textDocument/hover', { textDocument, position });
  expect(hover).toMatchObject({ contents: { value: expect.stringContaining('Choose') as string } });
  const answers = await framesOf(editor);
  const answered = new Set(answers.map((one) => one.id));
  for (let at = 1_001; at <= id; at += 1) expect(answered.has(at), String(at)).toBe(true);
  // It ended when told to, not before.
  expect(await editor.ended).toEqual([0, null]);
});

it('[LSP16] what comes before initialize is refused, and what comes after it is answered', async () => {
  const editor = Editor.launch(tmpdir());
  const asked = { textDocument: { uri: URI }, position: { line: 15, character: 8 } };
  await editor.openDocument(URI, SAMPLE);
  for (const method of ['textDocument/hover', 'textDocument/codeAction', 'no/such']) {
    await expect(editor.request(method, asked)).rejects.toMatchObject({ code: -32002 });
  }
  await editor.request('initialize', { processId: null, rootUri: null, capabilities: {} });
  expect(await editor.request('textDocument/hover', asked)).toBeNull();
  await editor.openDocument(URI, SAMPLE);
  const contents = { value: expect.stringContaining('Choose') as string };
  expect(await editor.request('textDocument/hover', asked)).toMatchObject({ contents });
  await expect(editor.request('no/such', asked)).rejects.toMatchObject({ code: -32601 });
});

/** All of stdout, which must be frames with nothing between them. */
async function framesOf(editor: Editor): Promise<readonly { readonly id?: unknown }[]> {
  await editor.request('shutdown', {});
  await editor.notify('exit', {});
  await editor.ended;
  let left = Buffer.concat(editor.output);
  const found: { id?: unknown }[] = [];
  while (left.length > 0) {
    const [head = '', length] =
      /^Content-Length: (\d+)\r\n\r\n/.exec(left.toString('latin1')) ?? [];
    if (length === undefined) throw new Error(`No frame: ${left.subarray(0, 200).toString()}`);
    const end = head.length + Number(length);
    found.push(JSON.parse(left.subarray(head.length, end).toString()) as { id?: unknown });
    left = left.subarray(end);
  }
  return found;
}

describe('[LSP14] it ends', () => {
  it.each([
    ['by exit after shutdown, with 0', true, 0],
    ['by exit alone, with 1', false, 1],
  ])('%s', async (_, shutdown, code) => {
    const editor = await Editor.start(tmpdir());
    if (shutdown) await editor.request('shutdown', {});
    await editor.notify('exit', {});
    expect(await editor.ended).toEqual([code, null]);
  });

  it('with its input', async () => {
    const editor = await Editor.start(tmpdir());
    editor.child.stdin.end();
    expect(await editor.ended).toEqual([1, null]);
  });

  it('with the process that the editor names', async () => {
    const named = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const program = join(import.meta.dirname, '../../dist/cli.js');
    const args = [program, 'lsp', '--stdio', `--clientProcessId=${named.pid}`];
    const server = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
    const params = { processId: named.pid, rootUri: null, capabilities: {} };
    server.stdin.write(
      frame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })),
    );
    await once(server, 'spawn');
    const ended = once(server, 'exit');
    named.kill('SIGKILL');
    expect(await ended).toEqual([1, null]);
  });
});
