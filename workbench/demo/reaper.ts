import { spawn } from 'node:child_process';
import type { Undo } from '../../src/core/ports';

/**
 * Ends processes and removes folders after this program has exited, however it ended: a small
 * separate process waits for its standard input to close, which happens even on `kill -9`.
 */
export interface Reaper {
  /** Kills the process (its whole group, where there are groups) after our exit. */
  addProcess(pid: number): Undo;
  /** Removes the folder and its content after our exit. */
  addFolder(path: string): Undo;
  close(): void;
}

// Plain CommonJS for `node -e`, so that it needs no file of ours.
const PROGRAM = `
const fs = require('node:fs');
const held = new Map();
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, drop, pid, folder } = JSON.parse(line);
    if (drop) held.delete(id);
    else held.set(id, { pid, folder });
  }
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.stdin.on('end', () => {
  for (const { pid } of held.values()) {
    if (pid === undefined) continue;
    try { process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL'); } catch {}
  }
  for (const { folder } of held.values()) {
    if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
`;

export function startReaper(): Reaper {
  const child = spawn(process.execPath, ['-e', PROGRAM], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  child.stdin.on('error', () => child.kill());
  let last = 0;
  const register = (what: object): Undo => {
    const id = ++last;
    const send = (line: object): void => {
      if (child.stdin.writable) child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
    };
    send(what);
    return () => send({ drop: true });
  };
  return {
    addProcess: (pid) => register({ pid }),
    addFolder: (path) => register({ folder: path }),
    close: () => child.stdin.end(),
  };
}
