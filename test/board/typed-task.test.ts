import { PERSON } from '../../src/core/board/history/actor';
import { describe, expect, test } from 'vitest';
import { checkTitle } from '../../src/core/board/note/title';
import {
  readTypedTask,
  titleForEditing,
  checkTypedTask,
} from '../../src/core/board/note/typed-task';
import type { Board, Task, TaskTarget } from '../../src/core/board/task';
import { boardPathOf, ManagerFixture } from './manager-fixture';
import { fc } from '../seeded';
import { titles } from './title-maker';

const path = boardPathOf('build');

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose' },
    { type: 'add', title: 'Build', dependsOn: [1], priority: 'low', due: '2026-12-01' },
  );
  return fixture;
}

async function task(fixture: ManagerFixture, title: string): Promise<Task> {
  const found = (await fixture.board('build')).find((one) => one.title === title);
  if (found === undefined) throw new Error(`no task ${title}`);
  return found;
}

const line = (fixture: ManagerFixture, id: string) =>
  fixture
    .text('build')
    .split('\n')
    .find((one) => one.endsWith(`^a4rg-${id}`));

const add = (fixture: ManagerFixture, title: string, parent?: TaskTarget) =>
  fixture.manager.commit(path, PERSON, [{ type: 'add', title, ...(parent && { parent }) }]);

async function rename(fixture: ManagerFixture, from: string, title: string) {
  const target = await task(fixture, from);
  return fixture.manager.commit(path, PERSON, [{ type: 'update', id: target, title }]);
}

describe('a task that a person adds', () => {
  test.each([
    ['Ship 📅 2026-11-24 ⏫', 'Ship 🆔 a4rg-3 📅 2026-11-24 ⏫ ^a4rg-3'],
    ['Ship ⛔ a4rg-1,a4rg-2', 'Ship 🆔 a4rg-3 ⛔ a4rg-1,a4rg-2 ^a4rg-3'],
    [
      'Ship [owner:: me] #soon 🔁 every week',
      'Ship [owner:: me] #soon 🆔 a4rg-3 🔁 every week ^a4rg-3',
    ],
    ['Ship ⏫ #soon', 'Ship 🆔 a4rg-3 ⏫ #soon ^a4rg-3'],
    ['  Ship [due:: 2026-11-24] ', 'Ship [due:: 2026-11-24] [id:: a4rg-3] ^a4rg-3'],
    ['✅ Release list', '✅ Release list 🆔 a4rg-3 ^a4rg-3'],
    ['Say `📅 2026-11-24` twice', 'Say `📅 2026-11-24` twice 🆔 a4rg-3 ^a4rg-3'],
    ['A \\[x] and &#128197; stay', 'A \\[x] and &#128197; stay 🆔 a4rg-3 ^a4rg-3'],
  ])('[TASKS73] is written as it was typed: %s', async (typed, written) => {
    const fixture = await planned();
    expect(await add(fixture, typed)).toMatchObject({ ok: true });
    expect(line(fixture, '3')).toBe(`- [ ] ${written}`);
  });

  test('[TASKS73] has the title and the fields that were typed', async () => {
    const fixture = await planned();
    await add(fixture, 'Ship it 📅 2026-11-24 ⏫ ⛔ a4rg-1', await task(fixture, 'Build'));
    expect(await task(fixture, 'Ship it')).toMatchObject({
      ...{ id: 'a4rg-3', parent: 'a4rg-2', due: '2026-11-24', priority: 'high' },
      dependsOn: ['a4rg-1'],
    });
  });

  test('[TASKS18] of an agent has its title as text still', async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'add', title: 'Ship 📅 2026-11-24' });
    expect(await task(fixture, 'Ship 📅 2026-11-24')).toMatchObject({ due: null });
  });
});

