import { Platform, type WorkspaceLeaf } from 'obsidian';
import type { Ref, RefObject } from 'preact';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import { isFeatureAvailable } from '../../core/session/connection';
import type { ViewWithActions, ViewActions } from '../ui/view-actions';
import { PreactViewWithActions } from '../ui/preact-view';
import { isFieldTarget } from '../ui/focus';
import { Button, Icon, IconButton } from '../ui/icon';
import { runMenu, type RunActions } from './run-actions';
import { menuEntry, showMenu, type Anchor } from '../ui/menu';
import { useChanges, useRedraw } from '../ui/use-changes';
import { useContext, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useOverview } from '../model/overview';
import {
  actionIntent,
  runChoice,
  primaryAction,
  PendingActionContext,
  type RunIntent,
} from './run-intent';
import { moveFocus, type RunProps } from './section';
import { RunBody } from './run-body';
import { goalLine, activeRun, knownRun, stepOutcomes, shownRun, stateWords } from './run-words';
import { Select } from '../ui/fields';
import { Banner } from '../ui/banner';
import type { Clock } from '../../core/ports';
import { pick } from '../ui/dialog';
import { stepActions, stepChoices } from './step-choices';
import { t, translated } from '../language/text';

export const RUN_VIEW = 'agent-task-boards-run';

/** The view of the run panel, in the right sidebar. */
export class RunPanel extends PreactViewWithActions<RunPanelHandle> {
  override navigation = false;
  private requestedRun: string | undefined;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly actions: RunActions,
  ) {
    super(leaf, { type: RUN_VIEW, icon: 'goal', class: 'atb-run' });
  }

  /** Shows this run, even if another one is active. */
  show(id: string): void {
    this.requestedRun = id;
    this.handle.current?.show(id);
  }

  /** Id of the run that is shown. */
  get shown(): string | undefined {
    return this.handle.current?.shown;
  }

  override getDisplayText(): string {
    return t('run.agentRun');
  }

  protected override restore(state: ReadonlyMap<string, unknown>): void {
    const run = state.get('run');
    if (typeof run === 'string') this.show(run);
  }

  override onOpen(): Promise<void> {
    this.draw();
    return super.onOpen();
  }

  protected override content() {
    const { actions, requestedRun: initial, handle } = this;
    return <RunApp {...{ actions, initial, handle }} />;
  }
}

/** What commands and other views can do with the panel. */
interface RunPanelHandle extends ViewWithActions {
  show(id: string): void;
  readonly shown: string | undefined;
}

interface RunAppProps {
  readonly actions: RunActions;
  readonly initial: string | undefined;
  readonly handle: Ref<RunPanelHandle>;
}

/** The panel of the shown run: its state, and why it waits. */
function RunApp({ actions, initial, handle }: RunAppProps) {
  const { runs, pendingActions, clock, canStart, announce, overview } = actions.deps;
  useChanges(runs);
  useChanges(pendingActions);
  const { boards, connection } = useOverview(overview);
  const [chosen, setChosen] = useState(initial);
  const view = shownRun(runs.all(), chosen);
  // The figures of an active run change with time.
  const isActive = view !== undefined && view.by !== 'nobody' && activeRun(view) !== undefined;
  const now = useNow(clock, isActive);
  const root = useRef<HTMLDivElement>(null);
  useStepAnnouncements(view, announce);
  const onDo = (intent: RunIntent) => {
    if (view !== undefined) void actions.do(view, intent);
  };
  const steps = useStepActions(actions, view, root, onDo);
  useImperativeHandle(handle, () => ({
    ...{ show: setChosen, shown: view?.id },
    get acts() {
      return steps.acts();
    },
  }));
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isFieldTarget(event.target)) return;
    if (event.key === 'Escape') leave(actions, event);
    else if (event.key.toLowerCase() === 'p' && !event.shiftKey) {
      const play = view && primaryAction(view)?.intent;
      // A plan is approved only by its button, not by the key that otherwise pauses.
      if (event.repeat || play?.kind !== 'act' || play.action.type === 'approve') return;
      onDo(play);
    } else if (root.current === null || !moveFocus(root.current, event.key)) return;
    event.preventDefault();
  };
  const board = boards.find(({ path }) => path === view?.board);
  const props = view && { view, board, now, canStart, onDo, phone: Platform.isPhone };
  return (
    <div class="atb-run-app" ref={root} tabIndex={-1} onKeyDown={onKey} {...steps.events}>
      {props === undefined ? (
        <RunEmpty actions={actions} connected={isFeatureAvailable(connection, 'start')} />
      ) : (
        <PendingActionContext.Provider value={pendingActions.textOf(props.view.id)}>
          <RunToolbar {...props} actions={actions} />
          <div class="atb-run-scroll">
            <RunChooser all={runs.all()} shown={props.view} onChoose={setChosen} />
            <RunOwnerBanner {...props} />
            <RunBody key={props.view.id} {...props} />
          </div>
        </PendingActionContext.Provider>
      )}
    </div>
  );
}

