import type { App } from 'obsidian';
import type { StandingPolicy } from '../../core/permission/standing-policy';
import type { Undo } from '../../core/ports';
import { ForeignBanner } from '../settings/permissions/foreign-banner';
import { openForm } from '../settings/permissions/form-dialog';
import { usePolicy } from '../settings/permissions/use-policy';
import { notify } from './notify';
import { ruleNotice } from './rule-notice';

/** Tells the person when the rules were changed by somebody else, and lets them look at it. */
export function followRules(app: App, policy: StandingPolicy): Undo {
  return ruleNotice(policy, notify, () => {
    void openForm<never>(app, 'Permission rules', () => <Review policy={policy} />);
  });
}

function Review({ policy }: { readonly policy: StandingPolicy }) {
  usePolicy(policy);
  if (policy.foreign() !== undefined) return <ForeignBanner policy={policy} />;
  return <p>The rules that stand are those that you confirmed.</p>;
}
