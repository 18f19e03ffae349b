import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { auditedCalls } from '../../src/core/permission/audit/explain-call';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { TEXTS_FOLDER } from '../../src/core/permission/audit/note-text-store';
import { Redactor } from '../../src/core/permission/audit/redact';
import { verifyAudit } from '../../src/core/permission/audit/verify-audit';
import {
  AuditFiles,
  auditFolder,
  auditMark,
  machineId,
  reserveWriter,
} from '../../src/node/audit/audit-folder';
import { ProcessAudit, sha256 } from '../../src/node/audit/open-audit';
import { isTemporary } from '../../src/node/whole-file';
import { nodeClock } from '../../src/node/node-ports';
import { intent, outcome } from '../permission/audit-folder';
import { bundleChild } from '../store/bundle-child';

let base = '';
let vault = '';
let folder = '';
beforeEach(async () => {
  base = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-audit-')));
  vault = join(base, 'vault');
  folder = join(vault, AUDIT_FOLDER);
  await fs.mkdir(vault);
});
afterEach(() => fs.rm(base, { recursive: true, force: true }));

const noted: string[] = [];
const log = { note: (message: string) => void noted.push(message) };

function audit(): ProcessAudit {
  const redactor = new Redactor(() => ['the-secret-of-this-run']);
  return new ProcessAudit({
    vault,
    kind: 'bridge',
    clock: nodeClock,
    redactor,
    log,
    months: () => 12,
  });
}

async function files(): Promise<string[]> {
  return (await auditFolder(new AuditFiles(vault)).list())
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
}

async function verified(): Promise<unknown[]> {
  const store = auditFolder(new AuditFiles(vault));
  const writers = new Set((await files()).map((name) => name.split('.')[1] ?? ''));
  return Promise.all(
    [...writers].map(async (writer) =>
      verifyAudit(store, writer, sha256, await auditMark(new AuditFiles(vault), writer).load()),
    ),
  );
}

