import { spawn, type ChildProcess } from 'node:child_process';
import { platform } from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { killTree, onProcessEnd, sweepGroup } from '../processes';

/** Most bytes of output that a command may print. */
export const MAX_OUTPUT = 1024 * 1024;

/** Characters kept of its error output, and shown of the last line. */
const MAX_ERROR_CHARS = 4_000;
const MAX_REPORTED_CHARS = 300;

/**
 * ms from the end of a process to the end of reading its output, which a child process may keep
 * open.
 */
const DRAIN_MS = 100;

export interface HookProcess {
  /** absolute */
  readonly file: string;
  readonly args: readonly string[];
  /** absolute */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** written to its standard input, which it need not read */
  readonly input: string;
  /** ms after which it is killed */
  readonly within: number;
}

/**
 * Runs a program without a shell until it ends. Kills the processes that it leaves behind in its
 * group, and the program itself if it is late or prints too much.
 * @returns its standard output, if the exit code is 0
 * @throws Error with a sentence for everything else
 */
export async function runHook(command: HookProcess): Promise<string> {
  const printed = await collectOutput(command);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(printed);
  } catch {
    throw new Error('It printed something else than UTF-8.');
  }
}

function collectOutput({
  file,
  args,
  folder,
  env,
  input,
  within,
}: HookProcess): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...{ cwd: folder, env, shell: false, windowsHide: true },
      ...{ stdio: ['pipe', 'pipe', 'pipe'], detached: platform !== 'win32' },
    });
    const undo = onProcessEnd(() => kill(child));
    const timers: NodeJS.Timeout[] = [];
    const printed: Buffer[] = [];
    let size = 0;
    let errorOutput = '';
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
        code === 0
          ? undefined
          : `It ended with ${signal ?? `exit code ${code}`}.${lastLine(errorOutput)}`,
      );
    child.once('error', (error) => end(`It could not be started: ${error.message}.`));
    child.once('close', ended);
    child.once('exit', (code, signal) => {
      sweepGroup(child, platform);
      // By then, everything that the process itself printed has been read.
      timers.push(setTimeout(() => setImmediate(() => ended(code, signal)), DRAIN_MS));
    });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) end('It printed more than 1 MB.');
      else printed.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorOutput = (errorOutput + text).slice(-MAX_ERROR_CHARS);
    });
    // A command may end without reading its input.
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

function lastLine(errorOutput: string): string {
  const line =
    stripVTControlCharacters(errorOutput)
      .trim()
      .split(/[\r\n]+/)
      .at(-1) ?? '';
  const words = line.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_REPORTED_CHARS);
  return words === '' ? '' : ` ${words}`;
}
