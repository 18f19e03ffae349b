import { alwaysProposal, type AlwaysProposal } from './always-proposals';
import { decide, type Decision, type AccessRequest } from './decide';
import { policyAsks, type AccessPolicy } from './policy';
import type { AccessKind, Rule } from './rule';

/** The rules in force, as a call evaluates them. */
export interface AccessRules {
  decide(request: AccessRequest): Decision;
  /** Whether any rule, for any caller and path, asks about an operation. */
  asksAbout(operation: AccessKind): boolean;
  /** What an "always" reply to this request may record. */
  proposeAlways(request: AccessRequest): AlwaysProposal | undefined;
  /**
   * Appends a rule that the person chose to the table, and saves it.
   * @throws StoreError if it can't be saved; then the rule doesn't apply
   */
  add(rule: Rule): Promise<void>;
}

/**
 * Rules that can't be extended, for programs that can't ask a person.
 * @param policy returns the current policy
 */
export function fixedAccessRules(policy: () => AccessPolicy): AccessRules {
  return {
    decide: (request) => decide(policy(), request),
    asksAbout: (operation) => policyAsks(policy(), operation),
    proposeAlways: (request) => alwaysProposal(policy(), request),
    add: () => Promise.reject(new Error('These rules cannot be changed here')),
  };
}
