import type { Undo } from '../../core/ports';
import { drawnRows } from '../ui/drawn-rows';
import { useRedraw } from '../ui/use-changes';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/** px from the end within which the view follows new blocks. */
const NEAR_END = 40;

/** A block, and its estimated height until it was drawn. */
interface WindowItem {
  readonly key: string;
  /** px */
  readonly estimatedHeight: number;
}

/**
 * Decides which blocks of a long list are drawn, and the scroll position. At the end of the list the view
 * follows new blocks; anywhere else the block at the top keeps its place, whatever changes around it.
 */
class TranscriptWindow {
  private following = true;
  private anchor: { readonly key: string; readonly offset: number } | undefined;
  /** key of the block to scroll to, until it is drawn; size changes scroll nothing until then */
  private scrollTarget: string | undefined;
  private readonly heights = new Map<string, number>();
  private scroller: HTMLElement | undefined;
  private list: HTMLElement | undefined;
  private lastTop = 0;
  /** Size of the scroller when it was last measured; reading it in between would force a layout. */
  private width = 0;
  private height = 0;

  /**
   * @param redraw draws the list again, with the new result of `rowsToDraw`
   * @param onFollowing receives true when the view reaches the end, false when it leaves it
   */
  constructor(
    private readonly redraw: () => void,
    private readonly onFollowing: (following: boolean) => void,
  ) {}

  /** Whether the list has a size; it has none in a hidden tab, where it need not be drawn. */
  get shown(): boolean {
    return this.height > 0;
  }

  attach(scroller: HTMLElement, list: HTMLElement): Undo {
    [this.scroller, this.list] = [scroller, list];
    const scrolled = () => this.onScroll();
    scroller.addEventListener('scroll', scrolled, { passive: true });
    const sizes = new ResizeObserver(() => this.updateLayout());
    sizes.observe(scroller);
    sizes.observe(list);
    this.height = scroller.clientHeight;
    return () => {
      scroller.removeEventListener('scroll', scrolled);
      sizes.disconnect();
    };
  }

  /**
   * Which items to draw, and the heights of the gaps.
   * @param alwaysDrawn index that is always drawn, since it may have the focus
   */
  rowsToDraw(items: readonly WindowItem[], alwaysDrawn: number) {
    const heights = items.map(({ key, estimatedHeight: guess }) => this.heights.get(key) ?? guess);
    const { height } = this;
    if (!items.some(({ key }) => key === this.scrollTarget)) this.scrollTarget = undefined;
    const top = this.following ? undefined : this.visibleTop(items, heights);
    const end = heights.reduce((sum, one) => sum + one, 0);
    const from = top ?? Math.max(0, end - height);
    return drawnRows(heights, { top: from, bottom: from + Math.max(height, 400) }, alwaysDrawn);
  }

  /** Scrolls a block to a third of the view's height. */
  goTo(key: string): void {
    this.anchor = { key, offset: this.height / 3 };
    this.scrollTarget = key;
    this.setFollowing(false);
    this.redraw();
  }

  /** Call this after each drawing: the block to scroll to may be drawn now. */
  afterDraw(): void {
    if (this.scrollTarget !== undefined) this.updateLayout();
  }

  goToEnd(): void {
    this.setFollowing(true);
    this.redraw();
    this.toEnd();
  }

  /**
   * Call this after something was drawn or resized: measures the blocks and restores the position.
   */
  updateLayout(): void {
    const { scroller } = this;
    this.height = scroller?.clientHeight ?? 0;
    if (scroller === undefined || this.height === 0) return;
    if (scroller.clientWidth !== this.width) this.heights.clear();
    this.width = scroller.clientWidth;
    for (const element of this.elements()) {
      this.heights.set(element.dataset['block'] ?? '', element.offsetHeight);
    }
    if (this.following) this.toEnd();
    else {
      this.restoreAnchor();
      if (this.scrollTarget === undefined) this.saveAnchor();
    }
    if (this.isGapVisible()) this.redraw();
  }

