import { useLayoutEffect, useState } from 'preact/hooks';
import { VaultTarget } from '../../core/permission/vault-target';
import type { AccessKind, Rule, AccessVerdict } from '../../core/permission/rule';
import { Icon } from '../ui/icon';
import { Select, Suggested } from '../ui/fields';
import type { RulesDeps } from './rules-deps';
import { ANSWERS, ruleText } from './rule-text';
import { useChanges } from '../ui/use-changes';
import { sessionOptions } from './rule-forms';
import {
  decide,
  deciderName,
  ruleDecider,
  sameDecider,
  type Decision,
  type AccessRequest,
} from '../../core/permission/decide';
import type { AccessPolicy, ReadyRule } from '../../core/permission/policy';
import type { PolicyStore } from '../../core/permission/policy-store';

/** What is tried. */
interface Tried {
  readonly agent: string;
  readonly session: string;
  readonly operation: AccessKind;
  readonly path: string;
}

const OPERATIONS: readonly AccessKind[] = ['read', 'create', 'update', 'delete', 'tasks'];

/** Says what the rules would say, while it is typed. */
export function TryIt({ deps }: { readonly deps: RulesDeps }) {
  useChanges(deps.policy);
  const [tried, setTried] = useState<Tried>({
    ...{ agent: '', session: '', operation: 'update', path: '' },
  });
  const answer = useAnswer(deps, tried);
  const set = (part: Partial<Tried>) => setTried({ ...tried, ...part });
  return (
    <div class="atb-try">
      <div class="atb-try-line">
        May
        <Suggested
          name="Agent"
          value={tried.agent}
          known={deps.agents()}
          placeholder="anyone"
          onInput={(agent) => set({ agent })}
        />
        in
        <Select
          name="Session"
          value={tried.session}
          options={sessionOptions(deps.sessions(), tried.session)}
          onChange={(session) => set({ session })}
        />
        <Select
          name="Action"
          value={tried.operation}
          options={OPERATIONS.map((one) => [one, TRY_OPERATIONS[one]] as const)}
          onChange={(value) =>
            set({ operation: OPERATIONS.find((one) => one === value) ?? 'update' })
          }
        />
        <input
          type="text"
          class="atb-form-code atb-try-path"
          aria-label="Path of a note"
          value={tried.path}
          placeholder="Projects/Note.md"
          spellcheck={false}
          onInput={(event) => set({ path: event.currentTarget.value })}
        />
        ?
      </div>
      <div class="atb-try-answer" role="status">
        {answer !== undefined && <Answer {...{ answer, deps }} />}
      </div>
    </div>
  );
}

function Answer(props: { readonly answer: TryAnswer; readonly deps: RulesDeps }) {
  const { lead, why, rule, more, verdict } = props.answer;
  return (
    <>
      <Icon name={ANSWERS[verdict].icon} />
      <div>
        <strong>{lead}</strong> {why}
        {rule !== undefined && <RuleWords rule={rule} deps={props.deps} />}
        {more !== '' && <div class="atb-try-more">{more}</div>}
      </div>
    </>
  );
}

function RuleWords({ rule, deps }: { readonly rule: Rule; readonly deps: RulesDeps }) {
  const text = ruleText(rule, deps.sessions(), deps.now(), false);
  return (
    <>
      {' '}
      <code>
        {text.action} {text.notes}
      </code>
      , {rule.action}
      {rule.agent !== undefined && ` for ${text.agent}`}
      {rule.session !== undefined && ` in ${text.session}`}.
    </>
  );
}

/** Looks where the path leads first, as a call does; an answer to what was typed before is dropped. */
function useAnswer(deps: RulesDeps, tried: Tried): TryAnswer | undefined {
  const { policy, resolver, mark } = deps;
  const { path } = tried;
  const folder = path.endsWith('/');
  const [found, setFound] = useState<{ path: string; target: VaultTarget | string }>();
  useLayoutEffect(() => {
    let dropped = false;
    const find = (target: VaultTarget | string) => {
      if (!dropped) setFound({ path, target });
    };
    const resolve = folder ? resolver.resolveFolder(path) : resolver.resolve(path);
    void resolve.then(
      (target) => find(target instanceof VaultTarget ? target : target.message),
      (error: unknown) => find(String(error)),
    );
    return () => void (dropped = true);
  }, [resolver, path, folder]);
  const target = path === '' || found?.path !== path ? undefined : found.target;
  const answer =
    target === undefined ? undefined : answerFor(policy, tried, target, folder, deps.now());
  useLayoutEffect(() => mark.set(answer?.row), [mark, answer?.row]);
  useLayoutEffect(() => () => mark.set(undefined), [mark]);
  return answer;
}

