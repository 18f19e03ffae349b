import { beforeEach, describe, expect, test } from 'vitest';
import { AuditVerifier, verificationReport } from '../../src/core/permission/audit/verify-audit';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import type { MarkedEnd } from '../../src/core/permission/audit/audit-store';
import { fc } from '../seeded';
import { AuditFolder, intent, outcome, sha256 } from './audit-folder';

const FILE = '2026-11.plugin.jsonl';
let folder: AuditFolder;
let other: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
  other = new AuditFolder();
});

function marks(writer: string): Promise<MarkedEnd | undefined> {
  return Promise.resolve(writer === 'plugin' ? folder.marked : other.marked);
}

function chainsOf(
  store: Pick<AuditFolder['store'], 'list' | 'read'> = folder.store,
): AuditVerifier {
  return new AuditVerifier({ store, digest: sha256, mark: marks, known: () => ['plugin'] });
}

async function filled(): Promise<void> {
  const [plugin, bridge] = [folder.log(), folder.log({ writer: 'bridge', mark: other.mark })];
  for (const id of ['a', 'b', 'c']) {
    await plugin.append(intent(id));
    await bridge.append(intent(`b${id}`));
    await plugin.append(outcome(id));
  }
}

describe('the chains of all writers', () => {
  test('[AUD17] are told in words, with whose it is and where to look where one is broken', async () => {
    await filled();
    const state = await chainsOf().check();
    expect(state).toEqual({ entries: 9, writers: ['bridge', 'plugin'], broken: [] });
    const lines = await folder.lines();
    await folder.put(lines.map((line, at) => (at === 3 ? line.replace('done', 'fine') : line)));
    const broken = await chainsOf().check();
    expect(broken).toMatchObject({ entries: 6, broken: [{ writer: 'plugin', entry: 4, line: 4 }] });
    expect(verificationReport(broken)).toBe(
      [
        'Audit, 6 entries as they were written',
        `plugin: Entry 4 was changed or removed after it was written. Later entries can't be trusted. (changed; ${FILE}, line 4)`,
        'Intact: bridge',
      ].join('\n'),
    );
  });

  test('[AUD17] what grew is looked at from where it was whole, and all of it when asked', async () => {
    await filled();
    const chains = chainsOf();
    await chains.check();
    await folder.log().append(intent('d'));
    expect(await chains.check()).toMatchObject({ entries: 10, broken: [] });
    const lines = await folder.lines();
    await folder.put(lines.map((line, at) => (at === 0 ? line.replace('build', 'other') : line)));
    await folder.log().append(intent('e'));
    expect(await chains.check()).toMatchObject({ entries: 11, broken: [] });
    expect(await chains.check(true)).toMatchObject({ broken: [{ writer: 'plugin', entry: 1 }] });
  });

  test('[AUD17] an end that was cut off since is found, also where nothing else came', async () => {
    await filled();
    const chains = chainsOf();
    await chains.check();
    await folder.put((await folder.lines()).slice(0, 4));
    expect(await chains.check()).toMatchObject({
      broken: [{ writer: 'plugin', problem: 'cut', entry: 5 }],
    });
    await folder.store.remove(FILE);
    expect(await chains.check()).toMatchObject({
      writers: ['bridge', 'plugin'],
      broken: [{ writer: 'plugin', problem: 'cut', entry: 1, file: undefined }],
    });
  });

  test('[AUD18] a last line that is still being written is no damage; one that was written and torn is', async () => {
    await filled();
    const chains = chainsOf();
    await chains.check();
    await folder.log().append(intent('d'));
    const last = (await folder.lines()).at(-1) ?? '';
    const before = (await folder.lines()).slice(0, -1);
    const whole = folder.marked;
    const torn = async (cut: number) => {
      const text = before.map((line) => `${line}\n`).join('') + last.slice(0, cut);
      await folder.store.replace(FILE, text);
      return chains.check(true);
    };
    let seen = 0;
    for (let cut = 1; cut < last.length; cut += 11) {
      folder.marked = { n: 6, hash: parseRecord(before.at(-1) ?? '')?.hash ?? '', from: 1 };
      expect(await torn(cut)).toMatchObject({ entries: 9, broken: [] });
      folder.marked = whole;
      expect(await torn(cut)).toMatchObject({ broken: [{ problem: 'cut', entry: 7 }] });
      seen += 1;
    }
    expect(seen).toBeGreaterThan(20);
    expect(await torn(last.length)).toMatchObject({ entries: 10, broken: [] });
  });

  test('[AUD8] a byte that is changed anywhere, in any file, is found, and never later than at its entry', async () => {
    await filled();
    folder.date = '2026-12-01';
    await folder.log().append(intent('next month'));
    const names = [...(await folder.store.list())];
    const whole = new Map<string, string>();
    for (const name of names) whole.set(name, (await folder.store.read(name)) ?? '');
    let tampered = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        fc.constantFrom('flip', 'drop', 'double', 'line-out'),
        async (name, where, how) => {
          const text = whole.get(name) ?? '';
          const at = Math.floor(where * text.length);
          const entryLine = text.slice(0, at).split('\n').length;
          const changed = damage(text, at, how);
          // Only the end of the last line may be missing: it then counts as unfinished or whole.
          if (changed === text || changed === text.slice(0, -1)) return;
          await folder.store.replace(name, changed);
          const { broken } = await chainsOf().check();
          await folder.store.replace(name, text);
          const writer = name.split('.')[1] ?? '';
          expect(broken.map((one) => one.writer)).toEqual([writer]);
          const found = broken[0];
          if (found?.file === name) expect(found.line).toBeLessThanOrEqual(entryLine + 1);
          tampered += 1;
        },
      ),
      { numRuns: 400 },
    );
    expect(tampered).toBeGreaterThan(350);
    expect(await chainsOf().check()).toMatchObject({ entries: 10, broken: [] });
  });
});

function damage(text: string, at: number, how: string): string {
  const char = text[at] ?? '';
  switch (how) {
    case 'flip':
      return `${text.slice(0, at)}${char === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`;
    case 'drop':
      return text.slice(0, at) + text.slice(at + 1);
    case 'double':
      return text.slice(0, at) + char + text.slice(at);
    default: {
      const from = text.lastIndexOf('\n', at - 1) + 1;
      const to = text.indexOf('\n', at) + 1;
      return text.slice(0, from) + text.slice(to);
    }
  }
}
