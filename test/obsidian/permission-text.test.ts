import { describe, expect, test } from 'vitest';
import type { PermissionRequest } from '../../src/core/session/session';
import { permissionText } from '../../src/obsidian/ask/ask-text';

function request(requestId: string, part: Partial<PermissionRequest> = {}): PermissionRequest {
  const base = { permission: 'bash', patterns: ['ls'], always: ['ls *'], metadata: {} };
  return { requestId, ...base, ...part };
}

describe('permissionText', () => {
  test('[ACP32] the answers have the words that the agent has for them', () => {
    const options = { once: 'Yes', always: 'Yes, all of npm', reject: 7 };
    expect(permissionText(request('r', { metadata: { options } })).answers).toEqual([
      'Allow once: Yes',
      'Always allow…: Yes, all of npm',
    ]);
    for (const other of [['Yes'], 'Yes', null]) {
      expect(permissionText(request('r', { metadata: { options: other } })).answers).toEqual([]);
    }
  });

  test.each([
    [
      'edit',
      { patterns: ['Projects/Index format.md'] },
      'Allow an edit of Index format?',
      'Edit a note',
      ['Projects/Index format.md'],
    ],
    [
      'bash',
      { patterns: ['git push *'], metadata: { command: 'git push --force' } },
      'Allow this command?',
      'Run a command',
      ['git push --force'],
    ],
    [
      'webfetch',
      { patterns: ['https://x.y'] },
      'Allow access to the web?',
      'Use the web',
      ['https://x.y'],
    ],
    [
      'obsidian_update_note',
      { patterns: ['A/B.md'] },
      'Allow an edit of B?',
      'Edit a note',
      ['A/B.md'],
    ],
    ['obsidian_read_note', { patterns: ['A/B.md'] }, 'Allow reading B?', 'Read a note', ['A/B.md']],
    [
      'obsidian_search_vault',
      { patterns: ['*'] },
      'Allow a search of your notes?',
      'Search notes',
      ['*'],
    ],
    ['brew', { patterns: ['tea'] }, 'Allow brew?', 'Use brew', ['tea']],
  ] as const)(
    '[PLUGIN13] %s is asked in words, with the thing itself',
    (permission, part, question, short, objects) => {
      const text = permissionText(
        request('r', { permission, ...part, patterns: [...part.patterns] }),
      );
      expect([text.question, text.short, text.objects]).toEqual([question, short, objects]);
    },
  );

  test.each([
    ['@@ -1,3 +1,4 @@\n one\n-two\n+2\n+3\n', '2 lines added, 1 removed'],
    ['--- a\n+++ b\n@@ -1 +1,2 @@\n one\n+--two\n', '1 line added'],
    ['--- a\n+++ b\n@@ -1,2 +1 @@\n one\n-two\n', '1 line removed'],
    ['', null],
    [7, null],
  ])('[PLUGIN13] the lines of an edit are counted in %j', (diff, change) => {
    const edit = request('r', { permission: 'edit', patterns: ['a.md'], metadata: { diff } });
    expect(permissionText(edit).change).toBe(change);
  });
});
