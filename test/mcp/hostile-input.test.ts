import { existsSync } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { requestIdOf, LineSplitter, type LongLine } from '../../src/mcp/line-splitter';
import { ERAS, makeVault, removeVaults, type Era } from './mcp-rig';
import { RawMcpClient } from './raw-mcp-client';

const open: RawMcpClient[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.kill();
});
afterAll(removeVaults);

async function served(
  vault: string,
  args: readonly string[] = [],
  era: Era = 'legacy',
): Promise<RawMcpClient> {
  const wire = await RawMcpClient.open(vault, era, args);
  open.push(wire);
  return wire;
}

describe('lines that are too long', () => {
  /** The accepted lines, and those left out. @param size of the chunks in which the text is read */
  async function read(text: string, size: number, most: number) {
    const long: LongLine[] = [];
    const lines = new LineSplitter(most, {
      onTooLong: (line) => long.push(line),
      onInvalid: () => undefined,
    });
    const through: string[] = [];
    lines.on('data', (chunk: Buffer) => through.push(chunk.toString()));
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) lines.write(bytes.subarray(at, at + size));
    await new Promise<void>((resolve) => lines.end(resolve));
    return { through, long };
  }

  it('[MCP4] are left out, wherever the parts end, and the lines around them come through', async () => {
    const long = 'x'.repeat(5_000);
    const [first, second] = ['ä', 'b'].map((method) => JSON.stringify({ jsonrpc: '2.0', method }));
    for (const size of [1, 7, 4_096, 100_000]) {
      const { through, long: left } = await read(
        `${first}\n${long}\n${second}\n\n${long}\nhalf`,
        size,
        2_000,
      );
      expect(through).toEqual([`${first}\n`, `${second}\n`, '\n']);
      expect(left.map(({ head, tail }) => [head.length, tail.length])).toEqual([
        [1_024, 1_024],
        [1_024, 1_024],
      ]);
    }
    expect((await read('    \n     \n', 3, 5)).through).toEqual(['    \n']);
  });

  it('[MCP4] name their request where clients write it, and no other', () => {
    const of = (head: string, tail = 'x"}}}\n') => requestIdOf({ head, tail });
    expect(of('{"jsonrpc":"2.0","id":7,"method":"tools/call"')).toBe('7');
    expect(of('{"id": "a\\"b", "method"')).toBe('"a\\"b"');
    expect(of('{"method":"', '"}},"jsonrpc":"2.0","id":3}\n')).toBe('3');
    expect(of('{"method":"', '"}},"id":3,"jsonrpc":"2.0"}\r\n')).toBe('3');
    expect(of('{"method":"x","params":{"id":5,"', '"a":{"id":3}}}\n')).toBe('null');
    expect(of('{"id":1e9,"', '"id":"3}\n')).toBe('null');
  });

  it('[MCP4] are answered with an error, and neither kept nor read: the next call is answered at once', async () => {
    const vault = await makeVault();
    const wire = await served(vault);
    const part = 'x'.repeat(1024 * 1024);
    for (const [before, behind] of [
      ['{"jsonrpc":"2.0","id":91,"method":"tools/call","params":{"a":"', '"}}\n'],
      ['{"method":"tools/call","params":{"a":"', '"},"jsonrpc":"2.0","id":92}\n'],
      ['', '\n'],
    ] as const) {
      wire.write(before);
      for (let count = 0; count < 70; count += 1) wire.write(part);
      wire.write(behind);
    }
    for (const id of [91, 92]) {
      const { ok, text } = await wire.answer(id);
      expect([ok, text]).toEqual([false, expect.stringContaining('longer than 4 MiB')]);
    }
    expect(await wire.answer(wire.tasks({ type: 'add', title: 'One' }))).toMatchObject({
      ok: true,
    });
    // 210 MB were sent; only Linux reports the peak memory of a process.
    const status = await readFile(`/proc/${wire.pid}/status`, 'utf8').catch(() => '');
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0)).toBeLessThan(250_000);
  });
});

