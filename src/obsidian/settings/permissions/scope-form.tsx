import { useState } from 'preact/hooks';
import { fault, type Fault } from '../../../core/permission/fault';
import { scope, type Scope } from '../../../core/permission/scope';
import { Field, Select } from './field';
import { linesOf } from './lines-of';
import type { Edited, RulesDeps } from './rules-deps';
import { concernedOf, whomOf, WhomFields } from './whom-fields';

export interface ScopeFormProps {
  /** undefined: a new one */
  readonly scope: Scope | undefined;
  readonly deps: Pick<RulesDeps, 'sessions' | 'agents'>;
  readonly onDone: (edited: Edited<Scope> | undefined) => void;
}

export const LEVEL_WORDS: Readonly<Record<Scope['level'], string>> = {
  'read-only': 'Reads only',
  'scoped-write': 'Writes in some folders',
  'full-write': 'Writes and deletes anywhere',
};

const MEGABYTE = 1_048_576;
const NEW = scope.parse({ level: 'scoped-write', allowed: [] });

/** How far an agent reaches, to be set. */
export function ScopeForm({ scope: before, deps, onDone }: ScopeFormProps) {
  const start = before ?? NEW;
  const [whom, setWhom] = useState(whomOf(start));
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
      ...{ level, ...concernedOf(whom), denied: linesOf(denied) },
      ...(level === 'scoped-write' && { allowed: linesOf(allowed) }),
      maxBytes: Math.round(Number(size || Number.NaN) * MEGABYTE),
      extensions: kinds.split(/[\s,]+/).filter((kind) => kind !== ''),
    });
    if ('ok' in read) setProblem(read.message);
    else onDone({ kind: 'save', value: read });
  };
  return (
    <div class="atb-form">
      <WhomFields
        {...{ whom, agents: deps.agents(), sessions: deps.sessions(), onChange: setWhom }}
      />
      <Field name="Level">
        <Select value={level} options={Object.entries(LEVEL_WORDS)} onChange={setLevel} />
      </Field>
      {level === 'scoped-write' && (
        <Patterns name="Writes only in" value={allowed} onInput={setAllowed} />
      )}
      <Patterns name="Never reads nor writes" value={denied} onInput={setDenied} />
      <Field name="Largest note, in MB">
        <input
          type="text"
          inputMode="decimal"
          value={size}
          onInput={(event) => setSize(event.currentTarget.value)}
        />
      </Field>
      <Field name="Kinds of files">
        <input
          type="text"
          value={kinds}
          spellcheck={false}
          onInput={(event) => setKinds(event.currentTarget.value)}
        />
      </Field>
      <p class="atb-settings-problem" role="alert">
        {problem}
      </p>
      <div class="atb-buttons">
        {before !== undefined && (
          <button type="button" class="atb-button-deny" onClick={() => onDone({ kind: 'remove' })}>
            Remove
          </button>
        )}
        <button type="button" class="atb-button-quiet" onClick={() => onDone(undefined)}>
          Cancel
        </button>
        <button type="button" class="mod-cta atb-button" onClick={save}>
          Save
        </button>
      </div>
    </div>
  );
}

function Patterns(props: {
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return (
    <Field name={props.name} words="One pattern on each line, like Projects/**.">
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

const FIELDS: Readonly<Record<string, string>> = {
  allowed: 'Writes only in',
  denied: 'Never reads nor writes',
  maxBytes: 'Largest note',
  extensions: 'Kinds of files',
};

function readScope(value: unknown): Scope | Fault {
  const read = scope.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = FIELDS[String(issue?.path[0])] ?? 'This';
  const message =
    issue?.path[0] === 'maxBytes'
      ? 'enter a number above 0.'
      : (issue?.message ?? 'not understood.');
  return fault('bad_scope', `${field}: ${message}`);
}
