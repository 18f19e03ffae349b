import { boardFacts } from '../facts';
import { criticalTasks } from '../graph/critical-tasks';
import type { Board } from '../task';

/**
 * A board as JSON, indented by two blanks:
 * `{"format": "agent-task-boards", "version": 1, "board": {path, session, agent, title, prefix, rev},
 * "tasks": […]}`. A task has all that its line says (see `Task`), and what follows from the board:
 * `blocked`, `ready`, `blockedBy` (ids), `blocks` and `parent` (keys), `frees`, `critical`.
 */
export function jsonText(board: Board): string {
  const { path, session, agent, title, prefix, rev } = board;
  const facts = boardFacts(board);
  const critical = criticalTasks(board.tasks);
  const tasks = board.tasks.map((task) => {
    const known = facts.get(task.key);
    return {
      ...task,
      blocked: known?.blocked ?? false,
      ready: known?.ready ?? false,
      blockedBy: known?.blockedBy ?? [],
      blocks: known?.blocks ?? [],
      frees: known?.frees ?? 0,
      critical: critical.has(task.key),
    };
  });
  const head = { format: 'agent-task-boards', version: 1 };
  const whole = { ...head, board: { path, session, agent, title, prefix, rev }, tasks };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
