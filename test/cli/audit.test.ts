import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { intent, outcome } from '../permission/audit-folder';
import { auditWrites, auditedCall } from './audit-writes';
import { inProcessCli } from './in-process-cli';
import { parseOutput, PROGRAM } from './cli-run';

const cli = inProcessCli();
const { folder, write, writeSample: filled } = auditWrites(cli);

describe('agent-boards audit', () => {
  test('[AUD32] tail tells the latest calls of all writers, the last last, and what fits', async () => {
    await filled();
    const lines = (await cli.run(['audit', 'tail'])).out.trimEnd().split('\n');
    expect(lines).toEqual([
      '2026-11-22 10:00:00  build  obsidian_update_note  Notes/a.md  done (once)  [plugin:1]',
      '2026-11-22 10:02:00  plan  obsidian_update_note  Notes/a.md  done (once)  [plugin:3]',
      '2026-11-22 10:30:00  build  tasks  Boards/x.md  denied (once)  [bridge-1:1]',
      '2026-11-22 10:32:00  build  obsidian_update_note  Notes/a.md  open  [bridge-1:3]',
    ]);
    const handles = async (...args: string[]): Promise<string[]> => {
      const { out } = await cli.run(['audit', 'tail', '--json', ...args]);
      const rows = out.split('\n').filter((line) => line !== '');
      return rows.map((line) => (JSON.parse(line) as { intent: { callId: string } }).intent.callId);
    };
    expect(await handles('-n', '1')).toEqual(['call-four']);
    expect(await handles('--agent', 'plan')).toEqual(['call-two']);
    expect(await handles('--session', 't')).toEqual(['call-four']);
    expect(await handles('--tool', 'tasks')).toEqual(['call-three']);
    expect(await handles('--task', 'k3f9-2')).toEqual(['call-three']);
    expect(await handles('--outcome', 'done')).toEqual(['call-one', 'call-two']);
    expect(await handles('--since', '2026-11-22T10:30')).toEqual(['call-three', 'call-four']);
    expect(await handles('--agent', 'nobody')).toEqual([]);
    expect((await cli.run(['audit', 'tail', '--agent', 'nobody'])).out).toBe('No entry matches.\n');
  });

  test('[AUD32] tail says the vault where a call was about all of it', async () => {
    const more = { tool: 'obsidian.search_vault', operation: 'read', path: '' };
    await write('plugin', auditedCall('c', more));
    const { out } = await cli.run(['audit', 'tail', '--tool', 'search_vault']);
    expect(out).toContain('obsidian.search_vault  the vault  done');
  });

  test('[AUD32] tail goes back as many months as it takes', async () => {
    await write('plugin', auditedCall('old'), '2026-09-30T10:00:00');
    await write('plugin', auditedCall('new'), '2026-11-22T10:00:00');
    expect((await cli.run(['audit', 'tail'])).out.split('\n')).toHaveLength(3);
    expect((await cli.run(['audit', 'tail', '-n', '1'])).out).toContain('2026-11-22');
    const since = await cli.run(['audit', 'tail', '--since', '2026-11-01']);
    expect(since.out.trimEnd().split('\n')).toHaveLength(1);
  });

  test('[AUD10] explain tells why, from the record, by number, id or the id of the model', async () => {
    await filled();
    const told = await cli.run(['audit', 'explain', 'bridge-1:1']);
    expect(told).toMatchObject({ code: 0, err: '' });
    expect(told.out).toContain(
      'build in session s called tasks on its board, Boards/x.md. You were asked. Rule 3 decides: write **, ask.',
    );
    expect(told.out).toContain('It was not done. No.');
    expect((await cli.run(['audit', 'explain', 'call_0'])).out).toContain('[bridge-1:3]');
    expect((await cli.run(['audit', 'explain', 'call-tw'])).out).toContain('plan in session s');
    const both = await cli.run(['audit', 'explain', '1', '--json']);
    expect(parseOutput(both)).toMatchObject({
      calls: [
        { writer: 'plugin', why: expect.stringContaining('You allowed it once') as string },
        { writer: 'bridge-1', ending: 'denied' },
      ],
    });
    expect((await cli.run(['audit', 'explain', 'bridge-1:2'])).out).toContain('[bridge-1:1]');
    expect(await cli.run(['audit', 'explain', 'nothing'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no entry of the audit is called "nothing"') as string,
    });
    expect(parseOutput(await cli.run(['audit', 'explain', 'nothing', '--json']))).toMatchObject({
      error: { code: 'not_found' },
    });
  });

  test('[AUD2] nothing in an entry steers a terminal or breaks its line', async () => {
    const bad = 'a\u001b[2J\u202eb\nc';
    await write('plugin', [
      intent('evil', { agent: bad, path: bad, why: bad, tool: bad, sent: bad }),
      outcome('evil', { result: 'failed', message: bad }),
    ]);
    for (const args of [['tail'], ['explain', '1'], ['tail', '--json'], ['verify']]) {
      const { out } = await cli.run(['audit', ...args]);
      expect(['\u001b', '\u202e'].filter((char) => out.includes(char))).toEqual([]);
      if (args[0] === 'tail') expect(out.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  test('[AUD32] nothing in an entry steers a terminal, in JSON neither; a time without a date is damage', async () => {
    const why = 'a\u009b31mb\u202ec\u2028d\u007f';
    await write('plugin', auditedCall('call-one', { why, agent: why }));
    for (const args of [['tail'], ['explain', 'call-one'], ['verify']]) {
      for (const format of [[], ['--json']]) {
        const { code, out } = await cli.run(['audit', ...args, ...format]);
        expect(code).toBe(0);
        expect(out).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
        if (format.length > 0 && args[0] !== 'verify') expect(out).toContain('\\u009b31m');
      }
    }
    const file = join(folder(), '2026-11.plugin.jsonl');
    const lines = await fs.readFile(file, 'utf8');
    await fs.appendFile(file, lines.replaceAll(/"at":\d+/g, `"at":${Number.MAX_SAFE_INTEGER}`));
    const { code, out } = await cli.run(['audit', 'tail', '--json', '--outcome', 'damaged']);
    expect([code, out.trim().split('\n').length]).toEqual([0, 2]);
  });

  test('[AUD32] a line that is no entry, and one that was torn, are told as such', async () => {
    await filled();
    const file = join(folder(), '2026-11.plugin.jsonl');
    await fs.appendFile(file, 'rubbish\n');
    const { out } = await cli.run(['audit', 'tail', '--outcome', 'damaged']);
    expect(out).toContain('not an entry: rubbish  [plugin:5]');
    expect((await cli.run(['audit', 'explain', 'plugin:5'])).out).toContain('line 5');
  });

  test.each([
    [['audit'], 'takes verify | tail | explain'],
    [['audit', 'look'], 'takes verify, tail or explain'],
    [['audit', 'explain'], 'takes an entry'],
    [['audit', 'verify', 'x'], 'not understood'],
    [['audit', 'tail', '--since', 'yesterday'], '--since takes'],
    [['audit', 'tail', '--since', '2026-99-99'], '--since takes'],
    [['audit', 'tail', '-n', 'all'], '--lines takes'],
    [['audit', 'tail', '-n', '0'], '--lines takes'],
    [['audit', 'tail', '--wrong'], 'has no option'],
    [['audit', 'tail', '--outcome', 'good'], '--outcome is one of'],
  ])('[AUD32] %j is told what to type', async (args, words) => {
    const { code, err } = await cli.run(args);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(err).toContain('Try agent-boards audit --help.');
  });

  test('[AUD32] --follow prints each call once it is over, until it is stopped', async () => {
    await filled();
    const child = spawn(process.execPath, [PROGRAM, 'audit', 'tail', '-n', '1', '-f'], {
      cwd: cli.vault,
    });
    let seen = '';
    child.stdout.on('data', (data: Buffer) => (seen += data.toString()));
    const until = async (words: string): Promise<void> => {
      while (!seen.includes(words)) await once(child.stdout, 'data');
    };
    await until('[bridge-1:3]');
    await write('bridge-1', [outcome('call-four'), intent('call-five')], '2026-11-22T11:00:00');
    await until('done (once)  [bridge-1:3]');
    await write('bridge-1', [outcome('call-five')], '2026-11-22T12:00:00');
    await until('[bridge-1:5]');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(seen.match(/bridge-1:5/g)).toHaveLength(1);
  });
});
