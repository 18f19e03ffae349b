import type { Undo } from '../../core/ports';
import { drawnRows } from '../ui/drawn-rows';
import { useRedraw } from '../ui/use-changes';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/** px from the end within which the view follows what is added. */
const NEAR_END = 40;

/** A block, and how high it probably is before it was drawn once. */
interface WindowItem {
  readonly key: string;
  /** px */
  readonly guess: number;
}

/**
 * Decides which blocks of a long list are drawn, and the scroll position. At the end of the list the view
 * follows new blocks; anywhere else the block at the top keeps its place, whatever changes around it.
 */
class TranscriptWindow {
  private following = true;
  private anchor: { readonly key: string; readonly offset: number } | undefined;
  /** the block to go to, until it is drawn; sizes that change meanwhile move nothing */
  private wanted: string | undefined;
  private readonly heights = new Map<string, number>();
  private scroller: HTMLElement | undefined;
  private list: HTMLElement | undefined;
  private lastTop = 0;
  /** As they were when the sizes were told last: to ask in between would lay the page out. */
  private width = 0;
  private height = 0;

  /**
   * @param redraw draws the list again, with what `drawn` says then
   * @param followed told when the view comes to the end, or leaves it
   */
  constructor(
    private readonly redraw: () => void,
    private readonly followed: (following: boolean) => void,
  ) {}

  /** Whether the list has a size: a view behind another has none, and need not be drawn. */
  get shown(): boolean {
    return this.height > 0;
  }

  attach(scroller: HTMLElement, list: HTMLElement): Undo {
    [this.scroller, this.list] = [scroller, list];
    const scrolled = () => this.scrolled();
    scroller.addEventListener('scroll', scrolled, { passive: true });
    const sizes = new ResizeObserver(() => this.settle());
    sizes.observe(scroller);
    sizes.observe(list);
    this.height = scroller.clientHeight;
    return () => {
      scroller.removeEventListener('scroll', scrolled);
      sizes.disconnect();
    };
  }

  /** @param kept index that is drawn wherever it is, since it may have the focus */
  drawn(items: readonly WindowItem[], kept: number) {
    const heights = items.map(({ key, guess }) => this.heights.get(key) ?? guess);
    const { height } = this;
    if (!items.some(({ key }) => key === this.wanted)) this.wanted = undefined;
    const top = this.following ? undefined : this.topOf(items, heights);
    const end = heights.reduce((sum, one) => sum + one, 0);
    const from = top ?? Math.max(0, end - height);
    return drawnRows(heights, { top: from, bottom: from + Math.max(height, 400) }, kept);
  }

  /** Brings a block to a third of the view's height. */
  goTo(key: string): void {
    this.anchor = { key, offset: this.height / 3 };
    this.wanted = key;
    this.follow(false);
    this.redraw();
  }

  /** After each drawing: the block that was asked for may stand there now. */
  wasDrawn(): void {
    if (this.wanted !== undefined) this.settle();
  }

  goToEnd(): void {
    this.follow(true);
    this.redraw();
    this.toEnd();
  }

  /** After something was drawn or changed its size: heights are learnt, the place is kept. */
  settle(): void {
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
      this.restore();
      if (this.wanted === undefined) this.remember();
    }
    if (this.gapShows()) this.redraw();
  }

  private scrolled(): void {
    const { scroller } = this;
    if (scroller === undefined) return;
    const top = scroller.scrollTop;
    const near = scroller.scrollHeight - top - scroller.clientHeight < NEAR_END;
    if (near) this.follow(true);
    else if (top < this.lastTop - 1) this.follow(false);
    this.lastTop = top;
    if (this.following || this.wanted !== undefined) return;
    this.remember();
    if (this.gapShows()) this.redraw();
  }

  private follow(following: boolean): void {
    if (following) this.wanted = undefined;
    if (this.following === following) return;
    this.following = following;
    this.followed(following);
  }

  private toEnd(): void {
    if (this.scroller === undefined) return;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.lastTop = this.scroller.scrollTop;
  }

  /** The first block that can be seen, and how far below the top it begins. */
  private remember(): void {
    const view = this.scroller?.getBoundingClientRect();
    if (view === undefined) return;
    const first = this.elements().find((one) => one.getBoundingClientRect().bottom > view.top);
    const top = first?.getBoundingClientRect().top ?? view.bottom;
    // After a leap none of what is drawn can be seen: then the place itself is all there is.
    const key = first?.dataset['block'] ?? '';
    this.anchor = top >= view.bottom ? undefined : { key, offset: top - view.top };
  }

  private restore(): void {
    const { scroller, anchor } = this;
    const element = this.elements().find((one) => one.dataset['block'] === anchor?.key);
    if (scroller === undefined || anchor === undefined || element === undefined) return;
    this.wanted = undefined;
    const now = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    if (Math.abs(now - anchor.offset) >= 1) scroller.scrollTop += now - anchor.offset;
    this.lastTop = scroller.scrollTop;
  }

  /** Where the view begins: by the block that it holds to, whatever came above it. */
  private topOf(items: readonly WindowItem[], heights: readonly number[]): number | undefined {
    const { anchor, scroller, list } = this;
    if (scroller === undefined || list === undefined) return undefined;
    const at = items.findIndex(({ key }) => key === anchor?.key);
    if (anchor === undefined || at < 0) {
      return scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
    }
    return heights.slice(0, at).reduce((sum, one) => sum + one, 0) - anchor.offset;
  }

  /** Whether a place can be seen whose blocks are not drawn. */
  private gapShows(): boolean {
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

/** A list of which only what is near is drawn: its window, and the two elements that it needs. */
export function useWindow() {
  const redraw = useRedraw();
  /** whether it is at its end and follows what is added */
  const [following, setFollowing] = useState(true);
  const place = useMemo(() => new TranscriptWindow(redraw, setFollowing), []);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  /** called when the list comes to the front */
  const onShown = useRef<() => void>(() => undefined);
  useLayoutEffect(() => place.wasDrawn());
  useLayoutEffect(() => {
    if (scroller.current === null || list.current === null) return undefined;
    const undo = place.attach(scroller.current, list.current);
    const sizes = new ResizeObserver(() => {
      if (place.shown) onShown.current();
    });
    sizes.observe(scroller.current);
    return () => {
      undo();
      sizes.disconnect();
    };
  }, [place]);
  return { place, following, scroller, list, onShown };
}
