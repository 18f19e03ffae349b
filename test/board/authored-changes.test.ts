import { expect, test } from 'vitest';
import type { BoardChange } from '../../src/core/board/board-change';
import { ManagerFixture } from './manager-fixture';

const add = (title: string): object => ({ type: 'add', title });

/** `who: what` of each change that another program sees between two reads. */
async function told(fixture: ManagerFixture, meanwhile: () => Promise<void>): Promise<string[]> {
  const watcher = new ManagerFixture(fixture.store);
  await watcher.manager.scan();
  const heard: BoardChange[] = [];
  watcher.manager.onChange((change) => heard.push(change));
  await meanwhile();
  await watcher.manager.scan();
  const parts = await Promise.all(heard.map((change) => watcher.manager.changesByAuthor(change)));
  return parts.flat().flatMap(({ by, changes }) => {
    const who = by.map((one) => (one.kind === 'person' ? 'person' : one.name)).join(' or ');
    return changes.map(({ title, field }) => `${who}: ${title} ${field}`);
  });
}

test('[CLI16] what a person typed is not told as the agent’s, whose next write is seen with it', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', add('A'), add('B'));
  const changes = await told(fixture, async () => {
    fixture.editNote('build', (text) => `${text.replace('[ ] A', '[/] A')}- [ ] mine\n- [ ] too\n`);
    await fixture.call('build', { type: 'complete', id: 2 }, add('C'));
    fixture.editNote('build', (text) => text.replace('too', 'as well'));
    await fixture.callIn('ses_1', 'build', { type: 'update', id: 1, priority: 'high' });
  });
  expect(changes).toEqual([
    'person: A status',
    'person: mine added',
    'person: as well added',
    'build: B status',
    'build: C added',
    'build: A priority',
  ]);
});

test('[CLI16] two writers on one line are both told, and where the history is not there yet nobody is', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', add('A'));
  const both = await told(fixture, async () => {
    await fixture.call('build', { type: 'update', id: 1, title: 'A2' });
    fixture.editNote('build', (text) => text.replace('A2', 'A3'));
  });
  expect(both).toEqual(['person or build: A3 title']);
  const unknown = await told(fixture, async () => {
    fixture.editNote('build', (text) => text.replace('A3', 'A4').replace(/rev: \d+/, 'rev: 90'));
    await Promise.resolve();
  });
  expect(unknown).toEqual([': A4 title']);
});
