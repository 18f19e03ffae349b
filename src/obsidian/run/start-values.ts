import { count } from '../../core/orchestrator/counts';
import { isCutInside } from '../../core/orchestrator/cut-text';
import { LIMITS, limitsSchema, type Limits } from '../../core/orchestrator/limits';
import { wishSchema, type RunWish } from '../../core/orchestrator/state';
import type { Board } from '../../core/board/task';
import { isFinished } from '../../core/board/facts';
import type { RunDefaults } from './run-deps';

/** What stands in the dialog that starts a run; numbers as they were typed. */
export interface StartValues {
  readonly goal: string;
  /** path of the board that is the plan already; empty: the agent plans */
  readonly plan: string;
  readonly agent: string;
  /** empty: OpenCode's own choice */
  readonly model: string;
  readonly approve: boolean;
  readonly limits: Readonly<Record<keyof Limits, string>>;
}

export type StartField = 'goal' | 'agent' | keyof Limits;

/** A sentence for each field that can't stay as it is. */
export type StartProblems = Partial<Readonly<Record<StartField, string>>>;

export const LIMIT_FIELDS: readonly {
  readonly limit: keyof Limits;
  readonly name: string;
  readonly most: number;
}[] = [
  { limit: 'turns', name: 'Turns', most: 10_000 },
  { limit: 'tokens', name: 'Tokens', most: 1_000_000_000 },
  { limit: 'minutes', name: 'Minutes', most: 100_000 },
  { limit: 'attempts', name: 'Attempts per task', most: 100 },
  { limit: 'parallel', name: 'Tasks at the same time', most: 16 },
];

export function startValues(
  { agent, model, approve, limits }: RunDefaults,
  plan: Board | undefined,
): StartValues {
  return {
    ...{ goal: plan?.title ?? '', plan: plan?.path ?? '', approve },
    ...{ agent: plan?.agent ?? agent, model: model ?? '' },
    limits: {
      turns: String(limits.turns),
      tokens: String(limits.tokens),
      minutes: String(limits.minutes),
      attempts: String(limits.attempts),
      parallel: String(limits.parallel),
    },
  };
}

/** Boards on which something is left to do, and which programs may write. */
export function plansToRun(boards: readonly Board[]): readonly Board[] {
  return boards.filter(
    ({ broken, continued, shelved, tasks }) =>
      broken === null &&
      continued === undefined &&
      shelved !== true &&
      tasks.some((task) => !isFinished(task)),
  );
}

/** The wish, or what is wrong with it, field by field. */
export function readWish(
  values: StartValues,
): { readonly wish: RunWish } | { readonly problems: StartProblems } {
  const limits: Record<keyof Limits, number> = { ...LIMITS };
  const problems: Partial<Record<StartField, string>> = {};
  for (const { limit, most } of LIMIT_FIELDS) {
    const number = wholeNumber(values.limits[limit]);
    if (number === undefined || number < 1 || number > most) {
      problems[limit] = `A whole number from 1 to ${count(most)}.`;
    } else limits[limit] = number;
  }
  const goal = values.goal.trim();
  if (goal === '') problems.goal = 'Say what is to be done.';
  else if (goal.length > MOST_GOAL) {
    problems.goal = `The goal is too long: ${count(goal.length)} of at most ${count(MOST_GOAL)} characters.`;
  } else if (isCutInside(goal)) {
    problems.goal = 'The goal holds half of a character. Type it anew where it was cut.';
  }
  const agent = values.agent.trim();
  if (agent === '') problems.agent = 'Name the agent that plans.';
  if (Object.keys(problems).length > 0) return { problems };
  const model = values.model.trim() === '' ? null : values.model.trim();
  const { approve } = values;
  return {
    wish: wishSchema.parse({ goal, agent, model, approve, limits: limitsSchema.parse(limits) }),
  };
}

const MOST_GOAL = 20_000;

/** "1,000" and "1000". */
function wholeNumber(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  return /^\d{1,10}$/.test(digits) ? Number(digits) : undefined;
}
