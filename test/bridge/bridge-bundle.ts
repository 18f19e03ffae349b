import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');

let built: Promise<string> | undefined;

/** The bridge as one file, as it is shipped: Node's own modules stay outside. */
export function bridgeBundle(): Promise<string> {
  return (built ??= bundle());
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src/bridge/plugin.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    legalComments: 'none',
    write: false,
  });
  const [file] = outputFiles;
  if (!file) throw new Error('esbuild made no file.');
  return file.text;
}
