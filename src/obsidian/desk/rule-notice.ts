import type { StandingPolicy } from '../../core/permission/standing-policy';
import type { Undo } from '../../core/ports';
import type { Notify } from './notify';

/** Tells the person, once for each change, that the rules were changed by somebody else. */
export function ruleNotice(
  policy: Pick<StandingPolicy, 'foreign' | 'onChange'>,
  notify: Notify,
  review: () => void,
): Undo {
  let told: string | undefined;
  const look = (): void => {
    const change = policy.foreign();
    const what = change && JSON.stringify([change.problem, change.permissions]);
    if (what !== told && change !== undefined) {
      notify(change.problem === undefined ? CHANGED : BROKEN, { label: 'Review', onClick: review });
    }
    told = what;
  };
  look();
  return policy.onChange(look);
}

const CHANGED =
  'The permission rules were changed outside these settings. Until you confirm the change, only what narrows counts.';
const BROKEN = 'The permission rules can’t be followed, so everything asks.';
