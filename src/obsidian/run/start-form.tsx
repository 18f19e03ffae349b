import type { App } from 'obsidian';
import type { Board } from '../../core/board/task';
import { FoldHead } from '../ui/banner';
import { openForm } from '../ui/dialog';
import type { RunDefaults, RunViewDeps } from './run-actions';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RunAnswer, RunOn } from '../../core/orchestrator/runs';
import { optionsSchema, type RunOptions } from '../../core/orchestrator/state';
import {
  AgentField,
  CatalogField,
  Field,
  FormButtons,
  Select,
  useCatalog,
  type SelectOptions,
} from '../ui/fields';
import { count, isCutInside } from '../../core/orchestrator/run-words';
import { LIMITS, limitsSchema, type Limits } from '../../core/orchestrator/limits';
import { isFinished } from '../../core/board/facts';

/** Asks for a goal and starts a run. @returns its id; undefined where none was started */
export function startForm(
  app: App,
  deps: RunViewDeps,
  plan: Board | undefined,
): Promise<string | undefined> {
  const title = plan === undefined ? 'Start run' : `Run ${plan.title}`;
  return openForm<string>(app, title, (done) => (
    <StartForm {...{ deps, plan }} start={(wish, on) => deps.runs.start(wish, on)} onDone={done} />
  ));
}

interface StartFormProps {
  readonly deps: Pick<RunViewDeps, 'overview' | 'defaults' | 'catalog'>;
  /** the board that is the plan already */
  readonly plan: Board | undefined;
  readonly start: (wish: RunOptions, on: RunOn | undefined) => Promise<RunAnswer<string>>;
  /** with the id of the run that began */
  readonly onDone: (id: string | undefined) => void;
}

/** Asks what a run is for and how far it may go. It closes only when the run began. */
function StartForm({ deps, plan, start, onDone }: StartFormProps) {
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
    const read = readOptions({ ...values, agent });
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
        <PlanField
          {...{ plans }}
          path={values.plan}
          onChange={(one) => set(withPlan(values, one))}
        />
      )}
      <div class="atb-run-pair">
        <AgentField
          {...{ catalog, agent }}
          fixed={values.plan !== ''}
          problem={problems.agent}
          onChange={(name) => set({ agent: name })}
        />
        <CatalogField
          name="Model"
          value={values.model}
          known={catalog.models}
          onChange={(model) => set({ model })}
        />
      </div>
      <ApproveField checked={values.approve} onChange={(approve) => set({ approve })} />
      <LimitFields
        {...{ limits: values.limits, problems }}
        forced={LIMIT_FIELDS.some(({ limit }) => problems[limit] !== undefined)}
        onChange={(limits) => set({ limits })}
      />
      <p class="atb-form-problem" role="alert">
        {refused}
      </p>
      <FormButtons
        yes={starting ? 'Starting…' : 'Start run'}
        disabled={starting}
        onYes={() => void submit()}
        onNo={() => onDone(undefined)}
      />
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

function PlanField(props: {
  readonly plans: readonly Board[];
  readonly path: string;
  readonly onChange: (plan: Board | undefined) => void;
}) {
  const { plans, path, onChange } = props;
  return (
    <Field name="Plan" words={planWords(path)}>
      <Select
        value={path}
        options={planOptions(plans)}
        onChange={(chosen) => onChange(plans.find((one) => one.path === chosen))}
      />
    </Field>
  );
}

function ApproveField(props: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <label class="atb-run-check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>
        Approve the plan first
        <span class="atb-form-words">Nothing is begun before you have seen the plan.</span>
      </span>
    </label>
  );
}

