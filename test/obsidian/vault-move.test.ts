import { describe, expect, test } from 'vitest';
import { BoardMover } from '../../src/core/board/move/move-boards';
import { StoreError } from '../../src/core/ports';
import { boardRootFault, readSharedSettings } from '../../src/core/shared-settings';
import { insideCheck } from '../../src/obsidian/adapter/vault-files';
import { inProcessLock, VaultStore } from '../../src/obsidian/adapter/vault-store';
import { VaultMove } from '../../src/obsidian/adapter/vault-move';
import { saveSharedSettings } from '../../src/obsidian/board/board-root';
import { FailingAdapter, type Moment } from './failing-adapter';

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('latin1');
const bytes = (content: string) => Uint8Array.from(Buffer.from(content, 'latin1'));

function opened() {
  const adapter = new FailingAdapter();
  const lock = inProcessLock();
  const files = new VaultMove(adapter, { lock, trash: (path) => adapter.trash(path) });
  return { adapter, files, lock };
}

describe('files of a move through the vault’s adapter', () => {
  test('[PLUGIN32] a copy takes the place of what it was made for, and of nothing else', async () => {
    const { adapter, files } = opened();
    const one = bytes('\xff\x00 one');
    expect(await files.write('a/b/c.md', one, undefined)).toBe(true);
    expect(text(await files.read('a/b/c.md'))).toBe('\xff\x00 one');
    expect(await files.write('a/b/c.md', bytes('two'), undefined)).toBe(false);
    expect(await files.write('a/b/c.md', bytes('two'), await files.digest(bytes('x')))).toBe(false);
    expect(await files.write('a/b/c.md', bytes('two'), await files.digest(one))).toBe(true);
    expect([...adapter.bytes.keys()]).toEqual(['a/b/c.md']);
    expect(text(await files.read('a/b/c.md'))).toBe('two');
  });

  test('[PLUGIN32] a file goes, to the trash or for good, only as what was named', async () => {
    const { adapter, files } = opened();
    adapter.put('a.md', bytes('one'));
    const [one, two] = [await files.digest(bytes('one')), await files.digest(bytes('two'))];
    expect(one).toBe('7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed');
    expect(await files.trash('a.md', two)).toBe(false);
    expect(await files.remove('a.md', two)).toBe(false);
    expect(adapter.bytes.has('a.md')).toBe(true);
    expect(await files.trash('a.md', one)).toBe(true);
    expect(adapter.trashed).toEqual(['a.md']);
    expect(await files.remove('a.md', one)).toBe(false);
  });

  test('[STORE44] what a link leads out of the vault is not written, removed nor taken to the trash', async () => {
    const { adapter, lock } = opened();
    const check = insideCheck((path) =>
      Promise.resolve(path === 'Out' ? { kind: 'outside' } : { kind: 'missing' }),
    );
    const trash = (path: string) => adapter.trash(path);
    const files = new VaultMove(adapter, { lock, trash, check });
    await adapter.mkdir('Out');
    adapter.put('Out/a.md', bytes('one'));
    const one = await files.digest(bytes('one'));
    const denied = { code: 'denied' };
    await expect(files.write('Out/new/b.md', bytes('two'), undefined)).rejects.toMatchObject(
      denied,
    );
    await expect(files.write('Out/a.md', bytes('two'), one)).rejects.toMatchObject(denied);
    await expect(files.remove('Out/a.md', one)).rejects.toMatchObject(denied);
    await expect(files.trash('Out/a.md', one)).rejects.toMatchObject(denied);
    adapter.bytes.delete('Out/a.md');
    await expect(files.removeEmpty('Out')).rejects.toMatchObject(denied);
    expect([...adapter.bytes.keys(), ...adapter.trashed]).toEqual([]);
    expect(await files.kind('Out')).toBe('folder');
    expect(await files.write('In/a.md', bytes('two'), undefined)).toBe(true);
  });

  test('[PLUGIN32] a copy that was cut is no file of the folder, and goes with it', async () => {
    const { adapter, files } = opened();
    await adapter.mkdir('to');
    adapter.moment = 'half';
    adapter.diesAt = (await callsOf(adapter, () => files.kind('to'))) + 3;
    await expect(files.write('to/a.md', bytes('whole text'), undefined)).rejects.toThrow(
      StoreError,
    );
    adapter.revive();
    const cut = [...adapter.bytes.keys()];
    expect(cut).toHaveLength(1);
    expect(text(adapter.bytes.get(cut[0] ?? ''))).toBe('whole');
    expect(await files.read('to/a.md')).toBeUndefined();
    await files.removeEmpty('to');
    expect(adapter.folders.has('to')).toBe(false);
  });

  test('[PLUGIN32] a folder with anything in it stays, and paths that lead out are refused', async () => {
    const { adapter, files } = opened();
    adapter.put('full/a.md', bytes('x'));
    await files.removeEmpty('full');
    await files.removeEmpty('none');
    expect(adapter.folders.has('full')).toBe(true);
    await expect(files.read('../out')).rejects.toMatchObject({ code: 'denied' });
    await expect(files.write('/out', bytes('x'), undefined)).rejects.toThrow(StoreError);
  });

  test('[PLUGIN32] a write of a note that holds the lock comes before the look at it', async () => {
    const { adapter, files, lock } = opened();
    adapter.put('a.md', bytes('one'));
    const store = new VaultStore(adapter, { lock });
    const write = store.update('a.md', () => 'newer');
    const trash = files.trash('a.md', await files.digest(bytes('one')));
    expect(await write).toBe('newer');
    expect(await trash).toBe(false);
    expect(text(adapter.bytes.get('a.md'))).toBe('newer');
  });
});