  private onScroll(): void {
    const { scroller } = this;
    if (scroller === undefined) return;
    const top = scroller.scrollTop;
    const near = scroller.scrollHeight - top - scroller.clientHeight < NEAR_END;
    if (near) this.setFollowing(true);
    else if (top < this.lastTop - 1) this.setFollowing(false);
    this.lastTop = top;
    if (this.following || this.scrollTarget !== undefined) return;
    this.saveAnchor();
    if (this.isGapVisible()) this.redraw();
  }

  private setFollowing(following: boolean): void {
    if (following) this.scrollTarget = undefined;
    if (this.following === following) return;
    this.following = following;
    this.onFollowing(following);
  }

  private toEnd(): void {
    if (this.scroller === undefined) return;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.lastTop = this.scroller.scrollTop;
  }

  /** Remembers the first visible block, and how far below the top it begins. */
  private saveAnchor(): void {
    const view = this.scroller?.getBoundingClientRect();
    if (view === undefined) return;
    const first = this.elements().find((one) => one.getBoundingClientRect().bottom > view.top);
    const top = first?.getBoundingClientRect().top ?? view.bottom;
    // After a jump no drawn block is visible; then only the scroll position can be kept.
    const key = first?.dataset['block'] ?? '';
    this.anchor = top >= view.bottom ? undefined : { key, offset: top - view.top };
  }

  private restoreAnchor(): void {
    const { scroller, anchor } = this;
    const element = this.elements().find((one) => one.dataset['block'] === anchor?.key);
    if (scroller === undefined || anchor === undefined || element === undefined) return;
    this.scrollTarget = undefined;
    const now = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    if (Math.abs(now - anchor.offset) >= 1) scroller.scrollTop += now - anchor.offset;
    this.lastTop = scroller.scrollTop;
  }

  /** Top of the visible part, in px of the list, so that the anchor block keeps its position. */
  private visibleTop(items: readonly WindowItem[], heights: readonly number[]): number | undefined {
    const { anchor, scroller, list } = this;
    if (scroller === undefined || list === undefined) return undefined;
    const at = items.findIndex(({ key }) => key === anchor?.key);
    if (anchor === undefined || at < 0) {
      return scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
    }
    return heights.slice(0, at).reduce((sum, one) => sum + one, 0) - anchor.offset;
  }

  /** Whether a gap is visible, that is, blocks that are not drawn. */
  private isGapVisible(): boolean {
    const view = this.scroller?.getBoundingClientRect();
    if (view === undefined) return false;
    const gaps = this.list?.querySelectorAll<HTMLElement>(':scope > .atb-gap') ?? [];
    return [...gaps].some((gap) => {
      const { top, bottom } = gap.getBoundingClientRect();
      return bottom > top && bottom > view.top + 1 && top < view.bottom - 1;
    });
  }

  private elements(): readonly HTMLElement[] {
    return [...(this.list?.querySelectorAll<HTMLElement>(':scope > [data-block]') ?? [])];
  }
}

/** State of a list that draws only the blocks near the visible part, and its two elements. */
export function useTranscriptWindow() {
  const redraw = useRedraw();
  /** whether the list is at its end and follows new blocks */
  const [following, setFollowing] = useState(true);
  const listWindow = useMemo(() => new TranscriptWindow(redraw, setFollowing), []);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  /** called when the list becomes visible */
  const onShown = useRef<() => void>(() => undefined);
  useLayoutEffect(() => listWindow.afterDraw());
  useLayoutEffect(() => {
    if (scroller.current === null || list.current === null) return undefined;
    const undo = listWindow.attach(scroller.current, list.current);
    const sizes = new ResizeObserver(() => {
      if (listWindow.shown) onShown.current();
    });
    sizes.observe(scroller.current);
    return () => {
      undo();
      sizes.disconnect();
    };
  }, [listWindow]);
  return { place: listWindow, following, scroller, list, onShown };
}
