import { describe, expect, test } from 'vitest';
import { decide, decideBoth } from '../../src/core/permission/decide';
import type { AccessVerdict } from '../../src/core/permission/rule';
import { fc } from '../seeded';
import { naiveMatch } from './naive-match';
import { accessRequest, policyOf } from './policy-of';

const write = (pattern: string, action: string, more: object = {}) => ({
  permission: 'write',
  pattern,
  action,
  ...more,
});

describe('rules', () => {
  const policy = policyOf({
    rules: [
      write('Projects/**', 'allow'),
      write('Projects/Secret/**', 'deny'),
      write('Projects/Secret/Open/*.md', 'allow'),
    ],
  });

  test.each([
    ['Projects/a.md', 'allow', 'Allowed. Rule 1 decides: write Projects/**, allow.'],
    [
      'Projects/Secret/a.md',
      'deny',
      'Not allowed. Rule 2 decides: write Projects/Secret/**, deny.',
    ],
    [
      'Projects/Secret/Open/a.md',
      'allow',
      'Allowed. Rule 3 decides: write Projects/Secret/Open/*.md, allow.',
    ],
    ['Other/a.md', 'ask', 'You are asked. The preset decides: write **, ask.'],
  ])('[PERM20] the last rule that matches decides: %s', (path, verdict, why) => {
    expect(decide(policy, accessRequest(path))).toMatchObject({ verdict, why });
  });

  test('[PERM20] names a rule by its place among the person’s own, and one of the preset as the preset’s', () => {
    expect(decide(policy, accessRequest('Projects/a.md')).rule).toEqual({
      ...{ kind: 'rule', number: 1, words: 'write Projects/**, allow' },
    });
    expect(decide(policy, accessRequest('Other/a.md')).rule).toEqual({
      ...{ kind: 'preset', words: 'write **, ask' },
    });
  });

  test('[PERM20] with no rule that matches it asks', () => {
    const full = policyOf({ scopes: [{ level: 'full-write' }] });
    expect(decide(full, accessRequest('a.md', { operation: 'delete' }))).toEqual({
      verdict: 'ask',
      rule: { kind: 'default' },
      why: 'You are asked, because no rule matches.',
    });
  });

  test('[PERM20] the same as rules read one by one from the end', () => {
    const seen = { allow: 0, ask: 0, deny: 0 };
    const part = fc.constantFrom('a', 'b', '*', '**', '?');
    const pattern = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const rule = fc.record({
      permission: fc.constantFrom('read', 'write', 'create', 'update', '*'),
      pattern,
      action: fc.constantFrom<AccessVerdict>('allow', 'ask', 'deny'),
      agent: fc.constantFrom('build', 'writer', undefined),
      session: fc.constantFrom('s', 't', undefined),
      until: fc.constantFrom(1000, 1001, undefined),
    });
    const path = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), path, (rules, names) => {
        const file = names.join('/');
        const last = rules.findLast(
          (each) =>
            ['write', 'update', '*'].includes(each.permission) &&
            each.agent !== 'writer' &&
            each.session !== 't' &&
            each.until !== 1000 &&
            naiveMatch([...each.pattern], [...file]),
        );
        const scopes = [{ level: 'full-write', extensions: [] }];
        const said = decide(policyOf({ scopes, rules }), accessRequest(file, { kind: 'folder' }));
        seen[said.verdict] += 1;
        expect(said.verdict).toBe(last?.action ?? 'ask');
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
  });

  test('[PERM21] what denies or asks does so in any case and Unicode form; what allows, letter for letter', () => {
    const cased = policyOf({
      rules: [
        write('**', 'allow'),
        write('Café/Straße/**', 'ask'),
        write('Tagebücher/**', 'deny'),
        write('Open/**', 'allow'),
      ],
    });
    for (const path of ['CAFÉ/STRASSE/a.md', 'café/straße/a.md', 'Ca\u200dfé/Straße/a.md']) {
      expect([path, decide(cased, accessRequest(path)).verdict]).toEqual([path, 'ask']);
    }
    expect(decide(cased, accessRequest('TAGEBÜCHER/a.md')).verdict).toBe('deny');
    const closed = policyOf({ rules: [write('**', 'deny'), write('Open/**', 'allow')] });
    expect(decide(closed, accessRequest('Open/a.md')).verdict).toBe('allow');
    expect(decide(closed, accessRequest('open/a.md')).verdict).toBe('deny');
  });

  test('[PERM22] through a link both places must be allowed, and either can be denied', () => {
    const link = accessRequest('Projects/link.md', { real: 'Private/a.md' });
    expect(decide(policy, link).verdict).toBe('ask');
    expect(
      decide(policy, accessRequest('Projects/link.md', { real: 'Projects/Secret/a.md' })).verdict,
    ).toBe('deny');
    expect(
      decide(policy, accessRequest('Projects/link.md', { real: 'Projects/b.md' })).verdict,
    ).toBe('allow');
    expect(decide(policy, accessRequest('Projects/link.md', { real: '.git/config' })).verdict).toBe(
      'deny',
    );
  });

  test('[PERM23] a rule for an agent or a session is for no other, and counts for nothing from its end on', () => {
    const own = policyOf({
      rules: [write('**', 'allow', { agent: 'build', session: 's', until: 2000 })],
    });
    expect(decide(own, accessRequest('a.md')).verdict).toBe('allow');
    expect(decide(own, accessRequest('a.md')).why).toContain('(build, session s)');
    expect(decide(own, accessRequest('a.md', { agent: 'writer' })).verdict).toBe('ask');
    expect(decide(own, accessRequest('a.md', { sessionId: 't' })).verdict).toBe('ask');
    expect(decide(own, accessRequest('a.md', { sessionId: undefined })).verdict).toBe('ask');
    expect(decide(own, accessRequest('a.md', { now: 1999 })).verdict).toBe('allow');
    expect(decide(own, accessRequest('a.md', { now: 2000 })).verdict).toBe('ask');
  });

  test('[PERM24] under two policies the stricter counts', () => {
    const wider = policyOf({ rules: [write('**', 'allow')] });
    expect(decideBoth([policy, wider], accessRequest('x.md')).verdict).toBe('ask');
    expect(decideBoth([wider, policy], accessRequest('Projects/Secret/a.md')).verdict).toBe('deny');
  });

  test('[PERM25] task tools reach boards only, note tools never do', () => {
    const open = policyOf({
      scopes: [{ level: 'full-write' }],
      rules: [{ permission: '*', action: 'allow' }],
    });
    const tasks = (path: string) =>
      decide(open, accessRequest(path, { operation: 'tasks' })).verdict;
    expect([tasks('Boards/s/build-tasks.md'), tasks('Notes/a.md')]).toEqual(['allow', 'deny']);
    expect(decide(open, accessRequest('boards/s/build-tasks.md'))).toMatchObject({
      verdict: 'deny',
      rule: { kind: 'protected' },
      why: 'Never allowed. This is a task board, which only the tool "tasks" changes. No rule can change that.',
    });
    const off = policyOf({ rules: [{ permission: 'tasks', action: 'deny', agent: 'build' }] });
    expect(decide(off, accessRequest('Boards/s/b.md', { operation: 'tasks' })).why).toBe(
      'Not allowed. Rule 1 decides: tasks, deny (build).',
    );
  });
});