/** Actions on single tasks of the run, for commands and for the menu of a card or row. */
function useStepActions(
  { app }: RunActions,
  view: RunView | undefined,
  root: RefObject<HTMLElement | null>,
  onDo: (intent: RunIntent) => void,
) {
  // The palette takes the focus, so the task that had it last counts.
  const lastTask = useRef<string | undefined>(undefined);
  const choices = () => (view === undefined ? [] : stepChoices(view));
  const menu = (anchor: Anchor, task: string): boolean => {
    const own = choices().filter((one) => one.task === task);
    const lines = own.map(({ icon, label, intent }) => menuEntry(icon, label, () => onDo(intent)));
    if (own[0] !== undefined) showMenu(anchor, lines, own[0].title);
    return own.length > 0;
  };
  const showOwn = () => {
    const { current: task } = lastTask;
    const rows = root.current?.querySelectorAll<HTMLElement>('[data-task]') ?? [];
    const row = [...rows].find(({ dataset }) => dataset['task'] === task);
    if (task !== undefined && row !== undefined) menu(row, task);
  };
  return {
    acts: (): ViewActions => ({
      ...stepActions(choices(), lastTask.current, {
        pick: (items, words) => pick(app, items, words),
        onDo,
      }),
      ...(choices().some(({ task }) => task === lastTask.current) && { 'show-menu': showOwn }),
    }),
    events: {
      onFocusIn: ({ target }: FocusEvent) => {
        lastTask.current = taskAt(target);
      },
      onContextMenu: (event: MouseEvent) => {
        const task = taskAt(event.target);
        if (task !== undefined && menu(event, task)) event.preventDefault();
      },
    },
  };
}

/** Id of the task whose card or row contains an element. */
function taskAt(target: EventTarget | null): string | undefined {
  return (target as Element | null)?.closest<HTMLElement>('[data-task]')?.dataset['task'];
}

/** Returns the focus to the tab that the person worked in. */
function leave({ app: { workspace } }: RunActions, { target }: Event): void {
  const leaf = workspace.getMostRecentLeaf();
  (target as HTMLElement | null)?.blur();
  if (leaf !== null) workspace.setActiveLeaf(leaf, { focus: true });
}

/** Announces outcomes of steps from now on, each once. */
function useStepAnnouncements(
  view: RunView | undefined,
  announce: (sentence: string) => void,
): void {
  const last = useRef<{ readonly id: string; readonly at: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const run = view && knownRun(view);
    if (view === undefined || run === undefined) return;
    const before = last.current;
    last.current = { id: run.id, at: run.timeline.at(-1)?.at ?? 0 };
    if (before?.id !== run.id) return;
    for (const sentence of stepOutcomes(view, before.at)) announce(sentence);
  }, [view, announce]);
}

