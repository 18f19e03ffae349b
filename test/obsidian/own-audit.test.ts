import { describe, expect, test } from 'vitest';
import { AuditVerifier } from '../../src/core/permission/audit/verify-audit';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import { AUDIT_FOLDER, noteAuditStore } from '../../src/core/permission/audit/audit-store';
import { StoreError } from '../../src/core/ports';
import { AuditMarks, KnownSecrets } from '../../src/obsidian/adapter/device-storage';
import { webSha256 } from '../../src/obsidian/adapter/platform';
import { OwnAudit } from '../../src/obsidian/audit/own-audit';
import { MemoryStore } from '../store/memory-store';
import { ManualClock, flushPromises } from '../wire/manual-clock';
import { LocalStorage } from './local-storage';

class Calendar extends ManualClock {
  date = '2026-09-10';

  override today(): string {
    return this.date;
  }
}

function entry(callId: string, args: unknown = {}): AuditEntry {
  return {
    ...{ kind: 'intent', callId, agent: 'build', tool: 'tasks', operation: 'tasks', args },
    ...{ dryRun: false, verdict: 'allow', why: 'Allowed.' },
  };
}

/** A device with a vault on which the app can be started several times. */
function setUp() {
  const store = new MemoryStore();
  const marks = new AuditMarks(new LocalStorage());
  const clock = new Calendar();
  const noted: string[] = [];
  const around = { opened: 0, released: 0, fault: undefined as Error | undefined, months: 2 };
  const secrets = new KnownSecrets(() => ['by-hand-token-1234']);
  const start = (writer = 'obsidian-1') =>
    new OwnAudit({
      ...{ store, clock, marks, device: 'd1', months: () => around.months },
      log: { note: (message) => void noted.push(message) },
      secrets: () => secrets.all(),
      open: () => {
        around.opened += 1;
        if (around.fault !== undefined) return Promise.reject(around.fault);
        const release = () => void (around.released += 1);
        return Promise.resolve({ store: noteAuditStore(store, AUDIT_FOLDER), writer, release });
      },
    });
  const files = async () => (await store.list(AUDIT_FOLDER)).map(({ name }) => name);
  const check = (audit: OwnAudit) =>
    new AuditVerifier({
      ...{ store: audit.store, digest: webSha256, known: () => audit.writers },
      mark: (writer) => audit.mark(writer),
    }).check();
  return { store, marks, clock, noted, around, secrets, start, files, check };
}

/** A history of two months with one entry each, by two writers. */
async function history(): Promise<ReturnType<typeof setUp>> {
  const on = setUp();
  const first = on.start('obsidian-2');
  await first.append(entry('a'));
  const audit = on.start();
  await audit.append(entry('b'));
  on.clock.date = '2026-10-02';
  await audit.append(entry('c'));
  await flushPromises();
  return on;
}

