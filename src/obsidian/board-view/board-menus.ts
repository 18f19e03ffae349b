import { canArchive } from '../../core/board/archive/archive-tasks';
import type { Board } from '../../core/board/task';
import { boardItem } from '../board/task-commands';
import { actionTargets, NONE_SELECTED } from '../model/selection';
import { menuEntry, showMenu, type Anchor, type MenuLine } from '../ui/menu';
import { STATUS_WORDS } from '../ui/text';
import { toggled, type BoardContext } from './board-state';
import {
  cardColumn,
  columnWord,
  LANE_KINDS,
  laneWord,
  laneTitle,
  moveLane,
  withEmptyHeadings,
  type BoardCard,
  type BoardLane,
  type Column,
} from './columns';
import { pickUpCards, draggedCards, type CardDrag } from './card-drag';
import { acceptingColumns, hasLane } from './drop';
import { boardSessions, boardsOfSession, isWritable } from './shown-boards';
import { t } from '../language/text';

export function lanesMenu({ prefs, setPrefs }: BoardContext, anchor: Anchor): void {
  const lines = LANE_KINDS.map((kind) =>
    menuEntry(undefined, laneWord(kind), () => setPrefs({ lanes: kind }), kind === prefs.lanes),
  );
  showMenu(anchor, lines, t('boardView.lanes'));
}

export function sessionMenu(
  { state, props: { session } }: BoardContext,
  anchor: Anchor,
  onSession: (session: string) => void,
): void {
  const all = boardSessions(state);
  showMenu(anchor, [
    menuEntry(undefined, t('boardView.allPlans'), () => onSession(''), session === ''),
    null,
    ...all.map(({ id, title }) => menuEntry(undefined, title, () => onSession(id), id === session)),
  ]);
}

/** Functions that move a lane up and down; undefined if it is the first or last. */
export function laneMoves({ layout, prefs, setPrefs }: BoardContext, lane: BoardLane) {
  const { lanes: kind, order } = prefs;
  const move = (by: 1 | -1) => () => {
    const now = moveLane(layout, lane.id, by);
    // Lanes without tasks come back in the place that they had.
    const gone = (order[kind] ?? []).filter((id) => !now.includes(id));
    setPrefs({ order: { ...order, [kind]: [...now, ...gone] } });
  };
  const at = layout.lanes.findIndex(({ id }) => id === lane.id);
  const last = layout.lanes.length - 1;
  return { up: at > 0 ? move(-1) : undefined, down: at < last ? move(1) : undefined };
}

export function laneMenu(context: BoardContext, lane: BoardLane, anchor: Anchor): void {
  const { prefs, setPrefs, folded } = context;
  const { lanes: kind, toggled: ids } = prefs;
  const { up, down } = laneMoves(context, lane);
  const open = !folded.has(lane.id);
  showMenu(
    anchor,
    [
      up !== undefined && menuEntry('arrow-up', t('boardView.moveLaneUp'), up),
      down !== undefined && menuEntry('arrow-down', t('boardView.moveLaneDown'), down),
      menuEntry(
        open ? 'chevrons-down-up' : 'chevrons-up-down',
        open ? t('boardView.fold') : t('boardView.unfold'),
        () => setPrefs({ toggled: toggled(ids, lane.id) }),
      ),
      kind === 'heading' &&
        lane.id !== '' &&
        plansFor(context, lane.id).length > 0 &&
        menuEntry('plus', t('board.addTaskToTitle', { title: lane.title }), () =>
          openAddTask(context, lane.id),
        ),
    ],
    lane.title,
  );
}

/** The shown plans that accept tasks, or that do so under a heading. */
function plansFor({ boards }: BoardContext, heading: string | undefined): readonly Board[] {
  const has = ({ tasks }: Board) =>
    heading === undefined || tasks.some(({ phase }) => phase === heading);
  return boards.filter((board) => isWritable(board) && has(board));
}

/**
 * Opens the field for new tasks at the end of a plan, or of a heading in it; asks which plan if
 * several are possible.
 */
export async function openAddTask(context: BoardContext, phase?: string): Promise<void> {
  const { props, setUi } = context;
  const plans = plansFor(context, phase);
  const plan =
    plans.length > 1
      ? await props.pick(plans.map(boardItem), t('boardView.toWhichPlan'))
      : plans[0];
  if (plan === undefined) return;
  const kind = phase === undefined ? 'end' : 'phase';
  setUi({ adding: { kind, plan: plan.path, phase, asked: Date.now() } });
}

/** Opens the field for new tasks after or under a card. */
export function addBeside(
  { setUi }: BoardContext,
  { board, task }: BoardCard,
  kind: 'after' | 'under',
): void {
  setUi({ adding: { kind, plan: board.path, task: task.key, asked: Date.now() } });
}

