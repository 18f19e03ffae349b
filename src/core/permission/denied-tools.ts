import { compilePattern, covers } from './path-pattern';
import type { AccessPolicy, CompiledPattern, CompiledScope } from './policy';
import type { AccessKind } from './rule';

const EVERYTHING = compilePattern('**').tokens;

/**
 * Whether an agent is denied the operation everywhere and in all its sessions, until the settings
 * change. Then the tool need not be offered to it. True is always right.
 */
export function isAlwaysDenied(
  policy: AccessPolicy,
  operation: AccessKind,
  agent: string,
): boolean {
  return isDeniedByRules(policy, operation, agent) || isDeniedByScopes(policy, operation, agent);
}

/**
 * Checks the rules from the last one: a rule that may allow or ask ends the search before an
 * earlier denial.
 */
function isDeniedByRules({ rules }: AccessPolicy, operation: AccessKind, agent: string): boolean {
  for (const { rule, operations, pattern } of rules.toReversed()) {
    if (!operations.has(operation) || !appliesToAgent(rule, agent)) continue;
    if (operation === 'tasks' && rule.pattern !== '**') continue;
    if (rule.action !== 'deny') return false;
    const isForAll = rule.session === undefined && rule.until === undefined;
    if (isForAll && isEverything(pattern)) return true;
  }
  return false;
}

/**
 * Whether every scope that may apply denies the operation. Scopes don't limit boards. Any of the
 * session scopes may be the one that applies.
 */
function isDeniedByScopes({ scopes }: AccessPolicy, operation: AccessKind, agent: string): boolean {
  if (operation === 'tasks') return false;
  const own = scopes.filter(({ scope }) => appliesToAgent(scope, agent));
  const forAll = own.findLastIndex(({ scope }) => scope.session === undefined);
  const candidates = own.slice(forAll === -1 ? 0 : forAll);
  return candidates.every((scope) => scopeDenies(scope, operation));
}

function scopeDenies({ scope, denied, allowed }: CompiledScope, operation: AccessKind): boolean {
  if (denied.some(isEverything)) return true;
  if (operation === 'read') return false;
  if (scope.level === 'read-only') return true;
  return scope.level === 'scoped-write' && (operation === 'delete' || allowed.length === 0);
}

function appliesToAgent(of: { readonly agent?: string | undefined }, agent: string): boolean {
  return of.agent === undefined || of.agent === agent;
}

function isEverything({ folded }: CompiledPattern): boolean {
  return folded.some(({ tokens }) => covers(tokens, EVERYTHING));
}