describe('the audit on disk', () => {
  test('[AUD30] its folder and files are for this user alone, and lines are only added', async () => {
    const one = audit();
    await one.append(intent('c1'));
    const [name = ''] = await files();
    const before = await fs.stat(join(folder, name));
    await one.append(outcome('c1'));
    const after = await fs.stat(join(folder, name));
    expect([(await fs.stat(folder)).mode & 0o777, after.mode & 0o777]).toEqual([0o700, 0o600]);
    expect(after.ino).toBe(before.ino);
    for (const file of await fs.readdir(join(folder, 'writers'))) {
      if (!file.endsWith('.json')) continue;
      expect((await fs.stat(join(folder, 'writers', file))).mode & 0o777).toBe(0o600);
    }
    expect(await verified()).toEqual([{ ok: true, entries: 2 }]);
    one.close();
  });

  test('[AUD30] a link or a pipe in the place of a file is not followed, and nothing is written', async () => {
    const canary = join(base, 'canary');
    await fs.writeFile(canary, 'canary');
    await fs.mkdir(folder, { recursive: true });
    await fs.symlink(canary, join(folder, 'a.jsonl'));
    const store = auditFolder(new AuditFiles(vault));
    await expect(store.append('a.jsonl', 'x')).rejects.toThrow();
    await expect(store.read('a.jsonl')).rejects.toThrow();
    expect(await store.list()).toEqual([]);
    await fs.mkdir(join(folder, 'b.jsonl'));
    await expect(store.append('b.jsonl', 'x')).rejects.toThrow();
    expect(await fs.readFile(canary, 'utf8')).toBe('canary');
  });

  test('[AUD30] what a process that died leaves beside a file has a name that the doctor knows', async () => {
    await fs.mkdir(join(folder, 'a.jsonl', 'in the way'), { recursive: true });
    const seen = new Set<string>();
    const watching = fs.watch(folder, { signal: AbortSignal.timeout(10_000) });
    const store = auditFolder(new AuditFiles(vault));
    const replaced = store.replace('a.jsonl', 'x');
    for await (const { filename } of watching) {
      if (filename !== null) seen.add(filename);
      if ([...seen].some(isTemporary)) break;
    }
    await expect(replaced).rejects.toThrow();
    expect((await fs.readdir(folder)).filter(isTemporary)).toEqual([]);
  });

  test('[AUD6] where nothing can be written the entry fails, and the next is tried anew', async () => {
    await fs.writeFile(join(vault, '.opencode'), 'a file');
    const one = audit();
    await expect(one.append(intent('c1'))).rejects.toThrow();
    await fs.rm(join(vault, '.opencode'));
    await one.append(intent('c2'));
    expect(await verified()).toEqual([{ ok: true, entries: 1 }]);
    one.close();
  });

  test('[AUD31] each process has a name of its own while it lives, and the next takes it over', async () => {
    const names = await Promise.all(
      [1, 2, 3].map(() => reserveWriter(new AuditFiles(vault), 'bridge')),
    );
    const ends = names.map(({ writer }) => writer.slice(-2)).sort();
    expect(ends).toEqual(['-1', '-2', '-3']);
    names.find(({ writer }) => writer.endsWith('-2'))?.release();
    expect((await reserveWriter(new AuditFiles(vault), 'bridge')).writer).toMatch(
      /^bridge-[0-9a-f]{6}-2$/,
    );
    expect((await reserveWriter(new AuditFiles(vault), 'cli')).writer).toMatch(
      /^cli-[0-9a-f]{6}-1$/,
    );
  });

  test('[AUD31] many starts one after another go on with one chain', async () => {
    for (let start = 1; start <= 5; start += 1) {
      const one = audit();
      await one.append(intent(`c${start}`));
      one.close();
    }
    expect(await files()).toHaveLength(1);
    expect(await verified()).toEqual([{ ok: true, entries: 5 }]);
  });

  test('[AUD5] months that are not kept are removed when a process opens its audit, and the rest is whole', async () => {
    const redactor = new Redactor();
    const at = (today: string, months: number) =>
      new ProcessAudit({
        ...{ vault, kind: 'bridge', redactor, log, months: () => months },
        clock: { ...nodeClock, today: () => today },
      });
    for (const today of ['2026-09-30', '2026-10-01', '2026-11-22']) {
      const one = at(today, 0);
      await one.append(intent(today));
      one.close();
    }
    expect(await files()).toHaveLength(3);
    const one = at('2026-11-22', 2);
    await one.append(intent('now'));
    one.close();
    expect((await files()).map((name) => name.slice(0, 7))).toEqual(['2026-10', '2026-11']);
    expect(await verified()).toEqual([{ ok: true, entries: 3 }]);
  });

  test('[AUD5] a process that lives on removes them in the next month, and those of names that nobody has', async () => {
    const redactor = new Redactor();
    const days = { today: '2026-09-30' };
    const open = (kind: string) =>
      new ProcessAudit({
        ...{ vault, kind, redactor, log, months: () => 2 },
        clock: { ...nodeClock, today: () => days.today },
      });
    const [first, second, gone] = [open('bridge'), open('bridge'), open('cli')];
    for (const one of [first, second, gone]) await one.append(intent('a'));
    second.close();
    gone.close();
    const writes = open('cli');
    await writes.append(intent('b'));
    days.today = '2026-11-01';
    await first.append(intent('c'));
    // The second bridge's file was deleted; the command line still runs and deletes its own.
    expect((await files()).map((name) => name.replace(/-[0-9a-f]{6}-/, '-'))).toEqual([
      '2026-09.cli-1.jsonl',
      '2026-11.bridge-1.jsonl',
    ]);
    writes.close();
    days.today = '2026-12-01';
    await first.append(intent('d'));
    expect((await files()).map((name) => name.slice(0, 7))).toEqual(['2026-11', '2026-12']);
    first.close();
    expect(await verified()).toEqual([{ ok: true, entries: 2 }]);
  });

  test('[AUD5] entries are written where old ones cannot be removed', async () => {
    const clock = (today: string) => ({ ...nodeClock, today: () => today });
    const open = (today: string, months: number) =>
      new ProcessAudit({
        ...{ vault, kind: 'bridge', redactor: new Redactor(), log, clock: clock(today) },
        months: () => months,
      });
    const old = open('2026-09-30', 0);
    await old.append(intent('old'));
    old.close();
    const texts = join(vault, TEXTS_FOLDER, machineId());
    await fs.mkdir(texts, { recursive: true });
    await fs.writeFile(join(texts, '2026-09'), 'in the place of a folder');
    noted.length = 0;
    const now = open('2026-11-22', 2);
    await now.append(intent('now'));
    now.close();
    expect(noted).toEqual(['Old entries of the audit could not be removed.']);
    expect(await verified()).toEqual([{ ok: true, entries: 1 }]);
  });

  test('[AUD8] a cut off end is found by the mark; without one, a whole chain is whole', async () => {
    const one = audit();
    for (const id of ['c1', 'c2', 'c3']) await one.append(intent(id));
    one.close();
    const [name = ''] = await files();
    const lines = (await fs.readFile(join(folder, name), 'utf8')).split('\n');
    await fs.writeFile(join(folder, name), `${lines.slice(0, 2).join('\n')}\n`);
    expect(await verified()).toMatchObject([{ ok: false, problem: 'cut', entry: 3 }]);
    const mark = join(folder, 'writers', `${name.split('.')[1]}.json`);
    await fs.writeFile(mark, '{"n": "many"}');
    expect(await verified()).toEqual([{ ok: true, entries: 2 }]);
  });
});

