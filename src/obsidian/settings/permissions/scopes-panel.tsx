import type { Permissions } from '../../../core/permission/permissions';
import type { Scope } from '../../../core/permission/scope';
import { scopeWords } from '../../../core/permission/scope-words';
import { visibleText } from '../../../core/permission/audit/visible-text';
import { StoreError } from '../../../core/ports';
import { Icon } from '../../part/icon';
import { sessionName } from './rule-text';
import type { RulesDeps } from './rules-deps';
import { usePolicy } from './use-policy';
import { useSaving } from './use-saving';

const WORDS =
  'A ceiling over all rules: where and what an agent may read and write at most. The last one that is for an agent counts. Without one, notes up to 10 MB are read and written anywhere, and nothing is deleted.';

/** How far agents reach. */
export function ScopesPanel({ deps }: { readonly deps: RulesDeps }) {
  const { policy } = deps;
  usePolicy(policy);
  const [problem, save] = useSaving();
  const { scopes } = policy.permissions;
  const editable = policy.foreign() === undefined;
  const change = async (at: number) => {
    const before = scopes[at];
    const edited = await deps.editScope(before);
    if (edited === undefined) return;
    const add = edited.kind === 'save' ? [edited.value] : [];
    await save(() => policy.edit((now) => withScopes(now, at, before, add)));
  };
  return (
    <div>
      <p class="atb-settings-words">{WORDS}</p>
      <ol class="atb-rule-list" aria-label="How far agents reach">
        {scopes.map((scope, at) => (
          <li key={at}>
            <button type="button" disabled={!editable} onClick={() => void change(at)}>
              <span class="atb-rule-body">{named(scope, deps)}</span>
              <Icon name="pencil" />
            </button>
          </li>
        ))}
      </ol>
      <button
        type="button"
        class="atb-button"
        disabled={!editable}
        onClick={() => void change(scopes.length)}
      >
        <Icon name="plus" />
        Add limit
      </button>
      {problem !== '' && (
        <p class="atb-settings-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function named(scope: Scope, { sessions }: RulesDeps): string {
  const { session } = scope;
  if (session === undefined) return visibleText(scopeWords(scope));
  return visibleText(scopeWords({ ...scope, session: sessionName(session, sessions()) }));
}

/** What was seen must be what is changed. */
function withScopes(
  now: Permissions,
  at: number,
  before: Scope | undefined,
  add: readonly Scope[],
): Permissions {
  if (JSON.stringify(now.scopes[at]) !== JSON.stringify(before)) {
    throw new StoreError(
      'busy',
      'The limits changed meanwhile. Look at them, then change this one.',
    );
  }
  const scopes = [...now.scopes];
  scopes.splice(at, 1, ...add);
  return { ...now, scopes };
}
