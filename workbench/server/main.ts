/**
 * `node workbench/build/serve.js --vault DIR [--port N] [--plugin DIR]`: serves the workbench on
 * its own.
 */
import { parseArgs } from 'node:util';
import { startWorkbench } from './start-workbench';

const { values } = parseArgs({
  options: {
    vault: { type: 'string' },
    port: { type: 'string', default: '0' },
    plugin: { type: 'string', default: '.' },
  },
});

if (values.vault === undefined) {
  process.stderr.write('Usage: serve --vault DIR [--port N] [--plugin DIR]\n');
  process.exitCode = 2;
} else {
  const { url } = await startWorkbench({
    vault: values.vault,
    port: Number(values.port),
    pluginDir: values.plugin,
  });
  process.stdout.write(`${url}\n`);
}
