import type { KeyBinding } from '../ui/view-actions';
import type { Box, PlanLayout } from './layout';
import { FOLDED_KEY, isOutsideKey, type DrawnTask, type PlanDrawing } from './plan-drawing';
import { t } from '../language/text';

type Step = 'up' | 'down' | 'pageUp' | 'pageDown' | 'first' | 'last';

export type GraphDirection = 'before' | 'after' | Step;

/** Number of tasks that Page Up and Page Down move. */
const PAGE = 10;

/**
 * The node to which a key moves; undefined if there is none. Moves along edges to the nearest node; a node
 * without edges uses those of its frame.
 */
export function nextNode(
  { boxes, edges }: PlanLayout,
  drawing: PlanDrawing,
  at: string,
  direction: GraphDirection,
): string | undefined {
  const tasks = new Map(drawing.tasks.map((one) => [one.task.key, one]));
  if (direction === 'before' || direction === 'after') {
    const [own, other] =
      direction === 'after' ? (['from', 'to'] as const) : (['to', 'from'] as const);
    for (let node: string | null = at; node !== null; node = tasks.get(node)?.frame ?? null) {
      const ends = edges.filter((edge) => edge[own] === node).map((edge) => edge[other]);
      const nearest = byDistance(ends, boxes, boxes.get(at))[0];
      if (nearest !== undefined) return nearest;
    }
    return undefined;
  }
  const wave = tasks.get(at)?.wave ?? (at === FOLDED_KEY ? 0 : null);
  const nodes = isOutsideKey(at)
    ? drawing.outside.map(({ key }) => key)
    : tasksOfWave(drawing, wave);
  return stepIn(fromTheTop(nodes, boxes), at, direction);
}

function stepIn(keys: readonly string[], at: string, step: Step): string | undefined {
  const [place, last] = [keys.indexOf(at), keys.length - 1];
  const to: Readonly<Record<Step, number>> = {
    ...{ up: place - 1, down: place + 1, first: 0, last },
    ...{ pageUp: Math.max(place - PAGE, 0), pageDown: Math.min(place + PAGE, last) },
  };
  return keys[to[step]];
}

function tasksOfWave({ tasks, folded }: PlanDrawing, wave: DrawnTask['wave']): readonly string[] {
  const keys = tasks.filter((one) => one.wave === wave).map(({ task }) => task.key);
  return wave === 0 && folded.length > 0 ? [...keys, FOLDED_KEY] : keys;
}

function fromTheTop(keys: readonly string[], boxes: ReadonlyMap<string, Box>): readonly string[] {
  const top = (key: string) => boxes.get(key)?.y ?? 0;
  const left = (key: string) => boxes.get(key)?.x ?? 0;
  return [...keys].sort((a, b) => top(a) - top(b) || left(a) - left(b));
}

function byDistance(
  keys: readonly string[],
  boxes: ReadonlyMap<string, Box>,
  from: Box | undefined,
): readonly string[] {
  const middle = (box: Box | undefined) => (box === undefined ? 0 : box.y + box.height / 2);
  const distance = (key: string) => Math.abs(middle(boxes.get(key)) - middle(from));
  return [...keys].sort((a, b) => distance(a) - distance(b));
}

/** As `nextNode`, for the list: up and down go through all waves. */
export function nextListNode(
  { waves, edges, folded, outside }: PlanDrawing,
  at: string,
  direction: GraphDirection,
): string | undefined {
  if (direction === 'before')
    return edges.find(({ from, to }) => to === at && from !== FOLDED_KEY)?.from;
  if (direction === 'after') return edges.find(({ from }) => from === at)?.to;
  const keys = waves.flatMap(({ tasks }) => tasks.map(({ task }) => task.key));
  if (folded.length > 0) keys.push(FOLDED_KEY);
  return stepIn([...keys, ...outside.map(({ key }) => key)], at, direction);
}

/** The direction of an arrow key or a key of that kind; undefined for another key. */
export function directionOfKey(event: KeyboardEvent, rtl: boolean): GraphDirection | undefined {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return undefined;
  const ways: Readonly<Record<string, GraphDirection>> = {
    ArrowLeft: rtl ? 'after' : 'before',
    ArrowRight: rtl ? 'before' : 'after',
    ArrowUp: 'up',
    ArrowDown: 'down',
    Home: 'first',
    End: 'last',
    PageUp: 'pageUp',
    PageDown: 'pageDown',
  };
  return ways[key];
}

/** The keys of the graph and of its list. */
export const GRAPH_KEYS: readonly KeyBinding[] = [
  { shown: '← →', words: t('graph.alongDependencies') },
  { shown: '↑ ↓ Home End Page Up Page Down', words: t('graph.withinAWave') },
  {
    shown: 'Enter',
    words: t('graph.openInItsNote'),
    keys: { Enter: 'open-task', 'Mod+Enter': 'open-task-in-tab' },
  },
  { shown: 'Space', words: t('graph.tickOrUntick'), keys: { ' ': 'tick-task' } },
  { shown: 'F2', words: t('boardView.renameKeys'), keys: { F2: 'rename-task' } },
  { shown: 'S', words: t('boardView.changeStatus'), keys: { s: 'set-status' } },
  { shown: 'H', words: t('boardView.haveItDoneByAnAgent'), keys: { h: 'have-it-done' } },
  {
    shown: 'R, Y, B',
    words: t('boardView.reviewKeys'),
    keys: { r: 'review-task', y: 'accept-task', b: 'send-back-task' },
  },
  {
    shown: 'A / Shift A',
    words: t('boardView.addAfterOrUnder'),
    keys: { a: 'add-task-here', A: 'add-subtask' },
  },
  {
    shown: 'D / Shift D',
    words: t('graph.addOrRemoveADependency'),
    keys: { d: 'add-dependency', D: 'remove-dependency' },
  },
  {
    shown: 'Delete',
    words: t('graph.removeDependencyOrTask'),
    keys: { Delete: ['remove-edge', 'remove-task'], Backspace: 'remove-edge' },
  },
  { shown: 'C', words: t('common.markChangesAsSeen'), keys: { c: 'mark-seen' } },
  { shown: 'W', words: t('graph.whatCouldStart'), keys: { w: 'what-if' } },
  {
    shown: '+ − 0',
    words: t('graph.zoomInZoomOutShowAll'),
    keys: { '+': 'zoom-in', '=': 'zoom-in', '-': 'zoom-out', '0': 'zoom-to-fit' },
  },
  {
    shown: 'Ctrl Z / Ctrl Shift Z',
    words: t('graph.undoOrRedoYourLastChange'),
    keys: { 'Mod+z': 'undo', 'Mod+Shift+z': 'redo' },
  },
  { shown: '/', words: t('graph.findATask'), keys: { '/': 'filter-board' } },
  {
    shown: 'Shift F10',
    words: t('graph.menu'),
    keys: { 'Shift+F10': 'show-menu', ContextMenu: 'show-menu' },
  },
  { shown: 'Esc', words: t('graph.closeThePanel'), keys: { Escape: 'close-details' } },
  { shown: '?', words: t('graph.showTheseKeys'), keys: { '?': 'show-keys' } },
];
