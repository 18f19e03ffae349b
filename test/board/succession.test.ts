import { PERSON } from '../../src/core/board/history/actor';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/core/ports';
import { sharedPrefixes } from '../../src/core/board/board-findings';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const path = boardPathOf('build');
const next = boardPathOf('build', 'ses_2');

async function planned(fixture = new ManagerFixture()): Promise<ManagerFixture> {
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose', phase: 'Groundwork' },
    { type: 'add', title: 'Build', dependsOn: [1], phase: 'Groundwork', body: 'below 40 MB' },
    { type: 'add', title: 'Segment', parent: 2 },
    { type: 'add', title: 'Ship', dependsOn: [1, 2], phase: 'Release' },
    { type: 'complete', id: 1 },
    { type: 'complete', id: 3 },
  );
  fixture.editNote('build', (text) => `${text}\nA word of mine.\n\n- [ ] typed by hand\n`);
  await fixture.manager.scan();
  return fixture;
}

const lines = (text: string): readonly string[] =>
  text.split('\n').filter((line) => /^\s*(- \[|below|A word|#|Continued)/.test(line));
const header = (text: string): readonly string[] =>
  text.split('\n').filter((line) => /^(session|continue[sd]|archived|prefix|next):/.test(line));

describe('a plan that goes on in another session', () => {
  test('[KEEP20] takes along what is open, with ids, bodies and order, and leaves what is finished', async () => {
    const fixture = await planned();
    const done = await fixture.manager.successions.continueIn(path, 'ses_2');
    expect(done).toEqual({ ok: true, path: next, tasks: 4 });
    expect(lines(fixture.text('build', 'ses_2'))).toEqual([
      '# Search',
      '## Groundwork',
      '- [ ] Build 🆔 a4rg-2 ⛔ a4rg-1 ^a4rg-2',
      '\tbelow 40 MB',
      '\t- [x] Segment 🆔 a4rg-3 ✅ 2026-11-21 ^a4rg-3',
      '## Release',
      '- [ ] Ship 🆔 a4rg-4 ⛔ a4rg-1,a4rg-2 ^a4rg-4',
      'A word of mine.',
      '- [ ] typed by hand 🆔 a4rg-5 ^a4rg-5',
    ]);
    expect(header(fixture.text('build', 'ses_2'))).toEqual([
      'session: ses_2',
      'prefix: a4rg',
      'next: 6',
      'archived: 1',
      'continues: ses_1',
    ]);
    expect(lines(fixture.text('build'))).toEqual([
      '# Search',
      'Continued in [[.opencode/todos/ses_2/build-tasks]].',
      '## Groundwork',
      '- [x] Choose 🆔 a4rg-1 ✅ 2026-11-21 ^a4rg-1',
      '## Release',
      'A word of mine.',
    ]);
    expect(header(fixture.text('build'))).toContain('continued: ses_2');
  });

  test('[KEEP20] goes on there: nothing waits for what was finished, and no id is given twice', async () => {
    const fixture = await planned();
    await fixture.manager.successions.continueIn(path, 'ses_2');
    const answer = await fixture.callIn(
      'ses_2',
      'build',
      { type: 'complete', id: 2 },
      { type: 'add', title: 'New' },
    );
    expect(answer.ok).toBe(true);
    expect(fixture.text('build', 'ses_2')).toContain('- [ ] New 🆔 a4rg-6 ^a4rg-6');
    expect(answer.output).toContain('Ship');
    await fixture.manager.scan();
    expect(sharedPrefixes(fixture.manager.boards())).toEqual([]);
  });

  test('[KEEP21] leaves a board that is history: agents and views are refused, with where to go', async () => {
    const fixture = await planned();
    await fixture.manager.successions.continueIn(path, 'ses_2');
    const before = fixture.text('build');
    const answer = await fixture.call('build', { type: 'add', title: 'More' });
    expect(answer.output).toContain('its plan goes on in session ses_2');
    const target = { id: 'a4rg-1', line: 0, title: 'Choose' };
    const person = await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: target, status: 'pending' },
    ]);
    expect(person).toMatchObject({ ok: false, code: 'read_only' });
    expect(fixture.text('build')).toBe(before);
    expect(fixture.manager.boards().find((board) => board.path === path)?.continued).toBe('ses_2');
  });

  test('[KEEP22] is refused where it would mix plans or has nothing to go on with', async () => {
    const fixture = await planned();
    await fixture.callIn('ses_3', 'build', { type: 'add', title: 'Another plan' });
    const { successions } = fixture.manager;
    const codes = async (board: string, session: string): Promise<string> => {
      const done = await successions.continueIn(board, session);
      return done.ok ? 'ok' : done.code;
    };
    const before = [...fixture.store.files].map(([name, { text }]) => [name, text]);
    expect(await codes(path, 'ses_3')).toBe('conflict');
    expect(await codes(path, 'ses_1')).toBe('conflict');
    expect(await codes(boardPathOf('nobody'), 'ses_2')).toBe('unknown_board');
    expect([...fixture.store.files].map(([name, { text }]) => [name, text])).toEqual(before);
    expect(await codes(path, 'ses_2')).toBe('ok');
    expect(await codes(path, 'ses_4')).toBe('read_only');
    const finished = new ManagerFixture();
    await finished.call('build', { type: 'add', title: 'One', status: 'completed' });
    const done = await finished.manager.successions.continueIn(path, 'ses_2');
    expect(done).toMatchObject({ ok: false, code: 'nothing_open' });
  });

  test('[KEEP23] a crash between any two writes is made good: each task stands once, none is gone', async () => {
    let crashes = 0;
    for (let after = 0; ; after++) {
      const fixture = await planned();
      const { store } = fixture;
      const update = store.update.bind(store);
      let writes = 0;
      store.update = (...given) =>
        writes++ >= after
          ? Promise.reject(new StoreError('disk_full', 'No space is left.'))
          : update(...given);
      const done = await fixture.manager.successions.continueIn(path, 'ses_2');
      store.update = update;
      const open = (text: string): number => (text.match(/^- \[ \] /gm) ?? []).length;
      expect(open(fixture.text('build')) + open(fixture.text('build', 'ses_2'))).toBeGreaterThan(2);
      const again = new ManagerFixture(store);
      await again.manager.scan();
      expect(await again.manager.successions.finish()).toEqual([]);
      const closed = header(again.text('build')).includes('continued: ses_2');
      const [old, fresh] = [again.text('build'), again.text('build', 'ses_2')];
      expect([open(old), open(fresh)]).toEqual(closed ? [0, 3] : [3, 0]);
      expect(old.match(/Choose/g)).toHaveLength(1);
      if (done.ok) break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(2);
  });

  test('[KEEP25] goes to the board of another agent, also where a crash broke it off behind the new board', async () => {
    const fixture = await planned();
    const other = boardPathOf('plan', 'ses_2');
    const { store } = fixture;
    const update = store.update.bind(store);
    let writes = 0;
    store.update = (file, ...rest) => {
      if (file === path && writes++ > 0) {
        return Promise.reject(new StoreError('disk_full', 'No space is left.'));
      }
      return update(file, ...rest);
    };
    const broken = await fixture.manager.successions.continueIn(path, 'ses_2', 'plan');
    expect(broken.ok).toBe(false);
    store.update = update;
    const again = new ManagerFixture(store);
    await again.manager.scan();
    expect(await again.manager.successions.finish()).toEqual([]);
    const boards = again.manager.boards().map((board) => [board.path, board.agent, board.session]);
    expect(boards.sort()).toEqual([
      [path, 'build', 'ses_1'],
      [other, 'plan', 'ses_2'],
    ]);
    const text = again.text('plan', 'ses_2');
    expect(text).toContain('agent: plan\n');
    expect(text.match(/^- \[ \] /gm)).toHaveLength(3);
    expect(again.text('build')).not.toContain('- [ ] ');
    const answer = await again.callIn('ses_2', 'plan', { type: 'complete', id: 2 });
    expect(answer.ok).toBe(true);
  });

  test('[KEEP25] the new agent owns the open tasks of the agent before, and nobody else’s', async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'claim', id: 2 });
    fixture.editNote('build', (text) => text.replace('- [ ] Ship', '- [ ] Ship [owner:: me]'));
    await fixture.manager.scan();
    expect((await fixture.manager.successions.continueIn(path, 'ses_2', 'plan')).ok).toBe(true);
    expect(fixture.text('plan', 'ses_2')).toMatch(/^- \[\/\] Build \[owner:: plan\]/m);
    expect(fixture.text('plan', 'ses_2')).toContain('- [ ] Ship [owner:: me]');
    expect(fixture.text('plan', 'ses_2')).not.toContain('[owner:: build]');
    const answer = await fixture.callIn('ses_2', 'plan', { type: 'complete', id: 2 });
    expect(answer.ok).toBe(true);
  });

  test('[KEEP23] what a person typed into the closed note meanwhile stays there', async () => {
    const fixture = await planned();
    await fixture.manager.successions.continueIn(path, 'ses_2');
    fixture.editNote('build', (text) => `${text}\n- [ ] too late\n`);
    await fixture.manager.scan();
    expect(await fixture.manager.successions.finish()).toEqual([]);
    expect(fixture.text('build')).toContain('- [ ] too late');
  });
});
