import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog } from '../../src/core/permission/audit/audit-log';
import { Redactor } from '../../src/core/permission/audit/redact';
import {
  AuditFiles,
  auditFolder,
  auditMark,
  reserveWriter,
} from '../../src/node/audit/audit-folder';
import { sha256, tidyUnusedWriters } from '../../src/node/audit/open-audit';
import { nodeClock } from '../../src/node/node-ports';
import { intent } from '../permission/audit-folder';

let base = '';
let files: AuditFiles;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'atb-tidy-'));
  await mkdir(join(base, 'vault'));
  files = new AuditFiles(join(base, 'vault'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const parts = { digest: sha256, redactor: new Redactor() };
const september = { ...nodeClock, now: () => Date.UTC(2026, 8, 15), today: () => '2026-09-15' };

async function wrote(writer: string): Promise<void> {
  const [store, mark] = [auditFolder(files), auditMark(files, writer)];
  await new AuditLog({ ...parts, store, mark, clock: september, writer }).append(intent('a'));
}

test('[AUD5] old months of this machine go; what another machine or the plugin wrote is left to them', async () => {
  const own = (['bridge', 'cli', 'mcp'] as const).map(async (kind) => {
    const { writer, release } = await reserveWriter(files, kind);
    release();
    return writer;
  });
  const others = ['bridge-000000-1', 'plugin-1a2b3c4d'];
  for (const one of [...(await Promise.all(own)), ...others]) await wrote(one);
  await tidyUnusedWriters(files, '2026-11', { ...parts, clock: nodeClock });
  const left = (await auditFolder(files).list()).filter((name) => name.endsWith('.jsonl'));
  expect(left.sort()).toEqual(['2026-09.bridge-000000-1.jsonl', '2026-09.plugin-1a2b3c4d.jsonl']);
});
