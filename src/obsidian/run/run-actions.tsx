import type { App, Plugin } from 'obsidian';
import type { Board, Task } from '../../core/board/task';
import { replayRun } from '../../core/orchestrator/drive/run-journal';
import type { RunAction } from '../../core/orchestrator/event';
import { stepsOf, type RunAnswer, type Runs, type RunView } from '../../core/orchestrator/runs';
import { turnsOf, type RunOptions } from '../../core/orchestrator/state';
import { sessionFamily } from '../../core/session/session';
import { useState } from 'preact/hooks';
import type { CoreServices } from '../app/core-services';
import type { Services } from '../app/services';
import type { Prompts } from '../ask/prompts';
import type { BoardActions } from '../board/board-actions';
import type { CheckpointDialogs } from '../board/checkpoint-dialogs';
import { openNoteFile, openBoard } from '../note/open-board';
import { ask, askForText, confirm, openForm, pick } from '../ui/dialog';
import { Field, FormButtons } from '../ui/fields';
import { isWithin } from '../ui/focus';
import { notify } from '../ui/notify';
import {
  actionIntent,
  runChoice,
  PENDING_TEXTS,
  primaryAction,
  TAKING_UP,
  changesRun,
  type RunChoice,
  type RunIntent,
} from './run-intent';
import { awaitsApproval, canRetry, goalLine, activeRun, knownRun, plannedTasks } from './run-words';
import { t, translated } from '../language/text';

export interface RunPanelsDeps {
  readonly plugin: Plugin;
  readonly parts: CoreServices;
  readonly services: Services;
  readonly boards: Pick<BoardActions, 'tick'>;
  readonly checkpoints: Pick<CheckpointDialogs, 'rollBack'>;
  readonly prompts: Pick<Prompts, 'review'>;
  readonly openSession: (sessionId: string) => void;
}

/** What the run panel and its commands need of the plugin. */
export function runViewDeps(panelDeps: RunPanelsDeps) {
  const { plugin, parts, services, boards, checkpoints, openSession } = panelDeps;
  const { app } = plugin;
  return {
    runs: services.runs.runs as Runs,
    pendingActions: services.runs.pendingActions,
    clock: parts.clock,
    overview: services.overview,
    /** false if no agent can be reached, as on a phone without a model: runs can't be started */
    get canStart() {
      return parts.connects();
    },
    /** Options of a new run unless the person changes them. */
    defaults: (): Omit<RunOptions, 'goal'> => {
      const { approve, ...limits } = services.boardRoot.settings.runs;
      return { agent: parts.settings.current.defaultAgent, model: null, approve, limits };
    },
    catalog: () => parts.runtime.catalog(),
    rollBack: (board: Board, n?: number) => checkpoints.rollBack(board, n),
    tick: (board: Board, task: Task): void => void boards.tick(board, task),
    connect: () => services.connect(),
    review: (sessionId: string) => review(panelDeps, sessionId),
    openSession,
    openNote: (path: string): void => void openNoteFile({ app, store: parts.store }, path),
    openBoard: (board: Board, task?: Task): void =>
      void openBoard({ app, store: parts.store }, board, task, false),
    announce: (sentence: string) => services.announcePolitely(sentence),
    replay: (id: string) => replaySummary(parts, id),
  };
}

export type RunViewDeps = ReturnType<typeof runViewDeps>;

/** Opens the dialog with a request of the session or of one of its subagents. */
function review({ parts, services, prompts }: RunPanelsDeps, sessionId: string): void {
  const family = sessionFamily(parts.sessions.all(), sessionId);
  const ids = new Set([sessionId, ...family.map(({ id }) => id)]);
  const own = services.tools.asks.all().find((one) => ids.has(one.sessionId ?? ''));
  const [theirs] = family.flatMap(({ permissions, questions }) => [...permissions, ...questions]);
  const request = (own ?? theirs)?.requestId;
  if (request === undefined) notify(t('run.waitsNoMore'));
  else prompts.review(request);
}

/** Replays a run's log. @returns the outcome, as a sentence for the person */
async function replaySummary({ store }: Pick<CoreServices, 'store'>, id: string): Promise<string> {
  const answer = await replayRun(store, id);
  if (!answer.ok) return translated(answer.message);
  const { steps, same } = answer.value;
  const count = steps.length;
  return same ? t('run.replaySame', { count }) : t('run.replayDiffers', { count });
}

/** Performs a person's action on a run; asks first where needed, and reports refusals. */
export class RunActions {
  /** actions that are running, so that pressing a button twice counts once */
  private readonly running = new Set<string>();

  constructor(
    readonly app: App,
    readonly deps: RunViewDeps,
    /** opens the dialog that starts a run */
    readonly startRun: () => void,
  ) {}

  async do(view: RunView, intent: RunIntent): Promise<void> {
    const key = `${view.id} ${JSON.stringify(intent)}`;
    if (this.running.has(key)) return;
    if (changesRun(intent) && this.deps.pendingActions.textOf(view.id) !== undefined) return;
    this.running.add(key);
    try {
      await this.perform(view, intent);
    } finally {
      this.running.delete(key);
    }
  }

