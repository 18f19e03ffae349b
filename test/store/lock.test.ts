import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DiskStore, noteKey } from '../../src/node/disk-store';
import { thisProcess, withLock, type Holder, keyLockPath } from '../../src/node/lock';

let root = '';
let file = '';
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'atb-lock-'));
  file = join(root, keyLockPath(noteKey('n/a.md')));
  await fs.mkdir(dirname(file), { recursive: true });
});
afterEach(async () => {
  vi.useRealTimers();
  await fs.rm(root, { recursive: true, force: true });
});

async function leave(holder: Partial<Holder> | string, age = 0): Promise<void> {
  const text =
    typeof holder === 'string' ? holder : JSON.stringify({ ...(await thisProcess()), ...holder });
  await fs.rm(file, { force: true });
  await fs.writeFile(file, text);
  const time = new Date(Date.now() - age);
  await fs.utimes(file, time, time);
}

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'close');
  return child.pid ?? 0;
}

const write = (waitMs = 50): Promise<string | undefined> =>
  new DiskStore(root, { waitMs }).update('n/a.md', (text) => `${text ?? ''}x`);

describe('the lock between processes', () => {
  test('[STORE20] one holder at a time, and the file is gone afterwards', async () => {
    let inside = 0;
    let most = 0;
    const hold = (): Promise<void> =>
      withLock(file, async () => {
        most = Math.max(most, (inside += 1));
        await new Promise(setImmediate);
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 20 }, hold));
    expect(most).toBe(1);
    await expect(fs.stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('[STORE20] it names its holder while it is held, and goes when the task throws', async () => {
    let held = '';
    const task = withLock(file, async () => {
      held = await fs.readFile(file, 'utf8');
      throw new RangeError('task');
    });
    await expect(task).rejects.toBeInstanceOf(RangeError);
    const self = await thisProcess();
    expect(JSON.parse(held)).toEqual(self);
    expect([self.pid, self.host.split(' ')[0]]).toEqual([process.pid, hostname()]);
    await expect(fs.stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('[STORE21] the lock of a dead process on this machine is taken over', async () => {
    await leave({ pid: await deadPid(), nonce: 'other' });
    expect(await write()).toBe('x');
  });

  test('[STORE21] a process that had our number before us is dead', async () => {
    await leave({ nonce: 'of an earlier start' });
    expect(await write()).toBe('x');
  });

  test('[STORE21] many that find a lock left behind still hold it one at a time', async () => {
    await leave({ pid: await deadPid(), nonce: 'other' });
    await fs.copyFile(file, `${file}.takeover`);
    let text = '';
    const add = (n: number): Promise<void> =>
      withLock(file, async () => {
        const before = text;
        await new Promise(setImmediate);
        text = `${before}${n},`;
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(n)));
    expect(text.split(',')).toHaveLength(21);
    await expect(fs.stat(`${file}.takeover`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('[STORE22] a live process on this machine keeps its lock, however silent: busy', async () => {
    await leave({ pid: process.ppid, nonce: 'other' }, 120_000);
    await expect(write()).rejects.toMatchObject({ name: 'StoreError', code: 'busy' });
    expect(JSON.parse(await fs.readFile(file, 'utf8'))).toMatchObject({ nonce: 'other' });
  });

  test('[STORE22] the wait does not get longer when the clock is set back', async () => {
    await leave({ pid: process.ppid, nonce: 'other' });
    vi.useFakeTimers({ toFake: ['Date'] });
    const refused = expect(write()).rejects.toMatchObject({ code: 'busy' });
    vi.setSystemTime(Date.now() - 3_600_000);
    await refused;
  });

  test('[STORE48] a link to nowhere in the place of a lock is told, and not waited for', async () => {
    await fs.symlink('/none/there', file);
    const held = withLock(file, () => Promise.resolve());
    await expect(held).rejects.toMatchObject({ name: 'StoreError', code: 'io' });
    await expect(held).rejects.toThrow(`${file} is no file, where a file has to be.`);
  });

  test('[STORE23] the lock of another machine is busy, named in the error, and passed over after 60 s of silence', async () => {
    // The date is frozen: seconds lost on a slow machine must not make the holder look dead.
    vi.useFakeTimers({ toFake: ['Date'] });
    await leave({ host: 'laptop', pid: 7, nonce: 'other' }, 59_000);
    await expect(write(0)).rejects.toMatchObject({ code: 'busy' });
    await expect(write(0)).rejects.toThrow('Process 7 on laptop');
    await leave({ host: 'laptop', pid: 7, nonce: 'other' }, 61_000);
    expect(await write(0)).toBe('x');
  });

  test('[STORE23] a lock that can not be read counts as one of another machine', async () => {
    await leave('', 0);
    await expect(write()).rejects.toMatchObject({ code: 'busy' });
    await leave('', 61_000);
    expect(await write()).toBe('x');
  });

  test('[STORE24] who was passed over leaves the new holder its lock', async () => {
    await withLock(file, () => leave({ host: 'laptop', nonce: 'passed over us' }));
    expect(JSON.parse(await fs.readFile(file, 'utf8'))).toMatchObject({ host: 'laptop' });
  });

  test('[STORE25] locks stand in the state folder, which git ignores, and what dead processes left there goes', async () => {
    const left = join(dirname(file), 'dead.holder');
    await fs.writeFile(
      left,
      JSON.stringify({ ...(await thisProcess()), pid: await deadPid(), nonce: 'dead' }),
    );
    await write();
    expect(await fs.readdir(join(root, 'n'))).toEqual(['a.md']);
    expect(await fs.readFile(join(root, '.opencode/agent-task-boards/.gitignore'), 'utf8')).toBe(
      '*\n',
    );
    expect(await fs.readdir(dirname(file))).toEqual([`${(await thisProcess()).nonce}.holder`]);
  });
});
