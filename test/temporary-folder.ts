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

const MEMORY = '/dev/shm';
/** bytes that have to be free: two vaults, a browser's and OpenCode's files are far less */
const ENOUGH = 4 * 1024 ** 3;

/** Where Bun, in OpenCode, keeps how it compiled our bridge: a second of each start after the first. */
const COMPILED = 'BUN_RUNTIME_TRANSPILER_CACHE_PATH';

/**
 * Puts what tests write into memory, where Linux has enough of it: each note is flushed to its disk,
 * which takes half of the time of tests that write. `TMPDIR=/tmp npm test` keeps it on the disk.
 */
export function setup(): (() => void) | undefined {
  if (process.env['TMPDIR'] !== undefined || !hasMemory()) return undefined;
  const folder = mkdtempSync(join(MEMORY, 'atb-'));
  // As the system's own folder: some tests run programs as another user.
  chmodSync(folder, 0o1777);
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (canRun(folder)) {
    process.env['TMPDIR'] = folder;
    process.env[COMPILED] = join(folder, 'compiled');
  } else remove();
  return remove;
}

function hasMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH;
  } catch {
    return false;
  }
}

/** Tests run programs that they write. */
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
