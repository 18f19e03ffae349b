import { useLayoutEffect, useState } from 'preact/hooks';
import { VaultTarget } from '../../../core/permission/vault-target';
import type { Operation, Rule } from '../../../core/permission/rule';
import { Icon } from '../../part/icon';
import { Select, Suggested } from './field';
import type { RulesDeps } from './rules-deps';
import { ANSWER_ICONS, ruleText } from './rule-text';
import { TRY_OPERATIONS, tryAnswer, type TryAnswer } from './try-text';
import { usePolicy } from './use-policy';
import { sessionOptions } from './whom-fields';

/** What is tried. */
interface Tried {
  readonly agent: string;
  readonly session: string;
  readonly operation: Operation;
  readonly path: string;
}

const OPERATIONS: readonly Operation[] = ['read', 'create', 'update', 'delete', 'tasks'];

/** Says what the rules would say, while it is typed. */
export function TryIt({ deps }: { readonly deps: RulesDeps }) {
  usePolicy(deps.policy);
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
      <Icon name={ANSWER_ICONS[verdict]} />
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
  const whom = [
    rule.agent === undefined ? '' : ` for ${text.agent}`,
    rule.session === undefined ? '' : ` in ${text.session}`,
  ].join('');
  return (
    <>
      {' '}
      <code>
        {text.action} {text.notes}
      </code>
      , {rule.action}
      {whom}.
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
    const resolve = folder ? resolver.resolveFolder(path) : resolver.resolve(path);
    void resolve.then(
      (target) => {
        if (dropped) return;
        setFound({ path, target: target instanceof VaultTarget ? target : target.message });
      },
      (error: unknown) => {
        if (!dropped) setFound({ path, target: String(error) });
      },
    );
    return () => {
      dropped = true;
    };
  }, [resolver, path, folder]);
  const target = path === '' || found?.path !== path ? undefined : found.target;
  const answer =
    target === undefined ? undefined : answerFor(policy, tried, target, folder, deps.now());
  useLayoutEffect(() => {
    mark.set(answer?.number);
  }, [mark, answer?.number]);
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
    const none = { rule: undefined, more: '', number: undefined };
    return { verdict: 'deny', lead: 'Refused.', why: target, ...none };
  }
  return tryAnswer(policy, {
    ...{ agent: agent.trim(), operation, target, now },
    sessionId: session === '' ? undefined : session,
    kind: folder ? 'folder' : 'file',
  });
}
