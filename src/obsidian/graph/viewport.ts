import type { Undo } from '../../core/ports';
import type { Box } from './layout';

interface Point {
  readonly x: number;
  readonly y: number;
}

const MIN_SCALE = 0.2;
const MAX_SCALE = 2;
/** factor of one zoom step */
export const ZOOM_STEP = 1.25;
/** px kept free around a part that is scrolled into view */
const MARGIN = 24;
/** px below which a press is not a drag */
const DRAG_THRESHOLD = 4;

/**
 * The visible part of a large canvas, and its scale. Positions are px from the inline start, so
 * that right-to-left text needs no other code. Moves by CSS alone: nothing is redrawn.
 */
export class Viewport {
  private x = MARGIN;
  private y = MARGIN;
  private k = 1;

  constructor(
    private readonly frame: HTMLElement,
    private readonly canvas: HTMLElement,
    private readonly onScale: (scale: number) => void,
  ) {
    this.applyTransform();
  }

  get scale(): number {
    return this.k;
  }

  pan(dx: number, dy: number): void {
    this.moveTo(this.x + dx, this.y + dy, this.k, false);
  }

  /** @param at the fixed point, from the frame's start; by default its middle */
  zoom(factor: number, at: Point = this.middle): void {
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.k * factor));
    const by = scale / this.k;
    this.moveTo(at.x - (at.x - this.x) * by, at.y - (at.y - this.y) * by, scale, false);
  }

  /**
   * Shows the whole canvas, at most at its own size.
   * @param minScale the smallest scale; at that scale a larger canvas is cut off
   */
  fit({ width, height }: Pick<Box, 'width' | 'height'>, minScale = MIN_SCALE): void {
    const { clientWidth, clientHeight } = this.frame;
    const fits = Math.min((clientWidth - 2 * MARGIN) / width, (clientHeight - 2 * MARGIN) / height);
    this.moveTo(MARGIN, MARGIN, Math.min(1, Math.max(minScale, fits)), false);
  }

  /** Scrolls to a box, no further than needed. */
  reveal(box: Box): void {
    const { clientWidth, clientHeight } = this.frame;
    const x = scrollDistance(this.x + box.x * this.k, box.width * this.k, clientWidth);
    const y = scrollDistance(this.y + box.y * this.k, box.height * this.k, clientHeight);
    if (x !== 0 || y !== 0) this.moveTo(this.x + x, this.y + y, this.k, true);
  }

  /** Scrolls so that a box that moved on the canvas stays in place on the screen. */
  keepInPlace(before: Box, after: Box): void {
    const [x, y] = [before.x - after.x, before.y - after.y];
    this.moveTo(this.x + x * this.k, this.y + y * this.k, this.k, false);
  }

  /** Whether a part of the box is visible. */
  isVisible(box: Box): boolean {
    const { clientWidth, clientHeight } = this.frame;
    const [x, y] = [this.x + box.x * this.k, this.y + box.y * this.k];
    return (
      x < clientWidth &&
      y < clientHeight &&
      x + box.width * this.k > 0 &&
      y + box.height * this.k > 0
    );
  }

  /** A pointer's position, from the frame's start. */
  inFrame(event: MouseEvent): Point {
    const { left, right, top } = this.frame.getBoundingClientRect();
    return {
      x: this.inlineDirection === 1 ? event.clientX - left : right - event.clientX,
      y: event.clientY - top,
    };
  }

  /** A pointer's position on the canvas. */
  onCanvas(event: MouseEvent): Point {
    const { x, y } = this.inFrame(event);
    return { x: (x - this.x) / this.k, y: (y - this.y) / this.k };
  }

  /** 1 for left to right, -1 for right to left. */
  get inlineDirection(): 1 | -1 {
    return this.frame.matches(':dir(rtl)') ? -1 : 1;
  }

  private get middle(): Point {
    return { x: this.frame.clientWidth / 2, y: this.frame.clientHeight / 2 };
  }

  private moveTo(x: number, y: number, scale: number, animated: boolean): void {
    const other = scale !== this.k;
    [this.x, this.y, this.k] = [x, y, scale];
    this.canvas.toggleClass('is-gliding', animated);
    this.applyTransform();
    if (other) this.onScale(scale);
  }

  private applyTransform(): void {
    this.canvas.setCssProps({
      '--atb-pan-x': `${Math.round(this.x) * this.inlineDirection}px`,
      '--atb-pan-y': `${Math.round(this.y)}px`,
      '--atb-scale': String(this.k),
    });
  }
}

/**
 * How far to move a range so that it fits into the frame with its margin; a range that is too long
 * aligns to the start.
 */
function scrollDistance(start: number, length: number, frame: number): number {
  if (start < MARGIN || length > frame - 2 * MARGIN) return MARGIN - start;
  const over = start + length + MARGIN - frame;
  return over > 0 ? -over : 0;
}

