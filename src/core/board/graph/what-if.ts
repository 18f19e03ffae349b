import { boardFacts } from '../facts';
import type { Board } from '../task';

/** What would follow if one task alone were completed now; keys, in the order of the note. */
export interface WhatIf {
  /** pending or in progress, and no longer blocked */
  readonly frees: readonly string[];
  /** pending, and could be started: among those freed, and parents whose last open sub-task it is */
  readonly makesReady: readonly string[];
  /** wait for it, and would still wait for something else */
  readonly stillWait: readonly string[];
}

export function whatIf(board: Pick<Board, 'tasks' | 'archived'>, key: string): WhatIf {
  const now = boardFacts(board);
  const tasks = board.tasks.map((task) =>
    task.key === key ? ({ ...task, status: 'completed' } as const) : task,
  );
  const then = boardFacts({ ...board, tasks });
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress');
  const keys = open.map((task) => task.key);
  const waiting = new Set(now.get(key)?.blocks);
  return {
    frees: keys.filter((one) => now.get(one)?.blocked === true && !then.get(one)?.blocked),
    makesReady: keys.filter((one) => now.get(one)?.ready !== true && then.get(one)?.ready),
    stillWait: keys.filter((one) => waiting.has(one) && then.get(one)?.blocked),
  };
}
