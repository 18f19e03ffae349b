import { useLayoutEffect, useState } from 'preact/hooks';
import { ACP_AGENTS } from '../../core/connect/acp-agents';
import { t } from '../language/text';
import { Field, FormButtons, Select } from '../ui/fields';
import { parseArgs, commandText, type AgentEntry } from './agent-entry';

interface AgentFormProps {
  /** undefined: a new agent */
  readonly entry: AgentEntry | undefined;
  readonly password: string;
  /** names of the other agents */
  readonly taken: readonly string[];
  readonly newId: () => string;
  readonly find: (program: string) => Promise<string | undefined>;
  readonly onDone: (
    given: { readonly entry: AgentEntry; readonly password: string } | undefined,
  ) => void;
}

/** The id of a preset, `own` for another command, `server` for a running OpenCode. */
type PresetChoice = string;

interface Draft {
  readonly choice: PresetChoice;
  readonly name: string;
  readonly command: string;
  readonly args: string;
  readonly url: string;
  readonly directory: string;
  readonly password: string;
}

const presetOptions = () => [
  ...Object.entries(ACP_AGENTS).map(([id, { name }]) => [id, name] as const),
  ['server', t('program.server')] as const,
  ['own', t('program.ownCommand')] as const,
];

/** Asks for an agent: a preset, or any command. */
export function AgentForm(props: AgentFormProps) {
  const { entry, newId, onDone } = props;
  const [draft, setDraft] = useState<Draft>(() => draftOf(entry, props.password));
  const [missing, setMissing] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const set = (part: Partial<Draft>): void => setDraft((now) => ({ ...now, ...part }));
  const preset = ACP_AGENTS[draft.choice];
  const problems = problemsOf(draft, props.taken);
  const isWrong = Object.values(problems).some((problem) => problem !== undefined);
  const choose = (choice: PresetChoice): void => {
    const next = ACP_AGENTS[choice];
    const name = next?.name ?? (choice === 'server' ? t('settings.openCode') : '');
    setMissing(false);
    set({ choice, name, command: '', args: commandText(next?.args ?? []) });
  };
  // Looks for the program of the chosen preset; text that was typed meanwhile is kept.
  useLayoutEffect(() => {
    if (preset === undefined || entry !== undefined) return;
    let isDisposed = false;
    void props.find(preset.program).then((path) => {
      if (isDisposed) return;
      setMissing(path === undefined);
      setDraft((now) => (now.command === '' ? { ...now, command: path ?? '' } : now));
    });
    return () => {
      isDisposed = true;
    };
  }, [preset]);
  return (
    <div class="atb-form">
      {entry === undefined && (
        <Field name={t('program.agent')}>
          <Select value={draft.choice} options={presetOptions()} onChange={choose} />
        </Field>
      )}
      <LabeledInput
        name={t('program.name')}
        value={draft.name}
        problem={submitted ? problems.name : undefined}
        onInput={(name) => set({ name })}
      />
      <PlaceFields {...{ draft, set, missing }} problem={submitted ? problems.place : undefined} />
      <FormButtons
        yes={t(entry === undefined ? 'program.add' : 'program.save')}
        onYes={() => {
          if (isWrong) return setSubmitted(true);
          onDone({ entry: entryOf(draft, entry?.id ?? newId()), password: draft.password });
        }}
        onNo={() => onDone(undefined)}
      />
    </div>
  );
}

/** Fields for the address, or for the program and its arguments. */
function PlaceFields({
  draft,
  set,
  missing,
  problem,
}: {
  readonly draft: Draft;
  readonly set: (part: Partial<Draft>) => void;
  /** the preset's program was not found */
  readonly missing: boolean;
  readonly problem: string | undefined;
}) {
  const preset = ACP_AGENTS[draft.choice];
  if (draft.choice === 'server') {
    return (
      <>
        <LabeledInput
          name={t('program.address')}
          words={t('program.addressText')}
          value={draft.url}
          placeholder="http://127.0.0.1:4096"
          problem={problem}
          onInput={(url) => set({ url })}
        />
        <LabeledInput
          name={t('program.directory')}
          words={t('program.directoryText')}
          value={draft.directory}
          placeholder="/home/me/vault"
          onInput={(directory) => set({ directory })}
        />
        <LabeledInput
          name={t('program.password')}
          words={t('program.passwordText')}
          secret
          value={draft.password}
          onInput={(password) => set({ password })}
        />
      </>
    );
  }
  return (
    <>
      <LabeledInput
        name={t('program.command')}
        words={
          missing && preset !== undefined
            ? t('program.installIt', { agent: preset.name, command: preset.install })
            : t('program.commandText')
        }
        value={draft.command}
        placeholder="/usr/local/bin/my-agent"
        problem={problem}
        onInput={(command) => set({ command })}
      />
      <LabeledInput
        name={t('program.args')}
        words={t('program.argsText')}
        value={draft.args}
        onInput={(args) => set({ args })}
      />
    </>
  );
}

function LabeledInput(props: {
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly words?: string;
  readonly problem?: string | undefined;
  readonly placeholder?: string;
  readonly secret?: true;
}) {
  const { name, words, problem, value, onInput, placeholder } = props;
  const shared = {
    ...{ value, placeholder, autocomplete: 'off', spellcheck: false },
    'aria-invalid': problem !== undefined,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      onInput(event.currentTarget.value),
  };
  return (
    <Field name={name} words={words} problem={problem}>
      {props.secret === true ? (
        <input {...shared} type="password" />
      ) : (
        <input {...shared} type="text" />
      )}
    </Field>
  );
}

function draftOf(entry: AgentEntry | undefined, password: string): Draft {
  const none = { name: '', command: '', args: '', url: '', directory: '', password };
  if (entry === undefined) {
    const [[choice, preset] = ['own', undefined]] = Object.entries(ACP_AGENTS);
    return { ...none, choice, name: preset?.name ?? '', args: commandText(preset?.args ?? []) };
  }
  const { name } = entry;
  return entry.kind === 'acp'
    ? { ...none, choice: 'own', name, command: entry.command, args: commandText(entry.args) }
    : { ...none, choice: 'server', name, url: entry.url, directory: entry.directory ?? '' };
}

function entryOf({ choice, name, command, args, url, ...draft }: Draft, id: string): AgentEntry {
  const common = { id, name: name.trim() };
  const directory = draft.directory.trim();
  return choice === 'server'
    ? { ...common, kind: 'opencode', url: url.trim(), ...(directory !== '' && { directory }) }
    : { ...common, kind: 'acp', command: command.trim(), args: [...parseArgs(args)] };
}

function problemsOf({ choice, name, command, url }: Draft, taken: readonly string[]) {
  const isServer = choice === 'server';
  return {
    name: nameProblem(name.trim(), taken),
    place: isServer ? urlProblem(url.trim()) : commandProblem(command.trim()),
  };
}

function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '' || name.length > 60) return t('program.nameProblem');
  return taken.includes(name) ? t('program.nameTaken', { name }) : undefined;
}

/** Undefined for an absolute path, of Unix or Windows. */
function commandProblem(command: string): string | undefined {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(command) ? undefined : t('program.commandProblem');
}

function urlProblem(url: string): string | undefined {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  return protocol === 'http:' || protocol === 'https:' ? undefined : t('program.addressProblem');
}
