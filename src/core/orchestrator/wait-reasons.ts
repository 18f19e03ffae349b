import type { LimitName } from './limits';
import type { PlanLook, PlannedTask } from './plan-look';
import type { Executing, Planning, Run } from './state';
import type { Step } from './task-step';
import type { Turn } from './turn';
import type { WaitReason } from './wait-reason';

/** Why nothing goes on: never empty, the most general first. */
export function waitReasons(
  run: Run,
  stage: Planning | Executing,
  look: PlanLook,
  limit: LimitName | undefined,
): readonly WaitReason[] {
  const why: WaitReason[] = [];
  if (!run.linked) why.push({ kind: 'offline' });
  if (limit !== undefined) why.push({ kind: 'limit', limit });
  if (stage.kind === 'planning') return [...why, ...ofPlanning(stage)];
  if (look.kind === 'unreadable') why.push({ kind: 'board', message: look.message });
  if (stage.unnamed !== null) why.push({ kind: 'board', message: stage.unnamed });
  why.push(...stage.steps.flatMap(ofStep));
  if (look.kind === 'plan') why.push(...ofPlan(stage, look.tasks, why.length === 0));
  return why;
}

function ofPlanning({ doing }: Planning): readonly WaitReason[] {
  if (doing.kind === 'held') return [{ kind: 'plan', message: doing.message }];
  return doing.kind === 'turn' ? asked(doing.turn, null) : [];
}

function ofStep(step: Step): readonly WaitReason[] {
  const { doing } = step;
  const task = { id: step.task, title: step.title };
  switch (doing.kind) {
    case 'work':
    case 'check':
      return asked(doing.turn, task);
    case 'approval':
      return [{ kind: 'approval', task }];
    case 'held':
      return [{ kind: 'held', task, why: doing.why, message: doing.message }];
    case 'saving':
    case 'writing':
      return [];
  }
}

function asked(turn: Turn, task: { id: string; title: string } | null): readonly WaitReason[] {
  return turn.kind === 'working' && turn.asks.length > 0
    ? [{ kind: 'asked', session: turn.session, task, what: turn.asks.map(({ what }) => what) }]
    : [];
}

function ofPlan(
  { steps }: Executing,
  tasks: readonly PlannedTask[],
  alone: boolean,
): readonly WaitReason[] {
  const taken = new Set(steps.map(({ task }) => task));
  const own = tasks.filter(({ mine }) => mine).map(named);
  if (own.length > 0 || !alone) return own.map((task) => ({ kind: 'own', task }));
  const open = tasks.filter(
    ({ id, status }) =>
      status !== 'completed' && status !== 'cancelled' && !(id !== null && taken.has(id)),
  );
  return [{ kind: 'blocked', tasks: open.map(named) }];
}

function named({ id, title }: PlannedTask): { id: string | null; title: string } {
  return { id, title };
}