/** The buttons above the panel. */
function RunToolbar({
  view,
  canStart,
  onDo,
  actions,
}: RunProps & { readonly actions: RunActions }) {
  const busy = useContext(PendingActionContext) !== undefined;
  const play = primaryAction(view);
  const noBoard = activeRun(view) === undefined || view.board === undefined;
  const more = (event: MouseEvent) =>
    showMenu(
      event,
      runMenu(view, canStart).map(
        (one) => one && menuEntry(one.icon, one.label, () => actions.do(view, one.intent)),
      ),
    );
  const buttons = [
    [
      play ?? runChoice('play', t('run.resumeRun'), actionIntent({ type: 'resume' })),
      busy || play === undefined,
    ],
    [
      runChoice('skip-forward', t('run.skipTaskMore'), { kind: 'skip' }),
      busy || stepsOf(view).length === 0,
    ],
    [
      runChoice('bookmark-plus', t('board.createCheckpoint'), { kind: 'checkpoint' }),
      busy || noBoard,
    ],
    [runChoice('scroll-text', t('run.openRunNote'), { kind: 'note' }), view.note === undefined],
  ] as const;
  return (
    <div class="atb-toolbar nav-buttons-container" role="toolbar" aria-label={t('run.run')}>
      {buttons.map(([{ icon, label, intent }, disabled], at) => (
        <IconButton key={at} {...{ icon, label, disabled }} onClick={() => onDo(intent)} />
      ))}
      <IconButton icon="ellipsis" label={t('run.more')} onClick={more} />
    </div>
  );
}

/** Most runs that can be chosen; older ones are counted. */
const MAX_LISTED_RUNS = 50;

/** Chooses the run to show, if there are several. */
function RunChooser(props: {
  readonly all: readonly RunView[];
  readonly shown: RunView;
  readonly onChoose: (id: string) => void;
}) {
  const { all, shown, onChoose } = props;
  if (all.length < 2) return null;
  const listed = all.slice(0, MAX_LISTED_RUNS);
  const chosen = listed.includes(shown) ? listed : [...listed, shown];
  const older = all.length - chosen.length;
  return (
    <div class="atb-run-chooser">
      <Select
        name={t('run.run')}
        value={shown.id}
        options={chosen.map(
          (one) =>
            [
              one.id,
              t('run.stateOfGoal', { state: stateWords(one), goal: goalLine(one) }),
            ] as const,
        )}
        onChange={onChoose}
      />
      {older > 0 && <span class="atb-run-none">{t('run.olderNotListed', { count: older })}</span>}
    </div>
  );
}

/**
 * Banner that says that the run can't be carried out, rests, or is carried out by another program.
 */
function RunOwnerBanner({ view, canStart, onDo }: RunProps) {
  const takeUp = (label: string) => [{ label, onClick: () => onDo({ kind: 'take_up' }) }];
  if (view.fault !== null) {
    return (
      <Banner
        {...{ icon: 'circle-alert', tone: 'error', text: translated(view.fault) }}
        label={t('run.cantContinue')}
        buttons={knownRun(view) !== undefined && canStart ? takeUp(t('common.tryAgain')) : []}
      />
    );
  }
  if (activeRun(view) === undefined || view.by === 'here') return null;
  if (view.by === 'elsewhere') {
    return <p class="atb-run-none">{t('run.anotherProgramRunsIt')}</p>;
  }
  return (
    <Banner
      icon="circle-pause"
      label={t('run.noProgramRunsIt')}
      text={t('run.continuesWhenTakenOver')}
      buttons={canStart ? takeUp(t('run.continueHere')) : []}
    />
  );
}

/** Shown before the first run. */
function RunEmpty({
  actions,
  connected,
}: {
  readonly actions: RunActions;
  readonly connected: boolean;
}) {
  const { canStart, connect } = actions.deps;
  return (
    <div class="atb-empty atb-run-empty">
      <Icon name="goal" />
      <h3>{t('run.noRunYet')}</h3>
      <p>{t('run.whatRunsAre')}</p>
      {canStart && connected && (
        <Button kind="cta" words={t('run.startRun')} onClick={actions.startRun} />
      )}
      {canStart && !connected && (
        <>
          <p>{t('run.needsOpenCode')}</p>
          <Button kind="cta" words={t('run.connect')} onClick={connect} />
        </>
      )}
      {!canStart && <p>{t('run.startedOnAComputer')}</p>}
    </div>
  );
}

/** ms between two updates of the time; the panel shows minutes. */
const REDRAW_INTERVAL = 15_000;

/** The current time, updated while `isActive` is true; ms since the epoch. */
function useNow(clock: Pick<Clock, 'now' | 'after'>, isActive: boolean): number {
  const draw = useRedraw();
  useLayoutEffect(() => {
    if (!isActive) return;
    let stop = clock.after(REDRAW_INTERVAL, again);
    function again(): void {
      draw();
      stop = clock.after(REDRAW_INTERVAL, again);
    }
    return () => stop();
  }, [clock, isActive]);
  return clock.now();
}
