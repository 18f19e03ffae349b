import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { StoreError } from '../../src/core/ports';
import { BoardResources } from '../../src/mcp/board-resources';
import { OpenCalls } from '../../src/mcp/open-calls';
import { nodeClock, nodeIds } from '../../src/node/node-ports';

test('[MCP20] a call that throws ends as a failure; others go on, and closing waits for none', async () => {
  const noted: string[] = [];
  const calls = new OpenCalls({
    ...{ clock: nodeClock, ids: nodeIds, askMs: () => Promise.resolve(0) },
    log: { note: (message) => void noted.push(message) },
  });
  const good = await calls.begin('a', ({ ask }) =>
    ask('May I?').then((said) => ({ ok: true, title: said, output: '', metadata: {} })),
  );
  const bad = await calls.begin('b', () => Promise.reject(new TypeError('no such thing.')));
  const message: unknown = expect.stringContaining('The call failed: no such thing. It may');
  expect(await bad.next()).toMatchObject({
    outcome: { ok: false, error: { code: 'internal', message } },
  });
  expect(noted).toEqual(['A call failed unexpectedly.']);
  expect(await good.next()).toMatchObject({ kind: 'ask', message: 'May I?' });
  await calls.close();
  expect(await good.next()).toMatchObject({ outcome: { ok: true, title: 'cancelled' } });
});

test('[MCP10] a board that cannot be read for a moment ends no notifications', async () => {
  const vault = await realpath(await mkdtemp(join(tmpdir(), 'atb-mcp-')));
  await mkdir(join(vault, 'boards'));
  let looks = 0;
  const board = { session: 's', agent: 'build', path: 'boards/s/build-tasks.md' };
  const manager = () => {
    looks += 1;
    if (looks === 1) return Promise.reject(new StoreError('busy', 'Another program has it.'));
    const inSession = () => Promise.resolve({ boards: [board] });
    return Promise.resolve({ inSession, notes: { read: () => Promise.resolve('text') } });
  };
  const resources = new BoardResources({
    vault,
    boards: { root: () => Promise.resolve('boards'), manager } as never,
    session: () => 's',
  });
  const stop = new AbortController();
  const lists = vi.fn(() => Promise.resolve());
  const ended = resources.watch(stop.signal, { list: lists, board: () => Promise.resolve() });
  ended.catch(() => undefined);
  await vi.waitFor(
    async () => {
      await writeFile(join(vault, 'boards/x'), String(Date.now()));
      expect(lists).toHaveBeenCalled();
    },
    { timeout: 60_000, interval: 100 },
  );
  stop.abort();
  await ended;
  await rm(vault, { recursive: true });
});
