import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { TodoManager, type Actor } from '../../src/core/board/todo-manager';
import { DiskStore } from '../../src/node/disk-store';
import { fc } from '../seeded';
import { boardPathOf, clock, ManagerFixture, seededIds } from './manager-fixture';

const path = boardPathOf('build');
const agents = ['build', 'plan'] as const;

const n = fc.integer({ min: 1, max: 9 });
const operation = fc.oneof(
  fc.record({ type: fc.constant('update'), id: n, title: fc.constantFrom('A', 'B', 'C') }),
  fc.record({ type: fc.constant('update'), id: n, body: fc.constantFrom('one', 'two\nlines') }),
  fc.record({
    type: fc.constant('update'),
    id: n,
    status: fc.constantFrom('completed', 'pending', 'cancelled'),
    force: fc.constant(true),
    reason: fc.constant('model'),
  }),
  fc.record({ type: fc.constant('add'), title: fc.constant('New'), after: n }),
  fc.record({ type: fc.constant('add'), title: fc.constant('Sub'), parent: n }),
  fc.record({ type: fc.constant('remove'), id: n, cascade: fc.constant(true) }),
  fc.record({ type: fc.constant('remove'), id: n, promote: fc.constant(true) }),
  fc.record({ type: fc.constant('move'), id: n, after: n }),
  fc.record({ type: fc.constant('move'), id: n, parent: n }),
  fc.constant({ type: 'archive' }),
  fc.record({ type: fc.constant('restore'), id: n }),
);
const step = fc.record({
  who: fc.constantFrom(...agents),
  operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
});

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    ...['One', 'Two', 'Three', 'Four', 'Five'].map((title) => ({ type: 'add', title })),
    { type: 'add', title: 'Below', parent: 2, body: 'text' },
    { type: 'add', title: 'Deep', parent: 6 },
    { type: 'add', title: 'Side', parent: 4 },
    { type: 'add', title: 'Last', phase: 'Later' },
  );
  return fixture;
}

const less = (text: string): string => text.replace(/^(?:rev|next): .*\n/gm, '');

test('[HIST4, HIST19] the last change is taken back to the byte and done again, whatever it was', async () => {
  let undone = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const fixture = await planned();
      for (const { who, operations } of steps) {
        const before = fixture.text('build');
        await fixture.call(who, ...operations.map((one) => ({ ...one, agent: 'build' })));
        const after = fixture.text('build');
        if (after === before) continue;
        const by: Actor = { kind: 'agent', name: who };
        const other = new TodoManager({ store: fixture.store, clock, ids: seededIds(9) });
        expect(await other.undoLast(path, by)).toMatchObject({ ok: true });
        expect(less(fixture.text('build'))).toBe(less(before));
        expect(await fixture.manager.redoLast(path, by)).toMatchObject({ ok: true });
        expect(less(fixture.text('build'))).toBe(less(after));
        undone += 1;
      }
    }),
    { numRuns: 60 },
  );
  expect(undone).toBeGreaterThan(60);
});

test('[HIST19] changes of two actors are taken back in any order, or refused without a trace', async () => {
  const seen = { undone: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 5 }),
      fc.array(fc.constantFrom(...agents), { minLength: 1, maxLength: 5 }),
      async (steps, undos) => {
        const fixture = await planned();
        for (const { who, operations } of steps) {
          await fixture.call(who, ...operations.map((one) => ({ ...one, agent: 'build' })));
        }
        for (const name of undos) {
          const before = fixture.text('build');
          const answer = await fixture.manager.undoLast(path, { kind: 'agent', name });
          if (answer.ok) seen.undone += 1;
          else seen.refused += 1;
          if (!answer.ok) expect(fixture.text('build')).toBe(before);
          const tasks = [
            ...(await fixture.board('build')),
            ...(await fixture.manager.archived(path)),
          ];
          const ids = tasks.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(tasks.filter(({ malformed }) => malformed !== null)).toEqual([]);
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(seen.undone).toBeGreaterThan(20);
  expect(seen.refused).toBeGreaterThan(5);
});

let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

test('[HIST5, HIST15] on disk, one process takes back and archives what another did', async () => {
  folder = await mkdtemp(join(tmpdir(), 'boards-'));
  const process = (seed: number): TodoManager =>
    new TodoManager({ store: new DiskStore(folder), clock, ids: seededIds(seed) });
  const [one, two] = [process(1), process(2)];
  const call = (manager: TodoManager, ...operations: unknown[]) =>
    manager.call({ sessionId: 'ses_1', agent: 'build' }, { operations });
  await call(one, { type: 'add', title: 'A' }, { type: 'add', title: 'B', dependsOn: [1] });
  await call(two, { type: 'complete', id: 1 }, { type: 'archive' });
  expect((await one.archived(path)).map(({ title }) => title)).toEqual(['A']);
  const ready = await call(one, { type: 'ready' });
  expect(ready.output).toContain('#2 B');
  expect(await one.undoLast(path, { kind: 'agent', name: 'build' })).toMatchObject({ ok: true });
  expect(await two.archived(path)).toEqual([]);
  expect((await two.load(path))?.tasks.map(({ title, status }) => `${title} ${status}`)).toEqual([
    'A pending',
    'B pending',
  ]);
  expect(await two.redoLast(path, { kind: 'agent', name: 'build' })).toMatchObject({ ok: true });
  expect((await one.history(path)).map(({ undone }) => undone)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
