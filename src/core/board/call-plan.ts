import { undone } from './operation/apply-batch';
import type { Terms } from './tasks-schema';
import { currentBoard, route, type SessionBoards } from './board-rule';
import { withinBound, type BoundTo } from './bound-call';
import { newNote } from './note/new-note';
import { tidyTitle } from './note/title';
import type { OperationContext } from './operation/outcome';
import { readOperation, type Fault, type Operation } from './operation/read-operation';

/** A call that is not refused: session and agent are valid. */
export interface AgentCall {
  readonly session: string;
  readonly agent: string;
  /** title of a board that is made without one */
  readonly title: string | undefined;
  /** the only board that it may change, and what of it; undefined: all of the session's */
  readonly bound: BoundTo | undefined;
  /** as they were sent */
  readonly operations: readonly unknown[];
  readonly terms: Terms;
  /** sentences for the answer */
  readonly notices: readonly string[];
}

/** One operation of a call: what it is, and whose board it works on; or why it is none. */
export type Step =
  { readonly ok: true; readonly operation: Operation; readonly board: string } | Fault;

/** What goes to one board. */
export interface BoardWork {
  readonly path: string;
  readonly operations: readonly Operation[];
  readonly fresh: OperationContext['fresh'];
}

export interface CallPlan {
  /** one per operation, in their order */
  readonly steps: readonly Step[];
  /** by the board's agent, in the order they are first worked on */
  readonly work: ReadonlyMap<string, BoardWork>;
}

export interface PlanDeps {
  /** path of an agent's board, there or to be made */
  readonly path: (agent: string) => string;
  readonly drawPrefix: () => Promise<string>;
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
}

/** Reads the operations and finds the board of each. */
export async function planCall(
  call: AgentCall,
  boards: SessionBoards,
  deps: PlanDeps,
): Promise<CallPlan> {
  const { bound } = call;
  const read = call.operations
    .map((raw) => readOperation(raw))
    .map((one) => (bound === undefined ? one : withinBound(bound, boards, one)));
  const operations = read.flatMap((one) => (one.ok ? [one.operation] : []));
  const prefixes = await prefixesFor(call.agent, boards, operations, deps);
  const context = (agent: string): OperationContext => ({
    path: deps.path(agent),
    caller: call.agent,
    today: deps.today,
    seen: undefined,
    theirs: [],
    fresh: (given) =>
      newNote({
        session: call.session,
        agent,
        title: given ?? tidyTitle(call.title ?? call.session),
        prefix: prefixes.get(agent) ?? '',
      }),
  });
  const targets = [...route(call.agent, boards, operations, context)];
  const steps = read.map((one): Step =>
    one.ok ? { ...one, board: targets.shift() ?? call.agent } : one,
  );
  if (!call.terms.atomic) return { steps, work: grouped(steps, context) };
  const first = steps.findIndex((step) => !step.ok);
  const several = new Set(steps.flatMap((step) => (step.ok ? [step.board] : []))).size > 1;
  if (first < 0 && !several) return { steps, work: grouped(steps, context) };
  const why = several ? 'an atomic call works on one board only' : `operation ${first + 1} failed`;
  return { steps: steps.map((step) => (step.ok ? undone(why) : step)), work: new Map() };
}

function grouped(
  steps: readonly Step[],
  context: (agent: string) => OperationContext,
): ReadonlyMap<string, BoardWork> {
  const work = new Map<string, BoardWork>();
  for (const step of steps) {
    if (!step.ok) continue;
    const { path, fresh } = context(step.board);
    const before = work.get(step.board)?.operations ?? [];
    work.set(step.board, { path, fresh, operations: [...before, step.operation] });
  }
  return work;
}

/** A prefix for each board that this call may make. */
async function prefixesFor(
  agent: string,
  boards: SessionBoards,
  operations: readonly Operation[],
  { drawPrefix }: PlanDeps,
): Promise<ReadonlyMap<string, string>> {
  const current = currentBoard(agent, boards) ?? agent;
  const makers = operations.filter(({ type }) => type === 'init' || type === 'add');
  const prefixes = new Map<string, string>();
  for (const name of new Set(makers.map((operation) => operation.agent ?? current))) {
    if (!boards.files.has(name)) prefixes.set(name, await drawPrefix());
  }
  return prefixes;
}
