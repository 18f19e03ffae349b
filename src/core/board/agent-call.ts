import { StoreError } from '../ports';
import { look, type Look, type LookDeps } from './agent-look';
import type { TasksAnswer } from './answer/tasks-answer';
import { writeAnswer } from './answer/write-answer';
import { currentBoard, type SessionBoards } from './board-rule';
import { planCall, type AgentCall, type CallPlan } from './call-plan';
import type { Done } from './operation/outcome';
import type { Fault } from './operation/read-operation';
import type { Prefixes } from './prefixes';
import type { SessionFolders } from './session-boards';
import type { SessionMemory } from './state-file';

export interface AgentCallDeps extends LookDeps {
  readonly folders: SessionFolders;
  readonly prefixes: Prefixes;
}

/** One call of `tasks`, from the operations as sent to the answer; one call per session at a time. */
export async function runCall(deps: AgentCallDeps, call: AgentCall): Promise<TasksAnswer> {
  const { folders, prefixes, clock } = deps;
  const folder = await folders.folder(call.session);
  const boards = await folders.boards(folder);
  const plan = await planCall(call, boards, {
    path: folders.paths(call.session, folder, boards),
    drawPrefix: () => prefixes.draw(),
    today: clock.today(),
  });
  const looks = new Map<string, Look>();
  for (const [agent, { path, operations, fresh }] of plan.work) {
    looks.set(agent, await look(deps, path, call.agent, operations, fresh, call.terms));
  }
  const outcomes = inOrder(plan, looks);
  const shown = await showOne(deps, call, boards, plan, looks);
  // A guest's word is no choice of board for those whose session it is.
  const lost =
    call.bound === undefined
      ? await remember(deps, folder, call, plan, outcomes, looks)
      : undefined;
  return answer(call, boards, outcomes, shown, looks, lost);
}

/** The outcomes of all boards in the order of the operations. */
function inOrder(plan: CallPlan, looks: ReadonlyMap<string, Look>): readonly (Done | Fault)[] {
  const left = new Map([...looks].map(([agent, { outcomes }]) => [agent, [...outcomes]]));
  return plan.steps.map((step) => {
    if (!step.ok) return step;
    const outcome = left.get(step.board)?.shift();
    if (outcome === undefined) throw new Error('assertion: an operation without an outcome');
    return outcome;
  });
}

/**
 * The board that the answer shows: the last that was worked on and is there, else the caller's. A
 * call in which nothing fits is a look at it all the same.
 */
async function showOne(
  deps: AgentCallDeps,
  { agent, bound }: AgentCall,
  boards: SessionBoards,
  plan: CallPlan,
  looks: Map<string, Look>,
): Promise<string | undefined> {
  const worked = plan.steps.flatMap((step) => (step.ok ? [step.board] : [])).reverse();
  const last = worked.find((name) => looks.get(name)?.file !== undefined);
  if (last !== undefined) return last;
  const current = bound?.agent ?? currentBoard(agent, boards);
  const path = current === undefined ? undefined : boards.files.get(current)?.board.path;
  if (current === undefined || path === undefined) return undefined;
  looks.set(current, await look(deps, path, agent, [], () => ''));
  return current;
}

/** Which board the caller named last, and which were made. Returns why that failed, if it did. */
async function remember(
  { state }: AgentCallDeps,
  folder: string,
  { agent }: AgentCall,
  plan: CallPlan,
  outcomes: readonly (Done | Fault)[],
  looks: ReadonlyMap<string, Look>,
): Promise<string | undefined> {
  const made = [...looks].flatMap(([name, one]) => (one.made ? [name] : []));
  const named = plan.steps
    .flatMap((step, at) =>
      step.ok && outcomes[at]?.ok === true ? (step.operation.agent ?? []) : [],
    )
    .filter((name) => looks.get(name)?.file !== undefined)
    .pop();
  if (made.length === 0 && named === undefined) return undefined;
  const change = (memory: SessionMemory): SessionMemory => ({
    named:
      named === undefined
        ? memory.named
        : [...memory.named.filter(([caller]) => caller !== agent), [agent, named]],
    made: [...memory.made.filter((name) => !made.includes(name)), ...made],
  });
  try {
    await state.remember(folder, change);
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

function answer(
  call: AgentCall,
  boards: SessionBoards,
  outcomes: readonly (Done | Fault)[],
  shown: string | undefined,
  looks: ReadonlyMap<string, Look>,
  lost: string | undefined,
): TasksAnswer {
  const now = new Map([...boards.files].map(([agent, { board }]) => [agent, board]));
  for (const [agent, { file }] of looks) if (file !== undefined) now.set(agent, file.board);
  const reasons = [...[...looks.values()].map(({ forgotten }) => forgotten), lost];
  const [reason] = reasons.filter((one) => one !== undefined);
  const notKept = `What was done stands, but what you saw and named could not be kept: ${reason ?? ''}`;
  return writeAnswer({
    sessionId: call.session,
    agent: call.agent,
    operations: call.operations,
    outcomes,
    board: shown === undefined ? undefined : now.get(shown),
    changes: [...looks.values()].flatMap(({ changes }) => changes),
    others: [...now].flatMap(([agent, board]) => (agent === shown ? [] : [board])),
    notices: [
      ...call.notices,
      ...(reason === undefined ? [] : [notKept]),
      ...[...looks.values()].flatMap((one) => one.notices),
    ],
  });
}
