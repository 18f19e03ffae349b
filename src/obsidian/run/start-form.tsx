import type { App } from 'obsidian';
import type { Board } from '../../core/board/task';
import { FoldHead } from '../ui/banner';
import { openForm } from '../ui/dialog';
import type { RunViewDeps } from './run-actions';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { optionsSchema, type RunOptions } from '../../core/orchestrator/state';
import { AgentField, CatalogField, Field, FormButtons, Select, useCatalog } from '../ui/fields';
import { isWithin } from '../ui/focus';
import { hasLoneSurrogate } from '../../core/orchestrator/run-text';
import { LIMITS, type Limits } from '../../core/orchestrator/limits';
import { isFinished } from '../../core/board/facts';
import { t, translated } from '../language/text';

/** Asks for a goal and starts a run. @returns the run's id; undefined if none was started */
export function startForm(app: App, deps: RunViewDeps, plan: Board | undefined) {
  const title = plan === undefined ? t('run.startRun') : t('run.runTitle', { title: plan.title });
  return openForm<string>(app, title, (done) => <StartForm {...{ deps, plan }} onDone={done} />);
}

interface StartFormProps {
  readonly deps: RunViewDeps;
  /** the board to carry out as the plan */
  readonly plan: Board | undefined;
  /** called with the id of the started run */
  readonly onDone: (id: string | undefined) => void;
}

