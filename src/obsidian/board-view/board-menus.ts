import { isFinished } from '../../core/board/facts';
import { actedOn, NONE_SELECTED } from '../model/selection';
import { line, showMenu, type Anchor, type MenuLine } from '../ui/menu';
import { STATUS_WORDS } from '../ui/text';
import { toggled, type BoardContext } from './board-state';
import {
  cardColumn,
  columnWord,
  LANE_KINDS,
  LANE_WORDS,
  laneTitle,
  movedLane,
  type BoardCard,
  type BoardLane,
  type Column,
} from './columns';
import { carryOf, carriedCards, type CardCarry } from './carry';
import { takingColumns } from './drop';
import { boardSessions, isWritable } from './shown-boards';

export function lanesMenu({ prefs, setPrefs }: BoardContext, anchor: Anchor): void {
  const lines = LANE_KINDS.map((kind) =>
    line(undefined, LANE_WORDS[kind], () => setPrefs({ lanes: kind }), kind === prefs.lanes),
  );
  showMenu(anchor, lines, 'Lanes');
}

export function sessionMenu(
  { state, props: { session } }: BoardContext,
  anchor: Anchor,
  onSession: (session: string) => void,
): void {
  const all = boardSessions(state);
  showMenu(anchor, [
    line(undefined, 'All plans', () => onSession(''), session === ''),
    null,
    ...all.map(({ id, title }) => line(undefined, title, () => onSession(id), id === session)),
  ]);
}

/** What moves a lane among the others; undefined where it is the first, or the last. */
export function laneMoves({ layout, prefs, setPrefs }: BoardContext, lane: BoardLane) {
  const { lanes: kind, order } = prefs;
  const move = (by: 1 | -1) => () => {
    const now = movedLane(layout.lanes, lane.id, by);
    // Lanes that the filter hides keep their place among each other.
    const hidden = (order[kind] ?? []).filter((id) => !now.includes(id));
    setPrefs({ order: { ...order, [kind]: [...now, ...hidden] } });
  };
  const at = layout.lanes.findIndex(({ id }) => id === lane.id);
  const last = layout.lanes.length - 1;
  return { up: at > 0 ? move(-1) : undefined, down: at < last ? move(1) : undefined };
}

export function laneMenu(context: BoardContext, lane: BoardLane, anchor: Anchor): void {
  const { prefs, setPrefs, setUi, folded } = context;
  const { lanes: kind, toggled: ids } = prefs;
  const { up, down } = laneMoves(context, lane);
  const open = !folded.has(lane.id);
  showMenu(
    anchor,
    [
      up !== undefined && line('arrow-up', 'Move lane up', up),
      down !== undefined && line('arrow-down', 'Move lane down', down),
      line(open ? 'chevrons-down-up' : 'chevrons-up-down', open ? 'Fold' : 'Unfold', () =>
        setPrefs({ toggled: toggled(ids, lane.id) }),
      ),
      kind === 'heading' &&
        lane.id !== '' &&
        line('plus', `Add task to ${lane.title}`, () =>
          setUi({ adding: { kind: 'phase', phase: lane.id, asked: Date.now() } }),
        ),
    ],
    lane.title,
  );
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
  const of = (title: string) => (writable.length > 1 ? ` of ${title}` : '');
  showMenu(
    anchor,
    [
      line('gauge', 'Set limit…', () => askLimit(context, status)),
      prefs.opened.includes(status) &&
        line('chevrons-down-up', 'Fold to a strip', () =>
          setPrefs({ opened: prefs.opened.filter((one) => one !== status) }),
        ),
      ...(finished
        ? writable.flatMap((board): readonly MenuLine[] => [
            board.tasks.some(isFinished) &&
              line('archive', `Archive finished tasks${of(board.title)}`, () =>
                intents.archive(board),
              ),
            line('archive-restore', `Restore task${of(board.title)}…`, () =>
              intents.restore(board),
            ),
          ])
        : []),
    ],
    columnWord(status),
  );
}

/** The menu of a card: that of its task, or what can be done with all that are selected. */
export function cardMenu(context: BoardContext, card: BoardCard, anchor: Anchor): void {
  const { ui, setUi, props } = context;
  const moveTo = () => moveMenu(context, card, anchor);
  const tasks = actedOn(ui.picked, card.id, (id) => context.layout.byId.get(id)?.task);
  if (tasks.length > 1) {
    const clear = () => setUi({ picked: NONE_SELECTED });
    return props.intents.manyMenu(card.board, tasks, anchor, { clear, moveTo });
  }
  const lane = context.layout.lanes.find(({ cards }) =>
    cards.get(cardColumn(card.task))?.some(({ id }) => id === card.id),
  );
  const add = (kind: 'after' | 'under') => () =>
    setUi({ adding: { kind, card: card.id, asked: Date.now() } });
  props.intents.taskMenu(card.board, card.task, anchor, {
    rename: () =>
      setUi({ editing: { id: card.id, lane: lane?.id ?? '', status: cardColumn(card.task) } }),
    addAfter: add('after'),
    addUnder: add('under'),
    ...(isWritable(card.board) && { moveTo }),
  });
}

/** Columns and lanes to move a card to, with all that are selected with it. */
export function moveMenu(context: BoardContext, card: BoardCard, anchor: Anchor): void {
  const { layout, prefs, drop } = context;
  const carry = carryOf(context, card.id, false);
  if (carry === undefined) return;
  const { spot } = carry;
  const go = (part: Partial<CardCarry['spot']>) => () =>
    drop({ ...carry, spot: { ...spot, ...part } });
  const many = carriedCards(layout, carry).length;
  showMenu(
    anchor,
    [
      ...takingColumns(layout, carriedCards(layout, carry)).map((status) =>
        line(columnIcon(status), columnWord(status), go({ status }), status === spot.status),
      ),
      null,
      ...(prefs.lanes === 'none' ? [] : layout.lanes).map(({ id }) =>
        line('rows-3', laneTitle(id, prefs.lanes), go({ lane: id }), id === spot.lane),
      ),
    ],
    many > 1 ? `Move ${many} tasks to` : `Move ${card.task.title} to`,
  );
}

function columnIcon(column: Column): string {
  return column === 'review' ? 'eye' : STATUS_WORDS[column].icon;
}