it('[MCP4] messages that are none, and names that every object has, cost nobody an answer', async () => {
  const wire = await served(await makeVault());
  const call = (id: number, params: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
  const junk = [
    ...['\0\0', '[]', '[1]', 'null', '7', '"x"', '{}', '{"jsonrpc":"1.0","id":97,"method":"x"}'],
    ...['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', '{"jsonrpc":"2.0","id":99,"result":{}}'],
    ...['['.repeat(200_000), '{"a":'.repeat(9_000), '{"jsonrpc":"2.0","id":98,"method":7}'],
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
    call(101, '{"name":"__proto__","arguments":{}}'),
    call(102, '{"name":"tasks","arguments":{"__proto__":{"operations":[{"type":"list"}]}}}'),
    call(103, '{"name":"tasks","arguments":{"operations":[{"type":"constructor","id":1}]}}'),
    call(
      104,
      '{"name":"tasks","arguments":{"operations":[{"type":"resume","session":"__proto__"}]}}',
    ),
    '{"jsonrpc":"2.0","id":105,"method":"prompts/get","params":{"name":"__proto__"}}',
    '{"jsonrpc":"2.0","id":106,"method":"resources/read","params":{"uri":"board://../../x"}}',
    call(107, '{"name":"tasks","arguments":{"operations":[{"type":"add","title":"one"}]}}'),
    call(107, '{"name":"tasks","arguments":{"operations":[{"type":"add","title":"two"}]}}'),
  ];
  wire.write(junk.map((line) => `${line}\r\n`).join(''));
  for (const id of [101, 102, 104, 105, 106]) expect((await wire.answer(id)).ok).toBe(false);
  expect((await wire.answer(103)).text).toContain('constructor');
  await wire.answer(107);
  await wire.answer(107);
  expect((await wire.answer(wire.tasks({ type: 'list' }))).text).toMatch(/#1 one\n.*#2 two/);
  wire.write('{"jsonrpc":"2.0","id":');
  expect(await wire.end()).toBe(0);
});

it.each(ERAS)(
  '[MCP4] a request in a form that the protocol does not have is answered with an error (%s)',
  async (era) => {
    const wire = await served(await makeVault(), [], era);
    const list = '"method":"tools/list"';
    const lines = [
      `{"jsonrpc":"2.0","id":201,${list},"params":[]}`,
      `{"jsonrpc":"2.0","id":202,${list},"params":{"_meta":{"progressToken":{}}}}`,
      `{"jsonrpc":"1.0","id":203,${list}}`,
      '{"jsonrpc":"2.0","id":204,"method":7}',
      '{"jsonrpc":"2.0","id":205}',
      `{"jsonrpc":"2.0","id":206,${list},"more":1}`,
      `[{"jsonrpc":"2.0","id":207,${list}},{"jsonrpc":"2.0","id":208,${list}}]`,
    ];
    const silent = [
      ...['{"jsonrpc":"2.0","id":209,"result":7}', '{"jsonrpc":"2.0","id":209,"error":7}'],
      ...['', ' \t', '{"jsonrpc":"2.0","method":"notifications/none"}'],
    ];
    wire.write([...silent, ...lines].map((line) => `${line}\n`).join(''));
    for (const id of [201, 202, 203, 204, 205, 206, 207, 208]) {
      const { error } = await wire.next((message) => message.id === id);
      expect(error?.code).toBe(-32600);
      expect(error?.message).toContain('"method" as text');
    }
    await wire.answer(wire.tasks({ type: 'add', title: 'one' }));
    expect(wire.out).not.toMatch(/"id":(209|null)/);
  },
);

it.each(ERAS)(
  '[MCP4] a line that is no JSON, or no message, is answered without an id, and the next call as ever (%s)',
  async (era) => {
    const wire = await served(await makeVault(), [], era);
    const list = '"method":"tools/list"';
    const noJson = ['junk', '{"jsonrpc":"2.0","id":1,', '\0\0', '['.repeat(200_000), '\ufeff{}'];
    const noMessage = [
      ...['[]', '[1,2]', 'null', '7', '"x"', '{}', '{"jsonrpc":"2.0","method":7}'],
      ...[`{"jsonrpc":"2.0","id":null,${list}}`, `{"jsonrpc":"2.0","id":{},${list}}`],
      `[{"jsonrpc":"2.0",${list}}]`,
    ];
    wire.write([...noJson, ...noMessage].map((line) => `${line}\r\n`).join(''));
    for (const [lines, code, words] of [
      [noJson, -32700, 'not JSON'],
      [noMessage, -32600, '"method" as text'],
    ] as const) {
      for (const line of lines) {
        const { error } = await wire.next(({ id }) => id === null);
        expect([error?.code, error?.message], line.slice(0, 40)).toEqual([
          code,
          expect.stringContaining(words),
        ]);
      }
    }
    expect((await wire.answer(wire.tasks({ type: 'add', title: 'one' }))).ok).toBe(true);
    expect(wire.out.match(/"id":null/g)?.length).toBe(noJson.length + noMessage.length);
  },
);

it.each([
  ['no name', { arguments: {} }],
  ['a name that is no text', { name: 7, arguments: {} }],
  ['a list of arguments', { name: 'tasks', arguments: [] }],
  ['null for arguments', { name: 'tasks', arguments: null }],
])('[MCP4] a call with %s is answered in words', async (_, params) => {
  const wire = await served(await makeVault());
  wire.send({ id: 301, method: 'tools/call', params });
  const { error } = await wire.next(({ id }) => id === 301);
  expect(error?.code).toBe(-32602);
  expect(error?.message).toContain('a call has "name"');
  expect((await wire.answer(wire.tasks({ type: 'list' }))).ok).toBe(true);
});

it('[MCP2] the answer to an unknown operation lists resume too', async () => {
  const wire = await served(await makeVault());
  const { ok, text } = await wire.answer(wire.tasks({ type: 'finish', id: '1' }));
  expect(ok).toBe(false);
  expect(text).toMatch(/Unknown operation type: "?finish"?\. Use init, .*, history, resume\./);
});

it('[MCP9] a client that reads no more ends the server, which cleans up', async () => {
  const vault = await makeVault();
  const wire = await served(vault);
  await wire.answer(wire.tasks({ type: 'add', title: 'one' }));
  wire.stopReading();
  wire.tasks({ type: 'add', title: 'two' });
  expect(await wire.ended).toBe(0);
  const runs = await readdir(join(vault, '.opencode/run'));
  expect(runs.filter((name) => name.endsWith('.json'))).toEqual([]);
});

it('[MCP18] where the vault is gone, answers say so, and nothing of it is made anew', async () => {
  const vault = await makeVault();
  const wire = await served(vault);
  await wire.answer(wire.tasks({ type: 'add', title: 'one' }));
  await rename(vault, `${vault}-moved`);
  for (const id of [
    wire.tasks({ type: 'add', title: 'two' }),
    wire.call('obsidian_search_vault', { query: 'x' }),
    wire.call('obsidian_create_note', { path: 'a.md', content: 'x' }),
  ]) {
    const { ok, text } = await wire.answer(id);
    expect([ok, text]).toEqual([false, expect.stringContaining('is no longer there')]);
  }
  expect(existsSync(vault)).toBe(false);
  await rename(`${vault}-moved`, vault);
  expect((await wire.answer(wire.tasks({ type: 'add', title: 'two' }))).text).toContain('#2 two');
});

it('[MCP6] of several processes that resume one board at once, one has it', async () => {
  const vault = await makeVault();
  const left = await served(vault);
  await left.answer(left.tasks({ type: 'add', title: 'one' }));
  await left.end();
  const all = await Promise.all([served(vault), served(vault), served(vault)]);
  const answers = await Promise.all(all.map((wire) => wire.answer(wire.tasks({ type: 'resume' }))));
  expect(answers.filter(({ ok }) => ok).length).toBe(1);
  for (const { ok, text } of answers) {
    expect(text).toMatch(ok ? /^You work on/ : /another process works on|no unfinished board/);
  }
});
