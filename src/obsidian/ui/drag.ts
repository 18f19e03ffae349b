import type { Undo } from '../../core/ports';

/** px that a mouse must move to pick up an item; px within which a finger counts as resting. */
const [MOUSE_SLACK, FINGER_SLACK] = [5, 10];

/** ms that a finger must rest on an item to pick it up. */
const LONG_PRESS = 400;

/**
 * Distance in px from an edge in which a scroller scrolls by itself, and px per frame at the edge.
 */
const [EDGE_SIZE, MAX_SCROLL_SPEED] = [56, 18];

/** A point in the window, in px. */
export interface DragPoint {
  readonly x: number;
  readonly y: number;
}

/** How a list reacts when its items are dragged. `T` identifies the dragged item. */
export interface DragTarget<T> {
  /** the item that a press picks up, and the element drawn at the pointer; undefined: none */
  readonly find: (
    pressed: Element,
  ) => { readonly item: T; readonly element: HTMLElement } | undefined;
  readonly start: (item: T) => void;
  /** The pointer, pressed at `from`, moved to `at`, or what is below it moved. */
  readonly over: (item: T, at: DragPoint, from: DragPoint) => void;
  /** The item was dropped. */
  readonly drop: (item: T, at: DragPoint, from: DragPoint) => void;
  /** The drag was cancelled; nothing may change. */
  readonly cancel: (item: T) => void;
  /** elements that scroll by themselves while the pointer is near their edges */
  readonly scrollers: () => readonly HTMLElement[];
}

/** Controls that handle a press themselves; pressing one never picks up the item around it. */
const CONTROLS = 'input, textarea, button, select, [role=checkbox], [contenteditable=true]';

/**
 * Picks up items of a list with the mouse (press and move) or a finger (long press), follows the
 * pointer and scrolls at the edges. A finger that moves before the long press pans and picks up
 * nothing; the click that ends a drag is suppressed.
 */
export function followDrags<T>(root: HTMLElement, target: DragTarget<T>): Undo {
  const drags = new DragTracker(root, target);
  return () => drags.close();
}

interface Press<T> {
  readonly pointer: number;
  readonly touch: boolean;
  readonly from: DragPoint;
  readonly item: T;
  readonly element: HTMLElement;
}

interface ActiveDrag<T> extends Press<T> {
  readonly ghost: HTMLElement;
  at: DragPoint;
}

class DragTracker<T> {
  private press: Press<T> | undefined;
  private timer: number | undefined;
  private activeDrag: ActiveDrag<T> | undefined;
  private frame: number | undefined;
  private readonly listening = new AbortController();
  /** the window whose pointer is followed, and what ends that */
  private followed: { readonly win: Window; readonly listening: AbortController } | undefined;

  constructor(
    private readonly root: HTMLElement,
    private readonly target: DragTarget<T>,
  ) {
    const { signal } = this.listening;
    root.addEventListener('pointerdown', (event) => this.down(event), { signal });
    // The browser pans unless the first move of a finger is prevented.
    const take = (event: Event) => this.activeDrag !== undefined && event.preventDefault();
    root.addEventListener('touchmove', take, { signal, passive: false });
  }

  /** Listens to the window of the list, which the app may have moved since the last press. */
  private followWindow(): void {
    const { win, followed, root } = this;
    if (followed?.win === win) return;
    followed?.listening.abort();
    const listening = new AbortController();
    this.followed = { win, listening };
    const { signal } = listening;
    const doc = root.ownerDocument;
    win.addEventListener('pointermove', (event) => this.move(event), { signal });
    win.addEventListener('pointerup', (event) => this.up(event), { signal });
    win.addEventListener('pointercancel', () => this.end(false), { signal });
    win.addEventListener('blur', () => this.end(false), { signal });
    win.addEventListener('keydown', (event) => this.key(event), { signal, capture: true });
    // A long press would open the system's menu and select words.
    const held = () => this.activeDrag?.touch === true || this.press?.touch === true;
    const suppress = (event: Event) => {
      if (!held()) return;
      event.preventDefault();
      event.stopPropagation();
    };
    doc.addEventListener('contextmenu', suppress, { signal, capture: true });
    doc.addEventListener('selectstart', suppress, { signal });
  }

  /** The window of the list; the app may have several. */
  private get win(): Window {
    return this.root.ownerDocument.defaultView ?? window;
  }

  close(): void {
    this.end(false);
    this.listening.abort();
    this.followed?.listening.abort();
  }

  private down(event: PointerEvent): void {
    if (this.activeDrag !== undefined) return;
    this.clearPress();
    const pressed = event.target as Element;
    if (event.button !== 0 || !event.isPrimary || event.ctrlKey) return;
    const touch = event.pointerType !== 'mouse';
    // A press on elements that only react to a tap, such as links, may pick up the item.
    if (pressed.closest(CONTROLS) !== null) return;
    const found = this.target.find(pressed);
    if (found === undefined) return;
    this.followWindow();
    const from = { x: event.clientX, y: event.clientY };
    this.press = { pointer: event.pointerId, touch, from, ...found };
    if (touch) this.timer = this.win.setTimeout(() => this.startDrag(from), LONG_PRESS);
  }

