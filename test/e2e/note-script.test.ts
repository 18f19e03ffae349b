import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { auditOf } from './audit-of';
import { NOTES, noteScript, WEEK } from './note-script';
import { playInVault, removeFolders, temporaryFolder } from './run-demo';

afterAll(removeFolders);

test('[DEMO30] a script uses each tool for notes, and its person answers what the plugin asks', async () => {
  const vault = temporaryFolder('notes');
  for (const [path, text] of Object.entries(NOTES)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const outside = temporaryFolder('outside');
  writeFileSync(join(outside, 'secret.md'), 'CANARY');
  symlinkSync(outside, join(vault, 'Shared'));

  const { result, err, code } = await playInVault(noteScript(), '--vault', vault);
  expect(result.errors, err).toEqual([]);
  expect(code).toBe(0);
  expect(result.calls).toEqual({ websocket: 21, headless: 0 });

  const text = (path: string) => readFileSync(join(vault, path), 'utf8');
  expect(text('Plans/Week.md')).toBe(WEEK);
  expect(text('Plans/New.md')).toBe('# New\n');
  expect(text('Plans/Year.md')).toBe(NOTES['Plans/Year.md']);
  expect(text('.obsidian/app.json')).toBe('{}');
  expect(readdirSync(outside)).toEqual(['secret.md']);
  expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('CANARY');

  const calls = await auditOf(vault);
  const lines = calls.map(({ intent, outcome }) =>
    [intent.tool.replace('obsidian.', ''), outcome?.result, outcome?.reply].join(' ').trim(),
  );
  expect(lines).toEqual([
    'tasks done',
    ...['search_vault done', 'list_notes done', 'read_note done', 'get_note_metadata done'],
    ...['read_note denied', 'read_note denied', 'read_note denied'],
    ...['update_note preview', 'update_note done always'],
    ...['update_note done', 'update_note done', 'update_note done', 'update_note done'],
    'update_note failed',
    ...['create_note preview', 'create_note done once', 'create_note failed'],
    ...['update_note denied reject', 'update_note denied', 'create_note denied'],
  ]);
});
