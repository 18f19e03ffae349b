import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DiskStep } from './full-disk-child';

const ROOT = join(import.meta.dirname, '../..');
/** Linux lets a user mount a small disk in their own namespace; other systems don't. */
const MOUNT = 'mount -t tmpfs -o size=512k none "$0" && exec "$1" "$2" "$0"';
const mayMount =
  spawnSync('unshare', ['-Urm', 'sh', '-c', 'mount -t tmpfs none /tmp']).status === 0;

let folder: string;
let disk: string;
let steps: readonly DiskStep[];

beforeAll(async () => {
  if (!mayMount) return;
  // Inside the project, where the child finds its packages.
  folder = join(ROOT, 'soak/build', `disk-${process.pid}`);
  await mkdir(folder, { recursive: true });
  disk = await mkdtemp(join(tmpdir(), 'atb-disk-'));
  const outfile = join(folder, 'child.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'full-disk-child.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    define: { __filename: 'import.meta.filename' },
    logLevel: 'error',
  });
  const child = spawn('unshare', ['-Urm', 'sh', '-c', MOUNT, disk, process.execPath, outfile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += data.toString('utf8')));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(0);
  steps = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DiskStep);
});

afterAll(async () => {
  if (!mayMount) return;
  await rm(folder, { recursive: true, force: true });
  await rm(disk, { recursive: true, force: true });
});

function find(name: string): DiskStep {
  const found = steps.find(({ step }) => step === name);
  if (found === undefined) throw new Error(`There is no step "${name}".`);
  return found;
}

describe.skipIf(!mayMount)('a disk that is full', () => {
  test('[FAULT6] a call that can’t be written tells the model why, and leaves the board as it was', () => {
    const [before, full] = [find('with room'), find('full')];
    expect(before.refused).toBe(false);
    expect(before.board).toContain('First');
    expect(full.said).toContain('disk is full');
    expect(full.board).toBe(before.board);
  });

  test('[FAULT6] a bridge that can’t leave word of itself works without clients, and leaves no half of a file', () => {
    const pid = /\d+/;
    const [before, started] = [find('with room'), find('started on a full disk')];
    expect(before.run.filter((name) => pid.test(name))).toHaveLength(1);
    expect(started.run.filter((name) => pid.test(name))).toEqual([]);
    expect(started.said).toContain('disk is full');
  });

  test('[FAULT6] with room again everything is written', () => {
    const { board, refused } = find('with room again');
    expect(refused).toBe(false);
    expect(board).toContain('First');
    expect(board).toContain('Fourth');
    expect(board).not.toMatch(/Second|Third/);
  });
});