/** Asks for the goal and the limits of a run. Closes only when the run has started. */
function StartForm({ deps, plan, onDone }: StartFormProps) {
  const [values, setValues] = useState(() => startValues(deps.defaults(), plan));
  const [problems, setProblems] = useState<StartProblems>({});
  const [refused, setRefused] = useState('');
  const [starting, setStarting] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const catalog = useCatalog(deps.catalog);
  const plans = plansToRun(deps.overview.state.boards);
  const board = plans.find(({ path }) => path === values.plan);
  const set = (part: Partial<StartValues>) => {
    setValues((now) => ({ ...now, ...part }));
    setProblems({});
    setRefused('');
  };
  // Shows the agent that OpenCode uses by default before the run starts.
  const agent = values.agent === '' ? (catalog.agents[0] ?? '') : values.agent;
  const submit = async () => {
    if (starting) return;
    const read = readOptions({ ...values, agent });
    if ('problems' in read) return setProblems(read.problems);
    setStarting(true);
    const answer = await deps.runs.start(read.options, board && { session: board.session });
    setStarting(false);
    if (answer.ok) onDone(answer.value);
    else setRefused(translated(answer.message));
  };
  useLayoutEffect(() => {
    root.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  return (
    <div
      class="atb-form atb-run-form"
      ref={root}
      onKeyDown={(event) => submitOnEnter(event, submit)}
    >
      <Field name={t('run.goal')} problem={problems.goal}>
        <textarea
          rows={4}
          value={values.goal}
          placeholder={t('run.goalHint')}
          aria-invalid={problems.goal !== undefined}
          onInput={(event) => set({ goal: event.currentTarget.value })}
        />
      </Field>
      {plans.length > 0 && <PlanField {...{ plans, values, set }} />}
      <div class="atb-run-pair">
        <AgentField
          {...{ catalog, agent, fixed: values.plan !== '' }}
          problem={agent === '' ? problems.agent : undefined}
          onChange={(name) => set({ agent: name })}
        />
        <CatalogField
          {...{ name: t('run.model'), value: values.model, known: catalog.models }}
          onChange={(model) => set({ model })}
        />
      </div>
      <label class="atb-run-check">
        <input
          type="checkbox"
          checked={values.approve}
          onChange={(event) => set({ approve: event.currentTarget.checked })}
        />
        <span>
          {t('run.approveThePlanFirst')}
          <span class="atb-form-words">{t('run.nothingBegunBeforeSeen')}</span>
        </span>
      </label>
      <LimitFields {...{ limits: values.limits, problems, set }} />
      <p class="atb-form-problem" role="alert">
        {refused}
      </p>
      <FormButtons
        yes={starting ? t('run.starting') : t('run.startRun')}
        disabled={starting}
        onYes={() => void submit()}
        onNo={() => onDone(undefined)}
      />
    </div>
  );
}

/** Ctrl+Enter starts from anywhere, Enter from a field of one line. */
function submitOnEnter(event: KeyboardEvent, submit: () => Promise<void>): void {
  if (event.key !== 'Enter' || event.isComposing) return;
  const line = isWithin(event.target, 'input:not([type=checkbox])');
  if (!event.ctrlKey && !event.metaKey && !line) return;
  event.preventDefault();
  void submit();
}

type SetValues = (part: Partial<StartValues>) => void;

function PlanField(props: { plans: readonly Board[]; values: StartValues; set: SetValues }) {
  const { plans, values, set } = props;
  const words = t('run.openTasksAreCarriedOut');
  const named = plans.map(({ path, title, agent }) => [path, `${title} (${agent})`] as const);
  const choose = (path: string) => plans.find((one) => one.path === path);
  return (
    <Field name={t('run.plan')} words={values.plan === '' ? undefined : words}>
      <Select
        value={values.plan}
        options={[['', t('run.theAgentMakesOne')], ...named]}
        onChange={(path) => set(withPlan(values, choose(path)))}
      />
    </Field>
  );
}

/** Fills in the plan's agent, and its title if there is no goal yet. */
function withPlan({ goal }: StartValues, plan: Board | undefined): Partial<StartValues> {
  if (plan === undefined) return { plan: '' };
  const { path, agent, title } = plan;
  return { plan: path, agent, ...(goal.trim() === '' && { goal: title }) };
}

/** The limits of a run; folded until the person opens them or one is wrong. */
function LimitFields(props: {
  readonly limits: StartValues['limits'];
  readonly problems: StartProblems;
  readonly set: SetValues;
}) {
  const { limits, problems, set } = props;
  const [open, setOpen] = useState(false);
  const shown = open || LIMIT_FIELDS.some(([limit]) => problems[limit] !== undefined);
  return (
    <div class="atb-run-limits">
      <FoldHead class="atb-run-fold" open={shown} onToggle={() => setOpen(!shown)}>
        <span class="atb-run-fold-name">{t('run.limits')}</span>
        <span class="atb-count">
          {t('run.turnsAndMinutes', { turns: limits.turns, minutes: limits.minutes })}
        </span>
      </FoldHead>
      {shown && (
        <div class="atb-run-numbers">
          {LIMIT_FIELDS.map(([limit, name]) => (
            <Field name={name} problem={problems[limit]} key={limit}>
              <input
                type="text"
                inputMode="numeric"
                value={limits[limit]}
                maxLength={13}
                aria-invalid={problems[limit] !== undefined}
                onInput={({ currentTarget: { value } }) =>
                  set({ limits: { ...limits, [limit]: value } })
                }
              />
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}

/** A sentence for each field that is wrong. */
type StartProblems = Partial<Record<'goal' | 'agent' | keyof Limits, string>>;

/** Each limit with its name and its maximum. */
const LIMIT_FIELDS = [
  ['turns', t('run.turns'), 10_000],
  ['tokens', t('run.tokens'), 1_000_000_000],
  ['minutes', t('run.minutes'), 100_000],
  ['attempts', t('run.attemptsPerTask'), 100],
  ['parallel', t('run.tasksAtTheSameTime'), 16],
] as const;

/** Initial values of the form that starts a run; numbers as text. */
export function startValues(
  { agent, model, approve, limits }: Omit<RunOptions, 'goal'>,
  plan: Board | undefined,
) {
  const typed = LIMIT_FIELDS.map(([limit]) => [limit, String(limits[limit])]);
  return {
    ...{ goal: plan?.title ?? '', approve, agent: plan?.agent ?? agent },
    /** path of the board to carry out as the plan; empty: the agent plans */
    plan: plan?.path ?? '',
    /** empty: OpenCode's own choice */
    model: model ?? '',
    limits: Object.fromEntries(typed) as Readonly<Record<keyof Limits, string>>,
  };
}

type StartValues = Readonly<ReturnType<typeof startValues>>;

/** Boards with unfinished tasks that programs may write to. */
export function plansToRun(boards: readonly Board[]): readonly Board[] {
  return boards.filter(
    ({ broken, continued, shelved, tasks }) =>
      broken === null &&
      continued === undefined &&
      shelved !== true &&
      tasks.some((task) => !isFinished(task)),
  );
}

/** Converts the values to options of a run, or returns the problems by field. */
export function readOptions(values: StartValues) {
  const limits: Record<keyof Limits, number> = { ...LIMITS };
  const problems: StartProblems = {};
  for (const [limit, , most] of LIMIT_FIELDS) {
    const number = wholeNumber(values.limits[limit]);
    if (number === undefined || number < 1 || number > most) {
      problems[limit] = t('run.wholeNumber', { most });
    } else limits[limit] = number;
  }
  const goal = values.goal.trim();
  if (goal === '') problems.goal = t('run.sayWhatToDo');
  else if (goal.length > MAX_GOAL) {
    problems.goal = t('run.goalTooLong', { length: goal.length, count: MAX_GOAL });
  } else if (hasLoneSurrogate(goal)) {
    problems.goal = t('run.halfACharacter');
  }
  const agent = values.agent.trim();
  if (agent === '') problems.agent = t('run.nameTheAgentThatPlans');
  if (Object.keys(problems).length > 0) return { problems };
  const model = values.model.trim() || null;
  return {
    options: optionsSchema().parse({ goal, agent, model, approve: values.approve, limits }),
  };
}

const MAX_GOAL = 20_000;

/** Parses "1,000" and "1000". */
function wholeNumber(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  return /^\d{1,10}$/.test(digits) ? Number(digits) : undefined;
}
