import { createContext } from 'preact';
import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { UnderWay } from './under-way';

/** What is being done to the run that is shown; undefined where nothing is. */
export const Doing = createContext<string | undefined>(undefined);

/** What is being done to a run, kept up to date. */
export function useDoing(under: UnderWay, run: string | undefined): string | undefined {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => under.onChange(() => draw(undefined)), [under]);
  return run === undefined ? undefined : under.of(run);
}
