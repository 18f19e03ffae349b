import { useState } from 'preact/hooks';
import { readPattern } from '../../../core/permission/path-pattern';
import type { Preset } from '../../../core/permission/permissions';
import type { StandingPolicy } from '../../../core/permission/standing-policy';
import { Field, Select } from './field';
import { linesOf } from './lines-of';
import { usePolicy } from './use-policy';
import { useSaving } from './use-saving';

const NAMES: Readonly<Record<Preset['kind'], string>> = {
  'read-only': 'Read only',
  ask: 'Ask for writes',
  trusted: 'Trusted folders',
};

const WORDS: Readonly<Record<Preset['kind'], string>> = {
  'read-only': 'Notes can be read, not changed, whatever your rules say.',
  ask: 'Notes can be read; each change asks, except where your rules say otherwise.',
  trusted: 'Notes can be read; changes ask, but not in the folders below.',
};

const KINDS = ['read-only', 'ask', 'trusted'] as const;
const MAX_FOLDERS = 20;

/** What holds where no rule of the person's own says otherwise. */
export function PresetPanel({ policy }: { readonly policy: StandingPolicy }) {
  usePolicy(policy);
  const { preset } = policy.permissions;
  const [chosen, setChosen] = useState<'trusted'>();
  const [problem, save] = useSaving();
  const kind = chosen ?? preset.kind;
  const editable = policy.foreign() === undefined;
  const set = (next: Preset) => save(() => policy.edit((now) => ({ ...now, preset: next })));
  const choose = (value: string) => {
    const next = KINDS.find((one) => one === value);
    // It is one only with its folders.
    setChosen(next === 'trusted' ? next : undefined);
    if (next === 'trusted' || next === undefined) return;
    void set({ kind: next });
  };
  return (
    <div class="atb-preset">
      <div class="atb-setting-line">
        <div>
          <div class="setting-item-name">Preset</div>
          <div class="setting-item-description">{WORDS[kind]}</div>
        </div>
        <Select
          name="Preset"
          value={kind}
          options={KINDS.map((one) => [one, NAMES[one]] as const)}
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
      {problem !== '' && (
        <p class="atb-settings-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function Folders(props: {
  readonly folders: readonly string[];
  readonly editable: boolean;
  readonly onChange: (folders: string[]) => Promise<void>;
}) {
  const [text, setText] = useState(props.folders.join('\n'));
  const problem = foldersProblem(foldersOf(text));
  return (
    <Field
      name="Trusted folders"
      words="One folder on each line. In them agents write without asking."
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
          const folders = foldersOf(event.currentTarget.value);
          if (foldersProblem(folders) === undefined) void props.onChange(folders);
        }}
      />
    </Field>
  );
}

function foldersOf(text: string): string[] {
  return linesOf(text).map((line) => line.replace(/\/+$/, ''));
}

function foldersProblem(folders: readonly string[]): string | undefined {
  if (folders.length === 0) return 'Enter at least one folder; until then nothing is changed.';
  if (folders.length > MAX_FOLDERS) return `Use at most ${MAX_FOLDERS} folders.`;
  for (const folder of folders) {
    const read = readPattern(folder);
    if ('ok' in read) return `${folder}: ${read.message}`;
  }
  return undefined;
}
