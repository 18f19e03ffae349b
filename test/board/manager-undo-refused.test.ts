import { PERSON } from '../../src/core/board/history/actor';
import { expect, test } from 'vitest';
import type { Actor } from '../../src/core/board/todo-manager';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const path = boardPathOf('build');
const person: Actor = { kind: 'person' };

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose', phase: 'Groundwork' },
    { type: 'add', title: 'Build', dependsOn: [1], phase: 'Groundwork' },
    { type: 'add', title: 'Segment', parent: 2, body: 'by words' },
    { type: 'add', title: 'Ship', dependsOn: [1, 2], phase: 'Release' },
  );
  return fixture;
}

async function target(fixture: ManagerFixture, title: string) {
  const found = (await fixture.board('build')).find((one) => one.title === title);
  if (found === undefined) throw new Error(`no task ${title}`);
  return found;
}

test('[HIST6] tells a person by titles what became of the task, and what to do', async () => {
  const fixture = await planned();
  const title = async (from: string, to: string) => {
    const done = await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: await target(fixture, from), title: to },
    ]);
    return done.ok ? done.change : '';
  };
  const first = await title('Ship', 'Publish');
  await title('Publish', 'Deliver');
  expect(await fixture.manager.undo(first)).toMatchObject({
    message:
      'You changed "Deliver" since, so the board stays as it is. Look at the board, and change there what you still want.',
  });
  const gone = await title('Deliver', 'Pick');
  await fixture.call('build', { type: 'list' });
  await fixture.call('build', { type: 'remove', id: 4 });
  expect(await fixture.manager.undo(gone)).toMatchObject({
    message:
      'build removed "Pick" since, so the board stays as it is. Look at the board, and change there what you still want.',
  });
});

test('[HIST6] what is refused to be done again is told in the same way', async () => {
  const fixture = await planned();
  await fixture.manager.commit(path, PERSON, [
    { type: 'update', id: await target(fixture, 'Ship'), status: 'deferred' },
  ]);
  expect(await fixture.manager.undoLast(path, person)).toMatchObject({ ok: true });
  await fixture.call('build', { type: 'list' }, { type: 'update', id: 4, priority: 'high' });
  expect(await fixture.manager.redoLast(path, person)).toMatchObject({
    message:
      'build changed "Ship" since, so the board stays as it is. Look at the board, and change there what you still want.',
  });
});
