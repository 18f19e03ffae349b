import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import { AuditLog } from '../../src/core/permission/audit/audit-log';
import { Redactor } from '../../src/core/permission/audit/redact';
import { AUDIT_FOLDER, auditFolder } from '../../src/node/audit/audit-folder';
import { auditMark } from '../../src/node/audit/audit-marks';
import { sha256 } from '../../src/node/audit/open-audit';
import { intent, outcome } from '../permission/audit-folder';
import { cliRun, json } from './cli-run';

const cli = cliRun();
const folder = (): string => join(cli.vault, AUDIT_FOLDER);

/** Entries of one writer, a minute apart from the 22nd of November on; the plugin keeps its mark elsewhere. */
async function write(
  writer: string,
  entries: readonly AuditEntry[],
  from = '2026-11-22T10:00:00',
): Promise<void> {
  await fs.mkdir(join(folder(), 'writers'), { recursive: true });
  let time = new Date(from).getTime() - 60_000;
  const clock = {
    now: () => (time += 60_000),
    today: () => from.slice(0, 10),
    after: () => () => undefined,
  };
  const kept = auditMark(folder(), writer);
  const mark =
    writer === 'plugin' ? { load: kept.load.bind(kept), save: () => Promise.resolve() } : kept;
  const store = auditFolder(folder());
  const log = new AuditLog({
    store,
    mark,
    digest: sha256,
    clock,
    redactor: new Redactor(),
    writer,
  });
  for (const entry of entries) await log.append(entry);
}

const called = (id: string, more: Parameters<typeof intent>[1] = {}): AuditEntry[] => [
  intent(id, more),
  outcome(id),
];

async function filled(): Promise<void> {
  await write('plugin', [...called('call-one'), ...called('call-two', { agent: 'plan' })]);
  await write(
    'bridge-1',
    [
      intent('call-three', {
        tool: 'tasks',
        operation: 'tasks',
        path: 'Boards/x.md',
        task: 'k3f9-2',
      }),
      outcome('call-three', { result: 'denied', message: 'No.' }),
      intent('call-four', { sent: 'call_0', sessionId: 't' }),
    ],
    '2026-11-22T10:30:00',
  );
}

describe('agent-boards audit', () => {
  test('[AUD32] verify says per writer whether the record is whole, and exits with 3 where it is not', async () => {
    expect(await cli.run(['audit', 'verify'])).toMatchObject({
      code: 0,
      out: 'Nothing was audited yet.\n',
    });
    await filled();
    const whole = await cli.run(['audit', 'verify']);
    expect(whole).toEqual({
      code: 0,
      err: '',
      out:
        'bridge-1: 3 entries, as they were written.\n' +
        'plugin: 4 entries, as they were written. Whether entries are missing at its end is known to its writer only; for that of Obsidian, use Check audit there.\n',
    });
    const file = join(folder(), '2026-11.plugin.jsonl');
    const text = await fs.readFile(file, 'utf8');
    await fs.writeFile(file, text.replace('"agent":"plan"', '"agent":"build"'));
    const broken = await cli.run(['audit', 'verify']);
    expect(broken.code).toBe(3);
    expect(broken.out).toContain(
      'plugin: 2026-11.plugin.jsonl:3: Entry 3 was changed or removed after it was written.',
    );
    expect(json(await cli.run(['audit', 'verify', '--json']))).toMatchObject({
      ok: false,
      writers: [
        { writer: 'bridge-1', ok: true, entries: 3, marked: true },
        { writer: 'plugin', ok: false, problem: 'changed', entry: 3, line: 3 },
      ],
    });
  });

  test('[AUD32] verify notices a cut end, a writer whose files are gone, and a call with two outcomes', async () => {
    await filled();
    const file = join(folder(), '2026-11.bridge-1.jsonl');
    const lines = (await fs.readFile(file, 'utf8')).split('\n');
    await fs.writeFile(file, `${lines.slice(0, 2).join('\n')}\n`);
    expect((await cli.run(['audit', 'verify'])).out).toMatch(/bridge-1: .*removed from the end/);
    await fs.rm(file);
    expect(await cli.run(['audit', 'verify'])).toMatchObject({ code: 3 });
    await write('bridge-2', [...called('c'), outcome('c')]);
    expect((await cli.run(['audit', 'verify'])).out).toContain(
      "bridge-2: 1 call doesn't have one intent and one outcome: c",
    );
  });

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
    expect((await cli.run(['audit', 'tail', '--agent', 'nobody'])).out).toBe('No entry fits.\n');
  });

  test('[AUD32] tail goes back as many months as it takes', async () => {
    await write('plugin', called('old'), '2026-09-30T10:00:00');
    await write('plugin', called('new'), '2026-11-22T10:00:00');
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
      'build in session s called tasks to tasks Boards/x.md. You are asked. Rule 3 decides: write **, ask.',
    );
    expect(told.out).toContain('It was not done. No.');
    expect((await cli.run(['audit', 'explain', 'call_0'])).out).toContain('[bridge-1:3]');
    expect((await cli.run(['audit', 'explain', 'call-tw'])).out).toContain('plan in session s');
    const both = await cli.run(['audit', 'explain', '1', '--json']);
    expect(json(both)).toMatchObject({
      calls: [
        { writer: 'plugin', why: expect.stringContaining('You allowed it once') as string },
        { writer: 'bridge-1', ending: 'denied' },
      ],
    });
    expect(await cli.run(['audit', 'explain', 'nothing'])).toMatchObject({ code: 2 });
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
    await write('plugin', called('call-one', { why, agent: why }));
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
    [['audit', 'tail', '--outcome', 'good'], '--outcome is one of'],
  ])('[AUD32] %j is told what to type', async (args, words) => {
    const { code, err } = await cli.run(args);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  test('[AUD32] --follow prints each call once it is over, until it is stopped', async () => {
    await filled();
    const child = spawn(process.execPath, [cli.program, 'audit', 'tail', '-n', '1', '-f'], {
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
