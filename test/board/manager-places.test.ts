import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/core/ports';
import { boardPathOf, ManagerFixture } from './manager-fixture';

describe('whose board a note is', () => {
  test('[TASKS51] a copied folder is a session of its own', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', { type: 'add', title: 'One' });
    fixture.store.put(boardPathOf('build', 'copy'), fixture.text('build'));
    await fixture.manager.scan();
    expect(fixture.manager.boards().map(({ session }) => session)).toEqual(['copy', 'ses_1']);
    const answer = await fixture.callIn('copy', 'build', { type: 'add', title: 'In the copy' });
    expect(answer.metadata.sessionId).toBe('copy');
    expect(fixture.manager.boards().map(({ session }) => session)).toEqual(['copy', 'ses_1']);
    expect(fixture.text('build')).not.toContain('In the copy');
  });

  test('[TASKS51] a header that was edited or is gone changes nothing of it', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', { type: 'add', title: 'One' });
    const places = (): (readonly string[])[] =>
      fixture.manager.boards().map(({ session, agent }) => [session, agent]);
    fixture.editNote('build', (text) =>
      text.replace('session: ses_1', 'session: ses_2').replace('agent: build', 'agent: plan'),
    );
    await fixture.manager.scan();
    expect(places()).toEqual([['ses_1', 'build']]);
    const told: string[] = [];
    fixture.manager.onChange(({ session, agent }) => told.push(`${session} ${agent}`));
    fixture.editNote('build', (text) => text.replace(/^---[^]*?---\n/, ''));
    const answer = await fixture.call('build', { type: 'list' });
    expect(answer.output).toContain("The board of build can't be read");
    expect(places()).toEqual([['ses_1', 'build']]);
    expect(told).toEqual(['ses_1 build']);
  });
});

describe('a folder that can not be read', () => {
  async function closed(): Promise<ManagerFixture> {
    const fixture = new ManagerFixture();
    await fixture.callIn('ses_1', 'build', { type: 'add', title: 'One' });
    await fixture.callIn('ses_2', 'build', { type: 'add', title: 'Two' });
    const { store } = fixture;
    const list = store.list.bind(store);
    store.list = (folder) =>
      folder.endsWith('/ses_1')
        ? Promise.reject(new StoreError('denied', 'the system does not allow it.'))
        : list(folder);
    return fixture;
  }

  test('[TASKS52] keeps no other session from being listed or worked on', async () => {
    const fixture = await closed();
    fixture.store.put(boardPathOf('plan', 'ses_2'), fixture.text('build', 'ses_2'));
    await fixture.manager.scan();
    expect(fixture.manager.boards().map(({ path }) => path)).toEqual([
      boardPathOf('build', 'ses_1'),
      boardPathOf('build', 'ses_2'),
      boardPathOf('plan', 'ses_2'),
    ]);
    expect((await fixture.callIn('ses_3', 'build', { type: 'add', title: 'Three' })).ok).toBe(true);
  });

  test('[TASKS52] refuses the calls of its own session with the reason, and nothing is done', async () => {
    const fixture = await closed();
    const before = fixture.text('build');
    const answer = await fixture.callIn('ses_1', 'build', { type: 'add', title: 'More' });
    expect(answer.refused).toEqual({
      code: 'denied',
      message: 'Nothing was done: the system does not allow it.',
    });
    expect(fixture.text('build')).toBe(before);
  });
});
