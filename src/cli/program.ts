import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { ReadStream } from 'node:tty';
import { StoreError } from '../core/ports';
import { onStdinEnd } from '../node/stdin-end';
import { ifMissing, isMissing } from '../node/store-error';
import { run, type Commands } from './run';
import { escapeControls } from '../core/board/task-display';

/** Runs this process's command line with these commands, and sets the exit code. */
export async function runProgram(commands: Commands): Promise<void> {
  const stop = new AbortController();
  // The reader of our output may close it early, as `head` does.
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      stop.abort();
    });
  }

  const { code, out, err, raw } = await run(process.argv.slice(2), commands, {
    get cwd() {
      return ownFolder();
    },
    env: process.env,
    input: () => text(process.stdin),
    ...(process.stdin.isTTY && process.stderr.isTTY && { confirm }),
    bridge: () =>
      readFile(new URL('../main.js', import.meta.url), 'utf8').catch(ifMissing(undefined)),
    print: (line) => void process.stdout.write(escapeControls(line)),
    untilStopped: () => {
      // SIGHUP: the terminal was closed. Node undoes what nohup set.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        const end = (): void => {
          stop.abort();
          // Removed a little later, so that others which handle the same signal see a listener. A
          // second signal kills the process.
          setImmediate(() => process.off(signal, end));
        };
        process.on(signal, end);
      }
      onStdinEnd(() => stop.abort());
      return stop.signal;
    },
  });
  // Not `process.exit`, which would lose output that is still buffered for a pipe.
  process.stdout.write(raw === true && !process.stdout.isTTY ? out : escapeControls(out));
  process.stderr.write(escapeControls(err));
  process.exitCode = code;
}

/** Only yes counts as yes; the end of the input counts as no. */
async function confirm(question: string): Promise<boolean> {
  // A text that was typed to its end has ended the stream, but not the terminal.
  const input = process.stdin.readableEnded ? new ReadStream(0) : process.stdin;
  const terminal = createInterface({ input, output: process.stderr });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([
    terminal.question(`${escapeControls(question)} [y/N] `),
    ended,
  ]);
  terminal.close();
  if (input !== process.stdin) input.destroy();
  return /^y(es)?$/i.test(answer.trim());
}

function ownFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new StoreError('io', 'the folder of this shell is gone. Go to another, then try again.');
  }
}
