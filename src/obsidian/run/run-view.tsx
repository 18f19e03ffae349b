import { ItemView, Platform, setIcon, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import { createRef, render, type Ref } from 'preact';
import { stepsOf, type Runs, type RunView } from '../../core/orchestrator/runs';
import { keepFocus } from '../ui/focus';
import { Button, Icon, IconButton, IconDrawer } from '../ui/icon';
import { runMenu, type RunActions, type RunViewDeps } from './run-actions';
import { line, showMenu } from '../ui/menu';
import {
  useContext,
  useImperativeHandle,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
} from 'preact/hooks';
import { useOverview } from '../model/overview';
import { playOf, UnderWayContext, useDoing, type RunIntent } from './run-intent';
import { moveFocus } from './section';
import { RunBody } from './run-body';
import { goalLine, goingOf, knownRun, runNews, shownRun, stateWords } from './run-words';
import { count } from '../../core/orchestrator/run-words';
import { Select } from '../ui/fields';
import { Banner } from '../ui/banner';
import type { Clock } from '../../core/ports';

export const RUN_VIEW = 'agent-task-boards-run';

interface RunPanelDeps {
  readonly deps: RunViewDeps;
  readonly deeds: RunActions;
  readonly start: () => void;
}

/** The run panel, in the sidebar beside the tasks. */
export class RunPanel extends ItemView {
  private readonly handle = createRef<RunPanelHandle>();
  private wanted: string | undefined;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly given: RunPanelDeps,
  ) {
    super(leaf);
    this.icon = 'goal';
    this.navigation = false;
  }

  /** Shows this run, whichever goes on. */
  show(id: string): void {
    this.wanted = id;
    this.handle.current?.show(id);
  }

  /** The run that is shown. */
  get shown(): string | undefined {
    return this.handle.current?.shown;
  }

  override getViewType(): string {
    return RUN_VIEW;
  }

  override getDisplayText(): string {
    return 'Agent run';
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const run = new Map<string, unknown>(Object.entries(state ?? {})).get('run');
    if (typeof run === 'string') this.show(run);
  }

  override onOpen(): Promise<void> {
    this.contentEl.addClass('atb-run');
    this.register(keepFocus(this.contentEl));
    const { deps, deeds, start } = this.given;
    render(
      <IconDrawer.Provider value={setIcon}>
        <RunApp
          {...{ deps, deeds, start }}
          initial={this.wanted}
          handle={this.handle}
          phone={Platform.isPhone}
          moreMenu={(view, event) => this.more(view, event)}
          leave={() => this.leave()}
        />
      </IconDrawer.Provider>,
      this.contentEl,
    );
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }

  private more(view: RunView, event: MouseEvent): void {
    const { deps, deeds } = this.given;
    const lines = runMenu(view, deps.canStart).map(
      (one) => one && line(one.icon, one.label, () => deeds.do(view, one.deed)),
    );
    showMenu(event, lines);
  }

  private leave(): void {
    const { workspace } = this.app;
    const leaf = workspace.getMostRecentLeaf();
    const { activeElement } = this.contentEl.ownerDocument;
    if (activeElement?.instanceOf(HTMLElement) === true) activeElement.blur();
    if (leaf !== null) workspace.setActiveLeaf(leaf, { focus: true });
  }
}

/** What commands and other views want of the panel. */
interface RunPanelHandle {
  show(id: string): void;
  readonly shown: string | undefined;
}

interface RunAppProps {
  readonly deps: RunViewDeps;
  readonly deeds: RunActions;
  readonly initial: string | undefined;
  readonly handle: Ref<RunPanelHandle>;
  readonly phone: boolean;
  readonly moreMenu: (view: RunView, event: MouseEvent) => void;
  readonly start: () => void;
  /** gives the keyboard back to where the person writes */
  readonly leave: () => void;
}