describe('a task that a person renames', () => {
  test.each([
    ['Make', 'Make 🆔 a4rg-2 ⛔ a4rg-1 🔽 📅 2026-12-01 ^a4rg-2'],
    ['Make 📅 2026-11-24 ⏫', 'Make 🆔 a4rg-2 ⛔ a4rg-1 ⏫ 📅 2026-11-24 ^a4rg-2'],
    ['Build 🔺', 'Build 🆔 a4rg-2 ⛔ a4rg-1 🔺 📅 2026-12-01 ^a4rg-2'],
    ['Make 🛫 2026-11-22', 'Make 🆔 a4rg-2 ⛔ a4rg-1 🔽 📅 2026-12-01 🛫 2026-11-22 ^a4rg-2'],
    ['Make [owner:: me] #x', 'Make #x [owner:: me] 🆔 a4rg-2 ⛔ a4rg-1 🔽 📅 2026-12-01 ^a4rg-2'],
    ['\\[x] Make', '\\[x] Make 🆔 a4rg-2 ⛔ a4rg-1 🔽 📅 2026-12-01 ^a4rg-2'],
  ])(
    '[TASKS74] gets the fields that were typed and keeps the others: %s',
    async (typed, written) => {
      const fixture = await planned();
      expect(await rename(fixture, 'Build', typed)).toMatchObject({ ok: true });
      expect(line(fixture, '2')).toBe(`- [ ] ${written}`);
    },
  );

  test('[TASKS74] may not wait for itself', async () => {
    const fixture = await planned();
    const before = fixture.text('build');
    expect(await rename(fixture, 'Choose', 'Choose ⛔ a4rg-2')).toMatchObject({ code: 'cycle' });
    expect(await add(fixture, 'Sub ⛔ a4rg-1', await task(fixture, 'Choose'))).toMatchObject({
      code: 'cycle',
    });
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS74] is offered in a form that reads back as its title', () => {
    expect(titleForEditing('✅ Release list #a')).toBe('✅ Release list #a');
    fc.assert(
      fc.property(titles, (given) => {
        const checked = checkTitle(given);
        fc.pre(checked.ok);
        const { title } = checked;
        expect(readTypedTask(titleForEditing(title))).toMatchObject({
          ok: true,
          title,
          fields: [],
        });
      }),
    );
  });

  test('[TASKS73] [TASKS74] whatever is typed and taken, the note says it', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(titles, async (text) => {
        const fixture = await planned();
        const typed = checkTypedTask(fixture.manager.boards()[0] as Board, text);
        const answer = await add(fixture, text);
        expect(answer.ok).toBe(typed.ok);
        if (!typed.ok) return;
        taken += 1;
        const { title, facts } = typed;
        expect((await fixture.board('build')).at(-1)).toMatchObject({ title, ...facts });
        expect(await rename(fixture, 'Choose', text)).toMatchObject({ ok: true });
        expect((await fixture.board('build'))[0]).toMatchObject({ title, ...facts });
      }),
    );
    expect(taken).toBeGreaterThan(10);
  });
});

describe('what would be malformed', () => {
  test.each([
    ['Ship 🆔 a4rg-9', 'The board numbers its tasks'],
    ['Ship 🆔 a4rg-9 now', 'The board numbers its tasks'],
    ['Ship [id:: a4rg-9]', 'The board numbers its tasks'],
    ['Ship ^there', 'The board numbers its tasks'],
    ['📅 2026-11-24', 'has no title'],
    ['Ship 📅 2026-02-30', '2026-02-30 is not a date'],
    ['Ship [due:: 2026-02-30]', '2026-02-30 is not a date'],
    ['Ship ⛔ 2', 'Did you mean ⛔ a4rg-2?'],
    ['Ship ⛔ zzzz-9', 'no task zzzz-9 of this board'],
    ['Ship <!-- later', '<!--'],
    ['Ship %% later', '%%'],
  ])('[TASKS75] is refused with what to type: %s', async (typed, message) => {
    const fixture = await planned();
    const before = fixture.text('build');
    const told = { ok: false, message: expect.stringContaining(message) as string };
    expect(await add(fixture, typed)).toMatchObject(told);
    expect(await rename(fixture, 'Choose', typed)).toMatchObject(told);
    expect(fixture.text('build')).toBe(before);
  });

  test.each([
    ['Ship 📅 tomorrow', '📅'],
    ['Ship ⛔', '⛔'],
    ['Ship ⏫ soon', '⏫'],
    ['Add a ➕ button', '➕'],
  ])(
    '[TASKS75] an emoji of a field that begins none is title, and that is said: %s',
    async (typed, emoji) => {
      const fixture = await planned();
      expect(readTypedTask(typed)).toMatchObject({
        ...{ ok: true, title: typed, fields: [] },
        remark: expect.stringContaining(`${emoji} is part of the title`) as string,
      });
      await add(fixture, typed);
      expect(await task(fixture, typed)).toMatchObject({
        due: null,
        dependsOn: [],
        priority: 'normal',
      });
    },
  );
});
