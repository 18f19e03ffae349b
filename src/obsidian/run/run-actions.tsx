import type { Board, Task } from '../../core/board/task';
import type { Limits } from '../../core/orchestrator/limits';
import { stepsOf, type RunAnswer, type Runs, type RunView } from '../../core/orchestrator/runs';
import type { Clock } from '../../core/ports';
import type { Catalog } from '../../core/session/session-runtime';
import type { Notify } from '../ui/notify';
import type { Overview } from '../model/overview';
import {
  DOING_WORDS,
  playOf,
  TAKING_UP,
  waitsItsTurn,
  type RunIntent,
  type UnderWay,
} from './run-intent';
import { counted } from '../../core/orchestrator/run-words';
import type { App } from 'obsidian';
import type { RunAction } from '../../core/orchestrator/event';
import { ask, askForText, confirm, openForm, pick } from '../ui/dialog';
import { canRetry, goalLine, goingOf, knownRun } from './run-words';
import { turnsOf, type Turn } from '../../core/orchestrator/state';
import { useState } from 'preact/hooks';
import { Field, FormButtons } from '../ui/fields';

/** What a run starts with where the person says nothing else. */
export interface RunDefaults {
  /** empty: OpenCode's own default */
  readonly agent: string;
  /** `provider/model`; null: OpenCode's own choice */
  readonly model: string | null;
  readonly approve: boolean;
  readonly limits: Limits;
}

/** What the run panel and its commands need of the plugin. */
export interface RunViewDeps {
  readonly runs: Runs;
  /** what was asked of runs and is not done yet, by whichever view */
  readonly under: UnderWay;
  readonly clock: Clock;
  /** boards, titles of sessions, and whether OpenCode is connected */
  readonly overview: Pick<Overview, 'state' | 'onChange'>;
  /** false where no OpenCode can be reached, as on a phone: runs are shown, not started */
  readonly canStart: boolean;
  readonly defaults: () => RunDefaults;
  /** Agents and models to choose from. Rejects with a WireError. */
  readonly catalog: () => Promise<Catalog>;
  /** Shows what going back changes, asks, and does it: to that checkpoint, or the person picks one. */
  readonly rollBack: (board: Board, n?: number) => Promise<void>;
  /** Marks one of the person's own tasks done on its board, as a click in the sidebar does. */
  readonly tick: (board: Board, task: Task) => void;
  readonly connect: () => void;
  /** Opens the dialog at what a session asks. */
  readonly review: (sessionId: string) => void;
  readonly openSession: (sessionId: string) => void;
  readonly openNote: (path: string) => void;
  readonly openBoard: (board: Board, task: Task | undefined) => void;
  readonly notify: Notify;
  /** Says to screen readers what came of a step. */
  readonly announce: (sentence: string) => void;
  /** Goes through a run's log once more. @returns what came of it, in a sentence for the person */
  readonly replay: (id: string) => Promise<string>;
}

/** Does what the person wants of a run; asks where it has to be asked, and says what was refused. */
export class RunActions {
  /** what is on its way: pressed twice is wanted once */
  private readonly under = new Set<string>();

  constructor(
    private readonly app: App,
    private readonly deps: RunViewDeps,
    /** opens the dialog that starts a run */
    private readonly startRun: () => void,
  ) {}

  async do(view: RunView, deed: RunIntent): Promise<void> {
    const key = `${view.id} ${JSON.stringify(deed)}`;
    if (this.under.has(key)) return;
    if (waitsItsTurn(deed) && this.deps.under.of(view.id) !== undefined) return;
    this.under.add(key);
    try {
      await this.done(view, deed);
    } finally {
      this.under.delete(key);
    }
  }

  boardOf({ board }: RunView): Board | undefined {
    return this.deps.overview.state.boards.find(({ path }) => path === board);
  }

  private async done(view: RunView, deed: RunIntent): Promise<void> {
    const { deps } = this;
    switch (deed.kind) {
      case 'act':
        return this.act(view, deed.action);
      case 'skip':
        return this.skip(view, deed.task);
      case 'retry':
        return this.retry(view);
      case 'mark_done':
        return this.markDone(view, deed);
      case 'replan':
        return this.replan(view);
      case 'finish':
        return this.finish(view);
      case 'cancel':
        return this.cancel(view);
      case 'take_up':
        return this.told(view, TAKING_UP, () => deps.runs.takeUp(view.id));
      case 'checkpoint':
        return this.checkpoint(view);
      case 'replay':
        return deps.notify(await deps.replay(view.id));
      case 'session':
        return deps.openSession(deed.session);
      case 'review':
        return deps.review(deed.session);
      case 'connect':
        return deps.connect();
      case 'start':
        return this.startRun();
      case 'note':
        return view.note === undefined
          ? deps.notify('This run has no note yet.')
          : deps.openNote(view.note);
      case 'board':
      case 'tick':
      case 'roll_back':
        return this.onBoard(view, deed);
    }
  }

