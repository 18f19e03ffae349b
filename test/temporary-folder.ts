import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const MEMORY_FOLDER = '/dev/shm';
/** bytes that must be free; two vaults, a browser's and OpenCode's files need far less */
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/** Folder of Bun's cache of our compiled bridge: saves a second of each start but the first. */
const BUN_CACHE_VARIABLE = 'BUN_RUNTIME_TRANSPILER_CACHE_PATH';

/**
 * Puts the tests' files into memory if Linux has enough: every note is flushed to its disk, half of
 * the time of tests that write. `TMPDIR=/tmp npm test` keeps them on disk.
 */
export function setup(): (() => void) | undefined {
  if (process.env['TMPDIR'] !== undefined || !hasMemory()) return undefined;
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'atb-'));
  // With the permissions of the system's folder: some tests run programs as another user.
  chmodSync(folder, 0o1777);
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (canRun(folder)) {
    process.env['TMPDIR'] = folder;
    process.env[BUN_CACHE_VARIABLE] = join(folder, 'compiled');
  } else remove();
  return remove;
}

function hasMemory(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** Whether programs in the folder can run, since tests write some and run them. */
function canRun(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  try {
    execFileSync(program);
    return true;
  } catch {
    return false;
  }
}
