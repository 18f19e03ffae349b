import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { Undo } from '../../core/ports';

/** Returns a function that redraws the component. */
export function useRedraw(): () => void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  return () => draw(undefined);
}

/** Redraws the component on each change. */
export function useChanges(source: { onChange(listener: () => void): Undo }): void {
  const draw = useRedraw();
  useLayoutEffect(() => source.onChange(draw), [source]);
}
