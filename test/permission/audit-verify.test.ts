import { beforeEach, describe, expect, test } from 'vitest';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { AuditFolder, intent, outcome } from './audit-folder';

let folder: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
});

async function filled(calls: number): Promise<void> {
  const log = folder.log();
  for (let call = 1; call <= calls; call += 1) {
    await log.append(intent(`c${call}`));
    await log.append(outcome(`c${call}`));
  }
}

describe('a torn last line', () => {
  test('[AUD7] torn anywhere, it is replaced by an entry that keeps what was left of it', async () => {
    await filled(2);
    const lines = await folder.lines();
    const last = lines.pop() ?? '';
    const marked = folder.marked;
    let torn = 0;
    for (let cut = 1; cut < last.length; cut += 7) {
      await folder.store.replace(
        '2026-11.plugin.jsonl',
        lines.map((line) => `${line}\n`).join('') + last.slice(0, cut),
      );
      folder.marked = { n: 3, hash: parseRecord(lines[2] ?? '')?.hash ?? '', from: 1 };
      await folder.log().append(intent('after'));
      expect(await folder.verify()).toEqual({ ok: true, entries: 5 });
      expect(parseRecord((await folder.lines())[3] ?? '')).toMatchObject({
        kind: 'repair',
        lost: last.slice(0, cut),
      });
      torn += 1;
    }
    expect(torn).toBeGreaterThan(10);
    await folder.store.replace('2026-11.plugin.jsonl', [...lines, last].join('\n'));
    folder.marked = marked;
    await folder.log().append(intent('after'));
    expect(await folder.verify()).toEqual({ ok: true, entries: 5 });
  });
});

describe('a damaged audit', () => {
  test.each<[string, (lines: string[]) => void, string, number]>([
    [
      'a word of entry 3 edited',
      (lines) => void (lines[2] = (lines[2] ?? '').replace('Notes/a.md', 'Notes/b.md')),
      'changed',
      3,
    ],
    ['entry 3 made no entry', (lines) => void (lines[2] = 'x'), 'changed', 3],
    ['a blank added to entry 3', (lines) => void (lines[2] += ' '), 'changed', 3],
    ['entry 3 taken out', (lines) => void lines.splice(2, 1), 'missing', 3],
    ['the first taken out', (lines) => void lines.shift(), 'missing', 1],
    [
      'entries 3 and 4 swapped',
      (lines) => void lines.splice(2, 2, lines[3] ?? '', lines[2] ?? ''),
      'missing',
      3,
    ],
    ['entry 2 there twice', (lines) => void lines.splice(2, 0, lines[1] ?? ''), 'moved', 3],
    ['the last two cut off', (lines) => void lines.splice(6), 'cut', 7],
    ['everything cut off', (lines) => void lines.splice(0), 'cut', 1],
  ])('[AUD8] %s is found', async (_, damage, problem, entry) => {
    await filled(4);
    const lines = await folder.lines();
    damage(lines);
    await folder.put(lines);
    const report = await folder.verify();
    expect(report).toMatchObject({ ok: false, problem, entry });
    expect(report).toHaveProperty(
      'message',
      expect.stringMatching(
        new RegExp(`^Entry ${entry} was .*\\. Later entries can't be trusted\\.$`),
      ),
    );
  });

  test('[AUD8] any single character that is changed is found', async () => {
    await filled(2);
    const text = (await folder.lines()).join('\n');
    let found = 0;
    for (let at = 0; at < text.length; at += 3) {
      const other = text[at] === '7' ? '8' : '7';
      await folder.store.replace(
        '2026-11.plugin.jsonl',
        `${text.slice(0, at)}${other}${text.slice(at + 1)}\n`,
      );
      const report = await folder.verify();
      expect([at, report.ok]).toEqual([at, false]);
      found += 1;
    }
    expect(found).toBeGreaterThan(200);
  });

  test('[AUD8] an end that was made anew, with hashes that fit, is found; so is a file that is gone', async () => {
    await filled(2);
    const forged = new AuditFolder();
    const log = forged.log();
    for (const id of ['c1', 'c1', 'c2', 'c2']) await log.append(intent(id, { agent: 'forger' }));
    await folder.put(await forged.lines());
    expect(await folder.verify()).toMatchObject({ ok: false, problem: 'cut', entry: 4 });
    await folder.store.remove('2026-11.plugin.jsonl');
    expect(await folder.verify()).toMatchObject({
      ok: false,
      problem: 'cut',
      entry: 1,
      file: undefined,
    });
  });

  test('[AUD8] a beginning that was made anew, with hashes that fit, is found where the rest goes on', async () => {
    await filled(3);
    const forged = new AuditFolder();
    const log = forged.log();
    for (const id of ['c1', 'c1']) await log.append(intent(id, { agent: 'forger' }));
    await folder.put([...(await forged.lines()), ...(await folder.lines()).slice(2)]);
    expect(await folder.verify()).toMatchObject({ ok: false, problem: 'changed', entry: 2 });
  });

  test('[AUD9] writing on behind lines that are gone doesn’t hide it', async () => {
    await filled(3);
    await folder.put((await folder.lines()).slice(0, 4));
    await folder.log().append(intent('later'));
    expect(await folder.verify()).toMatchObject({
      ok: false,
      problem: 'missing',
      entry: 5,
      line: 5,
    });
  });
});
