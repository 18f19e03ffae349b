import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles a program of this folder for a child process. @returns the file to start */
export async function bundleChild(source: string): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), 'atb-child-')), 'child.mjs');
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  return outfile;
}
