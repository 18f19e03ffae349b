import { useState } from 'preact/hooks';
import { readPattern } from '../../../core/permission/path-pattern';
import { permissionName, verdict, type Rule } from '../../../core/permission/rule';
import { Field, Select } from './field';
import { ACTION_WORDS, ANSWER_WORDS, momentText } from './rule-text';
import type { Edited, RulesDeps } from './rules-deps';
import { concernedOf, whomOf, WhomFields } from './whom-fields';

export interface RuleFormProps {
  /** undefined: a new one */
  readonly rule: Rule | undefined;
  /** what was set before and could not be saved */
  readonly unsaved?: Rule | undefined;
  readonly deps: Pick<RulesDeps, 'now' | 'sessions' | 'agents' | 'phone'>;
  readonly onDone: (edited: Edited<Rule> | undefined) => void;
}

const FRESH: Rule = { permission: 'write', pattern: '', action: 'ask' };
const PATTERN =
  '* is any text within a name, ** any folders too: Projects/** is the folder and all in it.';

/** One rule, to be set. */
export function RuleForm({ rule: stored, unsaved, deps, onDone }: RuleFormProps) {
  const rule = unsaved ?? stored;
  const [given, setGiven] = useState(rule ?? FRESH);
  const [whom, setWhom] = useState(whomOf(given));
  const [end, setEnd] = useState(rule?.until === undefined ? 'none' : 'kept');
  const [tried, setTried] = useState(false);
  const tasks = given.permission === 'tasks';
  const read = readPattern(given.pattern);
  const problem = !tasks && 'ok' in read ? read.message : undefined;
  const shown = tried || given.pattern !== '' ? problem : undefined;
  const save = () => {
    setTried(true);
    if (problem !== undefined) return;
    onDone({ kind: 'save', value: made(given, whom, untilOf(end, deps.now(), rule)) });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    if (!(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    save();
  };
  return (
    <div class="atb-form" onKeyDown={onKey}>
      <WhomFields
        {...{ whom, agents: deps.agents(), sessions: deps.sessions(), onChange: setWhom }}
      />
      <Field name="Action">
        <Select
          value={given.permission}
          options={Object.entries(ACTION_WORDS)}
          onChange={(value) => setGiven({ ...given, permission: permissionName.parse(value) })}
        />
      </Field>
      {!tasks && (
        <Field name="Notes" words={PATTERN} problem={shown}>
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
      <Field name="Answer">
        <Select
          value={given.action}
          options={Object.entries(ANSWER_WORDS)}
          onChange={(value) => setGiven({ ...given, action: verdict.parse(value) })}
        />
      </Field>
      <Field name="Until">
        <Select value={end} options={endOptions(rule, deps.now())} onChange={setEnd} />
      </Field>
      <div class="atb-buttons">
        {stored !== undefined && (
          <button type="button" class="atb-button-deny" onClick={() => onDone({ kind: 'remove' })}>
            Remove rule
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

function made(
  { permission, pattern, action }: Rule,
  whom: Parameters<typeof concernedOf>[0],
  until: number | undefined,
): Rule {
  return {
    ...{ permission, action, pattern: permission === 'tasks' ? '**' : pattern },
    ...concernedOf(whom),
    ...(until !== undefined && { until }),
  };
}

const HOUR = 3_600_000;

function endOptions(rule: Rule | undefined, now: number): readonly (readonly [string, string])[] {
  const kept = rule?.until === undefined ? [] : ([['kept', momentText(rule.until, now)]] as const);
  return [['none', 'I remove it'], ...kept, ['hour', 'in 1 hour'], ['today', 'the end of today']];
}

function untilOf(end: string, now: number, rule: Rule | undefined): number | undefined {
  if (end === 'kept') return rule?.until;
  if (end === 'hour') return now + HOUR;
  if (end === 'today') return new Date(now).setHours(24, 0, 0, 0);
  return undefined;
}
