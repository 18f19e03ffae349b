import { spawnSync, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import type { Undo } from '../core/ports';
import { systemCode } from './store-error';

// No SIGHUP: under nohup it is ignored, and a listener would undo that.
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs `clean` (synchronous) when the process ends, by itself or by a signal. A signal's own effect
 * stays what it would be without us: whoever else listens acts, and where nobody does, the process
 * dies of it.
 */
export function onProcessEnd(clean: () => void): Undo {
  const handlers = SIGNALS.map((signal) => {
    const handler = (): void => {
      undo();
      clean();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  process.on('exit', clean);
  const undo = (): void => {
    process.off('exit', clean);
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
  return undo;
}

/** Set for a program of ours, or one that loads us, that is to end with its standard input. */
export const INPUT_HOLDS = 'AGENT_BOARDS_INPUT_HOLDS';

/** ms that a process has to end by itself. */
const KILL_GRACE = 3_000;

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
  const late = setTimeout(() => signalGroup(pid, 'SIGKILL'), KILL_GRACE);
  child.once('exit', () => clearTimeout(late));
  signalGroup(pid, 'SIGTERM');
}

/** What a process of a group of its own left behind must not outlive it. */
export function sweepGroup(child: ChildProcess, platform: NodeJS.Platform): void {
  if (child.pid !== undefined && platform !== 'win32') signalGroup(child.pid, 'SIGKILL');
}

/** Of a group that is gone nothing is left to do, and of one that has become another user's nothing can be. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
  }
}
