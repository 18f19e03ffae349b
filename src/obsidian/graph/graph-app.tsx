import { useOverview } from '../model/overview';
import { QuickAddAt } from '../board-view/quick-add';
import { RepairBanner } from '../board/repairs';
import type { Task } from '../../core/board/task';
import { isFieldTarget, isWithin } from '../ui/focus';
import { useViewActions } from '../ui/use-view-actions';
import { actionForKey, type ChosenTask } from '../ui/view-actions';
import { GraphBanners } from './graph-banners';
import { GraphCanvas } from './graph-canvas';
import { GraphInspector } from './graph-inspector';
import { GRAPH_KEYS, directionOfKey } from './graph-keys';
import { GraphToolbar } from './graph-toolbar';
import { summaryWords, whatIfWords } from './graph-words';
import {
  moveInDirection,
  graphActions,
  useGraph,
  zoom,
  type GraphProps,
  type GraphState,
  type PlanProps,
} from './use-graph';
import { WaveList } from './wave-list';
import { t } from '../language/text';

/** The graph of a board, or a message if the board is missing or can't be read. */
export function GraphApp(props: GraphProps) {
  const { deps, path } = props;
  const { boards, loaded } = useOverview(deps.overview);
  const board = boards.find((one) => one.path === path);
  if (!loaded) return null;
  if (board === undefined) return <p class="atb-graph-none">{t('graph.planGone')}</p>;
  if (board.broken !== null) {
    return (
      <RepairBanner
        board={board}
        intents={{
          open: () => deps.intents.open(board, undefined, false),
          checkAgain: () => deps.intents.checkAgain(),
        }}
      />
    );
  }
  return <PlanGraphView {...props} {...{ board, boards }} />;
}

/** The plan as a graph or a list, with details of the selected task. */
function PlanGraphView(props: PlanProps) {
  const { board, deps } = props;
  const state = useGraph(props);
  const { ui, change, shown, layout, acts, goTo, root, viewport, asList, tooMany } = state;
  const { drawing } = shown;
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || isFieldTarget(event.target) || isButton(event)) return;
    const direction = directionOfKey(event, viewport.current?.inlineDirection === -1);
    const act =
      direction === undefined
        ? actionForKey(event, GRAPH_KEYS, graphActions(props, state))
        : undefined;
    if (direction !== undefined) moveInDirection(state, direction);
    else if (act === undefined) return;
    else void act();
    event.preventDefault();
    event.stopPropagation();
  };
  const chosen = (): ChosenTask | undefined => {
    const task = state.tasks.get(ui.selected ?? '');
    return task && { board, task };
  };
  useViewActions(props.handle, () => graphActions(props, state), chosen);
  const find = () => root.current?.querySelector<HTMLElement>('input[type=search]')?.focus();
  return (
    <div class="atb-graph-app" ref={root} onKeyDown={onKey}>
      <GraphToolbar
        {...{ drawing, asList, tooMany }}
        {...ui}
        found={[...shown.found]}
        onChange={change}
        onGoTo={goTo}
        onZoom={(by) => zoom(viewport.current, layout, by)}
        onExport={() => deps.exportGraph(board)}
        onKeys={() => deps.intents.showKeys(t('graph.keysOfTheGraph'), GRAPH_KEYS)}
      />
      <GraphBanners {...{ shown, tooMany, acts }} onChoose={find} />
      {ui.adding !== undefined && (
        <QuickAddAt
          {...{ at: ui.adding, boards: [board], intents: deps.intents }}
          onClose={() => {
            change({ adding: undefined });
            if (shown.stop !== undefined) goTo(shown.stop);
          }}
        />
      )}
      <div class="atb-graph-body">
        {asList && <WaveList {...{ shown, acts }} screenReaderOnly={false} />}
        {layout !== undefined && (
          <>
            <GraphCanvas
              {...{ shown, layout, acts, viewport }}
              onScale={(scale) => change({ scale })}
            />
            <WaveList {...{ shown, acts }} screenReaderOnly />
          </>
        )}
        <Inspector {...state} />
      </div>
      <Summary {...state} />
    </div>
  );
}

/**
 * A focused button handles Enter and Space itself, and Delete there is not meant for the selected
 * task. An edge is not a button here: it takes them as a task does.
 */
function isButton({ target, key }: KeyboardEvent): boolean {
  const isOfButton = key === 'Enter' || key === ' ' || key === 'Delete' || key === 'Backspace';
  return isOfButton && isWithin(target, 'button');
}

/** The panel with details of the selected task. */
function Inspector({ ui, change, shown, acts, goTo }: GraphState) {
  const { board, drawing, titleOf, editable } = shown;
  const one = drawing.tasks.find(({ task }) => task.key === ui.selected);
  if (one === undefined || ui.dismissed === ui.selected) return null;
  const close = () => {
    change({ dismissed: ui.selected });
    goTo(one.task.key);
  };
  return (
    <GraphInspector
      {...{ board, drawing, one, titleOf, editable }}
      acts={{
        ...{ close, goTo, open: acts.open, menu: acts.menu },
        addDependency: acts.pickDependency,
        removeDependency: acts.undepend,
      }}
    />
  );
}

/**
 * The critical path and what blocks the plan, in words; or what would follow, while the person asks
 * about a task.
 */
function Summary({ ui, tasks, shown: { board, drawing, titleOf } }: GraphState) {
  const task: Task | undefined = tasks.get(ui.whatIf ?? '');
  const { path, inOrder, stuck } = summaryWords(drawing, titleOf);
  return (
    <div class="atb-graph-summary">
      {task === undefined ? (
        <>
          <span title={inOrder}>{path}</span>
          <span class="atb-unseen">{inOrder}</span>
          {stuck !== undefined && <span class="atb-graph-held">{stuck}</span>}
        </>
      ) : (
        <span class="atb-graph-asked">{whatIfWords(board, task, titleOf)}</span>
      )}
    </div>
  );
}
