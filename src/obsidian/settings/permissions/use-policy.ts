import { useEffect, useState } from 'preact/hooks';
import type { StandingPolicy } from '../../../core/permission/standing-policy';

/** Draws again whenever the rules are others. */
export function usePolicy(policy: Pick<StandingPolicy, 'onChange'>): void {
  const [, draw] = useState(0);
  useEffect(() => policy.onChange(() => draw((count) => count + 1)), [policy]);
}
