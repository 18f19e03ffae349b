import type { Ref } from 'preact';
import { useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../core/orchestrator/runs';
import { useOverview } from '../part/use-overview';
import { ByBanner } from './by-banner';
import type { Deed } from './deed';
import { playOf } from './play';
import { moveFocus } from './roving';
import { RunBody } from './run-body';
import { RunChooser } from './run-chooser';
import type { RunDeeds } from './run-deeds';
import type { RunViewDeps } from './run-deps';
import { RunEmpty } from './run-empty';
import { runNews } from './run-news';
import { runOf, shownRun } from './run-of';
import { RunToolbar } from './run-toolbar';
import { Doing, useDoing } from './use-doing';
import { moves, useNow, useRuns } from './use-runs';

/** What commands and other views want of the panel. */
export interface RunPanelHandle {
  show(id: string): void;
  readonly shown: string | undefined;
}

export interface RunAppProps {
  readonly deps: RunViewDeps;
  readonly deeds: RunDeeds;
  readonly initial: string | undefined;
  readonly handle: Ref<RunPanelHandle>;
  readonly phone: boolean;
  readonly moreMenu: (view: RunView, event: MouseEvent) => void;
  readonly start: () => void;
  /** gives the keyboard back to where the person writes */
  readonly leave: () => void;
}

/** Where a run from goal to done stands, and why it waits. */
export function RunApp(props: RunAppProps) {
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
  const onDo = (deed: Deed) => {
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
        <Doing.Provider value={doing}>
          <RunToolbar {...{ view, onDo }} onMore={(event) => props.moreMenu(view, event)} />
          <div class="atb-run-scroll">
            <RunChooser all={all} shown={view} onChoose={setChosen} />
            <ByBanner {...{ view, onDo }} canStart={deps.canStart} />
            <RunBody key={view.id} {...{ view, board, now, onDo }} phone={props.phone} />
          </div>
        </Doing.Provider>
      )}
    </div>
  );
}

/** @returns whether the key was one of the panel's */
function keyDown(
  event: KeyboardEvent,
  root: HTMLElement,
  view: RunView | undefined,
  onDo: (deed: Deed) => void,
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
    const run = view === undefined ? undefined : runOf(view);
    if (view === undefined || run === undefined) return;
    const before = last.current;
    last.current = { id: run.id, at: run.timeline.at(-1)?.at ?? 0 };
    if (before?.id !== run.id) return;
    for (const sentence of runNews(view, before.at)) announce(sentence);
  }, [view, announce]);
}
