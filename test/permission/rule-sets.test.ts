import { expect, test } from 'vitest';
import { alwaysProposal, alwaysRule } from '../../src/core/permission/always-proposals';
import {
  compilePattern,
  covers,
  mayOverlap,
  readPattern,
} from '../../src/core/permission/path-pattern';
import { decide, decideBoth, STRICTNESS } from '../../src/core/permission/decide';
import { PathMatcher } from '../../src/core/permission/vault-target';
import { ruleChanges, shadowedRules } from '../../src/core/permission/rule-changes';
import { fc } from '../seeded';
import { accessRequest, policyOf } from './policy-of';

const part = fc.constantFrom('a', 'b', '*', '**', '?', 'a*');
const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const path = fc
  .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));
/** A pattern and a variant with some parts widened, which usually covers it. */
const wider = fc
  .tuple(pattern, fc.array(fc.constantFrom('', '', '*', '**'), { minLength: 4, maxLength: 4 }))
  .map(([inner, by]) => [
    inner
      .split('/')
      .map((own, at) => by[at] || own)
      .join('/'),
    inner,
  ]);
const pairs = fc.oneof(fc.tuple(pattern, pattern), wider);
const rule = fc.record({
  permission: fc.constantFrom('write', 'update', '*'),
  pattern,
  action: fc.constantFrom('allow', 'ask', 'deny'),
  agent: fc.constantFrom('build', undefined),
});
const rules = fc.array(rule, { maxLength: 5 });

test('[PERM30] a pattern covers another only if all that fits that fits it too', () => {
  let covered = 0;
  fc.assert(
    fc.property(pairs, path, ([outer = '', inner = ''], one) => {
      const [by, of] = [compilePattern(outer), compilePattern(inner)];
      const text = new PathMatcher(one);
      if (!covers(by.tokens, of.tokens) || !text.matches(of)) return;
      covered += 1;
      expect([outer, inner, one, text.matches(by)]).toEqual([outer, inner, one, true]);
    }),
    { numRuns: 6000 },
  );
  expect(covered).toBeGreaterThan(100);
});

test.each([
  ['**', 'a/**', true],
  ['a/**', 'a/b/*.md', true],
  ['a/**', 'a', true],
  ['**/x', 'a/**/x', true],
  ['a/*', 'a/**', false],
  ['a/*', 'a/?b*', true],
  ['*.md', 'a/b.md', false],
])('[PERM30] %s covers %s: %s', (outer, inner, expected) => {
  expect(covers(compilePattern(outer).tokens, compilePattern(inner).tokens)).toBe(expected);
});

test('[PERM31] a rule that one later rule covers is named, with that', () => {
  const policy = policyOf({
    rules: [
      { permission: 'update', pattern: 'a/x.md', action: 'deny' },
      { permission: 'write', pattern: 'b/**', action: 'allow', agent: 'build' },
      { permission: 'write', pattern: 'a/**', action: 'ask' },
      { permission: 'write', pattern: 'b/**', action: 'ask', until: 2000 },
    ],
  });
  expect(shadowedRules(policy, 1000)).toEqual([
    { rule: 1, by: 3, message: 'Rule 1 never applies, because rule 3 covers it.' },
  ]);
});

test('[PERM31] a rule that is named decides nothing', () => {
  let named = 0;
  fc.assert(
    fc.property(rules, path, (all, one) => {
      const policy = policyOf({ scopes: [{ level: 'full-write', extensions: [] }], rules: all });
      const shadowed = shadowedRules(policy, 0).map((each) => each.rule);
      named += shadowed.length;
      const { rule: by } = decide(policy, accessRequest(one, { kind: 'folder' }));
      expect(by.kind === 'rule' && shadowed.includes(by.number)).toBe(false);
    }),
    { numRuns: 1500 },
  );
  expect(named).toBeGreaterThan(50);
});

test('[PERM32] a change said to widen nothing widens nothing; unconfirmed, none does', () => {
  const seen = { narrow: 0, wide: 0 };
  const other = fc.tuple(rules, fc.nat(5), fc.option(rule)).map(([all, at, more]) => ({
    before: all,
    after: [...all.slice(0, at), ...(more === null ? [] : [more]), ...all.slice(at + 1)],
  }));
  fc.assert(
    fc.property(other, path, ({ before, after }, one) => {
      const scopes = [{ level: 'full-write', extensions: [] }];
      const was = policyOf({ scopes, rules: before });
      const now = policyOf({ scopes, rules: after });
      const request = accessRequest(one, { kind: 'folder' });
      const strict = (policy: typeof was) => STRICTNESS[decide(policy, request).verdict];
      const widens = ruleChanges(was, now).some((change) => change.widens);
      seen[widens ? 'wide' : 'narrow'] += 1;
      if (!widens) expect(strict(now)).toBeGreaterThanOrEqual(strict(was));
      const both = STRICTNESS[decideBoth([was, now], request).verdict];
      expect(both).toBe(Math.max(strict(was), strict(now)));
    }),
    { numRuns: 1500 },
  );
  expect(Math.min(seen.narrow, seen.wide)).toBeGreaterThan(100);
});