describe('several processes', () => {
  let child = '';
  beforeAll(async () => {
    child = await bundleChild(join(import.meta.dirname, 'audit-child.ts'));
  });
  afterAll(() => fs.rm(dirname(child), { recursive: true, force: true }));
  const start = (...args: string[]) =>
    spawn(process.execPath, [child, vault, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

  async function callIds(): Promise<readonly string[]> {
    const texts = await Promise.all(
      (await files()).map((name) => fs.readFile(join(folder, name), 'utf8')),
    );
    const records = texts
      .flatMap((text) => text.trimEnd().split('\n'))
      .flatMap((line) => parseRecord(line) ?? []);
    const { calls, odd } = auditedCalls(records);
    expect(odd).toEqual([]);
    return [...calls.keys()];
  }

  test('[AUD31] [AUD3] of four at the same time no entry is lost, each chain is whole, and no secret is in them', async () => {
    const children = ['a', 'b', 'c', 'd'].map((name) => start(name, '25'));
    await Promise.all(children.map((one) => once(one, 'close')));
    expect(await callIds()).toHaveLength(100);
    for (const report of await verified()) expect(report).toMatchObject({ ok: true });
    for (const name of await files()) {
      expect(await fs.readFile(join(folder, name), 'utf8')).not.toContain('the-secret-of-this-run');
    }
  });

  test('[AUD31] kill -9 at any moment leaves a chain that the next goes on with, with all that was acknowledged', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      const one = start(`r${round}`, '100000');
      let seen = '';
      one.stdout.on('data', (data: Buffer) => (seen += data.toString()));
      while (seen.split('\n').length <= 1 + (round % 4) * 2) await once(one.stdout, 'data');
      one.kill('SIGKILL');
      await once(one, 'close');
      acknowledged.push(...seen.split('\n').slice(0, -1));
    }
    const one = audit();
    await one.append(intent('last'));
    one.close();
    const ids = new Set(await callIds());
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect(await files()).toHaveLength(1);
    expect(await verified()).toMatchObject([{ ok: true }]);
  });
});