/** Where a run from goal to done stands, and why it waits. */
function RunApp(props: RunAppProps) {
  const { deps, deeds } = props;
  const all = useRuns(deps.runs);
  const overview = useOverview(deps.overview);
  const [chosen, setChosen] = useState(props.initial);
  const view = shownRun(all, chosen);
  const doing = useDoing(deps.under, view?.id);
  const now = useNow(deps.clock, moves(view));
  const root = useRef<HTMLDivElement>(null);
  useNews(view, deps.announce);
  useImperativeHandle(props.handle, () => ({ show: setChosen, shown: view?.id }), [view?.id]);
  const onDo = (deed: RunIntent) => {
    if (view !== undefined) void deeds.do(view, deed);
  };
  const onKey = (event: KeyboardEvent) => {
    if (root.current !== null && keyDown(event, root.current, view, onDo, props.leave)) {
      event.preventDefault();
    }
  };
  const board = overview.boards.find(({ path }) => path === view?.board);
  return (
    <div class="atb-run-app" ref={root} tabIndex={-1} onKeyDown={onKey}>
      {view === undefined ? (
        <RunEmpty
          canStart={deps.canStart}
          connected={overview.connection.kind === 'connected'}
          onStart={props.start}
          onConnect={deps.connect}
        />
      ) : (
        <UnderWayContext.Provider value={doing}>
          <RunToolbar {...{ view, onDo }} onMore={(event) => props.moreMenu(view, event)} />
          <div class="atb-run-scroll">
            <RunChooser all={all} shown={view} onChoose={setChosen} />
            <ByBanner {...{ view, onDo }} canStart={deps.canStart} />
            <RunBody key={view.id} {...{ view, board, now, onDo }} phone={props.phone} />
          </div>
        </UnderWayContext.Provider>
      )}
    </div>
  );
}

/** @returns whether the key was one of the panel's */
function keyDown(
  event: KeyboardEvent,
  root: HTMLElement,
  view: RunView | undefined,
  onDo: (deed: RunIntent) => void,
  leave: () => void,
): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return false;
  if (event.key === 'Escape') {
    leave();
    return true;
  }
  if (event.key.toLowerCase() !== 'p' || event.shiftKey) return moveFocus(root, event.key);
  // A plan is approved by its button, not by a key that else pauses.
  const play = view === undefined ? undefined : playOf(view);
  if (play === undefined || event.repeat || play.deed.kind !== 'act') return false;
  if (play.deed.action.type === 'approve') return false;
  onDo(play.deed);
  return true;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea') !== null;
}

/** Tells what came of steps from now on, once each. */
function useNews(view: RunView | undefined, announce: (sentence: string) => void): void {
  const last = useRef<{ readonly id: string; readonly at: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const run = view === undefined ? undefined : knownRun(view);
    if (view === undefined || run === undefined) return;
    const before = last.current;
    last.current = { id: run.id, at: run.timeline.at(-1)?.at ?? 0 };
    if (before?.id !== run.id) return;
    for (const sentence of runNews(view, before.at)) announce(sentence);
  }, [view, announce]);
}

/** The buttons above the panel. */
function RunToolbar(props: {
  readonly view: RunView;
  readonly onDo: (deed: RunIntent) => void;
  readonly onMore: (event: MouseEvent) => void;
}) {
  const { view, onDo } = props;
  const free = useContext(UnderWayContext) === undefined;
  const play = playOf(view);
  const going = goingOf(view) !== undefined;
  return (
    <div class="atb-toolbar nav-buttons-container" role="toolbar" aria-label="Run">
      <IconButton
        icon={play?.icon ?? 'play'}
        label={play?.label ?? 'Resume run'}
        disabled={!free || play === undefined}
        onClick={() => play !== undefined && onDo(play.deed)}
      />
      <IconButton
        icon="skip-forward"
        label="Skip task…"
        disabled={!free || stepsOf(view).length === 0}
        onClick={() => onDo({ kind: 'skip' })}
      />
      <IconButton
        icon="bookmark-plus"
        label="Create checkpoint"
        disabled={!free || !going || view.board === undefined}
        onClick={() => onDo({ kind: 'checkpoint' })}
      />
      <IconButton
        icon="scroll-text"
        label="Open run note"
        disabled={view.note === undefined}
        onClick={() => onDo({ kind: 'note' })}
      />
      <IconButton icon="ellipsis" label="More" onClick={props.onMore} />
    </div>
  );
}