  private move(event: PointerEvent): void {
    const at = { x: event.clientX, y: event.clientY };
    const { press, activeDrag } = this;
    if (activeDrag !== undefined) {
      if (activeDrag.pointer === event.pointerId) this.follow(activeDrag, at);
      return;
    }
    if (press?.pointer !== event.pointerId) return;
    const distance = Math.hypot(at.x - press.from.x, at.y - press.from.y);
    if (press.touch) {
      if (distance > FINGER_SLACK) this.clearPress();
    } else if (event.buttons % 2 === 0) this.clearPress();
    else if (distance > MOUSE_SLACK) this.startDrag(at);
  }

  private up(event: PointerEvent): void {
    if (this.activeDrag?.pointer === event.pointerId) this.end(true);
    else if (this.press?.pointer === event.pointerId) this.clearPress();
  }

  private key(event: KeyboardEvent): void {
    if (this.activeDrag === undefined || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.end(false);
  }

  private startDrag(at: DragPoint): void {
    const { press } = this;
    this.clearPress();
    if (press === undefined || !press.element.isConnected) return;
    const ghost = ghostOf(press.element, press.from);
    this.activeDrag = { ...press, ghost, at };
    this.root.ownerDocument.getSelection()?.removeAllRanges();
    this.target.start(press.item);
    this.follow(this.activeDrag, at);
    this.frame = this.win.requestAnimationFrame(() => this.scroll());
  }

  private follow(activeDrag: ActiveDrag<T>, at: DragPoint): void {
    activeDrag.at = at;
    const { from, ghost } = activeDrag;
    ghost.style.transform = `translate(${at.x - from.x}px, ${at.y - from.y}px) rotate(1deg)`;
    this.target.over(activeDrag.item, at, from);
  }

  /** Runs once per frame: scrolls at edges, and reports what is below the pointer now. */
  private scroll(): void {
    const { activeDrag, target } = this;
    if (activeDrag === undefined) return;
    let moved = false;
    for (const scroller of target.scrollers()) {
      const { scrollLeft, scrollTop } = scroller;
      const by = edgeSpeed(scroller.getBoundingClientRect(), activeDrag.at);
      if (by.x !== 0 || by.y !== 0) scroller.scrollBy(by.x, by.y);
      moved ||= scroller.scrollLeft !== scrollLeft || scroller.scrollTop !== scrollTop;
    }
    if (moved) target.over(activeDrag.item, activeDrag.at, activeDrag.from);
    this.frame = this.win.requestAnimationFrame(() => this.scroll());
  }

  private end(dropped: boolean): void {
    this.clearPress();
    const { activeDrag } = this;
    if (activeDrag === undefined) return;
    this.activeDrag = undefined;
    if (this.frame !== undefined) this.win.cancelAnimationFrame(this.frame);
    activeDrag.ghost.remove();
    if (dropped) this.suppressClick();
    if (dropped) this.target.drop(activeDrag.item, activeDrag.at, activeDrag.from);
    else this.target.cancel(activeDrag.item);
  }

  /** Suppresses the click event that follows the release. */
  private suppressClick(): void {
    const { win } = this;
    const stop = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
    };
    win.addEventListener('click', stop, { capture: true, once: true });
    win.setTimeout(() => win.removeEventListener('click', stop, { capture: true }), 0);
  }

  private clearPress(): void {
    this.win.clearTimeout(this.timer);
    this.press = undefined;
  }
}

/** The copy drawn at the pointer; it takes no clicks, and screen readers ignore it. */
function ghostOf(element: HTMLElement, { x, y }: DragPoint): HTMLElement {
  const box = element.getBoundingClientRect();
  const ghost = element.cloneNode(true) as HTMLElement;
  for (const one of [ghost, ...ghost.querySelectorAll('[id]')]) one.removeAttribute('id');
  ghost.classList.add('atb-ghost');
  ghost.setAttribute('aria-hidden', 'true');
  ghost.removeAttribute('data-at');
  ghost.removeAttribute('tabindex');
  Object.assign(ghost.style, {
    ...{ left: `${box.left}px`, top: `${box.top}px` },
    ...{ width: `${box.width}px`, transformOrigin: `${x - box.left}px ${y - box.top}px` },
  });
  // Inside the drag root, where the view's colours apply.
  element.closest('[data-drag-root]')?.append(ghost);
  return ghost;
}

/** px per frame by which to scroll; 0 if the pointer is not near an edge. */
export function edgeSpeed(
  box: Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>,
  { x, y }: DragPoint,
): DragPoint {
  const beside = x < box.left - EDGE_SIZE || x > box.right + EDGE_SIZE;
  if (beside || y < box.top - EDGE_SIZE || y > box.bottom + EDGE_SIZE) return { x: 0, y: 0 };
  return { x: speed(x, box.left, box.right), y: speed(y, box.top, box.bottom) };
}

function speed(at: number, from: number, to: number): number {
  const edge = Math.min(EDGE_SIZE, (to - from) / 4);
  const into = at < from + edge ? at - from - edge : at > to - edge ? at - to + edge : 0;
  return Math.round((Math.max(-edge, Math.min(edge, into)) / edge) * MAX_SCROLL_SPEED);
}
