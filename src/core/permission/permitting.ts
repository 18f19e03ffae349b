import type { AlwaysProposal } from './always-proposals';
import type { Decision, PermissionRequest } from './decide';
import type { Rule } from './rule';

/** The rules as they stand at this moment, for the one path of a call. */
export interface Permitting {
  decide(request: PermissionRequest): Decision;
  /** What "always" may record for a request that asks. */
  proposal(request: PermissionRequest): AlwaysProposal | undefined;
  /**
   * Adds a rule that the person chose at the end of the table, and saves it.
   * @throws StoreError where it can't be saved; then it does not count
   */
  add(rule: Rule): Promise<void>;
}
