import { useLayoutEffect, useState } from 'preact/hooks';
import { VaultTarget } from '../../core/permission/vault-target';
import type { AccessKind, Rule, AccessVerdict } from '../../core/permission/rule';
import { Icon } from '../ui/icon';
import { Select, SuggestInput } from '../ui/fields';
import type { RulesDeps } from './rules-deps';
import { VERDICT_LABELS, deciderWords, ruleText, VERDICT_WORDS } from './rule-text';
import { useChanges } from '../ui/use-changes';
import { sessionOptions } from './rule-forms';
import {
  decide,
  ruleDecider,
  sameDecider,
  type Decision,
  type AccessRequest,
} from '../../core/permission/decide';
import { limitSentence } from '../../core/permission/access-limit';
import type { AccessPolicy, CompiledRule } from '../../core/permission/policy';
import type { PolicyStore } from '../../core/permission/policy-store';
import { listed } from '../language/listed';
import { faultText, sentenceText, t, tNodes } from '../language/text';

/** The request that is tried. */
interface TriedRequest {
  readonly agent: string;
  readonly session: string;
  readonly operation: AccessKind;
  readonly path: string;
}

const OPERATIONS: readonly AccessKind[] = ['read', 'create', 'update', 'delete', 'tasks'];

/** Shows what the rules decide about a request while the person types it. */
export function TryIt({ deps }: { readonly deps: RulesDeps }) {
  useChanges(deps.policy);
  const [tried, setTried] = useState<TriedRequest>({
    ...{ agent: '', session: '', operation: 'update', path: '' },
  });
  const answer = useAnswer(deps, tried);
  const set = (part: Partial<TriedRequest>) => setTried({ ...tried, ...part });
  return (
    <div class="atb-try">
      <div class="atb-try-line">
        {tNodes('permission.mayTry', {
          agent: (
            <SuggestInput
              name={t('common.agent')}
              value={tried.agent}
              known={deps.agents()}
              placeholder={t('permission.anyoneWord')}
              onInput={(agent) => set({ agent })}
            />
          ),
          session: (
            <Select
              name={t('common.session')}
              value={tried.session}
              options={sessionOptions(deps.sessions(), tried.session)}
              onChange={(session) => set({ session })}
            />
          ),
          action: (
            <Select
              name={t('permission.action')}
              value={tried.operation}
              options={OPERATIONS.map((one) => [one, TRY_OPERATIONS[one]] as const)}
              onChange={(value) =>
                set({ operation: OPERATIONS.find((one) => one === value) ?? 'update' })
              }
            />
          ),
          path: (
            <input
              type="text"
              class="atb-form-code atb-try-path"
              aria-label={t('permission.pathOfANote')}
              value={tried.path}
              placeholder="Projects/Note.md"
              spellcheck={false}
              onInput={(event) => set({ path: event.currentTarget.value })}
            />
          ),
        })}
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
      <Icon name={VERDICT_LABELS[verdict].icon} />
      <div>
        <strong>{lead}</strong>{' '}
        {rule === undefined ? (
          why
        ) : (
          <DecidingRuleText decider={why} rule={rule} deps={props.deps} />
        )}
        {more !== '' && <div class="atb-try-more">{more}</div>}
      </div>
    </>
  );
}

function DecidingRuleText(props: {
  readonly decider: string;
  readonly rule: Rule;
  readonly deps: RulesDeps;
}) {
  const { decider, rule, deps } = props;
  const text = ruleText(rule, deps.sessions(), deps.now(), false);
  const { agent, session } = text;
  const code = (
    <code>
      {text.action} {text.notes}
    </code>
  );
  const words = { decider, rule: code, answer: VERDICT_WORDS[rule.action] };
  if (rule.agent === undefined) {
    if (rule.session === undefined) return <>{tNodes('permission.decides', words)}</>;
    return <>{tNodes('permission.decidesIn', { ...words, session })}</>;
  }
  return rule.session === undefined ? (
    <>{tNodes('permission.decidesFor', { ...words, agent })}</>
  ) : (
    <>{tNodes('permission.decidesForIn', { ...words, agent, session })}</>
  );
}

/** Resolves the path first, as a call does; drops answers to earlier input. */
function useAnswer(deps: RulesDeps, tried: TriedRequest): TryAnswer | undefined {
  const { policy, resolver, decidingRow } = deps;
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
      (target) => find(target instanceof VaultTarget ? target : faultText(target)),
      (error: unknown) => find(String(error)),
    );
    return () => void (dropped = true);
  }, [resolver, path, folder]);
  const target = path === '' || found?.path !== path ? undefined : found.target;
  const answer =
    target === undefined ? undefined : answerFor(policy, tried, target, folder, deps.now());
  useLayoutEffect(() => decidingRow.set(answer?.row), [decidingRow, answer?.row]);
  useLayoutEffect(() => () => decidingRow.set(undefined), [decidingRow]);
  return answer;
}

