import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AuditVerifier } from '../../src/core/permission/audit/verify-audit';
import { AuditLog } from '../../src/core/permission/audit/audit-log';
import { AuditReader } from '../../src/core/permission/audit/audit-reader';
import { auditedCalls } from '../../src/core/permission/audit/explain-call';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { NoteTextStore } from '../../src/core/permission/audit/note-text-store';
import { Redactor } from '../../src/core/permission/audit/redact';
import { AuditFiles, auditFolder, auditMark } from '../../src/node/audit/audit-folder';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock } from '../../src/node/node-ports';
import { stepSize } from '../in-full';
import { bundleChild } from '../store/bundle-child';
import { intent, outcome, sha256 } from './audit-folder';

const NOTE = 'Notes/Index.md';
let child = '';
let root = '';

beforeAll(async () => {
  child = await bundleChild(join(import.meta.dirname, 'undo-child.ts'));
});

afterAll(() => fs.rm(dirname(child), { recursive: true, force: true }));

beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'atb-killed-'));
  return () => fs.rm(root, { recursive: true, force: true });
});

function logOf(): AuditLog {
  const files = new AuditFiles(root, 'audit');
  const redactor = new Redactor();
  const deps = { store: auditFolder(files), mark: auditMark(files, 'plugin'), digest: sha256 };
  return new AuditLog({ ...deps, clock: nodeClock, redactor, writer: 'plugin' });
}

/** A change by an agent: of a note, or the creation of one. */
async function changed(before: string | undefined): Promise<void> {
  const notes = new DiskStore(root);
  const log = logOf();
  const kept = new NoteTextStore({
    store: notes,
    folder: 'kept',
    digest: sha256,
    clock: nodeClock,
  });
  await log.append(intent('c1', { path: NOTE }));
  if (before !== undefined) {
    await notes.update(NOTE, () => before);
    await kept.keep(before);
  }
  await notes.update(NOTE, () => 'two\n');
  const hashes = { after: await sha256('two\n') };
  const was = before === undefined ? {} : { before: await sha256(before) };
  await log.append(outcome('c1', { ...hashes, ...was }));
}

async function undo(dieAt: number): Promise<{ readonly killed: boolean; readonly said: string }> {
  const process_ = spawn(process.execPath, [child, root, 'c1', String(dieAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  process_.stdout.on('data', (data: Buffer) => (said += data.toString()));
  const [, signal] = (await once(process_, 'close')) as [number | null, string | null];
  return { killed: signal === 'SIGKILL', said };
}

async function noteText(): Promise<string | undefined> {
  return new DiskStore(root).read(NOTE);
}

/** Asserts that the chain is intact and that no call has two outcomes. */
async function expectSound(): Promise<void> {
  const files = new AuditFiles(root, 'audit');
  const store = auditFolder(files);
  const mark = (writer: string) => auditMark(files, writer).load();
  const state = await new AuditVerifier({ store, digest: sha256, mark }).check(true);
  expect(state.broken).toEqual([]);
  expect(state.entries).toBeGreaterThanOrEqual(2);
  const texts = await Promise.all((await store.list()).map((name) => store.read(name)));
  const records = texts.flatMap((text = '') =>
    text.split('\n').flatMap((line) => parseRecord(line) ?? []),
  );
  expect(auditedCalls(records).odd).toEqual([]);
}

describe('an undo that is killed', () => {
  test.each([
    ['of a change', 'one\n', 8],
    ['of a new note', undefined, 10],
  ])(
    '[AUD25] %s: the note is one or the other, the audit is sound, and it can be undone after',
    async (_, before, steps) => {
      const ends = { one: 0, other: 0 };
      for (let dieAt = 1; dieAt <= steps; dieAt += stepSize(3)) {
        await fs.rm(root, { recursive: true, force: true });
        await fs.mkdir(join(root, 'audit/writers'), { recursive: true });
        await changed(before);
        expect(await undo(dieAt)).toEqual({ killed: true, said: '' });
        const text = await noteText();
        expect([before, 'two\n']).toContain(text);
        if (text === before) ends.one += 1;
        else ends.other += 1;
        await expectSound();
        const again = await undo(0);
        const { done } = JSON.parse(again.said) as { done: { ok: boolean; code?: string } };
        expect(done).toMatchObject(text === before ? { ok: false, code: 'undone' } : { ok: true });
        expect(await noteText()).toBe(before);
        await expectSound();
      }
      expect(ends.one).toBeGreaterThan(0);
      expect(ends.other).toBeGreaterThan(0);
      await fs.rm(root, { recursive: true, force: true });
      await fs.mkdir(join(root, 'audit/writers'), { recursive: true });
      await changed(before);
      expect(JSON.parse((await undo(0)).said)).toEqual({ done: { ok: true }, steps });
      const { rows } = await new AuditReader(auditFolder(new AuditFiles(root, 'audit'))).refresh();
      expect(rows).toHaveLength(2);
    },
  );
});
