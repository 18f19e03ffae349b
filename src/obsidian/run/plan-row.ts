import { counted } from '../../core/orchestrator/counts';
import { boardFacts } from '../../core/board/facts';
import type { Board, Task } from '../../core/board/task';
import { markState, reasonLine, type MarkState } from '../../core/board/task-words';
import type { PlannedTask } from '../../core/orchestrator/plan-look';

/** A task of the plan as the panel lists it. */
export interface PlanRow {
  readonly id: string | null;
  readonly line: number;
  readonly title: string;
  readonly mark: MarkState;
  /** the quieter line under the title; may be empty */
  readonly text: string;
}

/** The task on the board that a run's look is about. */
export function taskOf(
  board: Board | undefined,
  { id, line, title }: Pick<PlannedTask, 'id' | 'line' | 'title'>,
): Task | undefined {
  return board?.tasks.find((one) =>
    id === null ? one.line === line && one.title === title : one.id === id,
  );
}

/** What the board says of it stands in the row: why it waits, or what to know before it is begun. */
export function planRow(planned: PlannedTask, board: Board | undefined): PlanRow {
  const { id, line, title, status } = planned;
  const task = taskOf(board, planned);
  if (board === undefined || task === undefined) {
    const mark = status === 'pending' ? (planned.startable ? 'ready' : 'waiting') : status;
    return { id, line, title, mark, text: planned.mine ? YOURS : '' };
  }
  const facts = boardFacts(board);
  const own = facts.get(task.key);
  const mark = markState(task, own?.blocked === true);
  const byKey = new Map(board.tasks.map((one) => [one.key, one]));
  const reason = reasonLine(task, byKey, facts)?.text;
  const known = [riskWords(task), own?.children ? counted(own.children, 'subtask') : ''];
  const text = planned.mine ? YOURS : (reason ?? joined(known));
  return { id, line, title, mark, text };
}

const YOURS = 'Yours. Done when you tick it.';

/** "High risk", or nothing. */
function riskWords({ risk }: Task): string {
  if (risk === 'high') return 'High risk';
  return risk === 'critical' ? 'Critical risk' : '';
}

function joined(words: readonly string[]): string {
  const text = words.filter((one) => one !== '').join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
