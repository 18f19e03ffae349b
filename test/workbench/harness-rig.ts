import { build } from 'esbuild';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRig, type Rig } from './workbench-rig';

const MANIFEST = { id: 'stand', name: 'Stand', version: '1.0.0', minAppVersion: '1.11.4' };

/**
 * Opens pages with a stand instead of the plugin: a plugin of the tests that draws the plugin's
 * views and lets a test control their data.
 * @param source the stand's source file, from the project's root
 */
export function startHarness(
  source: string,
  files: Readonly<Record<string, string>> = { 'Inbox.md': '# Inbox\n' },
): Promise<Rig> {
  return startRig(files, (folder) => buildHarness(source, folder));
}

async function buildHarness(source: string, outdir: string): Promise<void> {
  await build({
    entryPoints: { main: source },
    outdir,
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['obsidian'],
    logLevel: 'error',
  });
  await writeFile(join(outdir, 'manifest.json'), JSON.stringify(MANIFEST));
  await cp('styles.css', join(outdir, 'styles.css'));
}
