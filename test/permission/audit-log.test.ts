import { beforeEach, describe, expect, test } from 'vitest';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { Redactor } from '../../src/core/permission/audit/redact';
import { AuditFolder, intent, outcome, sha256 } from './audit-folder';

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

describe('the audit as it is written', () => {
  test('[AUD1] one line for each entry, with its number, time and the hash of the line before', async () => {
    const log = folder.log();
    await Promise.all([log.append(intent('c1')), log.append(outcome('c1'))]);
    const [first = '', second = ''] = await folder.lines();
    const body = first.replace(/,"hash":"[0-9a-f]{64}"\}$/, '}');
    expect(body).toBe(
      '{"v":1,"n":1,"prev":"","at":1001,"kind":"intent","callId":"c1","sessionId":"s","agent":"build","tool":"obsidian_update_note","operation":"update","path":"Notes/a.md","dryRun":false,"args":{},"verdict":"ask","why":"You are asked. Rule 3 decides: write **, ask."}',
    );
    const hash = await sha256(body);
    expect(parseRecord(first)?.hash).toBe(hash);
    expect(parseRecord(second)).toMatchObject({
      n: 2,
      prev: hash,
      at: 1002,
      kind: 'outcome',
      reply: 'once',
    });
    expect(await folder.verify()).toEqual({ ok: true, entries: 2 });
  });

  test('[AUD1] a process that comes later goes on with the chain', async () => {
    await filled(2);
    await folder.log().append(intent('later'));
    expect(await folder.verify()).toEqual({ ok: true, entries: 5 });
  });

  test('[AUD2] what a terminal would obey stands there by its numbers, and reads back as it was', async () => {
    const path = 'a\u0007\u009b2J\u202e\u2066\u200b\ud800\u{e0041}\nb';
    await folder.log().append(intent('c1', { path, args: { text: path } }));
    const [line = ''] = await folder.lines();
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    expect(parseRecord(line)).toMatchObject({ path, args: { text: path } });
    expect(await folder.verify()).toEqual({ ok: true, entries: 1 });
  });

  test('[AUD3] secrets are not written: by their keys, by their form, and those that are known', async () => {
    const token = 'canary_4711';
    const args = {
      apiKey: 'plain-words',
      nested: [{ password: 'hunter2', keyword: 'kept', tokens: 3 }],
      authorization: 'x',
      code: null,
      text: `a sk-abcdefghijklmnopqrst b ghp_0123456789abcdefghijkl c ${token} d https://me:pass@host/ e Bearer abcdef0123456789`,
      pem: '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----',
      jwt: 'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
    };
    await folder.log({ redactor: new Redactor(() => [token]) }).append(intent('c1', { args }));
    const text = (await folder.lines()).join('\n');
    for (const secret of [
      'plain-words',
      'hunter2',
      'sk-abc',
      'ghp_',
      token,
      'me:pass',
      'abcdef0123',
      'MIIabc',
      'eyJ',
    ]) {
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    }
    expect(text).toContain('"keyword":"kept"');
  });

  test('[AUD3] of a call no more is kept than anyone reads', async () => {
    const many = Array.from({ length: 100 }, () => ['\u202e'.repeat(900), 'x'.repeat(900)]);
    await folder.log().append(intent('c1', { args: { many } }));
    const [line = ''] = await folder.lines();
    expect(line.length).toBeLessThan(130_000);
    expect(line).toMatch(/… \[\d+ characters\]"/);
    const args = {
      pwd: 'hunter2',
      pass: 'hunter2',
      by: 'compass',
      key: ['sk_live_0123456789abcdef'],
    };
    await folder.log().append(intent('c2', { args }));
    const text = (await folder.lines()).join();
    expect([text.includes('hunter2'), text.includes('sk_live'), text.includes('compass')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('[AUD3] long texts, lists and depths are cut, and said to be', () => {
    const redactor = new Redactor();
    expect(redactor.text('x'.repeat(1001))).toBe(`${'x'.repeat(1000)}… [1001 characters]`);
    expect(redactor.value(Array.from({ length: 101 }, () => 1))).toHaveProperty('100', '[1 more]');
    let deep: unknown = 'bottom';
    for (let level = 0; level < 9; level += 1) deep = [deep];
    expect(JSON.stringify(redactor.value(deep))).toBe('[[[[[[[["[deeper]"]]]]]]]]');
  });

  test('[AUD4] a file for each month and writer, and another after 1 MiB; the chain goes through all', async () => {
    const log = folder.log();
    await log.append(intent('c1'));
    folder.date = '2026-12-01';
    const args = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`f${at}`, 'x'.repeat(900)]),
    );
    for (let call = 0; call < 62; call += 1) await log.append(intent(`d${call}`, { args }));
    folder.date = '2026-11-30';
    await log.append(intent('e'));
    await folder.log({ writer: 'bridge', mark: new AuditFolder().mark }).append(intent('other'));
    expect([...(await folder.store.list())].sort()).toEqual([
      '2026-11.bridge.jsonl',
      '2026-11.plugin.jsonl',
      '2026-12.plugin.2.jsonl',
      '2026-12.plugin.jsonl',
    ]);
    expect(await folder.verify()).toEqual({ ok: true, entries: 64 });
  });

  test('[AUD5] months that are not kept any more are removed, and the rest is still whole', async () => {
    await filled(2);
    folder.date = '2026-12-01';
    await folder.log().append(intent('new'));
    await folder.log().keepFrom('2026-12');
    expect(await folder.store.list()).toEqual(['2026-12.plugin.jsonl']);
    expect(await folder.verify()).toEqual({ ok: true, entries: 1 });
    await folder.log().keepFrom('2027-01');
    expect(await folder.verify()).toEqual({ ok: true, entries: 0 });
    await folder.log().append(intent('next'));
    expect(await folder.verify()).toEqual({ ok: true, entries: 1 });
    expect(folder.marked).toMatchObject({ n: 6, from: 6 });
  });

  test('[AUD12] what could not be read back is not written, and the rest is', async () => {
    const log = folder.log();
    const all = await Promise.allSettled([
      log.append(intent('c1')),
      log.append(intent('x'.repeat(257))),
      log.append(outcome('c1', { before: 'no hash' })),
      log.append(outcome('c1')),
    ]);
    expect(all.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(await folder.verify()).toEqual({ ok: true, entries: 2 });
  });

  test('[AUD6] where writing fails the entry fails, and the next one finds what is there', async () => {
    await filled(1);
    let broken = true;
    const store = {
      ...folder.store,
      append: async (name: string, text: string) => {
        if (!broken) return folder.store.append(name, text);
        await folder.store.append(name, text.slice(0, 40));
        throw new Error('disk full');
      },
    };
    const log = folder.log({ store });
    await expect(Promise.all([log.append(intent('x')), log.append(intent('y'))])).rejects.toThrow(
      'disk full',
    );
    broken = false;
    await log.append(intent('z'));
    expect(await folder.verify()).toEqual({ ok: true, entries: 4 });
    expect((await folder.lines()).map((line) => parseRecord(line)?.kind)).toEqual([
      'intent',
      'outcome',
      'repair',
      'intent',
    ]);
  });
});
