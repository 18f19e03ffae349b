import { useState } from 'preact/hooks';
import { isDeviceName } from '../../core/board/board-path';
import { isModelName } from '../../core/config/check-meaning';
import { isValidSkillName, MAX_DESCRIPTION, MAX_SKILL_NAME } from '../../core/config/skills';
import type { Catalog } from '../../core/session/bridge-runtime';
import { Field, FormButtons, Select, SuggestInput, useCatalog } from '../ui/fields';
import { t } from '../language/text';
import { modeWords } from './agent-details';

/** The person's input for a new agent or skill. */
export interface NewNote {
  readonly name: string;
  readonly description: string;
  /** for agents; empty: the default */
  readonly mode: string;
  /** `provider/model`; empty: OpenCode's choice */
  readonly model: string;
  /** the text below the front matter */
  readonly body: string;
}

const MODES = ['primary', 'subagent', 'all'] as const;

/** Asks for the required fields of an agent or a skill. */
export function NewNoteForm(props: {
  readonly kind: 'agent' | 'skill';
  readonly taken: readonly string[];
  readonly catalog: () => Promise<Catalog>;
  readonly write: WriteOf<NewNote>;
  readonly onDone: (nothing: undefined) => void;
}) {
  const { kind, taken, onDone } = props;
  const { models } = useCatalog(props.catalog);
  const [note, setNote] = useState<NewNote>({
    ...{ name: '', description: '', mode: 'primary', model: '', body: '' },
  });
  const [tried, setTried] = useState(false);
  const [fault, write] = useWrite(props.write);
  const set = (part: Partial<NewNote>): void => setNote({ ...note, ...part });
  const problems = {
    name: nameProblem(kind, note.name, taken),
    description: descriptionProblem(note.description),
    model: note.model === '' || isModelName(note.model) ? undefined : t('config.modelForm'),
  };
  const isWrong = Object.values(problems).some((problem) => problem !== undefined);
  const isAgent = kind === 'agent';
  return (
    <div class="atb-form">
      <Field
        name={t('config.name')}
        words={t('config.nameWords')}
        problem={tried ? problems.name : undefined}
      >
        <NameInput value={note.name} onInput={(name) => set({ name })} />
      </Field>
      <Field
        name={t(isAgent ? 'config.agentFor' : 'config.skillFor')}
        problem={tried ? problems.description : undefined}
      >
        <textarea
          rows={2}
          value={note.description}
          onInput={(event) => set({ description: event.currentTarget.value })}
        />
      </Field>
      {isAgent && (
        <>
          <Field name={t('config.mode')}>
            <Select
              value={note.mode}
              options={MODES.map((mode) => [mode, modeWords(mode)] as const)}
              onChange={(mode) => set({ mode })}
            />
          </Field>
          <Field name={t('config.model')} problem={tried ? problems.model : undefined}>
            <SuggestInput
              value={note.model}
              known={models.map(([id]) => id)}
              placeholder={t('ui.openCodesChoice')}
              onInput={(model) => set({ model })}
            />
          </Field>
        </>
      )}
      <Field name={t(isAgent ? 'config.agentPrompt' : 'config.skillBody')}>
        <textarea
          rows={6}
          value={note.body}
          onInput={(event) => set({ body: event.currentTarget.value })}
        />
      </Field>
      {fault}
      <FormButtons
        yes={t('config.create')}
        onYes={() => (isWrong ? setTried(true) : write(note))}
        onNo={() => onDone(undefined)}
      />
    </div>
  );
}

/** Asks for the name of a copy. */
export function CopyForm(props: {
  readonly kind: 'agent' | 'skill';
  readonly name: string;
  readonly taken: readonly string[];
  readonly write: WriteOf<string>;
  readonly onDone: (nothing: undefined) => void;
}) {
  const { kind, taken, onDone } = props;
  const [name, setName] = useState(() => freeName(props.name, taken));
  const problem = nameProblem(kind, name, taken);
  const [fault, write] = useWrite(props.write);
  return (
    <div class="atb-form">
      <p>{t(kind === 'agent' ? 'config.copyAgentWords' : 'config.copySkillWords')}</p>
      <Field name={t('config.name')} words={t('config.nameWords')} problem={problem}>
        <NameInput value={name} onInput={setName} />
      </Field>
      {fault}
      <FormButtons
        yes={t('config.create')}
        disabled={problem !== undefined}
        onYes={() => write(name)}
        onNo={() => onDone(undefined)}
      />
    </div>
  );
}

/** Resolves to why nothing was written; undefined if all went well. */
type WriteOf<T> = (value: T) => Promise<string | undefined>;

/** The fault of the last attempt, to be drawn in the form, and a function that attempts it. */
function useWrite<T>(write: WriteOf<T>) {
  const [fault, setFault] = useState('');
  const shown = (
    <span class="atb-form-problem" role="status">
      {fault}
    </span>
  );
  const attempt = (value: T): void => void write(value).then((why) => setFault(why ?? ''));
  return [shown, attempt] as const;
}

function NameInput(props: { readonly value: string; readonly onInput: (value: string) => void }) {
  return (
    <input
      type="text"
      value={props.value}
      maxLength={256}
      spellcheck={false}
      autocapitalize="none"
      onInput={(event) => props.onInput(event.currentTarget.value)}
    />
  );
}

function nameProblem(
  kind: 'agent' | 'skill',
  name: string,
  taken: readonly string[],
): string | undefined {
  if (name === '') return t('config.nameMissing');
  if (name.length > MAX_SKILL_NAME) return t('config.nameLong', { most: MAX_SKILL_NAME });
  if (!isValidSkillName(name)) return t('config.nameForm');
  if (isDeviceName(name)) return t('config.nameDevice', { name });
  if (!taken.includes(name)) return undefined;
  return t(kind === 'agent' ? 'config.agentTaken' : 'config.skillTaken');
}

function descriptionProblem(description: string): string | undefined {
  if (description.trim() === '') return t('config.descriptionMissing');
  const isLong = description.length > MAX_DESCRIPTION;
  return isLong ? t('config.nameLong', { most: MAX_DESCRIPTION }) : undefined;
}

function freeName(name: string, taken: readonly string[]): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const base = `${plain.slice(0, MAX_SKILL_NAME - 10)}-copy`;
  let free = base;
  for (let at = 2; taken.includes(free); at += 1) free = `${base}-${at}`;
  return free;
}
