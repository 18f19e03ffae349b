import { beforeEach, describe, expect, test } from 'vitest';
import { AuditVerifier } from '../../src/core/permission/audit/verify-audit';
import { untrustedFault } from '../../src/core/permission/audit/undo-change';
import { explainCall } from '../../src/core/permission/audit/explain-call';
import { MemoryStore } from '../store/memory-store';
import { sha256 } from './audit-folder';
import { UndoScene } from './undo-scene';

const NOTE = 'Notes/Index.md';
let notes: MemoryStore;
let scene: UndoScene;

beforeEach(() => {
  notes = new MemoryStore();
  scene = new UndoScene(notes);
  notes.put(NOTE, 'one\n');
});

describe('a change is undone from its entry', () => {
  test('[AUD19] while the note says what the change made of it, and the undo is undone the same way', async () => {
    await scene.change('c1', NOTE, 'two\n');
    expect(await scene.look('c1')).toMatchObject({ ok: true, now: 'two\n', then: 'one\n' });
    expect(await scene.undo('c1')).toEqual({ ok: true });
    expect(await notes.read(NOTE)).toBe('one\n');
    expect(await scene.look('c1')).toMatchObject({ ok: false, code: 'undone' });
    expect(await scene.undo('undo-1')).toEqual({ ok: true });
    expect(await notes.read(NOTE)).toBe('two\n');
    expect(await scene.folder.verify()).toEqual({ ok: true, entries: 6 });
  });

  test('[AUD19] a note whose name reads like a credential is undone as others are', async () => {
    const note = 'Basic Electromagnetism.md';
    notes.put(note, 'one\n');
    await scene.change('c1', note, 'two\n');
    expect(await scene.undo('c1')).toEqual({ ok: true });
    expect(await notes.read(note)).toBe('one\n');
  });

  test('[AUD19] it stands in the audit as the person’s own act, with what it takes back', async () => {
    await scene.change('c1', NOTE, 'two\n');
    await scene.undo('c1');
    const { intent, outcome } = await scene.row('undo-1');
    expect(intent).toMatchObject({ by: 'person', tool: 'undo', path: NOTE, undoes: 'c1' });
    expect(outcome).toMatchObject({
      result: 'done',
      before: await sha256('two\n'),
      after: await sha256('one\n'),
    });
    expect(explainCall(await scene.row('undo-1'))).toBe(
      'You took back a change in session s: update Notes/Index.md. You undid it by hand. It was done.',
    );
  });

  test('[AUD20] a note that changed since is left as it is, and it is told when that was', async () => {
    await scene.change('c1', NOTE, 'two\n');
    notes.put(NOTE, 'two, and mine\n');
    const { mtime } = (await notes.stat(NOTE)) ?? { mtime: 0 };
    const refused = {
      ok: false,
      code: 'changed',
      message: `The note changed at time ${mtime}, so this can't be undone. Compare the two versions instead.`,
    };
    expect(await scene.look('c1')).toMatchObject(refused);
    expect(await scene.undo('c1')).toMatchObject(refused);
    expect(await notes.read(NOTE)).toBe('two, and mine\n');
    notes.files.delete(NOTE);
    expect(await scene.undo('c1')).toMatchObject({ code: 'gone' });
    expect(notes.files.has(NOTE)).toBe(false);
  });

  test('[AUD20] a note that changes between the look and the write is left as it is', async () => {
    await scene.change('c1', NOTE, 'two\n');
    const { deps } = scene;
    const audit = {
      append: async (entry: Parameters<typeof deps.audit.append>[0]) => {
        await deps.audit.append(entry);
        if (entry.kind === 'intent') notes.put(NOTE, 'mine\n');
      },
    };
    expect(await scene.undo('c1', { audit })).toMatchObject({ ok: false, code: 'changed' });
    expect(await notes.read(NOTE)).toBe('mine\n');
    expect((await scene.row('undo-1')).outcome).toMatchObject({
      result: 'failed',
      code: 'changed',
    });
  });

  test('[AUD21] a note that a call made goes to the trash if it is as it was made; it comes back by the undo of that', async () => {
    await scene.change('c1', 'Notes/New.md', 'made\n');
    await scene.change('c2', 'Notes/Other.md', 'made\n');
    expect(await scene.undo('c1')).toEqual({ ok: true });
    expect(scene.trashed).toEqual(['Notes/New.md']);
    expect((await scene.row('undo-1')).intent.operation).toBe('delete');
    expect(await scene.undo('undo-1')).toEqual({ ok: true });
    expect(await notes.read('Notes/New.md')).toBe('made\n');
    notes.put('Notes/Other.md', 'made and written\n');
    expect(await scene.undo('c2')).toMatchObject({ code: 'changed' });
    expect(scene.trashed).toEqual(['Notes/New.md']);
  });

  test('[AUD21] a note that is brought back takes no other’s place', async () => {
    await scene.change('c1', 'Notes/New.md', 'made\n');
    await scene.undo('c1');
    notes.put('Notes/New.md', 'another\n');
    expect(await scene.undo('undo-1')).toMatchObject({ code: 'changed' });
    expect(await notes.read('Notes/New.md')).toBe('another\n');
  });

  test('[AUD22] a kept text that is not what its name says is not put into a note', async () => {
    await scene.change('c1', NOTE, 'two\n');
    const [kept = ''] = [...notes.files.keys()].filter((path) => path.startsWith('kept/'));
    notes.put(kept, 'planted\n');
    expect(await scene.undo('c1')).toMatchObject({
      ok: false,
      code: 'not_kept',
      message: expect.stringContaining('not kept on this device') as string,
    });
    expect(await notes.read(NOTE)).toBe('two\n');
  });

  test.each([
    '.obsidian/plugins/x/main.js',
    '.OBSIDIAN/app.json',
    '.git/config',
    'Boards/s/build-tasks.md',
    '../outside.md',
    'a/../../outside.md',
    '/etc/passwd',
    'C:\\outside.md',
    'note\u202e.md',
    '.opencode/agent-task-boards.json',
  ])('[AUD22] an entry that names %j is not undone, whatever else it says', async (path) => {
    await scene.change('c1', NOTE, 'two\n');
    const row = await scene.row('c1');
    const read: string[] = [];
    const store = {
      read: (at: string) => (read.push(at), notes.read(at)),
      update: () => Promise.reject(new Error('written')),
      stat: (at: string) => notes.stat(at),
    };
    const forged = { ...row, intent: { ...row.intent, path } };
    const { undoChange } = await import('../../src/core/permission/audit/undo-change');
    const done = await undoChange(forged, { ...scene.deps, store });
    expect(done).toMatchObject({ ok: false, code: 'place' });
    expect(read).toEqual([]);
  });

  test('[AUD22] from an entry at or behind one that was changed nothing is undone', async () => {
    await scene.change('c1', NOTE, 'two\n');
    await scene.change('c2', NOTE, 'three\n');
    const lines = await scene.folder.lines();
    await scene.folder.put(lines.map((line, n) => (n === 2 ? line.replace('c2', 'c9') : line)));
    const mark = () => Promise.resolve(scene.folder.marked);
    const store = scene.folder.store;
    const { broken } = await new AuditVerifier({ store, digest: sha256, mark }).check();
    expect(untrustedFault(await scene.row('c1'), broken)).toBeUndefined();
    expect(untrustedFault(await scene.row('c9'), broken)).toMatchObject({ code: 'untrusted' });
    const other = { ...(await scene.row('c9')), writer: 'bridge' };
    expect(untrustedFault(other, broken)).toBeUndefined();
  });

  test('[AUD23] what can’t be written down is not undone', async () => {
    await scene.change('c1', NOTE, 'two\n');
    const audit = { append: () => Promise.reject(new Error('The disk is full.')) };
    expect(await scene.undo('c1', { audit })).toMatchObject({
      ok: false,
      code: 'not_recorded',
      message: "It was not undone, as it can't be recorded. The disk is full.",
    });
    expect(await notes.read(NOTE)).toBe('two\n');
  });

  test('[AUD23] where the note can’t be written it is told, and recorded as failed', async () => {
    await scene.change('c1', NOTE, 'two\n');
    const store = {
      read: (path: string) => notes.read(path),
      stat: (path: string) => notes.stat(path),
      update: () => Promise.reject(new Error('The disk is full.')),
    };
    expect(await scene.undo('c1', { store })).toMatchObject({ code: 'failed' });
    expect((await scene.row('undo-1')).outcome).toMatchObject({ result: 'failed' });
  });

  test('[AUD19] a preview, a denied call, a read and what changed nothing are nothing to undo', async () => {
    await scene.change('c1', NOTE, 'two\n');
    const row = await scene.row('c1');
    const { intent, outcome } = row;
    if (outcome === undefined) throw new Error('It ended.');
    const { checkUndo: lookAtUndo } = await import('../../src/core/permission/audit/undo-change');
    for (const other of [
      { ...row, intent: { ...intent, dryRun: true } },
      { ...row, outcome: { ...outcome, result: 'denied' as const } },
      { ...row, outcome: { ...outcome, after: outcome.before } },
      { ...row, outcome: undefined },
    ]) {
      expect(await lookAtUndo(other, scene.deps)).toMatchObject({ code: 'no_change' });
    }
  });
});
