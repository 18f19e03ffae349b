import { spawnSync, type ChildProcess } from 'node:child_process';

/** ms that a process has to end by itself. */
const GRACE = 3_000;

/**
 * Ends a process with all that it started. It is on its way when this returns: an app that quits
 * waits for nothing. On POSIX the process leads a group of its own; Windows knows the tree.
 */
export function killTree(child: ChildProcess, platform: NodeJS.Platform): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });
    return;
  }
  const late = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE);
  child.once('exit', () => clearTimeout(late));
  signalGroup(pid, 'SIGTERM');
}

/** What a process of a group of its own left behind must not outlive it. */
export function sweepGroup(child: ChildProcess, platform: NodeJS.Platform): void {
  if (child.pid !== undefined && platform !== 'win32') signalGroup(child.pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