describe("the plugin's own audit", () => {
  test('[PLUGIN48] is opened with its first entry, and goes on where it ended', async () => {
    const { start, around, check, store } = setUp();
    const first = start();
    first.tidy();
    await flushPromises();
    expect([around.opened, store.writes]).toEqual([0, []]);
    await Promise.all([first.append(entry('a')), first.append(entry('b'))]);
    expect(around.opened).toBe(1);
    const next = start();
    await next.append(entry('c'));
    expect(await check(next)).toMatchObject({ entries: 3, writers: ['obsidian-1'], broken: [] });
    expect(store.files.get('.opencode/agent-task-boards/.gitignore')?.text).toBe('*\n');
  });

  test('[DOC18] a .gitignore that can not be read or written keeps no entry out', async () => {
    const { start, store, check } = setUp();
    const update = store.update.bind(store);
    store.update = (path, edit) =>
      path.endsWith('.gitignore')
        ? Promise.reject(new StoreError('not_utf8', `${path} is no text.`))
        : update(path, edit);
    const audit = start();
    await audit.append(entry('a'));
    expect(await check(audit)).toMatchObject({ entries: 1, broken: [] });
  });

  test('[PLUGIN48] fails the entry that can not be written, and opens again with the next', async () => {
    const { start, around } = setUp();
    const audit = start();
    around.fault = new StoreError('denied', 'The folder is locked.');
    await expect(audit.append(entry('a'))).rejects.toThrow('The folder is locked.');
    around.fault = undefined;
    await audit.append(entry('b'));
    expect(around.opened).toBe(2);
  });

  test('[PLUGIN48] what is gone at its end is noticed: how far it got stands beside the vault', async () => {
    const { start, files, store, check } = setUp();
    const audit = start();
    await audit.append(entry('a'));
    for (const name of await files()) await store.remove(`${AUDIT_FOLDER}/${name}`);
    expect((await check(start())).broken).toMatchObject([{ writer: 'obsidian-1', problem: 'cut' }]);
  });

  test('[AUD5] what the person does not want any more goes at once, and the chain holds', async () => {
    const { start, files, check, around } = await history();
    const audit = start();
    await audit.append(entry('d'));
    await flushPromises();
    expect(await files()).toHaveLength(3);
    around.months = 1;
    audit.applyRetention(1);
    await flushPromises();
    expect((await files()).map((name) => name.slice(0, 7))).toEqual(['2026-10']);
    expect(await check(audit)).toMatchObject({ broken: [] });
  });

  test('[PLUGIN48] months that the person does not want kept go once a month, of all names it had; the chains hold', async () => {
    const { start, files, clock, check, around } = await history();
    expect(await files()).toHaveLength(3);
    clock.date = '2026-11-01';
    const audit = start();
    await audit.append(entry('d'));
    await flushPromises();
    await flushPromises();
    expect(await files()).toEqual(['2026-10.obsidian-1.jsonl', '2026-11.obsidian-1.jsonl']);
    expect(await check(audit)).toMatchObject({ broken: [] });
    around.months = 1;
    await audit.append(entry('e'));
    await flushPromises();
    expect(await files()).toHaveLength(2);
    clock.date = '2026-12-01';
    await audit.append(entry('f'));
    await flushPromises();
    await flushPromises();
    expect(await files()).toEqual(['2026-12.obsidian-1.jsonl']);
    expect(await check(audit)).toMatchObject({ broken: [] });
  });

  test('[PLUGIN48] kept for ever, nothing goes; the texts of old months go with the entries', async () => {
    const { start, files, clock, store, around } = await history();
    const audit = start();
    const hash = await audit.texts.keep('before');
    around.months = 0;
    clock.date = '2026-12-01';
    await audit.append(entry('d'));
    await flushPromises();
    expect(await files()).toHaveLength(4);
    expect(await audit.texts.read(hash)).toBe('before');
    around.months = 1;
    const next = start();
    next.tidy();
    for (let turn = 0; turn < 20; turn += 1) await flushPromises();
    expect(await next.texts.read(hash)).toBeUndefined();
    expect([...store.files.keys()].filter((path) => path.includes('/texts/'))).toEqual([]);
  });

  test('[PLUGIN48] the name is given back once all is written', async () => {
    const { start, around } = setUp();
    const audit = start();
    const written = audit.append(entry('a'));
    audit.close();
    expect(around.released).toBe(0);
    await written;
    await flushPromises();
    expect(around.released).toBe(1);
  });

  test('[PLUGIN49] no token stands in it, found or entered by hand', async () => {
    const { start, secrets, store } = setUp();
    const found = { url: 'ws://127.0.0.1:1/', token: 'found-token-1234' };
    await secrets.rememberTokens(Promise.resolve([found]));
    await secrets.rememberTokens(Promise.resolve([]));
    const text = `found-token-1234 and by-hand-token-1234`;
    await start().append(entry('a', { text }));
    const all = [...store.files.values()].map((file) => file.text).join('');
    expect(all).toContain('[secret] and [secret]');
    expect(all).not.toContain('token-1234');
  });
});
