import { describe, expect, test } from 'vitest';
import { Drafts, KeptVersions } from '../../src/core/board/merge/note-draft';
import { StateFiles } from '../../src/core/board/state-file';
import { STATE_ROOT } from '../../src/core/board/todo-manager';
import { StoreError } from '../../src/core/ports';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const PATH = boardPathOf('build');
const KEPT = `${STATE_ROOT}/versions/ses_1/build.json`;

async function services() {
  const fixture = new ManagerFixture();
  const add = (title: string) => ({ type: 'add', title });
  await fixture.call('build', add('Read'), add('Write'), add('Print'));
  const { store, manager } = fixture;
  const drafts = new Drafts({
    store,
    versions: new KeptVersions(new StateFiles(store, STATE_ROOT)),
    root: () => '.opencode/todos',
    typing: { typed: () => undefined, left: () => undefined },
    commit: (...change) => manager.commit(...change),
  });
  const open = async (left?: { base: string; mine: string }) => {
    const opened = await drafts.open(PATH, left);
    if (opened === undefined) throw new Error('there is no note');
    return opened;
  };
  return { fixture, drafts, open, text: () => fixture.text('build') };
}

const line = (text: string, words: string) => text.split('\n').find((one) => one.includes(words));

describe('a draft of a note', () => {
  test('[SRC6] is saved by merging into what stands there, as one write of the person that can be undone', async () => {
    const { fixture, open, text } = await services();
    const { draft, text: before } = await open();
    const rev = Number(/rev: (\d+)/.exec(before)?.[1]);
    await fixture.call('build', { type: 'update', id: '1', status: 'completed' });
    const mine = before.replace('Write', 'Write it');
    expect(draft.isUnsaved(mine)).toBe(true);
    const synced = await draft.sync(mine, []);
    expect(synced).toMatchObject({ ok: true, clashes: [] });
    expect(line(text(), 'Write it')).toContain('- [ ] Write it 🆔');
    expect(line(text(), 'Read')).toContain('- [x] Read');
    expect(text()).toContain(`rev: ${rev + 2}`);
    const [last] = await fixture.manager.history(PATH, 1);
    expect(last).toMatchObject({ by: { kind: 'person' }, said: ['Edited the note as text'] });
    const now = synced.ok ? synced.text : '';
    expect(draft.isUnsaved(now)).toBe(false);
    const again = await draft.sync(now, []);
    expect(again).toMatchObject({ ok: true, text: text() });
    expect(await fixture.manager.undoLast(PATH, { kind: 'person' })).toMatchObject({ ok: true });
    expect(line(text(), 'Write')).toContain('- [ ] Write 🆔');
  });

  test('[SRC7] keeps the other version before it writes: where that fails, nothing is written', async () => {
    const { fixture, drafts, open, text } = await services();
    const { draft, text: before } = await open();
    fixture.editNote('build', (now) => now.replace('Write', 'Write a quick start'));
    const mine = before.replace('Write', 'Write three examples');
    const there = text();
    fixture.store.fault = new StoreError('disk_full', 'The disk is full.');
    expect(await draft.sync(mine, [])).toEqual({
      ok: false,
      code: 'disk_full',
      message: 'The disk is full.',
    });
    expect(text()).toBe(there);
    const synced = await draft.sync(mine, []);
    expect(synced.ok && synced.clashes.map(({ theirs }) => theirs)).toEqual([
      line(there, 'Write a quick start'),
    ]);
    expect(line(text(), 'Write')).toContain('Write three examples');
    const kept = await drafts.kept(PATH);
    expect(kept.map(({ title, theirs }) => [title, theirs])).toEqual([
      ['Write', line(there, 'Write a quick start')],
    ]);
    for (const version of kept) await drafts.removeVersion(PATH, version);
    expect(await drafts.kept(PATH)).toEqual([]);
    expect(fixture.store.files.has(KEPT)).toBe(false);
  });

  test('[SRC7] a clash that comes up only while it is written is kept before, too', async () => {
    const { fixture, drafts, open, text } = await services();
    const { draft, text: before } = await open();
    const mine = before.replace('Print', 'Print on paper');
    const update = fixture.store.update.bind(fixture.store);
    let typed = false;
    fixture.store.update = (path, edit) => {
      if (path === PATH && !typed) {
        typed = true;
        fixture.editNote('build', (now) => now.replace('Print', 'Publish'));
      }
      return update(path, edit);
    };
    expect(await draft.sync(mine, [])).toMatchObject({ ok: true, clashes: [{ yours: /paper/ }] });
    expect(typed).toBe(true);
    expect(line(text(), 'Print')).toContain('Print on paper');
    expect((await drafts.kept(PATH))[0]?.theirs).toContain('Publish');
  });

  test('[SRC9] a note that a person breaks or mends is written as it was typed', async () => {
    const { fixture, open, text } = await services();
    const { draft, text: before } = await open();
    const broken = before.replace('board: 1', 'board: [');
    expect(await draft.sync(broken, [])).toMatchObject({ ok: true, text: broken });
    expect(text()).toBe(broken);
    await fixture.manager.scan();
    expect((await fixture.manager.load(PATH))?.broken?.line).toBe(3);
    expect(await draft.sync(before, [])).toMatchObject({ ok: true });
    expect((await fixture.manager.load(PATH))?.broken).toBeNull();
  });

  test('[SRC11] what a window left behind is merged into the note as it is then, also where it was saved after all', async () => {
    const { fixture, open, text } = await services();
    const { draft, text: before } = await open();
    const left = draft.toUnsavedDraft(before.replace('Write', 'Write it').concat('- [ ] mine\n'));
    await fixture.call('build', { type: 'add', title: 'Ship' });
    for (let time = 0; time < 2; time += 1) {
      const again = await open(left);
      expect(again.text).toBe(left.mine);
      expect(await again.draft.sync(again.text, [])).toMatchObject({ ok: true, clashes: [] });
    }
    expect(text().match(/- \[ \] .*(mine|Ship|Write it)/g)).toHaveLength(3);
  });

  test('[SRC1] a note that is gone comes back with what was typed, and only with that', async () => {
    const { fixture, open, text } = await services();
    const { draft, text: before } = await open();
    await fixture.store.remove(PATH);
    expect(await draft.sync(before, [])).toMatchObject({ ok: false, code: 'unknown_board' });
    const mine = before.replace('Write', 'Write it');
    expect(await draft.sync(mine, [])).toMatchObject({ ok: true });
    expect(text()).toBe(mine);
  });
});
