import { compilePattern, covers } from './path-pattern';
import type { AccessPolicy, ReadyPattern, ReadyScope } from './policy';
import type { AccessKind } from './rule';

const EVERYTHING = compilePattern('**').tokens;

/**
 * Whether an agent may do that nowhere, in none of its sessions, and nothing changes that but a change of
 * the settings: then it need not even see the tool. Never says so wrongly.
 */
export function isShut(policy: AccessPolicy, operation: AccessKind, agent: string): boolean {
  return ruledOut(policy, operation, agent) || outOfScope(policy, operation, agent);
}

/** Looked through from the last rule on: one that may open it comes before any that shuts it. */
function ruledOut({ rules }: AccessPolicy, operation: AccessKind, agent: string): boolean {
  for (const { rule, operations, pattern } of rules.toReversed()) {
    if (!operations.has(operation) || !isAbout(rule, agent)) continue;
    if (operation === 'tasks' && rule.pattern !== '**') continue;
    if (rule.action !== 'deny') return false;
    const isForAll = rule.session === undefined && rule.until === undefined;
    if (isForAll && isEverything(pattern)) return true;
  }
  return false;
}

/** The boards are beyond all scopes. Of scopes for a session, each may be the one that counts. */
function outOfScope({ scopes }: AccessPolicy, operation: AccessKind, agent: string): boolean {
  if (operation === 'tasks') return false;
  const own = scopes.filter(({ scope }) => isAbout(scope, agent));
  const forAll = own.findLastIndex(({ scope }) => scope.session === undefined);
  const mayCount = own.slice(forAll === -1 ? 0 : forAll);
  return mayCount.every((scope) => holdsBack(scope, operation));
}

function holdsBack({ scope, denied, allowed }: ReadyScope, operation: AccessKind): boolean {
  if (denied.some(isEverything)) return true;
  if (operation === 'read') return false;
  if (scope.level === 'read-only') return true;
  return scope.level === 'scoped-write' && (operation === 'delete' || allowed.length === 0);
}

function isAbout(of: { readonly agent?: string | undefined }, agent: string): boolean {
  return of.agent === undefined || of.agent === agent;
}

function isEverything({ folded }: ReadyPattern): boolean {
  return folded.some(({ tokens }) => covers(tokens, EVERYTHING));
}
