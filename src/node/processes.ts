import { spawnSync, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import type { Undo } from '../core/ports';
import { systemCode } from './store-error';

// Not SIGHUP: it is ignored under nohup, which a listener would undo.
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Calls `cleanUp` (synchronous) when the process ends, by itself or by a signal. Doesn't change what
 * a signal does: other listeners still act, and without any, the process dies from it.
 */
export function onProcessEnd(cleanUp: () => void): Undo {
  const handlers = SIGNALS.map((signal) => {
    const handler = (): void => {
      undo();
      cleanUp();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  process.on('exit', cleanUp);
  const undo = (): void => {
    process.off('exit', cleanUp);
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
  return undo;
}

/**
 * Environment variable for a program that must end together with its standard input: ours, or one
 * that loads our plugin.
 */
export const EXIT_WITH_STDIN = 'AGENT_BOARDS_INPUT_HOLDS';

/**
 * ms for a process to end by itself. `agent-boards serve` ends its agents within it, so that none
 * is left when `serve` itself is killed.
 */
const KILL_GRACE = 2_000;

/**
 * Ends a process and everything it started. Returns before they have ended, since an app that quits
 * can't wait. On POSIX, the process must lead its own group; on Windows, the process tree is used.
 * @param grace ms after which it is killed
 */
export function killTree(child: ChildProcess, platform: NodeJS.Platform, grace = KILL_GRACE): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });
    return;
  }
  const late = setTimeout(() => signalGroup(pid, 'SIGKILL'), grace);
  child.once('exit', () => clearTimeout(late));
  signalGroup(pid, 'SIGTERM');
}

/** Kills what is left of a process's group after it has ended. */
export function sweepGroup(child: ChildProcess, platform: NodeJS.Platform): void {
  if (child.pid !== undefined && platform !== 'win32') signalGroup(child.pid, 'SIGKILL');
}

/** Signals a group. Ignores one that is gone, or whose id now belongs to another user. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
  }
}
