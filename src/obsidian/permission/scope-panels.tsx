import type { Permissions, Preset } from '../../core/permission/permissions';
import { scopeWords, type Scope } from '../../core/permission/rule';
import { visibleText } from '../../core/permission/audit/redact';
import { StoreError } from '../../core/ports';
import { Button, Icon } from '../ui/icon';
import { sessionName } from './rule-text';
import { SaveProblem } from './rule-forms';
import { useSaving, type RulesDeps } from './rules-deps';
import { useChanges } from '../ui/use-changes';
import { useState } from 'preact/hooks';
import { readPattern } from '../../core/permission/path-pattern';
import type { PolicyStore } from '../../core/permission/policy-store';
import { Field, Select } from '../ui/fields';
import { filledLines } from './rule-forms';
import { faultText, t } from '../language/text';

const SCOPES_WORDS = t('permission.limitsExplained');

/** The settings for the scopes of agents. */
export function ScopesPanel({ deps }: { readonly deps: RulesDeps }) {
  const { policy } = deps;
  useChanges(policy);
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
      <p class="atb-settings-words">{SCOPES_WORDS}</p>
      <ol class="atb-rule-list" aria-label={t('permission.howFarAgentsReach')}>
        {scopes.map((scope, at) => (
          <li key={at}>
            <button type="button" disabled={!editable} onClick={() => void change(at)}>
              <span class="atb-rule-body">{scopeText(scope, deps)}</span>
              <Icon name="pencil" />
            </button>
          </li>
        ))}
      </ol>
      <Button
        icon="plus"
        words={t('permission.addLimit')}
        disabled={!editable}
        onClick={() => void change(scopes.length)}
      />
      <SaveProblem words={problem} />
    </div>
  );
}

function scopeText(scope: Scope, { sessions }: RulesDeps): string {
  const { session } = scope;
  if (session === undefined) return visibleText(scopeWords(scope));
  return visibleText(scopeWords({ ...scope, session: sessionName(session, sessions()) }));
}

/** Changes a scope only if it is still the one that the person saw. */
function withScopes(
  now: Permissions,
  at: number,
  before: Scope | undefined,
  add: readonly Scope[],
): Permissions {
  if (JSON.stringify(now.scopes[at]) !== JSON.stringify(before)) {
    const message = t('permission.limitsChanged');
    throw new StoreError('busy', message);
  }
  return { ...now, scopes: now.scopes.toSpliced(at, 1, ...add) };
}

/** Name and description of each preset. */
const PRESETS = {
  'read-only': [t('permission.readOnly'), t('permission.readOnlyText')],
  ask: [t('permission.askForWrites'), t('permission.askForWritesText')],
  trusted: [t('permission.trustedFolders'), t('permission.trustedFoldersText')],
} as const;

const PRESET_KINDS = ['read-only', 'ask', 'trusted'] as const;

const MAX_FOLDERS = 20;

/** The preset, which decides if none of the person's own rules does. */
export function PresetPanel({ policy }: { readonly policy: PolicyStore }) {
  useChanges(policy);
  const { preset } = policy.permissions;
  const [chosen, setChosen] = useState<'trusted'>();
  const [problem, save] = useSaving();
  const kind = chosen ?? preset.kind;
  const editable = policy.foreign() === undefined;
  const set = (next: Preset) => save(() => policy.edit((now) => ({ ...now, preset: next })));
  const choose = (value: string) => {
    const next = PRESET_KINDS.find((one) => one === value);
    // `trusted` is complete only with its folders, so it is not saved yet.
    setChosen(next === 'trusted' ? next : undefined);
    if (next === 'trusted' || next === undefined) return;
    void set({ kind: next });
  };
  return (
    <div class="atb-preset">
      <div class="atb-setting-line">
        <div>
          <div class="setting-item-name">{t('permission.preset')}</div>
          <div class="setting-item-description">{PRESETS[kind][1]}</div>
        </div>
        <Select
          name={t('permission.preset')}
          value={kind}
          options={PRESET_KINDS.map((one) => [one, PRESETS[one][0]] as const)}
          disabled={!editable}
          onChange={choose}
        />
      </div>
      {kind === 'trusted' && (
        <Folders
          key={preset.kind}
          folders={preset.kind === 'trusted' ? preset.folders : []}
          editable={editable}
          onChange={async (folders) => {
            if (await set({ kind: 'trusted', folders })) setChosen(undefined);
          }}
        />
      )}
      <SaveProblem words={problem} />
    </div>
  );
}

function Folders(props: {
  readonly folders: readonly string[];
  readonly editable: boolean;
  readonly onChange: (folders: string[]) => Promise<void>;
}) {
  const [text, setText] = useState(props.folders.join('\n'));
  const problem = foldersProblem(parseFolders(text));
  return (
    <Field
      name={t('permission.trustedFolders')}
      words={t('permission.oneFolderPerLine')}
      problem={problem}
    >
      <textarea
        class="atb-form-code"
        rows={3}
        value={text}
        placeholder="Projects"
        spellcheck={false}
        disabled={!props.editable}
        aria-invalid={problem !== undefined && text !== ''}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => {
          const folders = parseFolders(event.currentTarget.value);
          if (foldersProblem(folders) === undefined) void props.onChange(folders);
        }}
      />
    </Field>
  );
}

function parseFolders(text: string): string[] {
  return filledLines(text).map((line) => line.replace(/\/+$/, ''));
}

function foldersProblem(folders: readonly string[]): string | undefined {
  if (folders.length === 0) return t('permission.atLeastOneFolder');
  if (folders.length > MAX_FOLDERS) return t('permission.atMostFolders', { most: MAX_FOLDERS });
  for (const folder of folders) {
    const read = readPattern(folder);
    if ('ok' in read) return `${folder}: ${faultText(read)}`;
  }
  return undefined;
}