/** Runs that can be chosen; older ones are counted. */
const MOST = 50;

/** Which run is shown, where there are several. */
function RunChooser(props: {
  readonly all: readonly RunView[];
  readonly shown: RunView;
  readonly onChoose: (id: string) => void;
}) {
  const { all, shown, onChoose } = props;
  if (all.length < 2) return null;
  const listed = all.slice(0, MOST);
  const chosen = listed.includes(shown) ? listed : [...listed, shown];
  const older = all.length - chosen.length;
  return (
    <div class="atb-run-chooser">
      <Select
        name="Run"
        value={shown.id}
        options={chosen.map((one) => [one.id, `${stateWords(one)}: ${goalLine(one)}`] as const)}
        onChange={onChoose}
      />
      {older > 0 && <span class="atb-run-none">{count(older)} older are not listed.</span>}
    </div>
  );
}

/** That something keeps the run from being carried out, that it rests, or who else carries it out. */
function ByBanner(props: {
  readonly view: RunView;
  readonly canStart: boolean;
  readonly onDo: (deed: RunIntent) => void;
}) {
  const { view, onDo } = props;
  if (view.fault !== null) {
    const can = knownRun(view) !== undefined && props.canStart;
    const again = { label: 'Try again', onClick: () => onDo({ kind: 'take_up' }) };
    return (
      <Banner
        {...{ icon: 'circle-alert', tone: 'error', text: view.fault }}
        label="The run can’t continue"
        buttons={can ? [again] : []}
      />
    );
  }
  if (goingOf(view) === undefined || view.by === 'here') return null;
  if (view.by === 'elsewhere') {
    return (
      <p class="atb-run-none">
        Another program on this computer is running it. What you do here is passed on to it.
      </p>
    );
  }
  const take = { label: 'Continue here', onClick: () => onDo({ kind: 'take_up' }) };
  return (
    <Banner
      icon="circle-pause"
      label="No program is running this run"
      text="It continues from where it stopped as soon as a program takes it over."
      buttons={props.canStart ? [take] : []}
    />
  );
}

/** Before the first run. */
function RunEmpty(props: {
  readonly canStart: boolean;
  readonly connected: boolean;
  readonly onStart: () => void;
  readonly onConnect: () => void;
}) {
  const { canStart, connected } = props;
  return (
    <div class="atb-empty atb-run-empty">
      <Icon name="goal" />
      <h3>No run yet</h3>
      <p>Give a goal; the agent plans it, you approve, and each task is checked before the next.</p>
      {canStart && connected && <Button kind="cta" words="Start run" onClick={props.onStart} />}
      {canStart && !connected && (
        <>
          <p>Not connected to OpenCode. A run needs it.</p>
          <Button kind="cta" words="Connect" onClick={props.onConnect} />
        </>
      )}
      {!canStart && <p>Runs are started on a computer. They show here as they go.</p>}
    </div>
  );
}

/** All runs; draws anew when one is another. */
function useRuns(runs: Runs): readonly RunView[] {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => runs.onChange(() => draw(undefined)), [runs]);
  return runs.all();
}

/** Between two looks at the clock, ms: minutes are shown. */
const EVERY = 15_000;

/** Now, kept up to date while it is of interest. */
function useNow(clock: Pick<Clock, 'now' | 'after'>, moves: boolean): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    if (!moves) return;
    let stop = clock.after(EVERY, again);
    function again(): void {
      tick(undefined);
      stop = clock.after(EVERY, again);
    }
    return () => stop();
  }, [clock, moves]);
  return clock.now();
}

/** Whether the run's figures move by themselves. */
function moves(view: RunView | undefined): boolean {
  return view !== undefined && view.by !== 'nobody' && goingOf(view) !== undefined;
}
