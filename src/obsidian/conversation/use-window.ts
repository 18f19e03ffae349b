import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { TranscriptWindow } from './transcript-window';

/** A list of which only what is near is drawn: its window, and the two elements that it needs. */
export function useWindow(): {
  readonly place: TranscriptWindow;
  /** whether it is at its end and follows what is added */
  readonly following: boolean;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<HTMLDivElement | null>;
  /** called when the list comes to the front */
  readonly onShown: { current: () => void };
} {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [following, setFollowing] = useState(true);
  const place = useMemo(() => new TranscriptWindow(() => redraw(undefined), setFollowing), []);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
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
