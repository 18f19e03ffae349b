import { foldChars, foldPath } from './vault-target';
import { compilePattern, type PathPattern } from './path-pattern';
import { presetRules, presetScope, type Permissions } from './permissions';
import type { ProtectedPlaces } from './protected-places';
import { operationsOf, type AccessKind, type Rule, type Scope } from './rule';

/** Who makes a request. The session comes from the call's context, never from its arguments. */
export interface Caller {
  readonly sessionId: string | undefined;
  readonly agent: string;
}

/** A pattern compiled for exact and for case-insensitive matching. */
export interface CompiledPattern {
  readonly exact: PathPattern;
  /** for rules that ask or deny; two forms if case folding changes the length */
  readonly folded: readonly PathPattern[];
}

export interface CompiledRule {
  /**
   * its number among the person's rules, from 1, as in the table and the settings file; undefined
   * for a rule of the preset
   */
  readonly number: number | undefined;
  readonly rule: Rule;
  readonly pattern: CompiledPattern;
  readonly operations: ReadonlySet<AccessKind>;
}

export interface CompiledScope {
  readonly scope: Scope;
  readonly denied: readonly CompiledPattern[];
  readonly allowed: readonly CompiledPattern[];
  readonly extensions: ReadonlySet<string>;
}

/** Permissions, compiled once for many decisions. */
export interface AccessPolicy {
  readonly places: ProtectedPlaces;
  /** in order of evaluation */
  readonly rules: readonly CompiledRule[];
  /** the last one that concerns the caller applies; the first concerns everybody */
  readonly scopes: readonly CompiledScope[];
  /** number of rules from the preset */
  readonly preset: number;
}

export function compilePolicy(permissions: Permissions, places: ProtectedPlaces): AccessPolicy {
  const preset = presetRules(permissions);
  const rules = [
    ...preset.map((rule) => compileRule(rule)),
    ...permissions.rules.map((rule, at) => compileRule(rule, at + 1)),
  ];
  const own =
    permissions.preset.kind === 'read-only' ? permissions.scopes.map(readOnly) : permissions.scopes;
  const scopes = [presetScope(permissions), ...own].map(compileScope);
  return { places, rules, scopes, preset: preset.length };
}

/** @param number the rule's number among the person's own; undefined for a rule of the preset */
export function compileRule(rule: Rule, number?: number): CompiledRule {
  const { pattern, permission } = rule;
  return {
    number,
    rule,
    pattern: compilePatternForms(pattern),
    operations: operationsOf(permission),
  };
}

/** Whether any rule of the policy asks about an operation. Every preset has a rule for reading. */
export function policyAsks({ rules }: AccessPolicy, operation: AccessKind): boolean {
  return rules.some((one) => one.rule.action === 'ask' && one.operations.has(operation));
}

/** Whether a rule or scope applies to the caller. */
export function appliesTo(
  of: { agent?: string | undefined; session?: string | undefined },
  caller: Caller,
): boolean {
  return (
    (of.agent === undefined || of.agent === caller.agent) &&
    (of.session === undefined || of.session === caller.sessionId)
  );
}

/** Compiles a pattern that the schema accepted. */
export function compilePatternForms(text: string): CompiledPattern {
  const exact = compilePattern(text.normalize('NFC'));
  const forms = new Set([foldChars(exact.text), foldPath(exact.text)]);
  return { exact, folded: [...forms].map(compilePattern) };
}

/** Lowers a scope of the person's to the preset's level, `read-only`. */
function readOnly(scope: Scope): Scope {
  const { agent, session, denied, maxBytes, extensions } = scope;
  return { level: 'read-only', agent, session, denied, maxBytes, extensions };
}

function compileScope(scope: Scope): CompiledScope {
  return {
    scope,
    denied: scope.denied.map(compilePatternForms),
    allowed: scope.level === 'scoped-write' ? scope.allowed.map(compilePatternForms) : [],
    extensions: new Set(scope.extensions.map((name) => name.toLowerCase())),
  };
}