describe('scopes', () => {
  const policy = policyOf({
    rules: [{ permission: '*', action: 'allow' }],
    scopes: [
      { level: 'scoped-write', allowed: ['Projects/**'], denied: ['**/Secret/**'], maxBytes: 100 },
      { level: 'read-only', agent: 'explore' },
      { level: 'full-write', session: 'trusted', extensions: ['MD', 'canvas'] },
    ],
  });

  test.each([
    ['Projects/a.md', {}, 'allow', 'Allowed.'],
    ['Notes/a.md', {}, 'deny', 'Not allowed. It may write to Projects/** only.'],
    ['Notes/a.md', { operation: 'read' }, 'allow', 'Allowed.'],
    ['projects/secret/a.md', {}, 'deny', 'Not allowed. Its limit denies **/Secret/**.'],
    [
      'Projects/SECRET/a.md',
      { operation: 'read' },
      'deny',
      'Not allowed. Its limit denies **/Secret/**.',
    ],
    [
      'Projects/a.md',
      { bytes: 101 },
      'deny',
      'Not allowed. 101 bytes are more than its limit of 100.',
    ],
    ['Projects/a.md', { bytes: 100 }, 'allow', 'Allowed.'],
    ['Projects/a.exe', {}, 'deny', 'kinds md, txt, json'],
    ['Projects/a', {}, 'deny', '. Write it as "Projects/a.md".'],
    ['Projects/a', { operation: 'read' }, 'deny', 'yaml, yml, toml.'],
    ['Projects/a.md', { operation: 'delete' }, 'deny', 'Only the level full-write deletes'],
    ['Projects/a.md', { agent: 'explore' }, 'deny', 'Not allowed. It may only read.'],
    ['Notes/a.Canvas', { sessionId: 'trusted', operation: 'delete' }, 'allow', 'Allowed.'],
    ['Notes/a.txt', { sessionId: 'trusted' }, 'deny', 'kinds MD, canvas.'],
    ['Notes', { operation: 'read', kind: 'folder' }, 'allow', 'Allowed.'],
  ] as const)(
    '[PERM26] a scope is a ceiling over all rules: %s %j: %s',
    (path, other, verdict, why) => {
      const said = decide(policy, accessRequest(path, other));
      expect([said.verdict, said.why]).toEqual([verdict, expect.stringContaining(why)]);
    },
  );
});

describe('presets', () => {
  test.each([
    [{ kind: 'read-only' }, ['allow', 'deny', 'deny']],
    [{ kind: 'ask' }, ['allow', 'ask', 'ask']],
    [{ kind: 'trusted', folders: ['Inbox'] }, ['allow', 'ask', 'allow']],
    [undefined, ['allow', 'ask', 'ask']],
  ])('[PERM27] %j: reading, writing, writing in Inbox: %j', (preset, expected) => {
    const policy = policyOf({ preset });
    const said = [
      accessRequest('a.md', { operation: 'read' }),
      accessRequest('a.md'),
      accessRequest('Inbox/a.md'),
    ];
    expect(said.map((request) => decide(policy, request).verdict)).toEqual(expected);
    expect(decide(policy, accessRequest('Boards/s/b.md', { operation: 'tasks' })).verdict).toBe(
      'allow',
    );
  });

  test('[PERM27] no rule or scope opens read only', () => {
    const policy = policyOf({
      preset: { kind: 'read-only' },
      scopes: [{ level: 'full-write' }],
      rules: [write('**', 'allow')],
    });
    expect(decide(policy, accessRequest('a.md')).why).toBe('Not allowed. It may only read.');
  });
});