  private async onBoard(
    view: RunView,
    deed: Extract<RunIntent, { kind: 'board' | 'tick' | 'roll_back' }>,
  ): Promise<void> {
    const { deps } = this;
    const board = this.boardOf(view);
    if (board === undefined) return deps.notify('The board of this run is not there.');
    if (deed.kind === 'roll_back') return deps.rollBack(board, deed.n);
    const task = board.tasks.find(({ id }) => id !== null && id === deed.task);
    if (deed.kind === 'board') return deps.openBoard(board, task);
    // A task without a number can't be told from others here: the note shows it.
    if (task === undefined) deps.openBoard(board, undefined);
    else deps.tick(board, task);
  }

  private act(view: RunView, action: RunAction): Promise<void> {
    return this.told(view, DOING_WORDS[action.type], () => this.deps.runs.act(view.id, action));
  }

  private async told(
    { id }: RunView,
    doing: string,
    task: () => Promise<RunAnswer<unknown>>,
  ): Promise<void> {
    const said = await this.deps.under.during(id, doing, task);
    if (!said.ok) this.deps.notify(said.message);
  }

  private async skip(view: RunView, wanted: string | undefined): Promise<void> {
    const step = await this.step(view, wanted, 'Skip which task?', () => true);
    if (step === undefined) return;
    const answer = await skipForm(this.app, step.title);
    if (answer !== undefined) await this.act(view, { type: 'skip', task: step.task, ...answer });
  }

  private async retry(view: RunView): Promise<void> {
    const step = await this.step(view, undefined, 'Try which task again?', canRetry);
    if (step !== undefined) await this.act(view, { type: 'retry', task: step.task });
  }

  private step(
    view: RunView,
    wanted: string | undefined,
    question: string,
    fits: (step: ReturnType<typeof stepsOf>[number]) => boolean,
  ) {
    const steps = stepsOf(view).filter(
      (one) => fits(one) && (wanted === undefined || one.task === wanted),
    );
    const choices = steps.map((step) => ({ text: step.title, value: step }));
    return pick(this.app, choices, question);
  }

  private async markDone(
    view: RunView,
    { task, title }: Extract<RunIntent, { kind: 'mark_done' }>,
  ): Promise<void> {
    const yes = await confirm(this.app, {
      title: `Mark ${title} done?`,
      text: 'The run takes your word for it, without a check. What waits for it can begin.',
      yes: 'Mark done',
    });
    if (yes) await this.act(view, { type: 'mark_done', task });
  }

  private async replan(view: RunView): Promise<void> {
    const words = await askForText(this.app, {
      title: 'Ask for another plan',
      placeholder: 'What should be otherwise',
      yes: 'Ask',
      long: true,
    });
    if (words !== undefined) await this.act(view, { type: 'replan', words });
  }

  private async finish(view: RunView): Promise<void> {
    const { look } = view;
    const tasks = look.kind === 'plan' ? look.tasks : [];
    const open = tasks.filter(
      ({ status }) => status !== 'completed' && status !== 'cancelled',
    ).length;
    const left = open === 1 ? '1 task stays' : `${counted(open, 'task')} stay`;
    const yes = await confirm(this.app, {
      title: `Finish ${goalLine(view)} here?`,
      text: `The run ends as it stands. ${left} open on the board.`,
      yes: 'Finish here',
    });
    if (yes) await this.act(view, { type: 'finish' });
  }

  private async cancel(view: RunView): Promise<void> {
    const yes = await ask(this.app, {
      title: `Cancel the run ${goalLine(view)}?`,
      text: 'Turns that run are stopped. The board, its notes and what is done stay as they are.',
      answers: [{ label: 'Cancel run', value: true, warns: true }],
      no: 'Keep it going',
    });
    if (yes === true) await this.act(view, { type: 'cancel' });
  }

  private async checkpoint(view: RunView): Promise<void> {
    const { deps, app } = this;
    const label = await askForText(app, {
      title: `Create checkpoint of ${this.boardOf(view)?.title ?? goalLine(view)}`,
      placeholder: 'A name, such as: before the refactoring',
      yes: 'Create',
      optional: true,
    });
    if (label === undefined) return;
    const made = await deps.runs.checkpoint(view.id, label === '' ? undefined : label);
    deps.notify(made.ok ? `Checkpoint ${made.value} was created.` : made.message);
  }
}

/** A line of the menu; null is a rule between them. */
type RunMenuItem = {
  readonly icon: string;
  readonly label: string;
  readonly deed: RunIntent;
} | null;

/** What can be done to a run where none of its buttons are: at its session in the sidebar. */
export function runIntentsOf(view: RunView): readonly NonNullable<RunMenuItem>[] {
  if (goingOf(view) === undefined) return [];
  const play = playOf(view);
  return [
    ...(play === undefined ? [] : [play]),
    ...(stepsOf(view).length === 0
      ? []
      : [{ icon: 'skip-forward', label: 'Skip task…', deed: { kind: 'skip' } as const }]),
    ...steps(view),
    CANCEL,
  ];
}

