#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { run } from './run';
import { visible } from './visible';

const stop = new AbortController();
// Who reads our output may leave before its end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  stop.abort();
});

const { code, out, err, raw } = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  input: () => text(process.stdin),
  print: (line) => void process.stdout.write(visible(line)),
  untilStopped: () => {
    process.once('SIGINT', () => stop.abort());
    process.once('SIGTERM', () => stop.abort());
    return stop.signal;
  },
});
// Buffered, so that a pipe gets everything: `process.exit` would cut it short.
process.stdout.write(raw === true && !process.stdout.isTTY ? out : visible(out));
process.stderr.write(visible(err));
process.exitCode = code;
