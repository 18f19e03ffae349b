import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { findOpencode, platformPackages } from '../../workbench/demo/find-opencode';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function installed(...names: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'agent-task-boards-test-'));
  folders.push(root);
  for (const name of names) {
    const folder = join(root, 'node_modules', name);
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'bin', 'opencode'), '#!/bin/sh\n', { mode: 0o755 });
  }
  return root;
}

const linux = { platform: 'linux', arch: 'x64', musl: false, avx2: true };

describe('the binary of OpenCode', () => {
  test('[DEMO9] comes out of the package for this machine', () => {
    const root = installed('opencode-linux-x64', 'opencode-linux-x64-baseline');
    expect(findOpencode(root, linux)).toEqual({
      ok: true,
      path: join(root, 'node_modules/opencode-linux-x64/bin/opencode'),
    });
    expect(findOpencode(root, { ...linux, avx2: false })).toEqual({
      ok: true,
      path: join(root, 'node_modules/opencode-linux-x64-baseline/bin/opencode'),
    });
  });

  test('[DEMO9] the stub of opencode-ai is never taken; what is missing is said', () => {
    const found = findOpencode(installed('opencode-ai'), linux);
    expect(found.ok ? found.path : found.message).toBe(
      "OpenCode's program is not installed (looked for opencode-linux-x64, opencode-linux-x64-baseline, " +
        'opencode-linux-x64-musl, opencode-linux-x64-baseline-musl). ' +
        'Run "npm ci" again, with optional packages on.',
    );
  });

  test('[DEMO9] each platform has its names, the fitting one first', () => {
    const first = (machine: Partial<typeof linux>) => platformPackages({ ...linux, ...machine })[0];
    expect(first({ arch: 'arm64', avx2: false })).toBe('opencode-linux-arm64');
    expect(first({ musl: true })).toBe('opencode-linux-x64-musl');
    expect(first({ platform: 'darwin', arch: 'arm64' })).toBe('opencode-darwin-arm64');
    expect(first({ platform: 'win32' })).toBe('opencode-windows-x64');
  });
});
