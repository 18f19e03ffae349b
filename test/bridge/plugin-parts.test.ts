import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PRODUCT_VERSION } from '../../src/core/version';
import { Claims, chooseVault, type VaultChoice } from '../../src/bridge/opencode/served-vault';
import { guarded } from '../../src/bridge/opencode/hooks';
import { opencodeVersion } from '../../src/bridge/opencode/opencode-api';
import {
  readAttachments,
  parseModelName,
  promptParts,
} from '../../src/bridge/opencode/prompt-parts';
import type { Log } from '../../src/core/ports';
import { ManualClock } from './manual-clock';

describe('around the plugin', () => {
  test('[BRIDGE6] a hook that throws or rejects is noted, and OpenCode sees nothing of it', async () => {
    const notes: string[] = [];
    const log: Log = { note: (message, { at }) => void notes.push(`${at}: ${message}`) };
    const fail = (): never => {
      throw new Error('x');
    };
    await guarded(log, 'event', fail)();
    await guarded(log, 'config', () => Promise.reject(new Error('y')))();
    await guarded(log, 'fine', () => undefined)();
    expect(notes).toEqual(['bridge.event: A hook failed.', 'bridge.config: A hook failed.']);
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
    expect(PRODUCT_VERSION).toBe((JSON.parse(text) as { version: string }).version);
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
    const of = (file: string, directory: string): unknown =>
      chooseVault({ file, directory, options: undefined });
    const serves = (vault: string): unknown => ({ kind: 'serve', vault });
    const file = '/home/me/My vault/.opencode/plugin/agent-task-boards.js';
    expect(of(file, '/home/me/My vault')).toEqual(serves('/home/me/My vault'));
    expect(of(file, '/home/me/My vault/notes/deep')).toEqual(serves('/home/me/My vault'));
    expect(of(file, '/home/me/..other')).toEqual(serves('/home/me/..other'));
    expect(of(file, '/home/me')).toEqual(serves('/home/me'));
    const forAll = '/home/me/.config/opencode/plugin/agent-task-boards.js';
    expect(of(forAll, '/home/me/.config/opencode/x')).toEqual(
      serves('/home/me/.config/opencode/x'),
    );
  });

  test('[BRIDGE64] the option names the vault; what is no absolute folder is refused with what to do', () => {
    const base = mkdtempSync(join(tmpdir(), 'atb-option-'));
    const file = join(base, 'bridge.js');
    writeFileSync(file, '');
    const of = (vault: unknown, directory = '/code'): VaultChoice =>
      chooseVault({ file, directory, options: { vault } });
    expect(of(base)).toEqual({ kind: 'serve', vault: base });
    const end =
      ' There are no task boards until it names the vault’s folder and OpenCode is restarted.';
    const what = 'The option "vault" of agent-task-boards in OpenCode’s configuration';
    const cases: [unknown, string][] = [
      ['notes', 'must be an absolute path; it is "notes".'],
      [7, 'is no text.'],
      [`${base}/none`, `names no folder: "${base}/none".`],
      [`${base}/bridge.js`, `names no folder: "${base}/bridge.js".`],
    ];
    for (const [vault, why] of cases) {
      expect(of(vault)).toEqual({ kind: 'stand back', why: `${what} ${why}${end}` });
    }
    const own = join(base, 'other/.opencode/plugin');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'agent-task-boards.js'), '');
    expect(of(base, join(base, 'other/deep'))).toEqual({ kind: 'stand back', why: undefined });
    rmSync(base, { recursive: true });
  });

  test('[BRIDGE64] a folder is served once, however often OpenCode came upon the bridge; and again after it was let go', () => {
    const claims = new Claims();
    const found = claims.claim('/code', 'found');
    expect(found).toBeDefined();
    expect(claims.claim('/code', 'configured')).toBeUndefined();
    expect(claims.claim('/other', 'configured')).toBeDefined();
    expect(claims.claim('/code', 'found')).toBeDefined();
    found?.();
    expect(claims.claim('/code', 'configured')).toBeDefined();
  });

  test('[BRIDGE20] context is a part of its own, after the person’s words', () => {
    const context = { note: 'A.md', selection: 'text', attached: ['B.md'] };
    expect(promptParts('hi', undefined)).toEqual([{ type: 'text', text: 'hi' }]);
    expect(promptParts('hi', {})).toHaveLength(1);
    expect(promptParts('hi', context)[1]).toEqual({
      type: 'text',
      synthetic: true,
      text: 'From Obsidian, for context:\nAttached note: B.md\nSelected text in A.md:\ntext',
    });
    expect(promptParts('hi', { note: 'A.md' })[1]?.text).toBe(
      'From Obsidian, for context:\nOpen note: A.md',
    );
  });

  test('[BRIDGE71] OpenCode keeps with the words what was attached to them, beside their key', () => {
    const context = { note: 'A.md', selection: 'text', attached: ['B.md'] };
    const [words] = promptParts('hi', context, 'k');
    expect(words?.metadata).toEqual({
      'agent-task-boards-key': 'k',
      'agent-task-boards-attached': [
        { kind: 'note', path: 'B.md' },
        { kind: 'selection', path: 'A.md' },
      ],
    });
    expect(readAttachments(words?.metadata)).toEqual([
      { kind: 'note', path: 'B.md' },
      { kind: 'selection', path: 'A.md' },
    ]);
    for (const other of [undefined, 'x', {}, { 'agent-task-boards-attached': [{ kind: 'other' }] }])
      expect(readAttachments(other)).toEqual([]);
  });

  test('[BRIDGE20] a model is named by provider and name, which may hold slashes', () => {
    expect(parseModelName('a/b/c')).toEqual({ providerID: 'a', modelID: 'b/c' });
    for (const wrong of ['a', '/a', 'a/', '']) expect(parseModelName(wrong)).toBeUndefined();
  });
});
