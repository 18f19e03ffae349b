import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TalkItem } from './talk-items';

/** The one block that the Tab key comes to, and the way to give it the keyboard. */
export function useBlockFocus(
  items: readonly TalkItem[],
  list: RefObject<HTMLElement | null>,
): { readonly stop: string | undefined; readonly go: (key: string | undefined) => void } {
  const [at, setAt] = useState<string | undefined>();
  const wanted = useRef<string | undefined>(undefined);
  const [, again] = useState({});
  const stop = items.some(({ key }) => key === at) ? at : items.at(-1)?.key;
  useLayoutEffect(() => {
    const focused = (event: FocusEvent) => {
      const { target } = event;
      const block = target instanceof HTMLElement ? target.closest('[data-block]') : null;
      const key = block?.getAttribute('data-block');
      if (typeof key === 'string') setAt(key);
    };
    const element = list.current;
    element?.addEventListener('focusin', focused);
    return () => element?.removeEventListener('focusin', focused);
  }, [list]);
  // Where it was not drawn it is now, since the stop always is.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const blocks = list.current?.querySelectorAll<HTMLElement>('[data-block]') ?? [];
    [...blocks].find((one) => one.dataset['block'] === wanted.current)?.focus();
    wanted.current = undefined;
  });
  const go = (key: string | undefined) => {
    if (key === undefined) return;
    wanted.current = key;
    setAt(key);
    again({});
  };
  return { stop, go };
}
