import { expect, test } from 'vitest';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { MemoryAdapter } from './memory-adapter';

const LOG = '.opencode/agent-task-boards/runs/r/log/00000001.jsonl';
const NOTE = 'Notes/a.md';
const LINE = '{"says":"größer"}\n';
const FOREIGN = '{"foreign":1}\n';
const MOST = 1_000_000;
const MORE = (text: string | undefined): string => `${text ?? ''}${LINE}`;

/** An adapter whose next append writes only some bytes, then fails or claims success. */
class CuttingAdapter extends MemoryAdapter {
  appends = 0;
  reads = 0;
  cut: { readonly bytes: number; readonly fails: boolean } | undefined;
  /** written by another program right before the next append */
  between = '';

  override readBinary(path: string): Promise<ArrayBuffer> {
    this.reads += 1;
    return super.readBinary(path);
  }

  override async append(path: string, text: string): Promise<void> {
    this.appends += 1;
    const { cut, between } = this;
    [this.cut, this.between] = [undefined, ''];
    const old = this.bytes.get(path) ?? new Uint8Array();
    const more = new TextEncoder().encode(between + text);
    this.put(path, new Uint8Array([...old, ...more.slice(0, cut?.bytes ?? more.length)]));
    if (cut?.fails === true) throw new Error('ENOSPC: no space left on device');
    return Promise.resolve();
  }
}

/** A store with a log of one line. */
async function begun(path: string): Promise<{ adapter: CuttingAdapter; store: VaultStore }> {
  const adapter = new CuttingAdapter();
  const store = new VaultStore(adapter);
  await store.update(path, MORE);
  return { adapter, store };
}

test('[STORE42] a file of the state that only grows is added to, past the journal; a note is not', async () => {
  const { adapter, store } = await begun(LOG);
  adapter.writes.length = 0;
  expect(await store.update(LOG, MORE)).toBe(LINE + LINE);
  expect(adapter.writes).toEqual([]);
  expect(await new VaultStore(adapter).read(LOG)).toBe(LINE + LINE);

  const note = await begun(NOTE);
  await note.store.update(NOTE, MORE);
  expect(note.adapter.appends).toBe(0);
});

test('[STORE42] what is not added but otherwise goes through the journal', async () => {
  const { adapter, store } = await begun(LOG);
  expect(await store.update(LOG, () => '{}\n')).toBe('{}\n');
  expect(adapter.appends).toBe(0);
  expect(await store.read(LOG)).toBe('{}\n');
});

// These bytes cut the line at each kind of place, also inside a character.
for (const bytes of [0, 1, 12, 13, 17]) {
  test(`[STORE42] an append that fails after ${bytes} bytes leaves what stood`, async () => {
    const { adapter, store } = await begun(LOG);
    adapter.cut = { bytes, fails: true };
    await expect(store.update(LOG, MORE)).rejects.toMatchObject({ code: 'disk_full' });
    expect(await store.read(LOG)).toBe(LINE);

    const other = await begun(LOG);
    other.adapter.cut = { bytes, fails: true };
    await expect(other.store.append(LOG, LINE, MOST)).rejects.toMatchObject({ code: 'disk_full' });
    expect(await other.store.read(LOG)).toBe(LINE);
  });

  test(`[STORE42] an append that is claimed and keeps ${bytes} bytes is made again`, async () => {
    const { adapter, store } = await begun(LOG);
    adapter.cut = { bytes, fails: false };
    expect(await store.update(LOG, MORE)).toBe(LINE + LINE);
    adapter.cut = { bytes, fails: false };
    expect(await store.append(LOG, LINE, MOST)).toBe(false);
    expect(await store.read(LOG)).toBe(LINE + LINE);
  });
}

test('[STORE42] lines are appended without reading the file while no other program changes it', async () => {
  const { adapter, store } = await begun(LOG);
  adapter.reads = 0;
  for (let n = 0; n < 3; n += 1) expect(await store.append(LOG, LINE, MOST)).toBe(true);
  expect(adapter.reads).toBe(0);
  adapter.between = FOREIGN;
  expect(await store.append(LOG, LINE, MOST)).toBe(true);
  const text = LINE.repeat(4) + FOREIGN + LINE;
  expect(await store.read(LOG)).toBe(text);
  expect(await store.append(LOG, LINE, new TextEncoder().encode(text).length)).toBe(false);
  adapter.put(LOG, new TextEncoder().encode(`${text}{"cut`));
  expect(await store.append(LOG, LINE, MOST)).toBe(false);
  expect(await store.update(LOG, (now) => `${now ?? ''}\n${LINE}`)).toBe(`${text}{"cut\n${LINE}`);
  expect(await store.append(LOG, LINE, MOST)).toBe(true);
  await store.update(LOG, (now) => `${now ?? ''}{"no`);
  expect(await store.append(LOG, LINE, MOST)).toBe(false);
  expect(await new VaultStore(adapter).append(LOG, LINE, MOST)).toBe(false);
});

test('[STORE42] what another program puts in between stays, and the line stands once', async () => {
  const { adapter, store } = await begun(LOG);
  adapter.between = FOREIGN;
  const all = LINE + FOREIGN + LINE;
  expect(await store.update(LOG, MORE)).toBe(all);
  expect(await store.read(LOG)).toBe(all);
});

test('[STORE42] a line that a death cut within a character is left out, and the next takes its place', async () => {
  const { adapter } = await begun(LOG);
  const bytes = new TextEncoder().encode(LINE + LINE);
  const middle = bytes.length - LINE.length + 12;
  adapter.put(LOG, bytes.slice(0, middle));
  expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes.slice(0, middle))).toThrow();
  const store = new VaultStore(adapter);
  expect(await store.read(LOG)).toBe(LINE);
  expect(await store.update(LOG, MORE)).toBe(LINE + LINE);
  expect(await store.read(LOG)).toBe(LINE + LINE);
});
