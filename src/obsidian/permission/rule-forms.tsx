import { useState } from 'preact/hooks';
import { patternFault, readPattern, type PatternFault } from '../../core/permission/path-pattern';
import {
  SCOPE_DEFAULTS,
  permissionName,
  scope,
  verdict,
  type Rule,
  type Scope,
} from '../../core/permission/rule';
import { Field, FormButtons, Select, SuggestInput, type SelectOptions } from '../ui/fields';
import { isWithin } from '../ui/focus';
import {
  ACTION_WORDS,
  VERDICT_LABELS,
  expiryOf,
  momentText,
  sessionName,
  type NamedSession,
} from './rule-text';
import type { EditorResult, RulesDeps } from './rules-deps';
import { faultText, t, translated } from '../language/text';

interface RuleFormProps {
  /** undefined: a new rule */
  readonly rule: Rule | undefined;
  /** an earlier input that could not be saved */
  readonly unsaved?: Rule | undefined;
  readonly deps: SubjectDeps & Pick<RulesDeps, 'now'>;
  readonly onDone: (edited: EditorResult<Rule> | undefined) => void;
}

type SubjectDeps = Pick<RulesDeps, 'sessions' | 'agents'>;

const NEW_RULE: Rule = { permission: 'write', pattern: '', action: 'ask' };

const PATTERN_HELP = t('permission.patternText');

/** The form for a rule. */
export function RuleForm({ rule: stored, unsaved, deps, onDone }: RuleFormProps) {
  const rule = unsaved ?? stored;
  const [given, setGiven] = useState(rule ?? NEW_RULE);
  const [subject, setSubject] = useState(subjectOf(given));
  const [end, setEnd] = useState(rule?.until === undefined ? 'none' : 'kept');
  const [submitted, setSubmitted] = useState(false);
  const tasks = given.permission === 'tasks';
  const read = readPattern(given.pattern);
  const problem = !tasks && 'ok' in read ? faultText(read) : undefined;
  const shown = submitted || given.pattern !== '' ? problem : undefined;
  const save = () => {
    setSubmitted(true);
    if (problem !== undefined) return;
    const until = end === 'kept' ? rule?.until : expiryOf(end, deps.now());
    const value = {
      ...{ permission: given.permission, action: given.action },
      ...{ pattern: tasks ? '**' : given.pattern, ...storedSubject(subject) },
      ...(until !== undefined && { until }),
    };
    onDone({ kind: 'save', value });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    if (!isWithin(event.target, 'input')) return;
    event.preventDefault();
    save();
  };
  return (
    <div class="atb-form" onKeyDown={onKey}>
      <SubjectFields {...{ subject, deps, onChange: setSubject }} />
      <Field name={t('permission.action')}>
        <Select
          value={given.permission}
          options={Object.entries(ACTION_WORDS)}
          onChange={(value) => setGiven({ ...given, permission: permissionName().parse(value) })}
        />
      </Field>
      {!tasks && (
        <Field name={t('permission.notes')} words={PATTERN_HELP} problem={shown}>
          <input
            type="text"
            class="atb-form-code"
            value={given.pattern}
            placeholder="Projects/**"
            spellcheck={false}
            aria-invalid={shown !== undefined}
            onInput={(event) => setGiven({ ...given, pattern: event.currentTarget.value })}
          />
        </Field>
      )}
      <Field name={t('common.answer')}>
        <Select
          value={given.action}
          options={Object.entries(VERDICT_LABELS).map(
            ([value, { word }]) => [value, word] as const,
          )}
          onChange={(value) => setGiven({ ...given, action: verdict().parse(value) })}
        />
      </Field>
      <Field name={t('permission.until')}>
        <Select value={end} options={endOptions(rule, deps.now())} onChange={setEnd} />
      </Field>
      <FormButtons
        yes={t('permission.save')}
        onYes={save}
        onNo={() => onDone(undefined)}
        remove={
          stored && { label: t('permission.removeRule'), onClick: () => onDone({ kind: 'remove' }) }
        }
      />
    </div>
  );
}

function endOptions(rule: Rule | undefined, now: number): readonly (readonly [string, string])[] {
  const kept = rule?.until === undefined ? [] : ([['kept', momentText(rule.until, now)]] as const);
  return [
    ['none', t('ask.iRemoveIt')],
    ...kept,
    ['hour', t('permission.inOneHour')],
    ['today', t('ask.endOfToday')],
  ];
}

interface ScopeFormProps {
  /** undefined: a new scope */
  readonly scope: Scope | undefined;
  readonly deps: SubjectDeps;
  readonly onDone: (edited: EditorResult<Scope> | undefined) => void;
}

const LEVEL_WORDS: Readonly<Record<Scope['level'], string>> = {
  'read-only': t('permission.readsOnly'),
  'scoped-write': t('permission.writesInSomeFolders'),
  'full-write': t('permission.writesAndDeletesAnywhere'),
};

const MEGABYTE = 1_048_576;

const NEW_SCOPE: Scope = { level: 'scoped-write', allowed: [], ...SCOPE_DEFAULTS };

