import type { Box, PlanLayout } from './layout';
import { FOLDED, type DrawnTask, type PlanDrawing } from './plan-drawing';

export type GraphWay = 'before' | 'after' | 'up' | 'down' | 'first' | 'last';

/**
 * The node that a key goes to; undefined where there is none. Along edges it goes to the nearest, from
 * what has no edge of its own by those of its frame.
 */
export function nextNode(
  { boxes, edges }: PlanLayout,
  drawing: PlanDrawing,
  at: string,
  way: GraphWay,
): string | undefined {
  const tasks = new Map(drawing.tasks.map((one) => [one.task.key, one]));
  if (way === 'before' || way === 'after') {
    const [own, other] = way === 'after' ? (['from', 'to'] as const) : (['to', 'from'] as const);
    for (let node: string | null = at; node !== null; node = tasks.get(node)?.frame ?? null) {
      const ends = edges.filter((edge) => edge[own] === node).map((edge) => edge[other]);
      const nearest = byDistance(ends, boxes, boxes.get(at))[0];
      if (nearest !== undefined) return nearest;
    }
    return undefined;
  }
  const wave = inWave(drawing, boxes, tasks.get(at)?.wave ?? (at === FOLDED ? 0 : null));
  const place = wave.indexOf(at);
  const to = { up: place - 1, down: place + 1, first: 0, last: wave.length - 1 }[way];
  return wave[to];
}

/** The nodes of a wave from top to bottom. */
function inWave(
  { tasks, folded }: PlanDrawing,
  boxes: ReadonlyMap<string, Box>,
  wave: DrawnTask['wave'],
): readonly string[] {
  const keys = tasks.filter((one) => one.wave === wave).map(({ task }) => task.key);
  if (wave === 0 && folded.length > 0) keys.push(FOLDED);
  const top = (key: string) => boxes.get(key)?.y ?? 0;
  const left = (key: string) => boxes.get(key)?.x ?? 0;
  return keys.sort((a, b) => top(a) - top(b) || left(a) - left(b));
}

function byDistance(
  keys: readonly string[],
  boxes: ReadonlyMap<string, Box>,
  from: Box | undefined,
): readonly string[] {
  const middle = (box: Box | undefined) => (box === undefined ? 0 : box.y + box.height / 2);
  const far = (key: string) => Math.abs(middle(boxes.get(key)) - middle(from));
  return [...keys].sort((a, b) => far(a) - far(b));
}

/** The same in the list: up and down go through all waves. */
export function listNode(
  { waves, edges, folded }: PlanDrawing,
  at: string,
  way: GraphWay,
): string | undefined {
  if (way === 'before') return edges.find(({ from, to }) => to === at && from !== FOLDED)?.from;
  if (way === 'after') return edges.find(({ from }) => from === at)?.to;
  const keys = waves.flatMap(({ tasks }) => tasks.map(({ task }) => task.key));
  if (folded.length > 0) keys.push(FOLDED);
  const place = keys.indexOf(at);
  return keys[{ up: place - 1, down: place + 1, first: 0, last: keys.length - 1 }[way]];
}

type TaskKeys = Readonly<
  Partial<
    Record<
      'open' | 'openInTab' | 'tick' | 'status' | 'depend' | 'undepend' | 'menu' | 'remove',
      () => void
    >
  >
>;

/** What the keys of the graph and of its list do. */
export interface KeyActs {
  readonly go: (way: GraphWay) => void;
  readonly zoom: (by: 'in' | 'out' | 'fit') => void;
  readonly find: () => void;
  readonly whatIf: () => void;
  readonly keys: () => void;
  readonly undo: (again: boolean) => void;
  readonly escape: () => void;
  /** undefined where the person is on no task */
  readonly task: TaskKeys | undefined;
  /** undefined where no edge is selected */
  readonly edge: { readonly remove: () => void } | undefined;
}

/** Carries out a key. @returns whether it does something here */
export function graphKey(event: KeyboardEvent, rtl: boolean, acts: KeyActs): boolean {
  const { task } = acts;
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key === 'z') acts.undo(event.shiftKey);
    else if (key === 'enter' && task?.openInTab !== undefined) task.openInTab();
    else return false;
    return true;
  }
  if (event.altKey) return false;
  const forward = rtl ? 'ArrowLeft' : 'ArrowRight';
  const run: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowLeft: () => acts.go(forward === 'ArrowLeft' ? 'after' : 'before'),
    ArrowRight: () => acts.go(forward === 'ArrowRight' ? 'after' : 'before'),
    ArrowUp: () => acts.go('up'),
    ArrowDown: () => acts.go('down'),
    Home: () => acts.go('first'),
    End: () => acts.go('last'),
    '+': () => acts.zoom('in'),
    '=': () => acts.zoom('in'),
    '-': () => acts.zoom('out'),
    '0': () => acts.zoom('fit'),
    '/': acts.find,
    '?': acts.keys,
    w: acts.whatIf,
    Escape: acts.escape,
    Delete: acts.edge?.remove ?? task?.remove,
    Backspace: acts.edge?.remove,
    Enter: task?.open,
    ' ': task?.tick,
    s: task?.status,
    d: task?.depend,
    D: task?.undepend,
    ContextMenu: task?.menu,
    F10: event.shiftKey ? task?.menu : undefined,
  };
  const done = run[event.key];
  done?.();
  return done !== undefined;
}