describe('a whole move through the vault’s adapter', () => {
  const OLD = '.opencode/todos';
  const NEW = 'Agent boards';
  const BOARDS = {
    'ses_1/build-tasks.md': '- [ ] one',
    'ses_1/x.bin': '\xff\xfe',
    's/y-tasks.md': '',
  };
  const quiet = { progress: () => undefined, cancelled: () => false };

  /** A new program on the current disk; it first completes what an earlier one left unfinished. */
  async function program({ adapter, files, lock }: ReturnType<typeof opened>) {
    const store = new VaultStore(adapter, { lock });
    expect(await store.recover()).toEqual([]);
    const root = async () => (await readSharedSettings(store)).root;
    const setRoot = async (wanted: string) => {
      const problem = await saveSharedSettings(store, { root: wanted });
      if (problem !== undefined) throw new StoreError('io', problem);
    };
    const stateRoot = '.opencode/agent-task-boards';
    const mover = new BoardMover({
      files,
      store,
      stateRoot,
      root,
      setRoot,
      rootFault: boardRootFault,
    });
    return { mover, root };
  }

  function vault() {
    const world = opened();
    for (const [path, content] of Object.entries(BOARDS)) {
      world.adapter.put(`${OLD}/${path}`, bytes(content));
    }
    return world;
  }

  function under(adapter: FailingAdapter, root: string): Record<string, string> {
    const inside = [...adapter.bytes].filter(([path]) => path.startsWith(`${root}/`));
    return Object.fromEntries(
      inside.map(([path, content]) => [path.slice(root.length + 1), text(content) ?? '']),
    );
  }

  test.each<Moment>(['before', 'half', 'after'])(
    '[MOVE4] killed %s any call of the adapter: whole where the settings say, and finished later',
    async (moment) => {
      const undisturbed = vault();
      const before = await program(undisturbed);
      const began = undisturbed.adapter.calls;
      expect(await before.mover.move(NEW, quiet)).toMatchObject({ ok: true, count: 3 });
      const calls = undisturbed.adapter.calls - began;
      expect(calls).toBeGreaterThan(100);
      for (let at = 1; at <= calls; at += 1) {
        const world = vault();
        const { adapter } = world;
        const first = await program(world);
        adapter.moment = moment;
        adapter.diesAt = adapter.calls + at;
        await first.mover.move(NEW, quiet);
        adapter.revive();
        const second = await program(world);
        const root = await second.root();
        expect(under(adapter, root), `killed ${moment} call ${at}`).toMatchObject(BOARDS);
        await second.mover.move(NEW, quiet);
        expect(await second.root()).toBe(NEW);
        expect(under(adapter, NEW)).toEqual(BOARDS);
        expect(under(adapter, OLD)).toEqual({});
      }
    },
  );
});

async function callsOf(adapter: FailingAdapter, work: () => Promise<unknown>): Promise<number> {
  await work();
  return adapter.calls;
}
