import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { requestIdOf, WholeLines, type LongLine } from '../../src/mcp/whole-lines';
import { makeVault, removeVaults } from './mcp-rig';
import { Wire } from './wire';

const open: Wire[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.kill();
});
afterAll(removeVaults);

async function served(vault: string, args: readonly string[] = []): Promise<Wire> {
  const wire = await Wire.open(vault, 'legacy', args);
  open.push(wire);
  return wire;
}

describe('lines that are too long', () => {
  /** What comes through, and what is left out. @param size of the parts that it is read in */
  async function read(text: string, size: number, most: number) {
    const long: LongLine[] = [];
    const lines = new WholeLines(most, (line) => long.push(line));
    const through: string[] = [];
    lines.on('data', (chunk: Buffer) => through.push(chunk.toString()));
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) lines.write(bytes.subarray(at, at + size));
    await new Promise<void>((resolve) => lines.end(resolve));
    return { through, long };
  }

  it('[MCP4] are left out, wherever the parts end, and the lines around them come through', async () => {
    const long = 'x'.repeat(5_000);
    for (const size of [1, 7, 4_096, 100_000]) {
      const { through, long: left } = await read(`ä\n${long}\nb\n\n${long}\nhalf`, size, 2_000);
      expect(through).toEqual(['ä\n', 'b\n', '\n']);
      expect(left.map(({ head, tail }) => [head.length, tail.length])).toEqual([
        [1_024, 1_024],
        [1_024, 1_024],
      ]);
    }
    expect((await read('1234\n12345\n', 3, 5)).through).toEqual(['1234\n']);
  });

  it('[MCP4] name their request where clients write it, and no other', () => {
    const of = (head: string, tail = 'x"}}}\n') => requestIdOf({ head, tail });
    expect(of('{"jsonrpc":"2.0","id":7,"method":"tools/call"')).toBe('7');
    expect(of('{"id": "a\\"b", "method"')).toBe('"a\\"b"');
    expect(of('{"method":"', '"}},"jsonrpc":"2.0","id":3}\n')).toBe('3');
    expect(of('{"method":"', '"}},"id":3,"jsonrpc":"2.0"}\r\n')).toBe('3');
    expect(of('{"method":"x","params":{"id":5,"', '"a":{"id":3}}}\n')).toBeUndefined();
    expect(of('{"id":1e9,"', '"id":"3}\n')).toBeUndefined();
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
    // 210 MB came in; Linux alone tells the most memory that a process has had.
    const status = await readFile(`/proc/${wire.pid}/status`, 'utf8').catch(() => '');
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0)).toBeLessThan(250_000);
  });
});
