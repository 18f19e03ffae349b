import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ErrorHandler } from '../../src/core/error-handler';
import { openBareBridge } from '../bridge/bare-bridge';
import { PRODUCT_VERSION } from '../../src/core/version';
import type { Finding } from '../../src/core/board/board-findings';
import { writeEntry } from '../../src/core/board/journal';
import { thisProcess, keyLockPath } from '../../src/node/lock';
import { noteKey } from '../../src/node/disk-store';
import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import { auditWrites } from './audit-writes';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
const { runAsAgent: words } = cli;
const audited = auditWrites(cli);
const JOURNAL = '.opencode/agent-task-boards/journal';

async function doctor(
  ...args: string[]
): Promise<{ code: number; kinds: string[]; fixed: string[] }> {
  const { code, out } = await cli.run(['doctor', '--json', ...args]);
  const { findings, fixed } = parseOutput({ out }) as { findings: Finding[]; fixed: Finding[] };
  return { code, kinds: findings.map(({ kind }) => kind), fixed: fixed.map(({ kind }) => kind) };
}

/** A lock of a process that does not exist: its id is above every process id of Linux. */
async function lockOf(host: string | undefined): Promise<string> {
  const self = await thisProcess();
  return JSON.stringify({ pid: 4_194_304, host: host ?? self.host, nonce: 'gone' });
}

