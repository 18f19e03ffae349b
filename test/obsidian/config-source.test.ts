import { describe, expect, it, vi } from 'vitest';
import type { FolderReader } from '../../src/core/config/config-folder';
import { StoreError } from '../../src/core/ports';
import { ConfigSource } from '../../src/obsidian/config/config-source';
import { memoryFolder } from '../config/memory-folder';
import { ManualClock } from '../wire/manual-clock';

/** Files that change; `reads` counts reads. */
function changing(files: Record<string, string>): FolderReader & { reads: number } {
  const reader = {
    reads: 0,
    read: (path: string) => {
      reader.reads += 1;
      return memoryFolder(files).read(path);
    },
    stat: (path: string) => memoryFolder(files).stat(path),
    list: (path: string) => memoryFolder(files).list(path),
  };
  return reader;
}

function source(vault: FolderReader, home?: () => FolderReader | undefined) {
  const clock = new ManualClock();
  const faults: unknown[] = [];
  const open = () => Promise.resolve({ vault, home: home?.(), reachesHome: home !== undefined });
  const config = new ConfigSource(open, clock, (error) => void faults.push(error));
  return { config, clock, faults };
}

const AGENT = '.opencode/agent/reviewer.md';
const messages = (config: ConfigSource) => config.problems().map(({ message }) => message);

describe('the configuration in the plugin', () => {
  it('[AGENTS1] is read when somebody first needs it, and not again while no file of it changes', async () => {
    const files = { [AGENT]: '---\nmode: primry\n---\nLook closely.\n' };
    const vault = changing(files);
    const { config } = source(vault);
    config.onScan();
    config.touched(AGENT);
    expect(config.state.loaded).toBeUndefined();
    expect(vault.reads).toBe(0);
    const heard = vi.fn();
    const undo = config.subscribe(heard);
    await expect.poll(() => heard.mock.calls.length).toBe(1);
    expect(messages(config)).toEqual([expect.stringContaining('"mode" has to be')]);
    const { reads } = vault;
    expect(reads).toBeGreaterThan(0);
    await config.read();
    expect(vault.reads).toBe(reads);
    files[AGENT] = '---\nmode: primary\n---\nLook closely.\n';
    await config.read();
    expect(messages(config)).toEqual([]);
    expect(heard).toHaveBeenCalledTimes(2);
    undo();
  });

  it('[HOOK14] tells hooks that are wrong, too many or too much, and leaves what is no JSON to the settings', async () => {
    const path = '.opencode/agent-task-boards.json';
    const files: Record<string, string> = {};
    const { config } = source(changing(files));
    const said = async (text: string): Promise<readonly string[]> => {
      files[path] = text;
      await config.read();
      return config.problems().map(({ file, line, message }) => `${file}:${line} ${message}`);
    };
    const many = (count: number): string => JSON.stringify({ hooks: Array(count).fill({}) });
    expect(await said('{"hooks": [{"event": "on-stp", "command": ["x"]}]}')).toEqual([
      expect.stringContaining(`${path}:1 "event" has to be`),
    ]);
    expect(await said(many(51))).toEqual([expect.stringContaining('at most 50 commands')]);
    expect(await said(many(10_001))).toEqual([expect.stringContaining('more than 10000')]);
    expect(await said('{"hooks": [')).toEqual([]);
    expect(await said(' '.repeat(1024 * 1024 + 1))).toEqual([expect.stringContaining('1 MB')]);
  });

  it('[AGENTS1] is read again after a look at the disk or word of a file, while somebody follows it', async () => {
    const files: Record<string, string> = { 'Notes.md': 'Words.\n' };
    const { config, clock } = source(changing(files));
    const undo = config.subscribe(() => undefined);
    await config.read();
    files[AGENT] = '---\nmode: nothing\n---\n';
    await clock.advance(10_000);
    config.onScan();
    await expect.poll(() => messages(config).length).toBe(1);
    delete files[AGENT];
    config.touched('Notes.md');
    await clock.advance(1_000);
    config.onScan();
    config.touched('.opencode/agent');
    await clock.advance(1_000);
    await expect.poll(() => messages(config)).toEqual([]);
    undo();
    files[AGENT] = '---\nmode: nothing\n---\n';
    config.onScan();
    config.touched(AGENT);
    await clock.advance(1_000);
    expect(messages(config)).toEqual([]);
    expect((await config.read())?.problems).toHaveLength(1);
  });

  it('[AGENTS1] has the person’s own folder as soon as there is one', async () => {
    let home: FolderReader | undefined;
    const { config } = source(memoryFolder({}), () => home);
    expect((await config.read())?.config.model).toBeUndefined();
    home = memoryFolder({ 'opencode.json': '{"model": "a/b"}' });
    expect((await config.read())?.config.model).toBe('a/b');
    expect(config.state.reachesHome).toBe(true);
  });

  it('[AGENTS1] says once why it can’t be read, and is read as soon as it can', async () => {
    const vault = memoryFolder({ [AGENT]: 'Look closely.\n' });
    let broken = true;
    const list = (path: string) => {
      if (broken) throw new TypeError('no such adapter');
      return vault.list(path);
    };
    const { config, faults } = source({ ...vault, list });
    expect(await config.read()).toBeUndefined();
    await config.read();
    expect(config.state.fault).toBe('no such adapter');
    expect(faults).toHaveLength(1);
    broken = false;
    expect((await config.read())?.config.agent).toHaveProperty('reviewer');
    expect(config.state.fault).toBeUndefined();
  });

  it('[AGENTS1] takes a file that the system refuses for a problem of that file', async () => {
    const vault = memoryFolder({ [AGENT]: 'Look closely.\n' });
    const read = () => Promise.reject(new StoreError('io', `${AGENT}: the disk is gone.`));
    const { config } = source({ ...vault, read });
    await config.read();
    expect(config.problems()).toMatchObject([
      { file: AGENT, message: "can't be read: the disk is gone." },
    ]);
    expect(config.state.fault).toBeUndefined();
  });
});
