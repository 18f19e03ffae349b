import { counted } from '../../core/orchestrator/counts';
import { boardFacts } from '../../core/board/facts';
import type { Board, Task } from '../../core/board/task';
import type { PlanLook, PlannedTask } from '../../core/orchestrator/plan-look';
import { MOST_CRITERIA, tooManyCriteria } from '../../core/orchestrator/verdict';
import { taskOf } from './plan-row';

/** Something to know about a plan before it is carried out. */
export interface PlanHint {
  readonly icon: string;
  readonly text: string;
}

/** What a person should look at before they approve a plan. */
export function checkPlan(look: PlanLook, board: Board | undefined): readonly PlanHint[] {
  if (look.kind !== 'plan') return [];
  const open = look.tasks.filter(({ status }) => status !== 'completed' && status !== 'cancelled');
  const unchecked = open.filter(
    ({ success, approve, mine }) => success.length === 0 && !approve && !mine,
  );
  return [
    ...open.flatMap((one) => risk(one, board)),
    ...open
      .filter(({ success }) => tooManyCriteria(success) !== undefined)
      .map(({ title, success }) =>
        hint('triangle-alert', `${title} has ${success.length} “Success:” lines. ${TOO_MANY}`),
      ),
    ...open
      .filter(({ owner }) => owner === 'me')
      .map(({ title }) => hint('user-round', `${title} is yours. The run will wait for it.`)),
    ...open
      .filter(({ approve }) => approve)
      .map(({ title }) => hint('hand', `${title} is done when you say so.`)),
    ...(unchecked.length === 0 ? [] : [hint('list-checks', uncheckedWords(unchecked, open))]),
  ];
}

const TOO_MANY = `A check judges ${MOST_CRITERIA} at most, so the run will not begin it.`;

function hint(icon: string, text: string): PlanHint {
  return { icon, text };
}

function risk(planned: PlannedTask, board: Board | undefined): readonly PlanHint[] {
  const task = taskOf(board, planned);
  if (board === undefined || task === undefined || !isRisky(task)) return [];
  const { children = 0 } = boardFacts(board).get(task.key) ?? {};
  const split =
    children === 0
      ? ''
      : ` ${counted(children, 'subtask')} ${children === 1 ? 'keeps' : 'keep'} it small.`;
  return [hint('triangle-alert', `${task.title} is ${String(task.risk)} risk.${split}`)];
}

function isRisky({ risk }: Task): boolean {
  return risk === 'high' || risk === 'critical';
}

function uncheckedWords(unchecked: readonly PlannedTask[], open: readonly PlannedTask[]): string {
  const [only] = unchecked;
  const which =
    unchecked.length === 1 && only !== undefined
      ? `${only.title} has`
      : unchecked.length === open.length
        ? 'No task has'
        : `${counted(unchecked.length, 'task')} have`;
  const none = which.startsWith('No task') ? 'a' : 'no';
  return `${which} ${none} “Success:” line. Done is then what the agent calls done.`;
}
