import { decide, type Decision, type PermissionRequest } from '../../../core/permission/decide';
import type { Operation, Rule, Verdict } from '../../../core/permission/rule';
import type { Policy } from '../../../core/permission/policy';
import type { StandingPolicy } from '../../../core/permission/standing-policy';

/** What the try-it field answers. */
export interface TryAnswer {
  readonly verdict: Verdict;
  /** "You would be asked." */
  readonly lead: string;
  /** "Rule 3 decides:" and the rule, or why none does */
  readonly why: string;
  readonly rule: Rule | undefined;
  /** which rules match besides, and which don't */
  readonly more: string;
  /** of the rule that decides, as the table has it */
  readonly number: number | undefined;
}

const LEADS: Readonly<Record<Verdict, string>> = {
  allow: 'Allowed.',
  ask: 'You would be asked.',
  deny: 'Not allowed.',
};

/** What the rules say to a request, for the person who tries it. */
export function tryAnswer(
  standing: Pick<StandingPolicy, 'decide' | 'policy'>,
  request: PermissionRequest,
): TryAnswer {
  const decision = standing.decide(request);
  const { policy } = standing;
  const shown = decide(policy, request);
  const { rule, verdict } = decision;
  if (rule.kind !== 'rule' || shown.verdict !== verdict) return withoutRule(decision);
  return {
    ...{ verdict, lead: LEADS[verdict], number: rule.number },
    rule: policy.rules.find(({ number }) => number === rule.number)?.rule,
    why: `Rule ${rule.number} decides:`,
    more: others(policy, request, rule.number),
  };
}

/** Which may be a rule that the person confirmed and that stands in the file no more. */
function withoutRule({ verdict, why, rule }: Decision): TryAnswer {
  const [lead = why, ...rest] = rule.kind === 'default' ? [LEADS.ask, NO_MATCH] : sentences(why);
  return { verdict, lead, why: rest.join(' '), rule: undefined, more: '', number: undefined };
}

const NO_MATCH = 'No rule matches.';

/** What was decided, and why: they end before a colon or a full stop. */
function sentences(why: string): string[] {
  const [, lead, rest] =
    /^(Not allowed|Never allowed|Allowed|You are asked)[.:,] (.*)$/su.exec(why) ?? [];
  if (lead === undefined || rest === undefined) return [why];
  const first = lead === 'You are asked' ? LEADS.ask : `${lead}.`;
  return [first, `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`];
}

/** "Rules 1, 4 and 5 do not match. Rule 2, deny, matches too, but rule 3 comes later." */
function others(policy: Policy, request: PermissionRequest, decides: number): string {
  const matching = policy.rules.filter(
    (ready) => decide({ ...policy, rules: [ready] }, request).rule.kind === 'rule',
  );
  const numbers = new Set(matching.map(({ number }) => number));
  const not = policy.rules.map(({ number }) => number).filter((number) => !numbers.has(number));
  const earlier = matching.filter(({ number }) => number !== decides);
  const too = earlier.map(({ number, rule }) => `${number}, ${rule.action}`);
  return [noMatch(not), alsoMatch(too, decides)].filter((part) => part !== '').join(' ');
}

function noMatch(numbers: readonly number[]): string {
  if (numbers.length === 0) return '';
  const [verb, noun] = numbers.length === 1 ? ['does', 'Rule'] : ['do', 'Rules'];
  if (numbers.length > LISTED) return `${numbers.length} rules do not match.`;
  return `${noun} ${listed(numbers.map(String))} ${verb} not match.`;
}

function alsoMatch(rules: readonly string[], decides: number): string {
  if (rules.length === 0) return '';
  const end = `match${rules.length === 1 ? 'es' : ''} too, but rule ${decides} comes later.`;
  if (rules.length > LISTED) return `${rules.length} rules ${end}`;
  return rules.length === 1 ? `Rule ${rules[0] ?? ''}, ${end}` : `Rules ${rules.join('; ')} ${end}`;
}

/** So many are named one by one. */
const LISTED = 8;

function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

/** What can be tried, in words. */
export const TRY_OPERATIONS: Readonly<Record<Operation, string>> = {
  read: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
  tasks: 'change tasks in',
};
