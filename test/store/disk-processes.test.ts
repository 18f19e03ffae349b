import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DiskStore } from '../../src/node/disk-store';
import { caseCount } from '../in-full';
import { bundleChild } from './bundle-child';

const roots: string[] = [];

async function freshRoot(): Promise<string> {
  const root = await fs.mkdtemp(join(tmpdir(), 'atb-processes-'));
  roots.push(root);
  return root;
}

afterAll(async () => {
  for (const root of roots) await fs.rm(root, { recursive: true, force: true });
});

describe('several processes on one note', () => {
  let child = '';
  beforeAll(async () => {
    child = await bundleChild(join(import.meta.dirname, 'writer-child.ts'));
  });
  afterAll(() => fs.rm(dirname(child), { recursive: true, force: true }));

  const start = (...args: string[]) =>
    spawn(process.execPath, [child, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

  test.each([
    ['[STORE18] no line of six processes is lost or doubled', 'board.md'],
    ['[STORE51] nor one that is added to a file that only grows', 'board.jsonl'],
  ])('%s', async (_, file) => {
    const root = await freshRoot();
    const writers = ['a', 'b', 'c', 'd', 'e', 'f'];
    const ends = writers.map((name) => once(start(root, `n/${file}`, name, '40'), 'close'));
    expect(await Promise.all(ends)).toEqual(writers.map(() => [0, null]));
    const lines = (await fs.readFile(join(root, 'n', file), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(240);
    expect(new Set(lines).size).toBe(240);
    for (const name of writers) {
      const own = lines.filter((line) => line.startsWith(`${name}-`));
      expect(own.map((line) => line.split(' ')[0])).toEqual(
        Array.from({ length: 40 }, (_, n) => `${name}-${n + 1}`),
      );
    }
    expect(await fs.readdir(join(root, 'n'))).toEqual([file]);
  });

  test('[STORE19] kill -9 at any moment tears nothing and loses nothing that was acknowledged', async () => {
    const root = await freshRoot();
    const acknowledged: string[] = [];
    // Five rounds in a row have a depth each.
    const kills = Math.max(5, caseCount(30));
    for (let round = 0; round < kills; round += 1) {
      const process = start(root, 'n/board.md', `r${round}`, '100000', '2000');
      let seen = '';
      process.stdout.on('data', (data: Buffer) => (seen += data.toString()));
      // The kill comes after line 1, 3, 5… is acknowledged, in the middle of the next.
      while (seen.split('\n').length <= 1 + (round % 5) * 2) await once(process.stdout, 'data');
      process.kill('SIGKILL');
      await once(process, 'close');
      acknowledged.push(...seen.split('\n').slice(0, -1));
      const text = await fs.readFile(join(root, 'n/board.md'), 'utf8');
      expect(
        text.split('\n').filter((line) => line !== '' && !/^r\d+-\d+ x{2000} end$/.test(line)),
      ).toEqual([]);
      expect(text.endsWith(' end\n')).toBe(true);
    }
    const standing = (await fs.readFile(join(root, 'n/board.md'), 'utf8'))
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills);
    expect(acknowledged.filter((name) => !standing.includes(name))).toEqual([]);
    await new DiskStore(root).update('n/board.md', (text) => `${text ?? ''}after`);
    expect(await fs.readdir(join(root, 'n'))).toEqual(['board.md']);
  });
});
