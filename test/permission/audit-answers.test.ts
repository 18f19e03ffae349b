import { beforeEach, describe, expect, test } from 'vitest';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { auditedCalls, explainCall } from '../../src/core/permission/audit/explain-call';
import { AuditFolder, intent, outcome } from './audit-folder';

let folder: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
});

describe('what the audit answers', () => {
  async function calls() {
    const records = (await folder.lines()).flatMap((line) => parseRecord(line) ?? []);
    return auditedCalls(records);
  }

  test('[AUD10] why a call was allowed, asked or denied, and what came of it', async () => {
    const log = folder.log();
    await log.append(intent('c1'));
    await log.append(outcome('c1'));
    await log.append(
      intent('c2', {
        path: '.git/\u202econfig',
        verdict: 'deny',
        why: 'Never allowed. This is part of a Git repository. No rule can change that.',
      }),
    );
    await log.append({ kind: 'outcome', callId: 'c2', result: 'denied', code: 'denied' });
    await log.append(intent('c3', { dryRun: true, agent: 'writer', sessionId: undefined }));
    const { calls: all } = await calls();
    expect([...all.values()].map(explainCall)).toEqual([
      'build in session s called obsidian_update_note to change Notes/a.md. You were asked. Rule 3 decides: write **, ask. You allowed it once. It was done.',
      'build in session s called obsidian_update_note to change .git/<U+202E>config. Never allowed. This is part of a Git repository. No rule can change that. It was not done.',
      'writer called obsidian_update_note to preview: change Notes/a.md. A rule asks. Rule 3 decides: write **, ask. It has not ended, or how it ended was not recorded.',
    ]);
  });

  test.each([
    [
      { tool: 'obsidian.search_vault', operation: 'read', path: '', why: 'Allowed.' },
      'build in session s called obsidian.search_vault to read the vault. Allowed. It has not ended, or how it ended was not recorded.',
    ],
    [
      { tool: 'tasks', operation: 'tasks', path: undefined, why: 'Allowed.' },
      'build in session s called tasks on its board. Allowed. It has not ended, or how it ended was not recorded: look at the board.',
    ],
    [
      { tool: 'obsidian.read_note', operation: 'run', path: undefined, why: 'No path.' },
      'build in session s called obsidian.read_note. No path. It has not ended, or how it ended was not recorded.',
    ],
    [
      { operation: 'create', why: 'You are asked, because no rule matches.' },
      'build in session s called obsidian_update_note to change Notes/a.md. No rule matches, so it asks. It has not ended, or how it ended was not recorded: look at the note.',
    ],
  ])('[AUD10] a call with %j says what is known', async (more, words) => {
    await folder.log().append(intent('c', more));
    const { calls: all } = await calls();
    expect([...all.values()].map(explainCall)).toEqual([words]);
  });

  test('[AUD10] what ended before anybody was asked is not told as asked', async () => {
    const log = folder.log();
    await log.append(intent('c'));
    await log.append({ kind: 'outcome', callId: 'c', result: 'failed', message: 'No such text.' });
    const { calls: all } = await calls();
    expect([...all.values()].map(explainCall)).toEqual([
      'build in session s called obsidian_update_note to change Notes/a.md. A rule asks. Rule 3 decides: write **, ask. It failed. No such text.',
    ]);
  });

  test('[AUD11] a call with a second intent or outcome, or an outcome alone, is named', async () => {
    const log = folder.log();
    for (const entry of [intent('a'), outcome('a'), intent('b'), intent('b'), outcome('c')])
      await log.append(entry);
    const { calls: all, odd } = await calls();
    expect([[...all.keys()], odd]).toEqual([
      ['a', 'b'],
      ['b', 'c'],
    ]);
  });
});