function planOptions(plans: readonly Board[]): SelectOptions {
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

/** How far a run may go; folded away until it is wanted, or something in it is wrong. */
function LimitFields(props: {
  readonly limits: StartValues['limits'];
  readonly problems: StartProblems;
  readonly forced: boolean;
  readonly onChange: (limits: StartValues['limits']) => void;
}) {
  const [open, setOpen] = useState(false);
  const shown = open || props.forced;
  const { limits, problems } = props;
  return (
    <div class="atb-run-limits">
      <FoldHead class="atb-run-fold" open={shown} onToggle={() => setOpen(!shown)}>
        <span class="atb-run-fold-name">Limits</span>
        <span class="atb-count">
          {limits.turns} turns, {limits.minutes} min
        </span>
      </FoldHead>
      {shown && (
        <div class="atb-run-numbers">
          {LIMIT_FIELDS.map(({ limit, name }) => (
            <Field name={name} problem={problems[limit]} key={limit}>
              <input
                type="text"
                inputMode="numeric"
                value={limits[limit]}
                maxLength={13}
                aria-invalid={problems[limit] !== undefined}
                onInput={(event) =>
                  props.onChange({ ...limits, [limit]: event.currentTarget.value })
                }
              />
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}

/** What stands in the dialog that starts a run; numbers as they were typed. */
interface StartValues {
  readonly goal: string;
  /** path of the board that is the plan already; empty: the agent plans */
  readonly plan: string;
  readonly agent: string;
  /** empty: OpenCode's own choice */
  readonly model: string;
  readonly approve: boolean;
  readonly limits: Readonly<Record<keyof Limits, string>>;
}

type StartField = 'goal' | 'agent' | keyof Limits;

/** A sentence for each field that can't stay as it is. */
type StartProblems = Partial<Readonly<Record<StartField, string>>>;

const LIMIT_FIELDS: readonly {
  readonly limit: keyof Limits;
  readonly name: string;
  readonly most: number;
}[] = [
  { limit: 'turns', name: 'Turns', most: 10_000 },
  { limit: 'tokens', name: 'Tokens', most: 1_000_000_000 },
  { limit: 'minutes', name: 'Minutes', most: 100_000 },
  { limit: 'attempts', name: 'Attempts per task', most: 100 },
  { limit: 'parallel', name: 'Tasks at the same time', most: 16 },
];

export function startValues(
  { agent, model, approve, limits }: RunDefaults,
  plan: Board | undefined,
): StartValues {
  return {
    ...{ goal: plan?.title ?? '', plan: plan?.path ?? '', approve },
    ...{ agent: plan?.agent ?? agent, model: model ?? '' },
    limits: {
      turns: String(limits.turns),
      tokens: String(limits.tokens),
      minutes: String(limits.minutes),
      attempts: String(limits.attempts),
      parallel: String(limits.parallel),
    },
  };
}

/** Boards on which something is left to do, and which programs may write. */
export function plansToRun(boards: readonly Board[]): readonly Board[] {
  return boards.filter(
    ({ broken, continued, shelved, tasks }) =>
      broken === null &&
      continued === undefined &&
      shelved !== true &&
      tasks.some((task) => !isFinished(task)),
  );
}

/** The wish, or what is wrong with it, field by field. */
export function readOptions(
  values: StartValues,
): { readonly wish: RunOptions } | { readonly problems: StartProblems } {
  const limits: Record<keyof Limits, number> = { ...LIMITS };
  const problems: Partial<Record<StartField, string>> = {};
  for (const { limit, most } of LIMIT_FIELDS) {
    const number = wholeNumber(values.limits[limit]);
    if (number === undefined || number < 1 || number > most) {
      problems[limit] = `A whole number from 1 to ${count(most)}.`;
    } else limits[limit] = number;
  }
  const goal = values.goal.trim();
  if (goal === '') problems.goal = 'Say what is to be done.';
  else if (goal.length > MOST_GOAL) {
    problems.goal = `The goal is too long: ${count(goal.length)} of at most ${count(MOST_GOAL)} characters.`;
  } else if (isCutInside(goal)) {
    problems.goal = 'The goal holds half of a character. Type it anew where it was cut.';
  }
  const agent = values.agent.trim();
  if (agent === '') problems.agent = 'Name the agent that plans.';
  if (Object.keys(problems).length > 0) return { problems };
  const model = values.model.trim() === '' ? null : values.model.trim();
  const { approve } = values;
  return {
    wish: optionsSchema.parse({ goal, agent, model, approve, limits: limitsSchema.parse(limits) }),
  };
}

const MOST_GOAL = 20_000;

/** "1,000" and "1000". */
function wholeNumber(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  return /^\d{1,10}$/.test(digits) ? Number(digits) : undefined;
}
