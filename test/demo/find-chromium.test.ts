import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../workbench/demo/find-chromium';

const folder = mkdtempSync(join(tmpdir(), 'agent-task-boards-chromium-'));
afterAll(() => rmSync(folder, { recursive: true }));

function program(path: string, code: number): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
  return file;
}

describe('Chromium', () => {
  test('[DEMO29] is the one that CHROMIUM_PATH names, else the system’s, else that of Playwright', async () => {
    const cached = program('home/.cache/ms-playwright/chromium-1200/chrome-linux/chrome', 0);
    const home = { HOME: join(folder, 'home') };
    expect(await findChromium({ ...home, PATH: '' })).toBe(cached);
    const system = program('bin/chromium', 0);
    const env = { ...home, PATH: `${join(folder, 'none')}:${join(folder, 'bin')}` };
    expect(await findChromium(env)).toBe(system);
    const named = program('named/chrome', 0);
    expect(await findChromium({ ...env, CHROMIUM_PATH: named })).toBe(named);
  });

  test('[DEMO29] one that does not start is passed over', async () => {
    const stub = program('stub/chromium', 1);
    const good = program('good/google-chrome', 0);
    const PATH = `${join(folder, 'stub')}:${join(folder, 'good')}`;
    const env = { HOME: join(folder, 'nobody'), PATH, CHROMIUM_PATH: stub };
    expect(await findChromium(env)).toBe(good);
  });
});
