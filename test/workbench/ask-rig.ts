import { build } from 'esbuild';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Ask } from '../../src/core/permission/ask';
import type { AskStand } from './ask-stand';
import { startRig, type Rig } from './bench-rig';

declare global {
  interface Window {
    askStand: AskStand;
  }
}

/** The page with the dialog that asks. */
export interface AskRig {
  readonly rig: Rig;
  close(): Promise<void>;
}

export async function startAskRig(): Promise<AskRig> {
  const folder = await mkdtemp(join(tmpdir(), 'atb-ask-'));
  await build({
    entryPoints: { main: 'test/workbench/ask-stand.ts' },
    outdir: folder,
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['obsidian'],
    logLevel: 'error',
  });
  const manifest = { id: 'stand', name: 'Stand', version: '1.0.0', minAppVersion: '1.11.4' };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await cp('styles.css', join(folder, 'styles.css'));
  const rig = await startRig({ 'Inbox.md': '# Inbox\n' }, folder);
  return {
    rig,
    async close() {
      await rig.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The session of the story in the pictures. */
export function setSession(page: Page): Promise<void> {
  return page.evaluate(() =>
    window.askStand.sessions([
      {
        id: 'ses_1',
        title: 'Offline search for the vault',
        parentId: null,
        agent: 'build',
        state: { kind: 'busy' },
        permissions: [],
        questions: [],
        lastActive: 1,
      },
    ]),
  );
}

export function ask(page: Page, one: Ask): Promise<void> {
  return page.evaluate((given) => window.askStand.ask(given), one);
}
