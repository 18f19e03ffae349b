// Bundles the benchmark with what it measures, then runs it in a process of its own.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

const outfile = 'bench/build/bench.mjs';
await build({
  entryPoints: ['bench/main.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
