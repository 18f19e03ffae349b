import { foldChars, foldPath } from './vault-target';
import { compilePattern, type PathPattern } from './path-pattern';
import { presetRules, presetScope, type Permissions } from './permissions';
import type { ProtectedPlaces } from './protected-places';
import { operationsOf, type AccessKind, type Rule, type Scope } from './rule';

/** Who asks. The session is that of the call's context, never one of its arguments. */
export interface Caller {
  readonly sessionId: string | undefined;
  readonly agent: string;
}

/** A pattern, ready for both ways of matching. */
export interface ReadyPattern {
  readonly exact: PathPattern;
  /** without case, for what holds back: one or, where folding changes its length, two forms */
  readonly folded: readonly PathPattern[];
}

export interface ReadyRule {
  /** its place among the person's own, from 1, as table and settings file have it; of the preset: none */
  readonly number: number | undefined;
  readonly rule: Rule;
  readonly pattern: ReadyPattern;
  readonly operations: ReadonlySet<AccessKind>;
}

export interface ReadyScope {
  readonly scope: Scope;
  readonly denied: readonly ReadyPattern[];
  readonly allowed: readonly ReadyPattern[];
  readonly extensions: ReadonlySet<string>;
}

/** Permissions, read once for many decisions. */
export interface AccessPolicy {
  readonly places: ProtectedPlaces;
  /** in order of evaluation */
  readonly rules: readonly ReadyRule[];
  /** the last that concerns the caller counts, and there is one for everybody */
  readonly scopes: readonly ReadyScope[];
  /** how many rules the preset brought */
  readonly preset: number;
}

export function makePolicy(permissions: Permissions, places: ProtectedPlaces): AccessPolicy {
  const preset = presetRules(permissions);
  const rules = [
    ...preset.map((rule) => readyRule(rule)),
    ...permissions.rules.map((rule, at) => readyRule(rule, at + 1)),
  ];
  const own =
    permissions.preset.kind === 'read-only' ? permissions.scopes.map(readOnly) : permissions.scopes;
  const scopes = [presetScope(permissions), ...own].map(readyScope);
  return { places, rules, scopes, preset: preset.length };
}

/** @param number among the person's own; undefined where it is none of them */
export function readyRule(rule: Rule, number?: number): ReadyRule {
  const { pattern, permission } = rule;
  return { number, rule, pattern: readyPattern(pattern), operations: operationsOf(permission) };
}

/** Whether any of its rules asks about an operation. Every preset decides on reading. */
export function policyAsks({ rules }: AccessPolicy, operation: AccessKind): boolean {
  return rules.some((one) => one.rule.action === 'ask' && one.operations.has(operation));
}

/** Whether a rule or scope is for the caller. */
export function concerns(
  of: { agent?: string | undefined; session?: string | undefined },
  caller: Caller,
): boolean {
  return (
    (of.agent === undefined || of.agent === caller.agent) &&
    (of.session === undefined || of.session === caller.sessionId)
  );
}

/** Of a pattern that the schema took. */
export function readyPattern(text: string): ReadyPattern {
  const exact = compilePattern(text.normalize('NFC'));
  const forms = new Set([foldChars(exact.text), foldPath(exact.text)]);
  return { exact, folded: [...forms].map(compilePattern) };
}

/** The preset's ceiling over a scope of its own. */
function readOnly(scope: Scope): Scope {
  const { agent, session, denied, maxBytes, extensions } = scope;
  return { level: 'read-only', agent, session, denied, maxBytes, extensions };
}

function readyScope(scope: Scope): ReadyScope {
  return {
    scope,
    denied: scope.denied.map(readyPattern),
    allowed: scope.level === 'scoped-write' ? scope.allowed.map(readyPattern) : [],
    extensions: new Set(scope.extensions.map((name) => name.toLowerCase())),
  };
}