describe('doctor', () => {
  test('[ERR7] --json has versions, settings and counts for a report, and no secret', async () => {
    const key = 'sk-ant-0123456789abcdefghij';
    await cli.write(
      '.opencode/opencode.json',
      `{"share": "sometimes", "provider": {"a": {"options": {"apiKey": "${key}"}}}}`,
    );
    await cli.write(
      '.opencode/agent-task-boards.json',
      '{"root": "Diary/boards", "askMinutes": 5}',
    );
    const { out } = await cli.run(['doctor', '--json']);
    expect(parseOutput({ out })).toMatchObject({
      versions: { agentBoards: PRODUCT_VERSION, node: process.version },
      settings: { root: 'changed', askMinutes: 5, permissions: 'default' },
      config: { errors: 1, warnings: 0 },
      caches: [{ name: 'boards', entries: 0, hits: 0, misses: 0 }],
      faults: [],
      bridges: [],
    });
    expect(out).not.toMatch(/sk-ant|Diary/);
  });

  test('[DOC15] says how many errors the configuration has, and who lists them', async () => {
    await cli.write('.opencode/opencode.json', '{"share": "sometimes"}');
    const told = await cli.run(['doctor']);
    expect([told.code, told.out]).toEqual([
      0,
      "OpenCode's configuration has an error: agent-boards config check says where.\n",
    ]);
    await cli.write('.opencode/opencode.json', '{"share": "sometimes", "autoupdate": 3}');
    expect((await cli.run(['doctor'])).out).toContain('has 2 errors: ');
  });

  test('[DOC8] a vault in order: 0; one with a note to repair: 3, with place and reason', async () => {
    expect(await cli.run(['doctor'])).toMatchObject({ code: 0, out: 'All is well.\n' });
    await words('add', 'A');
    expect((await doctor()).code).toBe(0);
    const text = await cli.read(cli.board());
    await cli.write(cli.board(), text.replace('board: 1', 'board: [1'));
    const told = await cli.run(['doctor']);
    expect([told.code, told.out]).toEqual([3, expect.stringContaining(`${cli.board()}:3: `)]);
    expect((await doctor('--fix')).kinds).toEqual(['broken-note']);
    expect(await cli.read(cli.board())).toBe(text.replace('board: 1', 'board: [1'));
  });

  test('[DOC13] names settings that are not followed, by file and line, and what that means: 1', async () => {
    const path = '.opencode/agent-task-boards.json';
    const rule = { permission: 'read', pattern: 'a', action: 'maybe' };
    const permissions = { rules: [{ permission: 'read', action: 'deny' }, rule] };
    const means = 'each call of an agent is asked about, and refused where nobody can be asked';
    for (const [text, line, why] of [
      ['{\n  "permissions": {\n  }\n  "noteTools": true\n}', 4, 'is not JSON'],
      [JSON.stringify({ permissions }, null, 1), 8, 'rule 2, action'],
      ['{\n\n"permissions": 3}', 3, "can't be read"],
      ['{"askMinutes": -1}', 1, '"askMinutes" is not understood'],
    ] as const) {
      await cli.write(path, text);
      const told = await cli.run(['doctor']);
      expect([text, told.code]).toEqual([text, 1]);
      expect(told.out).toContain(`${path}:${line}: It `);
      expect(told.out).toContain(why);
      expect(told.out).toContain(means);
      expect(told.out).not.toContain('All is well');
      expect((await doctor('--fix')).kinds).toEqual(['settings']);
    }
    await rm(join(cli.vault, path));
    await mkdir(join(cli.vault, path));
    const unread = await cli.run(['doctor']);
    expect(unread.code).toBe(1);
    expect(unread.out).toContain(`${path}: It is a folder, where a file has to be. Move it away`);
    expect(unread.out).toContain(means);
    await rm(join(cli.vault, path), { recursive: true });
    await cli.write(path, '{"permissions": {}}');
    expect(await cli.run(['doctor'])).toMatchObject({ code: 0, out: 'All is well.\n' });
  });

  test.each([
    ['is not JSON', '['.repeat(100_000)],
    ['has more than 64 levels', `{"hooks": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ])('[DOC20] names settings of which it %s', async (what, text) => {
    const path = '.opencode/agent-task-boards.json';
    await cli.write(path, text);
    const told = await cli.run(['doctor']);
    expect([told.code, told.out]).toEqual([
      1,
      expect.stringContaining(`${path}: It ${what}. Repair it or remove it. `),
    ]);
    expect(await doctor('--json')).toMatchObject({ kinds: ['settings'] });
  });

  test('[DOC9] --fix gives the second of two tasks with one id its own; nothing else moves', async () => {
    await words('add', 'A');
    await words('add', 'B', '--depends-on', '1');
    const text = await cli.read(cli.board());
    const line = text.split('\n').find((one) => one.includes('] A')) ?? '';
    const copies = ['A again', 'A once more'].map((title) => line.replace('] A', `] ${title}`));
    await cli.write(cli.board(), `${text}${copies.join('\n')}\n`);
    expect(await doctor()).toEqual({ code: 3, kinds: ['duplicate-id', 'duplicate-id'], fixed: [] });
    expect(await doctor('--fix')).toEqual({
      code: 0,
      kinds: [],
      fixed: ['duplicate-id', 'duplicate-id'],
    });
    const after = await cli.read(cli.board());
    expect(after).toContain(line);
    expect(after).toMatch(/- \[ \] A again 🆔 \w{4}-3 \^\w{4}-3\n- \[ \] A once more 🆔 \w{4}-4 /);
    expect(parseOutput(await cli.run(['list', '--json']))).toMatchObject({
      boards: [{ tasks: [{ n: 1, title: 'A' }, { n: 2 }, { n: 3 }, { n: 4 }] }],
    });
  });

  test('[DOC10] --fix removes the lock of a process that is gone here; that of another machine stays', async () => {
    await words('add', 'A');
    const here = join(cli.vault, keyLockPath(noteKey(cli.board())));
    const there = join(cli.vault, keyLockPath(noteKey('other.md')));
    await cli.write(here.slice(cli.vault.length), await lockOf(undefined));
    await cli.write(there.slice(cli.vault.length), await lockOf(`not-${hostname()}`));
    expect((await doctor()).kinds).toEqual(['stale-lock']);
    await utimes(there, 1, 1);
    expect((await doctor()).kinds).toEqual(['stale-lock', 'stale-lock']);
    expect(await doctor('--fix')).toMatchObject({
      code: 3,
      kinds: ['stale-lock'],
      fixed: ['stale-lock'],
    });
    const locks = await readdir(join(cli.vault, '.opencode/agent-task-boards/locks'));
    expect(locks.filter((name) => name.endsWith('.lock'))).toEqual([there.split('/').at(-1)]);
  });

  test('[DOC10] a lock that a live process holds is no finding, and stays', async () => {
    await words('add', 'A');
    const file = join(cli.vault, keyLockPath(noteKey(cli.board())));
    await cli.write(file.slice(cli.vault.length), JSON.stringify(await thisProcess()));
    expect(await doctor('--fix')).toEqual({ code: 0, kinds: [], fixed: [] });
    await rm(file);
  });

  test('[DOC10] --fix removes temporary files that are old, and no file of a person', async () => {
    await words('add', 'A');
    const old = '.opencode/todos/s1/.atb-0123456789ab-01234567.tmp';
    const fresh = '.opencode/todos/s1/.atb-0123456789ab-89abcdef.tmp';
    const own = '.opencode/todos/s1/notes.tmp';
    for (const path of [old, fresh, own]) {
      await cli.write(path, 'half');
      if (path !== fresh) await utimes(join(cli.vault, path), 1, 1);
    }
    expect(await doctor('--fix')).toEqual({ code: 0, kinds: [], fixed: ['leftover-file'] });
    expect(await readdir(join(cli.vault, '.opencode/todos/s1'))).toEqual([
      fresh.split('/').at(-1),
      'build-tasks.md',
      'notes.tmp',
    ]);
  });

  test('[DOC11] a write that was broken off is brought to its end: of a board by looking, of else by --fix', async () => {
    await words('add', 'A');
    for (const path of [cli.board(), 'Elsewhere.md']) {
      if (path !== cli.board()) await cli.write(path, '- [ ] A\n');
      const before = await cli.read(path);
      const after = before.replace('- [ ] A', '- [x] A');
      await cli.write(`${JOURNAL}/${noteKey(path)}.json`, writeEntry(path, before, after));
      const ended = path === cli.board() ? [] : ['leftover-journal'];
      expect([path, (await doctor()).kinds]).toEqual([path, ended]);
      expect(await doctor('--fix')).toEqual({ code: 0, kinds: [], fixed: ended });
      expect(await cli.read(path)).toBe(after);
      expect(await readdir(join(cli.vault, JOURNAL))).toEqual([]);
    }
  });

  test('[DOC16] names damaged histories and checkpoints with what is lost and what to do, and changes nothing', async () => {
    await words('add', 'A');
    await words('add', 'B');
    await words('checkpoint');
    const history = '.opencode/agent-task-boards/history/s1/build.jsonl';
    const checkpoint = '.opencode/agent-task-boards/checkpoints/s1/build/1.md';
    expect((await doctor()).code).toBe(0);

    const whole = await cli.read(history);
    await cli.write(history, `${whole}{"change": 3}\nno record\n{"torn`);
    const told = await cli.run(['doctor']);
    expect([told.code, told.out]).toEqual([
      3,
      `${history}:3: This line of a board's history is damaged: its change cannot be listed or undone, all others can. So is another line. The board itself is whole. You can delete the line.\n`,
    ]);
    expect((await doctor('--fix')).kinds).toEqual(['damaged-state']);
    expect(await cli.read(history)).toBe(`${whole}{"change": 3}\nno record\n{"torn`);
    expect((await words('undo')).code).toBe(0);

    await writeFile(join(cli.vault, history), Buffer.from([0xff, 0xfe, 10]));
    const advice =
      'this history of a board is damaged (it is no valid UTF-8 text), so its changes cannot be listed or undone. The board itself is whole. Move the file out of the vault: the next change begins a new history.';
    expect((await cli.run(['doctor'])).out).toBe(`${history}: ${advice.replace('this', 'This')}\n`);
    expect((await words('history')).err).toBe(`agent-boards: ${history}: ${advice}\n`);
    expect((await words('undo')).out).toContain(`${history}: ${advice}`);
    await rename(join(cli.vault, history), join(cli.vault, '..', 'kept.jsonl'));
    await words('add', 'C');
    expect((await words('undo')).code).toBe(0);

    for (const text of ['garbage', (await cli.read(checkpoint)).replace('board: 1', 'board: [')]) {
      await cli.write(checkpoint, text);
      expect((await doctor('--fix')).kinds).toEqual(['damaged-state']);
      expect((await cli.run(['doctor'])).out).toContain(
        `${checkpoint}: The board cannot go back to this checkpoint: `,
      );
      expect(await cli.read(checkpoint)).toBe(text);
    }
    await cli.write(checkpoint, 'garbage');
    expect((await words('rollback', '1')).err).toBe(
      `agent-boards: Checkpoint 1 cannot be gone back to: ${checkpoint} is damaged. Take another one.\n`,
    );
  });

  test('[DOC17] names an audit that audit verify refuses, by file and line', async () => {
    await audited.writeSample();
    expect(await doctor()).toEqual({ code: 0, kinds: [], fixed: [] });
    const file = `${AUDIT_FOLDER}/2026-11.plugin.jsonl`;
    const text = await cli.read(file);
    await cli.write(file, text.replace('"agent":"plan"', '"agent":"build"'));
    const told = await cli.run(['doctor']);
    expect(told.code).toBe(3);
    expect(told.out).toMatch(
      /^\.opencode\/agent-task-boards\/audit\/2026-11\.plugin\.jsonl:3: The audit of plugin: .*Entry 3 was changed or removed.* agent-boards audit verify says more\./,
    );
    await rm(join(cli.vault, file));
    await mkdir(join(cli.vault, file));
    expect((await doctor()).kinds).toContain('damaged-audit');
  });

  test('[DOC18] a folder or garbage in the place of .gitignore stops no history, and is named', async () => {
    const ignore = '.opencode/agent-task-boards/.gitignore';
    await mkdir(join(cli.vault, ignore), { recursive: true });
    expect(await words('add', 'A')).toMatchObject({ code: 0, err: '' });
    expect((await words('history')).out).toContain('add: #1 A');
    expect((await doctor()).kinds).toEqual(['not-a-file']);
    await rm(join(cli.vault, ignore), { recursive: true });
    await writeFile(join(cli.vault, ignore), Buffer.from([0xff, 0xfe]));
    expect(await words('add', 'B')).toMatchObject({ code: 0, err: '' });
    expect((await words('undo')).code).toBe(0);
    expect(await words('checkpoint')).toMatchObject({ code: 0, err: '' });
    const { kinds } = await doctor();
    expect(kinds).toEqual(['damaged-state']);
    expect((await cli.run(['doctor'])).out).toContain(`${ignore}: Git may take files`);
  });

  test('[DOC19] names links in the place of boards that lead out of the vault or nowhere', async () => {
    const [out, gone, inside] = ['out', 'gone', 'inside'].map(
      (name) => `.opencode/todos/s2/${name}.md`,
    );
    expect(await words('add', 'A')).toMatchObject({ code: 0, err: '' });
    await mkdir(join(cli.vault, '.opencode/todos/s2'), { recursive: true });
    await symlink('/etc/hostname', join(cli.vault, out ?? ''));
    await symlink('nothing.md', join(cli.vault, gone ?? ''));
    await symlink('../../../Notes.md', join(cli.vault, inside ?? ''));
    await cli.write('Notes.md', '# Notes\n');
    const told = await cli.run(['doctor']);
    expect(told.code).toBe(3);
    expect(told.out).toContain(`${gone}: It is a link that leads nowhere, and is not read.`);
    expect(told.out).toContain(
      `${out}: It is a link that leads out of the vault, and is not read.`,
    );
    expect(told.out).not.toContain(`${inside}: It is a link`);
  });

  test('[ERR8] --json has the faults of the programs that run in the vault now, without their texts', async () => {
    const log = new ErrorHandler({ now: () => Date.UTC(2026, 10, 28) });
    log.note('A request failed.', {
      at: 'bridge.request',
      severity: 'error',
      type: 'session.start',
      error: 'TypeError: of my diary',
    });
    const caches = () => ['sessions of OpenCode: 2 hits, 1 misses, 1 of 2000 entries'];
    const bridge = await openBareBridge(cli.vault, { log, able: { caches } });
    onTestFinished(() => bridge.close());
    const { code, out } = await cli.run(['doctor', '--json']);
    expect(code).toBe(0);
    const line =
      '2026-11-28T00:00:00.000Z error bridge.request A request failed. type=session.start error=TypeError';
    expect(parseOutput({ out })).toMatchObject({
      bridges: [{ program: 'MCP', bridge: '0.1.0', faults: [`  ${line}`], caches: caches() }],
    });
    expect((await cli.run(['doctor'])).out).toBe(`MCP (bridge 0.1.0): ${line}\n`);
  });
});
