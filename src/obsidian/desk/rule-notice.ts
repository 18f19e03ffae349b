import type { StandingPolicy } from '../../core/permission/standing-policy';
import type { Undo } from '../../core/ports';
import type { Notify } from './notify';

/**
 * Tells the person, once for each change, that the rules were changed by somebody else. The notice goes
 * when that is not so any more.
 *
 * @param notify returns what takes the notice away
 */
export function ruleNotice(
  policy: Pick<StandingPolicy, 'foreign' | 'onChange'>,
  notify: (...notice: Parameters<Notify>) => Undo,
  review: () => void,
): Undo {
  let told: string | undefined;
  let hide: Undo | undefined;
  const look = (): void => {
    const change = policy.foreign();
    const what = change && JSON.stringify([change.problem, change.permissions]);
    if (what === told) return;
    told = what;
    hide?.();
    hide = undefined;
    if (change === undefined) return;
    const words = change.problem === undefined ? CHANGED : BROKEN;
    hide = notify(words, { label: 'Review', onClick: review });
  };
  look();
  const stop = policy.onChange(look);
  return () => {
    stop();
    hide?.();
  };
}

const CHANGED =
  'The permission rules were changed outside these settings. Until you confirm the change, only what narrows counts.';
const BROKEN = 'The permission rules can’t be followed, so everything asks.';
