import { spawn, type ChildProcess } from 'node:child_process';
import { platform } from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { killTree, onProcessEnd, sweepGroup } from '../processes';

/** Bytes that a command may print as its answer. */
export const MOST_OUTPUT = 1024 * 1024;

/** Characters kept of what it says of a fault, and told of its last line. */
const KEPT_WORDS = 4_000;
const TOLD_WORDS = 300;

/** ms from the end of a process to the end of its output, which another that it left may hold open. */
const DRAINS = 100;

export interface HookProcess {
  /** absolute */
  readonly file: string;
  readonly args: readonly string[];
  /** absolute */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** for its standard input, which it need not read */
  readonly input: string;
  /** ms */
  readonly within: number;
}

/**
 * Runs a program without a shell until it ends. What it started in its group ends with it, and where it is
 * late or prints too much it is killed.
 * @returns what it printed on standard output, with exit code 0
 * @throws Error, a sentence, for everything else
 */
export async function runHook(command: HookProcess): Promise<string> {
  const printed = await bytesOf(command);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(printed);
  } catch {
    throw new Error('It printed something else than UTF-8.');
  }
}

function bytesOf({ file, args, folder, env, input, within }: HookProcess): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...{ cwd: folder, env, shell: false, windowsHide: true },
      ...{ stdio: ['pipe', 'pipe', 'pipe'], detached: platform !== 'win32' },
    });
    const undo = onProcessEnd(() => kill(child));
    const timers: NodeJS.Timeout[] = [];
    const printed: Buffer[] = [];
    let size = 0;
    let said = '';
    const end = (fault?: string): void => {
      for (const timer of timers) clearTimeout(timer);
      undo();
      kill(child);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      if (fault === undefined) resolve(Buffer.concat(printed));
      else reject(new Error(fault));
    };
    const ended = (code: number | null, signal: string | null): void =>
      end(
        code === 0 ? undefined : `It ended with ${signal ?? `exit code ${code}`}.${lastLine(said)}`,
      );
    child.once('error', (error) => end(`It could not be started: ${error.message}.`));
    child.once('close', ended);
    child.once('exit', (code, signal) => {
      sweepGroup(child, platform);
      // Between a timer and what is immediate, all is read that it printed itself.
      timers.push(setTimeout(() => setImmediate(() => ended(code, signal)), DRAINS));
    });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_OUTPUT) end('It printed more than 1 MB.');
      else printed.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-KEPT_WORDS);
    });
    // One that reads nothing, or ends first, is none the worse for it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    timers.push(setTimeout(() => end(`It did not answer within ${within} ms.`), within));
  });
}

function kill(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (platform === 'win32') killTree(child, platform);
  else sweepGroup(child, platform);
}

function lastLine(said: string): string {
  const line =
    stripVTControlCharacters(said)
      .trim()
      .split(/[\r\n]+/)
      .at(-1) ?? '';
  const words = line.replace(/\p{Cc}+/gu, ' ').slice(0, TOLD_WORDS);
  return words === '' ? '' : ` ${words}`;
}
