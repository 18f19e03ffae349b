import { alwaysProposal } from './always-proposals';
import { decide } from './decide';
import type { Permitting } from './permitting';
import type { Policy } from './policy';

/** Rules that can't be added to: where no person is asked. @param policy as it stands at that moment */
export function fixedPermitting(policy: () => Policy): Permitting {
  return {
    decide: (request) => decide(policy(), request),
    proposal: (request) => alwaysProposal(policy(), request),
    add: () => Promise.reject(new Error('These rules can not be changed here')),
  };
}
