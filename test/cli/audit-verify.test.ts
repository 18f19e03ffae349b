import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAuditAccess, verify } from '../../src/cli/audit/verify';
import { outcome } from '../permission/audit-folder';
import { auditWrites, auditedCall } from './audit-writes';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
const { folder, write, writeSample: filled } = auditWrites(cli);

describe('agent-boards audit verify', () => {
  test('[AUD32] verify says per writer whether the record is whole, and exits with 3 where it is not', async () => {
    expect(await cli.run(['audit', 'verify'])).toMatchObject({
      code: 0,
      out: 'Nothing has been audited yet.\n',
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
    expect(parseOutput(await cli.run(['audit', 'verify', '--json']))).toMatchObject({
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
    expect(await cli.run(['audit', 'verify'])).toMatchObject({
      code: 3,
      out: expect.stringContaining(
        'bridge-1: This writer is known, but its files are not there.',
      ) as string,
    });
    await write('bridge-2', [...auditedCall('c'), outcome('c')]);
    expect((await cli.run(['audit', 'verify'])).out).toContain(
      "bridge-2: 1 call doesn't have one intent and one outcome: c",
    );
  });

  test('[AUD32] verify misses the files of a writer of whom only the name, or an empty audit, is left', async () => {
    await write('plugin', auditedCall('call-one'));
    const held = join(folder(), 'writers/obsidian-1.lock');
    await fs.writeFile(held, '');
    const gone = await cli.run(['audit', 'verify']);
    expect(gone.code).toBe(3);
    expect(gone.out).toContain('obsidian-1: This writer is known, but its files are not there.');
    expect(parseOutput(await cli.run(['audit', 'verify', '--json']))).toMatchObject({
      ok: false,
      writers: [{ writer: 'obsidian-1', ok: false, problem: 'cut' }, { writer: 'plugin' }],
    });
    await fs.rm(held);
    // All of its months were old enough to be deleted.
    const mark = JSON.stringify({ n: 4, hash: '', from: 5 });
    await fs.writeFile(join(folder(), 'writers/bridge-1.json'), mark);
    expect(await cli.run(['audit', 'verify'])).toMatchObject({ code: 0 });
  });

  test('[AUD63] each file of a whole audit is read once', async () => {
    await filled();
    const place = openAuditAccess(cli.vault);
    const read: string[] = [];
    const store = {
      ...place.store,
      read: (name: string) => {
        read.push(name);
        return place.store.read(name);
      },
    };
    expect(await verify({ ...place, store }, false)).toMatchObject({ code: 0 });
    expect(read.sort()).toEqual((await place.store.list()).toSorted());
  });

  test('[AUD32] verify waits for a writer that has its name and not its first entry yet, and for no other', async () => {
    await write('plugin', auditedCall('call-one'));
    const held = join(folder(), 'writers/obsidian-1.lock');
    await fs.writeFile(held, '');
    const pauses: string[] = [];
    const writes = await verify(openAuditAccess(cli.vault), false, async () => {
      pauses.push('first entry');
      await write('obsidian-1', auditedCall('call-two'));
    });
    expect(writes).toMatchObject({ code: 0 });
    await fs.writeFile(join(folder(), 'writers/obsidian-2.lock'), '');
    const leaves = await verify(openAuditAccess(cli.vault), false, () => {
      pauses.push('name back');
      return fs.rm(join(folder(), 'writers/obsidian-2.lock'));
    });
    expect(leaves).toMatchObject({ code: 0 });
    expect(pauses).toEqual(['first entry', 'name back']);
    await fs.rm(join(folder(), '2026-11.obsidian-1.jsonl'));
    const gone = await verify(openAuditAccess(cli.vault), false, () => {
      pauses.push('nothing');
      return Promise.resolve();
    });
    expect(gone).toMatchObject({ code: 3 });
    expect(pauses.length).toBeLessThan(8);
  });
});
