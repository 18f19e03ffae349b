import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import type { RunAnswer, RunOn } from '../../core/orchestrator/runs';
import type { RunWish } from '../../core/orchestrator/state';
import { Field, Select, type Options } from '../settings/permissions/field';
import { AgentField, ModelField, useCatalog } from './start-choices';
import type { RunViewDeps } from './run-deps';
import { LimitFields } from './start-limits';
import {
  LIMIT_FIELDS,
  plansToRun,
  readWish,
  startValues,
  type StartProblems,
  type StartValues,
} from './start-values';

export interface StartFormProps {
  readonly deps: Pick<RunViewDeps, 'overview' | 'defaults' | 'catalog'>;
  /** the board that is the plan already */
  readonly plan: Board | undefined;
  readonly start: (wish: RunWish, on: RunOn | undefined) => Promise<RunAnswer<string>>;
  /** with the id of the run that began */
  readonly onDone: (id: string | undefined) => void;
}

/** Asks what a run is for and how far it may go. It closes only when the run began. */
export function StartForm({ deps, plan, start, onDone }: StartFormProps) {
  const [values, setValues] = useState<StartValues>(() => startValues(deps.defaults(), plan));
  const [problems, setProblems] = useState<StartProblems>({});
  const [refused, setRefused] = useState('');
  const [starting, setStarting] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const catalog = useCatalog(deps.catalog);
  const plans = plansToRun(deps.overview.state.boards);
  const set = (part: Partial<StartValues>) => {
    setValues((now) => ({ ...now, ...part }));
    setProblems({});
    setRefused('');
  };
  // What OpenCode takes where nobody names an agent is said before it starts.
  const agent = values.agent === '' ? (catalog.agents[0] ?? '') : values.agent;
  const submit = async () => {
    if (starting) return;
    const read = readWish({ ...values, agent });
    if ('problems' in read) return setProblems(read.problems);
    setStarting(true);
    const board = plans.find(({ path }) => path === values.plan);
    const on = board === undefined ? undefined : { session: board.session };
    const answer = await start(read.wish, on);
    setStarting(false);
    if (answer.ok) onDone(answer.value);
    else setRefused(answer.message);
  };
  useLayoutEffect(() => {
    root.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  return (
    <div class="atb-form atb-run-form" ref={root} onKeyDown={(event) => keys(event, submit)}>
      <Field name="Goal" problem={problems.goal}>
        <textarea
          rows={4}
          value={values.goal}
          placeholder="What is to be done, and when it is done"
          aria-invalid={problems.goal !== undefined}
          onInput={(event) => set({ goal: event.currentTarget.value })}
        />
      </Field>
      {plans.length > 0 && (
        <Field name="Plan" words={planWords(values.plan)}>
          <Select
            value={values.plan}
            options={planOptions(plans)}
            onChange={(path) =>
              set(
                withPlan(
                  values,
                  plans.find((one) => one.path === path),
                ),
              )
            }
          />
        </Field>
      )}
      <div class="atb-run-pair">
        <AgentField
          {...{ catalog, agent }}
          fixed={values.plan !== ''}
          problem={problems.agent}
          onChange={(name) => set({ agent: name })}
        />
        <ModelField {...{ catalog }} model={values.model} onChange={(model) => set({ model })} />
      </div>
      <label class="atb-run-check">
        <input
          type="checkbox"
          checked={values.approve}
          onChange={(event) => set({ approve: event.currentTarget.checked })}
        />
        <span>
          Approve the plan first
          <span class="atb-form-words">Nothing is begun before you have seen the plan.</span>
        </span>
      </label>
      <LimitFields
        {...{ limits: values.limits, problems }}
        forced={LIMIT_FIELDS.some(({ limit }) => problems[limit] !== undefined)}
        onChange={(limits) => set({ limits })}
      />
      <p class="atb-form-problem" role="alert">
        {refused}
      </p>
      <div class="atb-buttons">
        <button type="button" class="atb-button-quiet" onClick={() => onDone(undefined)}>
          Cancel
        </button>
        <button
          type="button"
          class="mod-cta atb-button"
          disabled={starting}
          onClick={() => void submit()}
        >
          {starting ? 'Starting…' : 'Start run'}
        </button>
      </div>
    </div>
  );
}

/** Ctrl Enter starts from anywhere, Enter from a field of one line. */
function keys(event: KeyboardEvent, submit: () => Promise<void>): void {
  if (event.key !== 'Enter' || event.isComposing) return;
  const { target } = event;
  const line = target instanceof HTMLInputElement && target.type !== 'checkbox';
  if (!event.ctrlKey && !event.metaKey && !line) return;
  event.preventDefault();
  void submit();
}

function planOptions(plans: readonly Board[]): Options {
  return [
    ['', 'The agent makes one'],
    ...plans.map(({ path, title, agent }) => [path, `${title} (${agent})`] as const),
  ];
}

function planWords(path: string): string | undefined {
  return path === '' ? undefined : 'Its open tasks are carried out as they stand on the board.';
}

/** A plan brings its agent, and its title where there is no goal yet. */
function withPlan({ goal }: StartValues, plan: Board | undefined): Partial<StartValues> {
  if (plan === undefined) return { plan: '' };
  const { path, agent, title } = plan;
  return { plan: path, agent, ...(goal.trim() === '' && { goal: title }) };
}
