import { PRODUCT_VERSION } from '../../core/version';
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { NOT_IGNORED } from '../../core/board/state-file';
import { StoreError, type Log } from '../../core/ports';
import { isAlive, thisProcess } from '../../node/lock';
import type { EngineInfo } from '../../protocol/fields';
import { PROTOCOL_VERSION } from '../../protocol/handshake';
import { startSocketServer, type SocketServer, type SocketServerOptions } from './socket-server';
import { mkdir, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onProcessEnd } from '../../node/processes';
import { FOLLOW_LINKS, readBytes } from '../../node/read-file';
import { storeError, systemCode } from '../../node/store-error';
import { parseRunFile, RUN_FILE_NAME, RUN_FOLDER, type RunFile } from '../../protocol/run-file';

interface ListenerOptions extends Omit<SocketServerOptions, 'accept'> {
  /** absolute path of the vault, where clients look for the run file */
  readonly vault: string;
  /** the folder that the engine works in */
  readonly directory: string;
  /** needed by clients of 0.1.0, which ignore bridges without it */
  readonly opencode?: string | undefined;
  readonly engine: EngineInfo;
  readonly log: Log;
  /** @param folder the run file's value for a client's hello to repeat */
  readonly accept: (socket: WebSocket, since: number, folder: string) => void;
}

/**
 * Opens the server for clients and writes the run file. If that fails, the engine works without it,
 * and tools run headless.
 * @returns a function that closes the server and removes the run file; may be called twice
 */
export async function openListener(options: ListenerOptions): Promise<() => void> {
  const { vault, clock, log, token } = options;
  const folder = randomUUID();
  const { host } = await thisProcess();
  let server: SocketServer | undefined;
  try {
    await removeStaleRunFiles(vault, host, isAlive);
    const accept: SocketServerOptions['accept'] = (socket, since) =>
      options.accept(socket, since, folder);
    server = await startSocketServer({ ...options, accept });
    const removeRunFile = await writeRunFile(vault, log, {
      port: server.port,
      token,
      pid: process.pid,
      host,
      directory: options.directory,
      folder,
      startedAt: clock.now(),
      protocol: PROTOCOL_VERSION,
      bridge: PRODUCT_VERSION,
      ...(options.opencode !== undefined && { opencode: options.opencode }),
      engine: options.engine,
    });
    const undoEnd = onProcessEnd(removeRunFile);
    return () => {
      undoEnd();
      removeRunFile();
      server?.close();
    };
  } catch (error) {
    server?.close();
    const why = storeError(RUN_FOLDER, error).message;
    log.note('Obsidian cannot connect: the line could not be opened.', {
      at: 'bridge.listen',
      severity: 'error',
      error: why,
    });
    return () => undefined;
  }
}

/**
 * Writes the run file, which tells clients how to reach this bridge. Only this user can read it,
 * and git ignores it.
 * @param directory absolute path of the vault
 * @returns a function that removes the file; may be called twice, never throws
 */
export async function writeRunFile(directory: string, log: Log, run: RunFile): Promise<() => void> {
  const folder = join(directory, RUN_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, '.gitignore'), '*\n').catch((error: unknown) => {
    const why = storeError(`${RUN_FOLDER}/.gitignore`, error).message;
    log.note(NOT_IGNORED, { at: 'bridge.listen', error: why });
  });
  const file = await freeName(folder, run);
  const fresh = join(folder, `.${run.pid}.${randomUUID()}.tmp`);
  try {
    await writeFile(fresh, `${JSON.stringify(run)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    // On a full disk, a partial file with the token may be left.
    await unlink(fresh).catch(() => undefined);
    await unlink(file).catch(() => undefined);
    throw error;
  }
  return () => {
    try {
      // A later bridge of this process may have replaced the file.
      if (readRunFile(file)?.token === run.token) unlinkSync(file);
    } catch {
      // Already gone; the next start would remove it anyway.
    }
  };
}

/**
 * Chooses the file name: `<pid>.json`, or `<pid>-2.json` and so on if this process serves the vault
 * from several folders. Reuses the file of an earlier bridge of the same folder. Reserves a new
 * name with an empty file, which doesn't count as a bridge.
 */
async function freeName(folder: string, { pid, host, directory }: RunFile): Promise<string> {
  for (let number = 1; ; number++) {
    const file = join(folder, number === 1 ? `${pid}.json` : `${pid}-${number}.json`);
    try {
      await writeFile(file, '', { mode: 0o600, flag: 'wx' });
      return file;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      const there = readRunFile(file);
      if (there?.host === host && there.directory === directory) return file;
    }
  }
}

/** Removes run files of bridges that crashed on this machine. */
export async function removeStaleRunFiles(
  directory: string,
  host: string,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const folder = join(directory, RUN_FOLDER);
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names.filter((entry) => RUN_FILE_NAME.test(entry))) {
    const file = join(folder, name);
    const run = readRunFile(file);
    if (run?.host === host && !isAlive(run.pid)) await unlink(file).catch(() => undefined);
  }
}

/**
 * Returns undefined for a missing file or anything that is not a run file; a folder or pipe with
 * that name is not ours.
 */
function readRunFile(file: string): RunFile | undefined {
  try {
    return parseRunFile(readBytes(file, file, FOLLOW_LINKS).toString('utf8'));
  } catch (error) {
    if (!(error instanceof StoreError) && systemCode(error) === undefined) throw error;
    return undefined;
  }
}
