import { alwaysProposal, type AlwaysProposal } from './always-proposals';
import { decide, type Decision, type AccessRequest } from './decide';
import { policyAsks, type AccessPolicy } from './policy';
import type { AccessKind, Rule } from './rule';

/** The rules as they stand at this moment, for the one path of a call. */
export interface Permitting {
  decide(request: AccessRequest): Decision;
  /** Whether any rule asks about an operation, of anybody and anywhere. */
  asksAbout(operation: AccessKind): boolean;
  /** What "always" may record for a request that asks. */
  proposal(request: AccessRequest): AlwaysProposal | undefined;
  /**
   * Adds a rule that the person chose at the end of the table, and saves it.
   * @throws StoreError where it can't be saved; then it does not count
   */
  add(rule: Rule): Promise<void>;
}

/** Rules that can't be added to: where no person is asked. @param policy as it stands at that moment */
export function fixedPermitting(policy: () => AccessPolicy): Permitting {
  return {
    decide: (request) => decide(policy(), request),
    asksAbout: (operation) => policyAsks(policy(), operation),
    proposal: (request) => alwaysProposal(policy(), request),
    add: () => Promise.reject(new Error('These rules cannot be changed here')),
  };
}
