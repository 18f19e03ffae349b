import type { KeyedCommand, RunCommand } from '../../src/core/orchestrator/command';
import type { Status } from '../../src/core/board/task';
import type { TaskWrite } from '../../src/core/orchestrator/state';
import type { RunEvent } from '../../src/core/orchestrator/event';

/** A session of the world's OpenCode. */
export interface WorldSession {
  readonly id: string;
  readonly role: 'plan' | 'work' | 'check';
  /** the task it was prompted for last */
  task: string | null;
  running: boolean;
  /** its events that were not delivered yet, in order */
  readonly told: RunEvent[];
  asks: string[];
  verdict: boolean;
}

export function isKeyed(command: RunCommand): command is KeyedCommand {
  return command.type !== 'store' && command.type !== 'tell';
}

export function needsLink({ type }: KeyedCommand): boolean {
  return type === 'start_session' || type === 'prompt' || type === 'interrupt';
}

/** The task's status after a write; undefined if the write doesn't change it. */
export const STATUS_AFTER: Readonly<Record<TaskWrite['kind'], Status | undefined>> = {
  begin: 'in_progress',
  reopen: 'in_progress',
  fail: 'failed',
  complete: 'completed',
  cancelled: 'cancelled',
  deferred: 'deferred',
  result: undefined,
};
