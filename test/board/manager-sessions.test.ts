import { describe, expect, test } from 'vitest';
import { TodoManager } from '../../src/core/board/todo-manager';
import { fc } from '../seeded';
import { MemoryStore } from '../store/memory-store';
import { boardPathOf, clock, codes, ManagerFixture, seededIds } from './manager-fixture';

const add = (title: string, agent?: string): object => ({ type: 'add', title, agent });

describe('sessions', () => {
  test('[TASKS24] a call without a session id has a session of its own, and is told', async () => {
    const { manager, store } = new ManagerFixture();
    for (const sessionId of [undefined, '']) {
      const answer = await manager.call({ sessionId, agent: 'build' }, { operations: [add('x')] });
      expect(answer.metadata.sessionId).toBe('default-session');
      expect(answer.output).toContain('this is the shared session "default-session"');
    }
    expect(store.files.has(boardPathOf('build', 'default-session'))).toBe(true);
  });

  test('[TASKS24] or is refused, where the settings say so', async () => {
    const fixture = new ManagerFixture(new MemoryStore(), { defaultSession: 'refuse' });
    const { manager, store } = fixture;
    const answer = await manager.call(
      { sessionId: undefined, agent: 'a' },
      { operations: [add('x')] },
    );
    expect(answer.refused?.code).toBe('no_session');
    expect(store.writes).toEqual([]);
    expect((await fixture.call('a', add('x'))).ok).toBe(true);
  });

  test.each(['x'.repeat(73), 'a\nb', 'a\0b', 'half \ud83d'])(
    '[TASKS25] the session id %j, or an agent of that name, is refused',
    async (name) => {
      const { manager, store } = new ManagerFixture();
      const args = { operations: [add('x')] };
      const session = await manager.call({ sessionId: name, agent: 'build' }, args);
      const agent = await manager.call({ sessionId: 's', agent: name }, args);
      expect(session.refused?.code).toBe('bad_session');
      expect(agent.refused?.code).toBe('bad_agent');
      expect(store.writes).toEqual([]);
    },
  );

  test('[TASKS25] different ids never share a folder, and nothing is written outside the root', async () => {
    const name = fc.oneof(
      fc.constantFrom(
        '../evil',
        '..',
        '.',
        'a/b',
        'a~2fb',
        'A',
        'a',
        'CON',
        'a.',
        'a ',
        '~',
        'é',
        'é',
        '..\\x',
      ),
      fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme-ascii' }),
    );
    let boards = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, name), { selector: (pair) => pair.join('\n'), maxLength: 6 }),
        async (pairs) => {
          const fixture = new ManagerFixture();
          const written: [string, string][] = [];
          for (const [session, agent] of pairs) {
            const answer = await fixture.callIn(session, agent, {
              type: 'init',
              title: `${session} ${agent}`,
              agent,
            });
            if (answer.refused === undefined && codes(answer)[0] === 'ok')
              written.push([session, agent]);
          }
          const roots = [...fixture.store.files.keys()].map((path) =>
            path.split('/').slice(0, 2).join('/'),
          );
          expect(
            roots.filter(
              (root) => root !== '.opencode/todos' && root !== '.opencode/agent-task-boards',
            ),
          ).toEqual([]);
          expect(new Set(fixture.paths().map((path) => path.toLowerCase())).size).toBe(
            written.length,
          );
          await fixture.manager.scan();
          expect(
            fixture.manager
              .boards()
              .map(({ session, agent }) => `${session}\n${agent}`)
              .sort(),
          ).toEqual(written.map((pair) => pair.join('\n')).sort());
          boards += written.length;
        },
      ),
      { numRuns: 100 },
    );
    expect(boards).toBeGreaterThan(100);
  });

  test('[TASKS26] fifty sessions at once: no board has a task of another, no two the same prefix', async () => {
    const fixture = new ManagerFixture();
    const sessions = Array.from({ length: 50 }, (_, n) => `ses_${n}`);
    await Promise.all(
      sessions.flatMap((session) =>
        [1, 2, 3].map((round) =>
          fixture.callIn(
            session,
            round === 2 ? 'plan' : 'build',
            add(`${session} round ${round}`, round === 2 ? 'plan' : 'build'),
          ),
        ),
      ),
    );
    await fixture.manager.scan();
    const boards = fixture.manager.boards();
    expect(boards).toHaveLength(100);
    expect(new Set(boards.map(({ prefix }) => prefix)).size).toBe(100);
    for (const { session, agent, tasks } of boards) {
      expect(tasks.map(({ title }) => title)).toEqual(
        (agent === 'plan' ? [2] : [1, 3]).map((round) => `${session} round ${round}`),
      );
    }
  });

  test('[TASKS26] a prefix that another board has is drawn again', async () => {
    const store = new MemoryStore();
    // Two managers with the same seed: the second would draw the ids of the first.
    await new TodoManager({ store, clock, ids: seededIds(7) }).call(
      { sessionId: 'one', agent: 'build' },
      { operations: [add('x')] },
    );
    await new TodoManager({ store, clock, ids: seededIds(7) }).call(
      { sessionId: 'two', agent: 'build' },
      { operations: [add('x')] },
    );
    const prefixes = ['one', 'two'].map(
      (session) =>
        /prefix: (\w+)/.exec(store.files.get(boardPathOf('build', session))?.text ?? '')?.[1],
    );
    expect(prefixes[0]).toMatch(/^[a-z][0-9a-z]{3}$/);
    expect(prefixes[1]).toMatch(/^[a-z][0-9a-z]{3}$/);
    expect(prefixes[0]).not.toBe(prefixes[1]);
  });

  test("[TASKS27] a call reads its own session's notes only", async () => {
    const fixture = new ManagerFixture();
    await fixture.callIn('one', 'build', add('a'));
    await fixture.callIn('two', 'build', add('b'));
    fixture.store.reads.length = 0;
    await new ManagerFixture(fixture.store).callIn(
      'one',
      'build',
      { type: 'list' },
      { type: 'complete', id: 1 },
    );
    expect(fixture.store.reads.filter((path) => path.includes('two'))).toEqual([]);
    expect(fixture.store.reads.filter((path) => path.includes('one'))).not.toEqual([]);
  });

  test('[TASKS27] a session that is asked for is read from its own folder, by its newest board', async () => {
    const fixture = new ManagerFixture();
    await fixture.callIn('one', 'plan', add('a'));
    await fixture.callIn('one', 'build', { ...add('b'), agent: 'build' });
    await fixture.callIn('two', 'build', add('c'));
    fixture.store.reads.length = 0;
    const { manager, store } = new ManagerFixture(fixture.store);
    const { boards, newest } = await manager.inSession('one');
    expect(boards.map(({ agent }) => agent)).toEqual(['build', 'plan']);
    expect(newest).toBe('build');
    expect(await manager.inSession('none')).toEqual({ boards: [], newest: undefined });
    expect(await manager.inSession('')).toEqual({ boards: [], newest: undefined });
    expect(await manager.sessionIds()).toEqual(['one', 'two']);
    expect(store.reads.filter((path) => path.includes('two'))).toEqual([]);
  });

  test('[TASKS76] a new board reads no board of another session whose prefixes are known', async () => {
    const fixture = new ManagerFixture();
    for (const session of ['one', 'two']) await fixture.callIn(session, 'build', add('a'));
    const copied = fixture.text('build', 'one').replace(/prefix: .*/, 'prefix: zzzz');
    fixture.store.put(boardPathOf('build', 'three'), copied);
    const boardsRead = async (session: string): Promise<string[]> => {
      fixture.store.reads.length = 0;
      const made = new ManagerFixture(fixture.store, { ids: seededIds(9) });
      expect((await made.callIn(session, 'build', add('b'))).ok).toBe(true);
      const boards = fixture.store.reads.filter((path) => path.endsWith('-tasks.md'));
      return [...new Set(boards)].filter((path) => !path.includes(session));
    };
    expect(await boardsRead('four')).toEqual([boardPathOf('build', 'three')]);
    expect(await boardsRead('five')).toEqual([]);
    const index = [...fixture.store.files].find(([path]) => path.endsWith('index/prefixes.json'));
    expect(JSON.parse(index?.[1].text ?? '')).toMatchObject({
      folders: expect.arrayContaining([['three', ['zzzz']]]) as unknown,
    });
  });

  test('[TASKS76] without that list, or where it is damaged, all boards are read for it', async () => {
    const fixture = new ManagerFixture();
    await fixture.callIn('one', 'build', add('a'));
    const [path = ''] = [...fixture.store.files.keys()].filter((one) => one.includes('/index/'));
    for (const text of ['{', '{"folders": 1}', JSON.stringify({ root: 'Plans', folders: [] })]) {
      fixture.store.put(path, text);
      fixture.store.reads.length = 0;
      await new ManagerFixture(fixture.store, { ids: seededIds(7) }).callIn(
        `with ${text}`,
        'build',
        add('b'),
      );
      expect(fixture.store.reads).toContain(boardPathOf('build', 'one'));
    }
    const prefixes = [...fixture.store.files].flatMap(
      ([, { text }]) => /^prefix: (\w+)/m.exec(text)?.[1] ?? [],
    );
    expect(new Set(prefixes).size).toBe(4);
  });
});