/** The form for an agent's scope. */
export function ScopeForm({ scope: before, deps, onDone }: ScopeFormProps) {
  const start = before ?? NEW_SCOPE;
  const [subject, setSubject] = useState(subjectOf(start));
  const [level, setLevel] = useState<string>(start.level);
  const [allowed, setAllowed] = useState(
    start.level === 'scoped-write' ? start.allowed.join('\n') : '',
  );
  const [denied, setDenied] = useState(start.denied.join('\n'));
  const [size, setSize] = useState(String(start.maxBytes / MEGABYTE));
  const [kinds, setKinds] = useState(start.extensions.join(' '));
  const [problem, setProblem] = useState('');
  const save = () => {
    const read = readScope({
      ...{ level, ...storedSubject(subject), denied: filledLines(denied) },
      ...(level === 'scoped-write' && { allowed: filledLines(allowed) }),
      maxBytes: Math.round(Number(size || Number.NaN) * MEGABYTE),
      extensions: kinds.split(/[\s,]+/).filter((kind) => kind !== ''),
    });
    if ('ok' in read) setProblem(faultText(read));
    else onDone({ kind: 'save', value: read });
  };
  return (
    <div class="atb-form">
      <SubjectFields {...{ subject, deps, onChange: setSubject }} />
      <Field name={t('permission.level')}>
        <Select value={level} options={Object.entries(LEVEL_WORDS)} onChange={setLevel} />
      </Field>
      {level === 'scoped-write' && (
        <PatternsField name={t('permission.writesOnlyIn')} value={allowed} onInput={setAllowed} />
      )}
      <PatternsField
        name={t('permission.neverReadsNorWrites')}
        value={denied}
        onInput={setDenied}
      />
      <Field name={t('permission.largestNoteInMB')}>
        <input {...inputProps(size, setSize)} inputMode="decimal" />
      </Field>
      <Field name={t('permission.kindsOfFiles')}>
        <input {...inputProps(kinds, setKinds)} spellcheck={false} />
      </Field>
      <p class="atb-settings-problem" role="alert">
        {problem}
      </p>
      <FormButtons
        yes={t('permission.save')}
        onYes={save}
        onNo={() => onDone(undefined)}
        remove={before && { label: t('common.remove'), onClick: () => onDone({ kind: 'remove' }) }}
      />
    </div>
  );
}

function inputProps(value: string, onInput: (value: string) => void) {
  return {
    ...{ type: 'text' as const, value },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      onInput(event.currentTarget.value),
  };
}

function PatternsField(props: {
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return (
    <Field name={props.name} words={t('permission.onePatternPerLine')}>
      <textarea
        class="atb-form-code"
        rows={3}
        value={props.value}
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </Field>
  );
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  allowed: t('permission.writesOnlyIn'),
  denied: t('permission.neverReadsNorWrites'),
  extensions: t('permission.kindsOfFiles'),
};

function readScope(value: unknown): Scope | PatternFault {
  const read = scope().safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  if (issue?.path[0] === 'maxBytes') return patternFault('bad_scope', t('permission.sizeProblem'));
  const field = FIELD_NAMES[String(issue?.path[0])] ?? t('permission.thisField');
  const problem = translated(issue?.message ?? t('permission.notUnderstood'));
  return patternFault('bad_scope', t('permission.fieldProblem', { field, problem }));
}

/** The agent and session of a rule or scope; empty: any. */
function subjectOf(of: { agent?: string | undefined; session?: string | undefined }) {
  return { agent: of.agent ?? '', session: of.session ?? '' };
}

type RuleSubject = ReturnType<typeof subjectOf>;

/** The agent and session in the form that rules and scopes store. */
function storedSubject({ agent, session }: RuleSubject): { agent?: string; session?: string } {
  const name = agent.trim();
  return { ...(name !== '' && { agent: name }), ...(session !== '' && { session }) };
}

/** Known sessions, and the one that is already named. */
export function sessionOptions(sessions: readonly NamedSession[], named: string): SelectOptions {
  const ids = new Set([...sessions.map(({ id }) => id), ...(named === '' ? [] : [named])]);
  return [
    ['', t('permission.anySession')],
    ...[...ids].map((id) => [id, sessionName(id, sessions)] as const),
  ];
}

function SubjectFields(props: {
  readonly subject: RuleSubject;
  readonly deps: SubjectDeps;
  readonly onChange: (whom: RuleSubject) => void;
}) {
  const { subject, deps, onChange } = props;
  return (
    <>
      <Field name={t('common.agent')}>
        <SuggestInput
          value={subject.agent}
          known={deps.agents()}
          placeholder={t('permission.anyone')}
          onInput={(agent) => onChange({ ...subject, agent })}
        />
      </Field>
      <Field name={t('common.session')}>
        <Select
          value={subject.session}
          options={sessionOptions(deps.sessions(), subject.session)}
          onChange={(session) => onChange({ ...subject, session })}
        />
      </Field>
    </>
  );
}

/** The non-empty lines of a field. */
export function filledLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Why a change was not saved; draws nothing if there is no problem. */
export function SaveProblem({ words }: { readonly words: string }) {
  if (words === '') return null;
  return (
    <p class="atb-settings-problem" role="alert">
      {words}
    </p>
  );
}