  private async perform(view: RunView, intent: RunIntent): Promise<void> {
    const { deps } = this;
    switch (intent.kind) {
      case 'act':
        return this.act(view, intent.action);
      case 'skip':
        return this.skip(view, intent.task);
      case 'retry': {
        const step = await this.pickStep(view, t('run.tryWhichTaskAgain'), canRetry);
        return step && this.act(view, { type: 'retry', task: step.task });
      }
      case 'mark_done':
        return this.confirmed(
          view,
          { type: 'mark_done', task: intent.task },
          t('common.markDone'),
          {
            title: t('run.markDoneQuestion', { title: intent.title }),
            text: t('run.takesYourWord'),
          },
        );
      case 'replan':
        return this.replan(view);
      case 'finish':
        return this.confirmed(view, { type: 'finish' }, t('run.finishHere'), {
          title: t('run.finishGoalHere', { goal: goalLine(view) }),
          text: t('run.endsAsItStands', { count: openTasks(view).length }),
        });
      case 'cancel':
        return this.cancel(view);
      case 'take_up':
        return this.performPending(view, TAKING_UP, () => deps.runs.takeUp(view.id));
      case 'checkpoint':
        return this.checkpoint(view);
      case 'replay':
        return void notify(await deps.replay(view.id));
      case 'session':
        return deps.openSession(intent.session);
      case 'review':
        return deps.review(intent.session);
      case 'connect':
        return deps.connect();
      case 'start':
        return this.startRun();
      case 'note':
        if (view.note === undefined) notify(t('run.noNoteYet'));
        else deps.openNote(view.note);
        return;
      case 'board':
      case 'tick':
      case 'roll_back':
        return this.onBoard(view, intent);
    }
  }

  private async onBoard(
    view: RunView,
    intent: Extract<RunIntent, { kind: 'board' | 'tick' | 'roll_back' }>,
  ): Promise<void> {
    const { deps } = this;
    const board = this.boardOf(view);
    if (board === undefined) return void notify(t('run.boardNotThere'));
    if (intent.kind === 'roll_back') return deps.rollBack(board, intent.n);
    const task = board.tasks.find(({ id }) => id !== null && id === intent.task);
    // A task without a number can't be identified here; the note shows it.
    if (intent.kind === 'board' || task === undefined) deps.openBoard(board, task);
    else deps.tick(board, task);
  }

  private boardOf({ board }: RunView): Board | undefined {
    return this.deps.overview.state.boards.find(({ path }) => path === board);
  }

  private act(view: RunView, action: RunAction): Promise<void> {
    return this.performPending(view, PENDING_TEXTS[action.type], () =>
      this.deps.runs.act(view.id, action),
    );
  }

  private async performPending(
    { id }: RunView,
    doing: string,
    task: () => Promise<RunAnswer<unknown>>,
  ): Promise<void> {
    const answer = await this.deps.pendingActions.track(id, doing, task);
    if (!answer.ok) notify(translated(answer.message));
  }

  private async confirmed(
    view: RunView,
    action: RunAction,
    yes: string,
    question: { readonly title: string; readonly text: string },
  ): Promise<void> {
    if (await confirm(this.app, { ...question, yes })) await this.act(view, action);
  }

  private async skip(view: RunView, wanted: string | undefined): Promise<void> {
    const matches = ({ task }: Step) => wanted === undefined || task === wanted;
    const step = await this.pickStep(view, t('run.skipWhichTask'), matches);
    if (step === undefined) return;
    const title = t('run.skipTitle', { title: step.title });
    const answer = await openForm<SkipAnswer>(this.app, title, (done) => <SkipForm done={done} />);
    if (answer !== undefined) await this.act(view, { type: 'skip', task: step.task, ...answer });
  }

  private pickStep(view: RunView, question: string, fits: (step: Step) => boolean) {
    const steps = stepsOf(view).filter(fits);
    const choices = steps.map((step) => ({ text: step.title, value: step }));
    return pick(this.app, choices, question);
  }

  private async replan(view: RunView): Promise<void> {
    const words = await askForText(this.app, {
      ...{ title: t('run.askForAnotherPlan'), placeholder: t('run.whatShouldBeOtherwise') },
      ...{ yes: t('run.ask'), long: true },
    });
    if (words !== undefined) await this.act(view, { type: 'replan', words });
  }

  private async cancel(view: RunView): Promise<void> {
    const yes = await ask(this.app, {
      title: t('run.cancelTheRun', { goal: goalLine(view) }),
      text: t('run.turnsAreStopped'),
      answers: [{ label: t('run.cancelRun'), value: true, warns: true }],
      no: t('run.keepItGoing'),
    });
    if (yes === true) await this.act(view, { type: 'cancel' });
  }

  private async checkpoint(view: RunView): Promise<void> {
    const label = await askForText(this.app, {
      title: t('board.createCheckpointOfTitle', {
        title: this.boardOf(view)?.title ?? goalLine(view),
      }),
      placeholder: t('board.checkpointName'),
      ...{ yes: t('run.create'), optional: true },
    });
    if (label === undefined) return;
    const made = await this.deps.runs.checkpoint(view.id, label === '' ? undefined : label);
    notify(made.ok ? t('run.checkpointWasCreated', { n: made.value }) : translated(made.message));
  }
}

