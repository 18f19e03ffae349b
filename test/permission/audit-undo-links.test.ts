import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PathResolver, type RealPath } from '../../src/core/permission/path-resolver';
import { DiskStore } from '../../src/node/disk-store';
import { realPaths } from '../../src/node/real-paths';
import { UndoScene } from './undo-scene';

const NOTE = 'Notes/Index.md';
let scene: UndoScene;

describe('on a disk with links', () => {
  let root: string;
  let outside: string;

  beforeEach(async () => {
    root = await fs.mkdtemp(join(tmpdir(), 'atb-undo-'));
    outside = await fs.mkdtemp(join(tmpdir(), 'atb-canary-'));
    await fs.writeFile(join(outside, 'Index.md'), 'two\n');
    await fs.mkdir(join(root, 'Notes'));
    await fs.writeFile(join(root, NOTE), 'one\n');
  });

  afterEach(async () => {
    await fs.rm(root, { recursive: true, force: true });
    await fs.rm(outside, { recursive: true, force: true });
  });

  test('[AUD22] a folder that was swapped for a link out of the vault is not followed', async () => {
    scene = new UndoScene(new DiskStore(root), new PathResolver(realPaths(root)));
    await scene.change('c1', NOTE, 'two\n');
    await fs.rename(join(root, 'Notes'), join(root, 'Old'));
    await fs.symlink(outside, join(root, 'Notes'));
    expect(await scene.undo('c1')).toMatchObject({ ok: false, code: 'place' });
    expect(await fs.readFile(join(outside, 'Index.md'), 'utf8')).toBe('two\n');
  });

  test('[AUD22] a note that is now a link to another with the same text is not undone; a change that went through a link is', async () => {
    scene = new UndoScene(new DiskStore(root), new PathResolver(realPaths(root)));
    await scene.change('c1', NOTE, 'two\n');
    await fs.writeFile(join(root, 'Other.md'), 'two\n');
    await fs.rm(join(root, NOTE));
    await fs.symlink('../Other.md', join(root, NOTE));
    expect(await scene.look('c1')).toMatchObject({ ok: false, code: 'place' });
    expect(await scene.undo('c1')).toMatchObject({ ok: false, code: 'place' });
    expect(await fs.readFile(join(root, 'Other.md'), 'utf8')).toBe('two\n');
    await scene.change('c2', NOTE, 'three\n');
    expect(await scene.undo('c2')).toEqual({ ok: true });
    expect(await fs.readFile(join(root, 'Other.md'), 'utf8')).toBe('two\n');
    expect(await scene.undo('undo-1')).toEqual({ ok: true });
    expect(await fs.readFile(join(root, 'Other.md'), 'utf8')).toBe('three\n');
  });

  test('[AUD22] one that is swapped right before the write is seen as well', async () => {
    const real = realPaths(root);
    let swapped = false;
    const racing = async (path: string): Promise<RealPath> =>
      swapped ? { kind: 'outside' } : real(path);
    scene = new UndoScene(new DiskStore(root), new PathResolver(racing));
    await scene.change('c1', NOTE, 'two\n');
    const { deps } = scene;
    const audit = {
      append: async (entry: Parameters<typeof deps.audit.append>[0]) => {
        await deps.audit.append(entry);
        swapped = true;
      },
    };
    expect(await scene.undo('c1', { audit })).toMatchObject({ ok: false, code: 'place' });
    expect(await fs.readFile(join(root, NOTE), 'utf8')).toBe('two\n');
  });
});