test('[PERM32] what a change wants is told rule by rule', () => {
  const allow = { permission: 'write', pattern: 'a/**', action: 'allow' };
  const deny = { permission: 'write', pattern: 'b/**', action: 'deny' };
  expect(ruleChanges(policyOf({ rules: [deny] }), policyOf({ rules: [allow] }))).toEqual([
    { widens: true, words: 'Removed: write b/**, deny' },
    { widens: true, words: 'Added: write a/**, allow' },
  ]);
  expect(ruleChanges(policyOf({ rules: [allow] }), policyOf({ rules: [allow, deny] }))).toEqual([
    { widens: false, words: 'Added: write b/**, deny' },
  ]);
  const scoped = (maxBytes: number) => policyOf({ scopes: [{ level: 'full-write', maxBytes }] });
  expect(ruleChanges(scoped(9), scoped(8))).toMatchObject([{ widens: false }]);
  expect(ruleChanges(scoped(8), scoped(9))).toMatchObject([{ widens: true }]);
  expect(ruleChanges(scoped(8), scoped(8))).toEqual([]);
  expect(ruleChanges(scoped(8), scoped(2048))[0]?.words).toBe(
    'Changed: how far agents reach (no longer anyone: full-write, not **/node_modules/**, 8 bytes, md txt json yaml yml toml; anyone: full-write, not **/node_modules/**, 2 KB, md txt json yaml yml toml)',
  );
  const ends = policyOf({ rules: [{ ...allow, until: 60_000 }] });
  expect(ruleChanges(ends, policyOf({ rules: [allow] }))).toEqual([
    { widens: false, words: 'Removed: write a/**, allow, until 1970-01-01 00:01 UTC' },
    { widens: true, words: 'Added: write a/**, allow' },
  ]);
});

test('[PERM33] always begins with that note, that operation and that session, and lets it pass', () => {
  const request = accessRequest('Projects/What?.md');
  const proposal = alwaysProposal(policyOf({}), request);
  expect(proposal).toEqual({
    permission: 'update',
    patterns: ['Projects/What\\?.md', 'Projects/*', 'Projects/**'],
    whom: ['session', 'agent', 'everyone'],
  });
  if (proposal === undefined) throw new Error('nothing proposed');
  const choice = { pattern: proposal.patterns[0] ?? '', whom: 'session', until: 5000 } as const;
  const recorded = alwaysRule(proposal, choice, request);
  expect(recorded).toEqual({
    permission: 'update',
    pattern: 'Projects/What\\?.md',
    action: 'allow',
    agent: 'build',
    session: 's',
    until: 5000,
  });
  const after = policyOf({ rules: [recorded] });
  expect(decide(after, request).verdict).toBe('allow');
  expect(decide(after, accessRequest('Projects/Whats.md')).verdict).toBe('ask');
});

test('[PERM33] no choice stands over a denial, be it of another note, agent or session', () => {
  const proposed = (...rules: readonly object[]) => {
    const { patterns, whom } = alwaysProposal(policyOf({ rules }), accessRequest('p/a.md')) ?? {};
    return [patterns?.join(' '), whom?.join(' ')];
  };
  const deny = (pattern: string, more: object = {}) => {
    return { permission: 'write', pattern, action: 'deny', ...more };
  };
  const all = ['p/a.md p/* p/**', 'session agent everyone'];
  const own = ['p/a.md', 'session agent everyone'];
  expect(proposed(deny('p/Secret.md'))).toEqual(own);
  expect(proposed(deny('P/secret.md'))).toEqual(own);
  expect(proposed(deny('**/s?cret*'))).toEqual(own);
  expect(proposed(deny('p/Old/*'))).toEqual(['p/a.md p/*', 'session agent everyone']);
  expect(proposed(deny('q/**'))).toEqual(all);
  expect(proposed(deny('p2/**'))).toEqual(all);
  expect(proposed(deny('p/Secret.md', { until: 1000 }))).toEqual(all);
  expect(proposed(deny('p/Secret.md', { until: 1001 }))).toEqual(own);
  expect(proposed({ permission: 'read', pattern: 'p/Secret.md', action: 'deny' })).toEqual(all);
  expect(proposed(deny('**', { agent: 'plan' }))).toEqual(['p/a.md p/* p/**', 'session agent']);
  expect(proposed(deny('p/a.md', { session: 'other' }))).toEqual(['p/a.md p/* p/**', 'session']);
  // A denial that a later rule overrides is no longer one.
  expect(proposed(deny('**'), { permission: 'write', pattern: 'p/**', action: 'ask' })).toEqual(
    all,
  );
});

test('[PERM33] two patterns are said to meet where a path fits both', () => {
  let met = 0;
  fc.assert(
    fc.property(pattern, pattern, path, (one, other, text) => {
      const [left, right] = [compilePattern(one), compilePattern(other)];
      const fits = new PathMatcher(text);
      if (!fits.matches(left) || !fits.matches(right)) return;
      met += 1;
      expect(mayOverlap(left.tokens, right.tokens)).toBe(true);
    }),
    { numRuns: 20_000 },
  );
  expect(met).toBeGreaterThan(200);
  const apart = ['a/*', 'a/b/*'].map((text) => compilePattern(text).tokens);
  expect(mayOverlap(apart[0] ?? [], apart[1] ?? [])).toBe(false);
});

test('[PERM33] nothing is proposed for denials, deletions, or what no rule could open; never all notes', () => {
  expect(alwaysProposal(policyOf({}), accessRequest('.git/config'))).toBeUndefined();
  const full = policyOf({ scopes: [{ level: 'full-write' }] });
  expect(alwaysProposal(full, accessRequest('a.md', { operation: 'delete' }))).toBeUndefined();
  expect(alwaysProposal(policyOf({}), accessRequest('a.md'))?.patterns).toEqual(['a.md']);
  expect(alwaysProposal(policyOf({}), accessRequest('a.md', { real: 'b.md' }))).toBeUndefined();
  const long = `${'x'.repeat(200)}/${'y'.repeat(200)}.md`;
  expect(alwaysProposal(policyOf({}), accessRequest(long))?.patterns).toEqual([
    `${'x'.repeat(200)}/*`,
    `${'x'.repeat(200)}/**`,
  ]);
  expect(readPattern(long)).toMatchObject({ ok: false });
});