type Step = ReturnType<typeof stepsOf>[number];

function openTasks(view: RunView) {
  return plannedTasks(view).filter(
    ({ status }) => status !== 'completed' && status !== 'cancelled',
  );
}

/** Actions on a run for places without its buttons: its session in the sidebar. */
export function activeRunChoices(view: RunView): readonly RunChoice[] {
  if (activeRun(view) === undefined) return [];
  const skip = runChoice('skip-forward', t('run.skipTaskMore'), { kind: 'skip' });
  const skips = stepsOf(view).length === 0 ? [] : [skip];
  const play = primaryAction(view);
  return [...(play ? [play] : []), ...skips, ...controlChoices(view), CANCEL];
}

const CANCEL = runChoice('circle-x', t('run.cancelRunMore'), { kind: 'cancel' });

/** Actions on a run in its current state, besides its buttons; null is a separator. */
export function runMenu(view: RunView, canStart: boolean): readonly (RunChoice | null)[] {
  const going = activeRun(view) !== undefined;
  const groups: readonly (readonly RunChoice[])[] = [
    controlChoices(view),
    openChoices(view),
    going ? [runChoice('flag', t('run.finishHereMore'), { kind: 'finish' }), CANCEL] : [],
    canStart ? [runChoice('plus', t('run.startAnotherRunMore'), { kind: 'start' })] : [],
  ];
  return groups
    .filter((items) => items.length > 0)
    .flatMap((items, at): readonly (RunChoice | null)[] => (at === 0 ? items : [null, ...items]));
}

function controlChoices(view: RunView): readonly RunChoice[] {
  const going = activeRun(view);
  const choices: RunChoice[] = [];
  if (going === undefined) return choices;
  if (going.kind === 'waiting' || awaitsApproval(view)) {
    choices.push(runChoice('pause', t('run.pauseRun'), actionIntent({ type: 'pause' })));
  }
  if (canInterrupt(view)) {
    choices.push(
      runChoice('square', t('run.interruptTurns'), actionIntent({ type: 'interrupt', task: null })),
    );
  }
  if (stepsOf(view).some(canRetry)) {
    choices.push(runChoice('rotate-ccw', t('run.tryTaskAgain'), { kind: 'retry' }));
  }
  if (awaitsApproval(view)) {
    choices.push(runChoice('list-restart', t('run.askForAnotherPlanMore'), { kind: 'replan' }));
  }
  return choices;
}

/** Whether there is a turn to stop: one that runs or is about to start. */
export function canInterrupt(view: RunView): boolean {
  const going = activeRun(view);
  if (going === undefined) return false;
  return turnsOf(going.stage).some((turn) => turn.kind !== 'working' || turn.stop === null);
}

function openChoices(view: RunView): readonly RunChoice[] {
  const session = knownRun(view)?.planner ?? undefined;
  const board = [
    runChoice('list-checks', t('common.openBoard'), { kind: 'board' }),
    runChoice('history', t('board.rollBackToCheckpoint'), { kind: 'roll_back' }),
  ];
  const planning = t('run.openPlanningConversation');
  return [
    ...(view.board === undefined ? [] : board),
    ...(session === undefined
      ? []
      : [runChoice('messages-square', planning, { kind: 'session', session })]),
  ];
}

/** How a task is skipped, and why. */
type SkipAnswer = Pick<Extract<RunAction, { type: 'skip' }>, 'how' | 'reason'>;

const SKIP_OPTIONS = [
  ['cancelled', t('run.skipIt'), t('run.whatSkippingMeans')],
  ['deferred', t('run.deferIt'), t('run.whatDeferringMeans')],
] as const;

function SkipForm({ done }: { readonly done: (answer: SkipAnswer | undefined) => void }) {
  const [how, setHow] = useState<SkipAnswer['how']>('cancelled');
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const skips = how === 'cancelled';
  const skip = () => {
    if (skips && reason.trim() === '') return setMissing(true);
    done({ how, reason: reason.trim() });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    if (isWithin(event.target, 'button')) return;
    event.preventDefault();
    skip();
  };
  return (
    <div class="atb-form" onKeyDown={onKey}>
      <fieldset class="atb-run-ways">
        <legend class="atb-unseen">{t('run.whatBecomesOfTheTask')}</legend>
        {SKIP_OPTIONS.map(([value, words, explanation]) => (
          <label class="atb-run-way" key={value}>
            <input
              type="radio"
              name="atb-run-way"
              checked={how === value}
              onChange={() => setHow(value)}
            />
            <span>
              {words}
              <span class="atb-form-words">{explanation}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field
        name={skips ? t('run.reason') : t('run.reasonOptional')}
        problem={missing ? t('run.sayWhy') : undefined}
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
        yes={skips ? t('run.skipTheTask') : t('run.deferTheTask')}
        no={t('run.keepIt')}
        onYes={skip}
        onNo={() => done(undefined)}
      />
    </div>
  );
}