function answerFor(
  policy: RulesDeps['policy'],
  { agent, session, operation }: TriedRequest,
  target: VaultTarget | string,
  folder: boolean,
  now: number,
): TryAnswer {
  if (typeof target === 'string') {
    return { verdict: 'deny', lead: t('permission.refused'), why: target, ...NO_RULE };
  }
  const sessionId = session === '' ? undefined : session;
  const kind = folder ? 'folder' : 'file';
  return tryAnswer(policy, { agent: agent.trim(), operation, target, now, sessionId, kind });
}

/** The answer of the try-it field. */
interface TryAnswer {
  readonly verdict: AccessVerdict;
  /** "You would be asked." */
  readonly lead: string;
  /** "Rule 3" if a rule decides, else why none does */
  readonly why: string;
  readonly rule: Rule | undefined;
  /** which other rules match, and which don't */
  readonly more: string;
  /** row of the deciding rule in the table, from 0 */
  readonly row: number | undefined;
}

const VERDICT_SENTENCES: Readonly<Record<AccessVerdict, string>> = {
  allow: t('permission.allowed'),
  ask: t('permission.wouldBeAsked'),
  deny: t('permission.notAllowed'),
};

/** What the rules decide about a request, explained to the person. */
function tryAnswer(
  policyStore: Pick<PolicyStore, 'decide' | 'policy'>,
  request: AccessRequest,
): TryAnswer {
  const decision = policyStore.decide(request);
  const { policy } = policyStore;
  const { rule, verdict } = decision;
  const lead = VERDICT_SENTENCES[verdict];
  if (decide(policy, request).verdict !== verdict) {
    // The confirmed rules decide, which the file no longer contains.
    return { ...withoutRow(decision, lead), more: t('permission.notConfirmed') };
  }
  if (!('words' in rule)) return withoutRow(decision, lead);
  const row = policy.rules.findLastIndex((ready) => sameDecider(ruleDecider(ready), rule));
  return {
    ...{ verdict, lead, row, rule: policy.rules[row]?.rule },
    why: deciderWords(rule),
    more: otherRulesText(policy, request, policy.rules[row]?.number),
  };
}

/** The answer if no rule of the table decides. */
function withoutRow({ verdict, rule, decided, limit }: Decision, lead: string): TryAnswer {
  if (limit !== undefined) {
    const never = limit.kind === 'protected' || limit.kind === 'boards-only';
    const said = never ? t('permission.neverAllowed') : lead;
    return { verdict, lead: said, why: sentenceText(limitSentence(limit)), ...NO_RULE };
  }
  const why = 'words' in rule ? deciderWords(rule) : t('permission.noRuleMatches');
  return { verdict, lead, why, ...NO_RULE, rule: decided };
}

const NO_RULE = { rule: undefined, more: '', row: undefined };

/**
 * "Rules 1, 4 and 5 do not match. The preset, ask, matches too, but rule 3 comes later."
 * @param decides number of the deciding rule; undefined if the preset decides: then no own rule
 *   matches
 */
function otherRulesText(
  policy: AccessPolicy,
  request: AccessRequest,
  decides: number | undefined,
): string {
  const matches = (ready: CompiledRule) =>
    'words' in decide({ ...policy, rules: [ready] }, request).rule;
  const own = policy.rules.filter(({ number }) => number !== undefined);
  const unmatched = own.filter((ready) => !matches(ready)).flatMap(({ number = [] }) => number);
  if (decides === undefined) return noMatch(unmatched);
  const preset = policy.rules.slice(0, policy.preset).findLast(matches);
  const earlier = own.filter((ready) => ready.number !== decides && matches(ready));
  const alsoMatching = [
    ...(preset === undefined
      ? []
      : [t('permission.presetAnd', { answer: VERDICT_WORDS[preset.rule.action] })]),
    ...earlier.map(({ number, rule }) =>
      t('permission.ruleAnd', { number: number ?? '', answer: VERDICT_WORDS[rule.action] }),
    ),
  ];
  return [noMatch(unmatched), alsoMatch(alsoMatching, decides)]
    .filter((part) => part !== '')
    .join(' ');
}

function noMatch(numbers: readonly number[]): string {
  const { length } = numbers;
  if (length === 0) return '';
  if (length > MAX_LISTED) return t('permission.rulesDoNotMatch', { count: length });
  const named = listed(numbers.map(String));
  return t('permission.listedDoNotMatch', { count: length, rules: named });
}

function alsoMatch(rules: readonly string[], decides: number): string {
  const { length } = rules;
  if (length === 0) return '';
  if (length > MAX_LISTED) return t('permission.manyAlsoMatch', { count: length, decides });
  return t('permission.alsoMatch', { count: length, rules: rules.join('; '), decides });
}

/** Maximum number of rules that are listed one by one. */
const MAX_LISTED = 8;

/** The operations that can be tried, in words. */
const TRY_OPERATIONS: Readonly<Record<AccessKind, string>> = {
  read: t('permission.actionRead'),
  create: t('permission.actionCreate'),
  update: t('permission.actionUpdate'),
  delete: t('permission.actionDelete'),
  tasks: t('permission.changeTasksIn'),
};
