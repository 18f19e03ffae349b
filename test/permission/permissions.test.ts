import { expect, test } from 'vitest';
import { ASK_FOR_ALL, readPermissions } from '../../src/core/permission/permissions';
import { compilePolicy } from '../../src/core/permission/policy';
import { decide } from '../../src/core/permission/decide';
import { accessRequest, policyOf } from './policy-of';

test.each([
  [
    { rules: [{ permission: 'wirte', action: 'ask' }] },
    'rule 1, permission: use *, read, write, create, update, delete or tasks',
  ],
  [
    {
      rules: [
        { permission: 'read', action: 'ask' },
        { permission: 'write', action: 'maybe' },
      ],
    },
    'rule 2, action',
  ],
  [
    { rules: [{ permission: 'write', pattern: 'x'.repeat(257), action: 'ask' }] },
    'This pattern is too long. Use at most 256 characters.',
  ],
  [
    { rules: [{ permission: 'tasks', pattern: 'Boards/**', action: 'deny' }] },
    'rule 1, pattern: tasks has no paths.',
  ],
  [
    { rules: Array.from({ length: 201 }, () => ({ permission: '*', action: 'ask' })) },
    'use at most 200 rules',
  ],
  [
    {
      rules: Array.from({ length: 70 }, () => ({
        permission: '*',
        pattern: 'y'.repeat(250),
        action: 'ask',
      })),
    },
    'all patterns together may have 8192 characters',
  ],
  [{ scopes: [{ level: 'scoped-write' }] }, 'scope 1, allowed'],
  [{ scopes: [{ level: 'full-write', extensions: ['.md'] }] }, 'write it as "md", without the dot'],
  [{ preset: { kind: 'trusted', folders: [] } }, 'preset.folders'],
  [
    { rules: [{ permission: '*', action: 'allow', until: Number.MAX_SAFE_INTEGER }] },
    'rule 1, until: use a time that has a date',
  ],
  ['allow', 'permissions:'],
  [{ rules: 'allow' }, 'rules:'],
])('[PERM28] %j can’t be followed, and is told where: %s', (settings, words) => {
  const read = readPermissions(settings);
  expect(read).toMatchObject({ ok: false, code: 'bad_permissions' });
  expect(read).toHaveProperty('message', expect.stringContaining(words));
});

test('[PERM28] what can’t be followed leaves everything to be asked, reading too', () => {
  const { places } = policyOf({});
  const policy = compilePolicy(ASK_FOR_ALL, places);
  expect(decide(policy, accessRequest('a.md', { operation: 'read' })).verdict).toBe('ask');
  expect(decide(policy, accessRequest('a.md')).verdict).toBe('ask');
  expect(decide(policy, accessRequest('Boards/s/b.md', { operation: 'tasks' })).verdict).toBe(
    'ask',
  );
});

test('[PERM29] rules may be written as OpenCode has them: an action, or a map from pattern to action', () => {
  expect(
    readPermissions({ rules: { read: 'deny', write: { '**': 'deny', 'Inbox/*': 'allow' } } }),
  ).toMatchObject({
    rules: [
      { permission: 'read', pattern: '**', action: 'deny' },
      { permission: 'write', pattern: '**', action: 'deny' },
      { permission: 'write', pattern: 'Inbox/*', action: 'allow' },
    ],
  });
});
