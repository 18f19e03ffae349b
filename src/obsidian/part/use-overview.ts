import { useLayoutEffect, useState } from 'preact/hooks';
import type { Overview, OverviewState } from '../model/overview';

/** The state that all views share; draws anew when it changed. */
export function useOverview(overview: Pick<Overview, 'state' | 'onChange'>): OverviewState {
  const [state, setState] = useState(overview.state);
  useLayoutEffect(() => {
    setState(overview.state);
    return overview.onChange(setState);
  }, [overview]);
  return state;
}
