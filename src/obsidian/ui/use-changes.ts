import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { Undo } from '../../core/ports';

/** Draws the view again. */
export function useRedraw(): () => void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  return () => draw(undefined);
}

/** Draws the view again whenever this is another. */
export function useChanges(of: { onChange(listener: () => void): Undo }): void {
  const draw = useRedraw();
  useLayoutEffect(() => of.onChange(draw), [of]);
}