function answerFor(
  policy: RulesDeps['policy'],
  { agent, session, operation }: Tried,
  target: VaultTarget | string,
  folder: boolean,
  now: number,
): TryAnswer {
  if (typeof target === 'string') {
    return { verdict: 'deny', lead: 'Refused.', why: target, ...NO_RULE };
  }
  const sessionId = session === '' ? undefined : session;
  const kind = folder ? 'folder' : 'file';
  return tryAnswer(policy, { agent: agent.trim(), operation, target, now, sessionId, kind });
}

/** What the try-it field answers. */
interface TryAnswer {
  readonly verdict: AccessVerdict;
  /** "You would be asked." */
  readonly lead: string;
  /** "Rule 3 decides:" and the rule, or why none does */
  readonly why: string;
  readonly rule: Rule | undefined;
  /** which rules match besides, and which don't */
  readonly more: string;
  /** of the rule that decides, in the table, from 0 */
  readonly row: number | undefined;
}

const LEADS: Readonly<Record<AccessVerdict, string>> = {
  allow: 'Allowed.',
  ask: 'You would be asked.',
  deny: 'Not allowed.',
};

/** What the rules say to a request, for the person who tries it. */
function tryAnswer(
  standing: Pick<PolicyStore, 'decide' | 'policy'>,
  request: AccessRequest,
): TryAnswer {
  const decision = standing.decide(request);
  const { policy } = standing;
  const shown = decide(policy, request);
  const { rule, verdict } = decision;
  if (!('words' in rule) || shown.verdict !== verdict) return withoutRule(decision);
  const row = policy.rules.findLastIndex((ready) => sameDecider(ruleDecider(ready), rule));
  return {
    ...{ verdict, lead: LEADS[verdict], row, rule: policy.rules[row]?.rule },
    why: `${deciderName(rule)} decides:`,
    more: others(policy, request, policy.rules[row]?.number),
  };
}

/** Which may be a rule that the person confirmed and that stands in the file no more. */
function withoutRule({ verdict, why, rule }: Decision): TryAnswer {
  const [lead = why, ...rest] = rule.kind === 'default' ? [LEADS.ask, NO_MATCH] : sentences(why);
  return { verdict, lead, why: rest.join(' '), ...NO_RULE };
}

const NO_RULE = { rule: undefined, more: '', row: undefined };

const NO_MATCH = 'No rule matches.';

/** What was decided, and why: they end before a colon or a full stop. */
function sentences(why: string): string[] {
  const [, lead, rest] =
    /^(Not allowed|Never allowed|Allowed|You are asked)[.:,] (.*)$/su.exec(why) ?? [];
  if (lead === undefined || rest === undefined) return [why];
  const first = lead === 'You are asked' ? LEADS.ask : `${lead}.`;
  return [first, `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`];
}

/**
 * "Rules 1, 4 and 5 do not match. The preset, ask, matches too, but rule 3 comes later."
 * @param decides undefined where the preset does: then none of the person's own matches
 */
function others(policy: AccessPolicy, request: AccessRequest, decides: number | undefined): string {
  const matches = (ready: ReadyRule) =>
    'words' in decide({ ...policy, rules: [ready] }, request).rule;
  const own = policy.rules.filter(({ number }) => number !== undefined);
  const not = own.filter((ready) => !matches(ready)).flatMap(({ number = [] }) => number);
  if (decides === undefined) return noMatch(not);
  const preset = policy.rules.slice(0, policy.preset).findLast(matches);
  const earlier = own.filter((ready) => ready.number !== decides && matches(ready));
  const too = [
    ...(preset === undefined ? [] : [`the preset, ${preset.rule.action}`]),
    ...earlier.map(({ number, rule }) => `rule ${number}, ${rule.action}`),
  ];
  return [noMatch(not), alsoMatch(too, decides)].filter((part) => part !== '').join(' ');
}

function noMatch(numbers: readonly number[]): string {
  const { length } = numbers;
  if (length === 0) return '';
  if (length > LISTED) return `${length} rules do not match.`;
  const named = listed(numbers.map(String));
  return length === 1 ? `Rule ${named} does not match.` : `Rules ${named} do not match.`;
}

function alsoMatch(rules: readonly string[], decides: number): string {
  const { length } = rules;
  if (length === 0) return '';
  const end = `match${length === 1 ? 'es' : ''} too, but rule ${decides} comes later.`;
  if (length > LISTED) return `${length} rules ${end}`;
  const named = rules.join('; ');
  return `${named.charAt(0).toUpperCase()}${named.slice(1)}${length === 1 ? ',' : ''} ${end}`;
}

/** So many are named one by one. */
const LISTED = 8;

function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

/** What can be tried, in words. */
const TRY_OPERATIONS: Readonly<Record<AccessKind, string>> = {
  read: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
  tasks: 'change tasks in',
};
