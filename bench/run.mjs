// Bundles the benchmark with the code that it measures and its child processes, then runs it in a
// separate process.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

const outdir = 'bench/build';
await build({
  entryPoints: ['bench/main.ts', 'bench/wire/child/*.ts'],
  entryNames: '[name]',
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  define: { __filename: 'import.meta.filename' },
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, [`${outdir}/main.mjs`, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
