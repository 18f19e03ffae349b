import { count } from '../../core/orchestrator/counts';
import { isCutInside } from '../../core/orchestrator/cut-text';
import type { Limits } from '../../core/orchestrator/limits';
import type { RunWish } from '../../core/orchestrator/state';
import type { SharedSettings } from '../../core/shared-settings';
import type { Given } from '../given';

/** The options that say a limit, and the most of each. */
const LIMITS: readonly (readonly [keyof Limits, number])[] = [
  ['turns', 100_000],
  ['tokens', 1_000_000_000],
  ['minutes', 100_000],
  ['attempts', 100],
  ['parallel', 16],
];

/** OpenCode's own agent for work. */
const AGENT = 'build';
const MOST_GOAL = 20_000;
const HALF =
  'the goal holds half of a character, which can’t be stored. Type it anew where it was cut.';

/** How a run is wished for, or what is wrong with the options. */
export function wishOf(
  goal: string,
  given: Given,
  defaults: SharedSettings['runs'],
): RunWish | string {
  const text = goal.trim();
  if (text === '') return 'the goal is empty.';
  if (text.length > MOST_GOAL) return `the goal has more than ${count(MOST_GOAL)} characters.`;
  if (isCutInside(text)) return HALF;
  const model = given.text('model') ?? null;
  if (model !== null && !/^[^/\s]+\/\S+$/.test(model)) {
    return '--model takes provider/model, as in anthropic/claude-sonnet-4-5.';
  }
  const { approve, ...limits } = defaults;
  const wished = { ...limits };
  for (const [name, most] of LIMITS) {
    const value = countOf(given, name, most);
    if (typeof value === 'string') return value;
    if (value !== undefined) wished[name] = value;
  }
  return {
    ...{ goal: text, agent: given.agent ?? AGENT, model },
    approve: given.flag('no-approve') ? false : approve,
    limits: wished,
  };
}

/** What a run gets more of, or what is wrong with the options. */
export function moreOf(
  given: Given,
): Partial<Record<'turns' | 'tokens' | 'minutes', number>> | string {
  const more: { turns?: number; tokens?: number; minutes?: number } = {};
  for (const name of ['turns', 'tokens', 'minutes'] as const) {
    const value = countOf(given, name, 1_000_000_000);
    if (typeof value === 'string') return value;
    if (value !== undefined) more[name] = value;
  }
  const none = Object.keys(more).length === 0;
  return none ? 'more of what? --turns N, --tokens N or --minutes N.' : more;
}

function countOf(given: Given, name: string, most: number): number | string | undefined {
  const text = given.text(name);
  if (text === undefined) return undefined;
  const value = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  return value <= most ? value : `--${name} takes a number from 1 to ${count(most)}.`;
}
