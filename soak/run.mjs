// Bundles the soak with the code that it tests, then runs it in a separate process.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

const outfile = 'soak/build/soak.mjs';
await build({
  entryPoints: ['soak/main.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  define: { __filename: 'import.meta.filename' },
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
