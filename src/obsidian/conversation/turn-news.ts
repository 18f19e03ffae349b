import type { Transcript } from '../../core/session/transcript/transcript';

/** What the end of a turn is told as, after the agent's name; undefined where none ended since. */
export function turnNews(before: Transcript | undefined, now: Transcript): string | undefined {
  const last = now.blocks.at(-1);
  if (before === undefined || before.blocks.length === 0 || last?.kind !== 'turn') return undefined;
  if (before.sessionId !== now.sessionId || before.blocks.some(({ id }) => id === last.id)) {
    return undefined;
  }
  if (last.reason === 'interrupted') return 'was stopped.';
  if (last.reason === 'error') return 'stopped with an error.';
  const { changedTasks } = last;
  if (changedTasks === 0) return 'finished.';
  return `finished. ${changedTasks === 1 ? '1 task' : `${changedTasks} tasks`} changed.`;
}
