import { useLayoutEffect, useState } from 'preact/hooks';
import type { StandingPolicy } from '../../../core/permission/standing-policy';

/** Draws again whenever the rules are others. */
export function usePolicy(policy: Pick<StandingPolicy, 'onChange'>): void {
  const [, draw] = useState(0);
  useLayoutEffect(() => policy.onChange(() => draw((count) => count + 1)), [policy]);
}

/** ms between looks at the file while its rules are before the person; the app tells nothing of it. */
const LOOK = 2_000;

/** As {@link usePolicy}, and the rules are those that stand in the file now. */
export function useFreshPolicy(policy: Pick<StandingPolicy, 'onChange' | 'fileChanged'>): void {
  usePolicy(policy);
  useLayoutEffect(() => {
    const look = () => void policy.fileChanged();
    look();
    const timer = window.setInterval(look, LOOK);
    return () => window.clearInterval(timer);
  }, [policy]);
}