/** A drag from the end handle of a task. */
export interface LinkDrag {
  /** @param over the task under the pointer */
  move(at: Point, over: string | undefined): void;
  /** @param over undefined: cancelled, or not dropped on a task */
  end(over: string | undefined): void;
}

/**
 * Handles pointers and wheel on the frame: dragging moves the canvas, two fingers or Ctrl with the
 * wheel zoom, dragging a handle creates a dependency.
 */
export function followPointers(
  frame: HTMLElement,
  viewport: Viewport,
  startLink: (from: string) => LinkDrag | undefined,
): Undo {
  const down = new Map<number, PointerEvent>();
  let link: { readonly id: number; readonly drag: LinkDrag } | undefined;
  let dragged = false;
  const onDown = (event: PointerEvent): void => {
    const target = event.target as Element;
    const handle = target.closest<HTMLElement>('[data-handle]');
    if (event.button !== 0) return;
    if (handle !== null && link === undefined) {
      const drag = startLink(handle.dataset['handle'] ?? '');
      if (drag !== undefined) link = { id: event.pointerId, drag };
      frame.setPointerCapture(event.pointerId);
      return event.preventDefault();
    }
    const onTask = target.closest('[data-node], [data-edge]') !== null;
    if (onTask && event.pointerType === 'mouse') return;
    if (down.size === 0) dragged = false;
    down.set(event.pointerId, event);
  };
  const onMove = (event: PointerEvent): void => {
    if (link?.id === event.pointerId) {
      return link.drag.move(viewport.onCanvas(event), taskAtPointer(frame, event));
    }
    const last = down.get(event.pointerId);
    if (last === undefined) return;
    // It was released outside of the frame, before it was captured.
    if (event.buttons === 0) return void down.delete(event.pointerId);
    const [dx, dy] = [
      (event.clientX - last.clientX) * viewport.inlineDirection,
      event.clientY - last.clientY,
    ];
    if (!dragged && down.size === 1 && Math.hypot(dx, dy) < DRAG_THRESHOLD) return;
    dragged = true;
    // Captured only now, since a press that does not move is a click on the element under it.
    if (!frame.hasPointerCapture(event.pointerId)) frame.setPointerCapture(event.pointerId);
    const other = [...down.values()].find(({ pointerId }) => pointerId !== event.pointerId);
    if (other === undefined) viewport.pan(dx, dy);
    else pinch(viewport, other, last, event);
    down.set(event.pointerId, event);
  };
  const onUp = (event: PointerEvent): void => {
    down.delete(event.pointerId);
    if (link?.id !== event.pointerId) return;
    const { drag } = link;
    link = undefined;
    drag.end(event.type === 'pointerup' ? taskAtPointer(frame, event) : undefined);
  };
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { deltaX, deltaY } = event;
    if (event.ctrlKey || event.metaKey) {
      viewport.zoom(Math.exp(-Math.max(-50, Math.min(50, deltaY)) / 100), viewport.inFrame(event));
    } else if (event.shiftKey && deltaX === 0) viewport.pan(-deltaY, 0);
    else viewport.pan(-deltaX * viewport.inlineDirection, -deltaY);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || link === undefined) return;
    link.drag.end(undefined);
    link = undefined;
    event.stopPropagation();
  };
  const undos = [
    listen(frame, 'pointerdown', onDown),
    listen(frame, 'pointermove', onMove),
    listen(frame, 'pointerup', onUp),
    listen(frame, 'pointercancel', onUp),
    listen(frame, 'wheel', onWheel),
    listen(frame.ownerDocument.body, 'keydown', onKey),
  ];
  return () => undos.forEach((undo) => undo());
}

function listen<K extends keyof HTMLElementEventMap>(
  element: HTMLElement,
  type: K,
  listener: (event: HTMLElementEventMap[K]) => void,
): Undo {
  const options = { passive: false, capture: type === 'keydown' };
  element.addEventListener(type, listener, options);
  return () => element.removeEventListener(type, listener, options);
}

function pinch(
  viewport: Viewport,
  still: PointerEvent,
  before: PointerEvent,
  now: PointerEvent,
): void {
  const [fixed, was, is] = [still, before, now].map((event) => viewport.inFrame(event));
  if (fixed === undefined || was === undefined || is === undefined) return;
  const length = (to: Point) => Math.hypot(to.x - fixed.x, to.y - fixed.y);
  viewport.zoom(length(is) / Math.max(1, length(was)), fixed);
}

function taskAtPointer(frame: HTMLElement, { clientX, clientY }: MouseEvent): string | undefined {
  const element = frame.ownerDocument.elementFromPoint(clientX, clientY);
  const node = element?.closest<HTMLElement>('[data-node]');
  return node && frame.contains(node) ? node.dataset['node'] : undefined;
}