const CANCEL = { icon: 'circle-x', label: 'Cancel run…', deed: { kind: 'cancel' } } as const;

/** What can be done to a run beside its buttons, as it stands. */
export function runMenu(view: RunView, canStart: boolean): readonly RunMenuItem[] {
  const groups = [steps(view), places(view), ends(view), others(canStart)];
  return groups
    .filter((items) => items.length > 0)
    .flatMap((items, at) => (at === 0 ? items : [null, ...items]));
}

function steps(view: RunView): readonly NonNullable<RunMenuItem>[] {
  const going = goingOf(view);
  if (going === undefined) return [];
  const act = (icon: string, label: string, deed: RunIntent) => ({ icon, label, deed });
  const approves = going.kind === 'going' && going.stage.kind === 'approving';
  return [
    ...(going.kind === 'waiting' || approves
      ? [act('pause', 'Pause run', { kind: 'act', action: { type: 'pause' } })]
      : []),
    ...(canInterrupt(view)
      ? [
          act('square', 'Interrupt turns', {
            kind: 'act',
            action: { type: 'interrupt', task: null },
          }),
        ]
      : []),
    ...(stepsOf(view).some(canRetry)
      ? [act('rotate-ccw', 'Try task again', { kind: 'retry' })]
      : []),
    ...(approves ? [act('list-restart', 'Ask for another plan…', { kind: 'replan' })] : []),
  ];
}

/** Whether there is a turn that can be stopped: one that runs, or is about to begin. */
export function canInterrupt(view: RunView): boolean {
  const going = goingOf(view);
  return going !== undefined && turnsOf(going.stage).some((turn) => !isStopping(turn));
}

function isStopping(turn: Turn): boolean {
  return turn.kind === 'working' && turn.stop !== null;
}

function places(view: RunView): readonly RunMenuItem[] {
  const planner = knownRun(view)?.planner ?? undefined;
  return [
    ...(view.board === undefined
      ? []
      : [
          { icon: 'list-checks', label: 'Open board', deed: { kind: 'board' } as const },
          {
            ...{ icon: 'history', label: 'Roll back to checkpoint…' },
            deed: { kind: 'roll_back' } as const,
          },
        ]),
    ...(planner === undefined
      ? []
      : [
          {
            ...{ icon: 'messages-square', label: 'Open planning conversation' },
            deed: { kind: 'session', session: planner } as const,
          },
        ]),
  ];
}

function ends(view: RunView): readonly RunMenuItem[] {
  if (goingOf(view) === undefined) return [];
  return [{ icon: 'flag', label: 'Finish here…', deed: { kind: 'finish' } }, CANCEL];
}

function others(canStart: boolean): readonly RunMenuItem[] {
  return canStart ? [{ icon: 'plus', label: 'Start another run…', deed: { kind: 'start' } }] : [];
}

type SkipAnswer = Pick<Extract<RunAction, { type: 'skip' }>, 'how' | 'reason'>;

/** Asks what becomes of a task that is skipped; undefined where it is not. */
function skipForm(app: App, title: string): Promise<SkipAnswer | undefined> {
  return openForm<SkipAnswer>(app, `Skip ${title}?`, (done) => <SkipForm done={done} />);
}

const WAYS = [
  ['cancelled', 'Skip it', 'It is cancelled, with the reason. What waits for it can begin.'],
  ['deferred', 'Defer it', 'It stays on the board. What waits for it stays blocked.'],
] as const;

function SkipForm({ done }: { readonly done: (answer: SkipAnswer | undefined) => void }) {
  const [how, setHow] = useState<SkipAnswer['how']>('cancelled');
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const skip = () => {
    if (how === 'cancelled' && reason.trim() === '') return setMissing(true);
    done({ how, reason: reason.trim() });
  };
  return (
    <div
      class="atb-form"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.isComposing || isButton(event.target)) return;
        event.preventDefault();
        skip();
      }}
    >
      <fieldset class="atb-run-ways">
        <legend class="atb-unseen">What becomes of the task</legend>
        {WAYS.map(([value, words, means]) => (
          <label class="atb-run-way" key={value}>
            <input
              type="radio"
              name="atb-run-way"
              checked={how === value}
              onChange={() => setHow(value)}
            />
            <span>
              {words}
              <span class="atb-form-words">{means}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field
        name={how === 'cancelled' ? 'Reason' : 'Reason (optional)'}
        problem={missing ? 'Say why: the board keeps the reason.' : undefined}
      >
        <input
          type="text"
          value={reason}
          maxLength={300}
          aria-invalid={missing}
          onInput={(event) => {
            setReason(event.currentTarget.value);
            setMissing(false);
          }}
        />
      </Field>
      <FormButtons
        yes={how === 'cancelled' ? 'Skip the task' : 'Defer the task'}
        no="Keep it"
        onYes={skip}
        onNo={() => done(undefined)}
      />
    </div>
  );
}

function isButton(target: EventTarget | null): boolean {
  return target instanceof HTMLButtonElement;
}
