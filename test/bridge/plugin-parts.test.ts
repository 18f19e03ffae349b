import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BRIDGE_VERSION } from '../../src/bridge/bridge-version';
import { guarded } from '../../src/bridge/guarded';
import { opencodeVersion } from '../../src/bridge/opencode-version';
import { modelName, promptParts } from '../../src/bridge/prompt-parts';
import { vaultOf } from '../../src/bridge/vault-of';
import { ManualClock } from './manual-clock';

describe('around the plugin', () => {
  test('[BRIDGE6] a hook that throws or rejects is noted, and OpenCode sees nothing of it', async () => {
    const notes: string[] = [];
    const log = { note: (message: string) => void notes.push(message) };
    const fail = (): never => {
      throw new Error('x');
    };
    await guarded(log, 'event', fail)();
    await guarded(log, 'config', () => Promise.reject(new Error('y')))();
    await guarded(log, 'fine', () => undefined)();
    expect(notes).toEqual(['The hook event failed.', 'The hook config failed.']);
  });

  test('[BRIDGE6] an event is handled before the hook returns, so that their order stays', () => {
    const seen: number[] = [];
    const hook = guarded({ note: () => undefined }, 'event', (n: number) => void seen.push(n));
    void hook(1);
    void hook(2);
    expect(seen).toEqual([1, 2]);
  });

  test('[BRIDGE7] the version is the package’s', () => {
    const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
    expect(BRIDGE_VERSION).toBe((JSON.parse(text) as { version: string }).version);
  });

  test('[BRIDGE7] OpenCode that does not say its version is not waited for', async () => {
    const clock = new ManualClock();
    const silent = opencodeVersion(() => new Promise(() => undefined), clock);
    clock.advance(2000);
    expect(await silent).toBe('unknown');
    const body = { healthy: true, version: '1.18.33' };
    expect(await opencodeVersion(() => Promise.resolve({ status: 200, body }), clock)).toBe(
      '1.18.33',
    );
    expect(await opencodeVersion(() => Promise.reject(new Error('x')), clock)).toBe('unknown');
  });

  test('[BRIDGE7] the vault is the one that the bridge lies in, for OpenCode in it or under it', () => {
    const file = 'file:///home/me/My%20vault/.opencode/plugin/agent-task-boards.js';
    expect(vaultOf(file, '/home/me/My vault')).toBe('/home/me/My vault');
    expect(vaultOf(file, '/home/me/My vault/notes/deep')).toBe('/home/me/My vault');
    expect(vaultOf(file, '/home/me/..other')).toBe('/home/me/..other');
    expect(vaultOf(file, '/home/me')).toBe('/home/me');
    const forAll = 'file:///home/me/.config/opencode/plugin/agent-task-boards.js';
    expect(vaultOf(forAll, '/home/me/.config/opencode/x')).toBe('/home/me/.config/opencode/x');
    expect(vaultOf('blob:x', '/v')).toBe('/v');
  });

  test('[BRIDGE20] context is a part of its own, after the person’s words', () => {
    const context = { note: 'A.md', selection: 'text', links: ['B'], tags: [] };
    expect(promptParts({ text: 'hi' })).toEqual([{ type: 'text', text: 'hi' }]);
    expect(promptParts({ text: 'hi', context: {} })).toHaveLength(1);
    expect(promptParts({ text: 'hi', context })[1]).toEqual({
      type: 'text',
      synthetic: true,
      text: 'From Obsidian, for context:\nOpen note: A.md\nSelected text:\ntext\nLinks: B',
    });
  });

  test('[BRIDGE20] a model is named by provider and name, which may hold slashes', () => {
    expect(modelName('a/b/c')).toEqual({ providerID: 'a', modelID: 'b/c' });
    for (const wrong of ['a', '/a', 'a/', '']) expect(modelName(wrong)).toBeUndefined();
  });
});
