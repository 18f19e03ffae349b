import { text } from 'node:stream/consumers';
import { run } from './run';

// Buffered, so that a pipe gets everything: `process.exit` would cut it short.
const { code, out, err } = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  input: () => text(process.stdin),
});
process.stdout.write(out);
process.stderr.write(err);
process.exitCode = code;