/** Asks for the limit of a column, and sets it. */
export async function askLimit(context: BoardContext, status: Column): Promise<void> {
  const { prefs, setPrefs, props } = context;
  const typed = await props.askLimit(status, prefs.limits[status]);
  if (typed === undefined) return;
  const { [status]: _, ...others } = prefs.limits;
  setPrefs({ limits: typed === '' ? others : { ...others, [status]: Number(typed) } });
}

export function columnMenu(context: BoardContext, status: Column, anchor: Anchor): void {
  const { prefs, setPrefs, boards, props } = context;
  const { intents } = props;
  const finished = status === 'completed' || status === 'cancelled';
  const writable = boards.filter(isWritable);
  const several = writable.length > 1;
  showMenu(
    anchor,
    [
      menuEntry('gauge', t('boardView.setLimit'), () => askLimit(context, status)),
      prefs.opened.includes(status) &&
        menuEntry('chevrons-down-up', t('boardView.foldToAStrip'), () =>
          setPrefs({ opened: prefs.opened.filter((one) => one !== status) }),
        ),
      ...(finished
        ? writable.flatMap((board): readonly MenuLine[] => [
            canArchive(board) &&
              menuEntry(
                'archive',
                several
                  ? t('boardView.archiveFinishedOf', { title: board.title })
                  : t('board.archiveFinishedTasks'),
                () => intents.archive(board),
              ),
            menuEntry(
              'archive-restore',
              several
                ? t('boardView.restoreTaskOf', { title: board.title })
                : t('board.restoreTask'),
              () => intents.restore(board),
            ),
          ])
        : []),
    ],
    columnWord(status),
  );
}

/** Opens the menu of a card: that of its task, or of all selected tasks. */
export function cardMenu(context: BoardContext, card: BoardCard, anchor: Anchor): void {
  const { ui, setUi, props } = context;
  const moveTo = () => moveMenu(context, card, anchor);
  const tasks = actionTargets(ui.picked, card.id, (id) => context.layout.byId.get(id)?.task);
  if (tasks.length > 1) {
    const clear = () => setUi({ picked: NONE_SELECTED });
    return props.intents.manyMenu(card.board, tasks, anchor, { clear, moveTo });
  }
  const lane = context.layout.lanes.find(({ cards }) =>
    cards.get(cardColumn(card.task))?.some(({ id }) => id === card.id),
  );
  props.intents.taskMenu(card.board, card.task, anchor, {
    rename: () =>
      setUi({ editing: { id: card.id, lane: lane?.id ?? '', status: cardColumn(card.task) } }),
    addAfter: () => addBeside(context, card, 'after'),
    addUnder: () => addBeside(context, card, 'under'),
    ...(isWritable(card.board) && { moveTo }),
  });
}

/** Opens a menu of columns and lanes to move a card to, with all that are selected with it. */
export function moveMenu(context: BoardContext, card: BoardCard, anchor: Anchor): void {
  const { layout, prefs, drop } = context;
  const carry = pickUpCards(context, card.id, false);
  if (carry === undefined) return;
  const { spot } = carry;
  const go = (part: Partial<CardDrag['spot']>) => () =>
    drop({ ...carry, spot: { ...spot, ...part } });
  const cards = draggedCards(layout, carry);
  const many = cards.length;
  const lanes =
    prefs.lanes === 'heading'
      ? withEmptyHeadings(layout, card.board).lanes.filter(({ id }) => hasLane(card.board, id))
      : layout.lanes;
  const away = planMove(context, card.board, cards);
  showMenu(
    anchor,
    [
      ...acceptingColumns(layout, cards).map((status) =>
        menuEntry(columnIcon(status), columnWord(status), go({ status }), status === spot.status),
      ),
      null,
      ...(prefs.lanes === 'none' ? [] : lanes).map(({ id }) =>
        menuEntry('rows-3', laneTitle(id, prefs.lanes), go({ lane: id }), id === spot.lane),
      ),
      null,
      away !== undefined && menuEntry('file-output', t('boardView.anotherPlan'), away),
    ],
    many > 1
      ? t('boardView.moveTasksTo', { count: many })
      : t('boardView.moveTitleTo', { title: card.task.title }),
  );
}

/** Asks for another plan and moves cards after its last task; undefined if there is none. */
function planMove(
  { state, props }: BoardContext,
  from: Board,
  cards: readonly BoardCard[],
): (() => Promise<void>) | undefined {
  const plans = boardsOfSession(state.boards, '').filter(
    (board) => board.path !== from.path && isWritable(board),
  );
  if (plans.length === 0) return undefined;
  return async () => {
    const to = await props.pick(plans.map(boardItem), t('boardView.toWhichPlan'));
    const tasks = cards.map(({ task }) => task);
    if (to !== undefined) props.intents.move(from, tasks, undefined, to);
  };
}

function columnIcon(column: Column): string {
  return column === 'review' ? 'eye' : STATUS_WORDS[column].icon;
}
