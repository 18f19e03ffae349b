import { describe, expect, test } from 'vitest';
import { closingEdges, type WaitingTask } from '../../src/core/exchange/break-cycles';
import { importPlan } from '../../src/core/exchange/import-plan';
import { IMPORT_KINDS } from '../../src/core/exchange/imported-plan';
import { StoreError } from '../../src/core/ports';
import { fc } from '../seeded';
import type { MemoryStore } from '../store/memory-store';
import { fileOf, folderOf, describeLeftOut, planOf, plansOf, describePlan } from './import-fixture';

describe('sources that are wrong', () => {
  test('[IMP13] what can’t be read is a reason, never a crash; what can be is taken', async () => {
    const notes = {
      'a.md': '---\nid: a\nstatus: pending\n---\n',
      'alias.md': '---\nid: &x b\nstatus: *x\n---\n',
      'deep.md': `---\nid: c\nstatus: ${'['.repeat(100)}\n---\n`,
      'open.md': '---\nid: d\nstatus: pending\n',
      'large.md': `---\nid: e\nstatus: pending\nx: ${'y'.repeat(70_000)}\n---\n`,
      'list.md': '---\n- a\n- b\n---\n',
      'nul.md': '---\nid: f\nstatus: pending\nname: "a\\0b"\n---\n\0\u0001text',
    };
    const plans = await plansOf(folderOf(notes), 'task-notes');
    expect(plans.plans.map(describePlan)).toEqual([
      ['a pending "a"', 'f pending "a b" : a\0b / \0\u0001text'],
    ]);
    const left = describeLeftOut(plans);
    expect(left).toHaveLength(6);
    for (const name of ['alias.md', 'deep.md', 'open.md', 'large.md', 'list.md']) {
      expect(left.filter((line) => line.startsWith(`${name}: `))).toHaveLength(1);
    }
    expect(left).toContain(
      'the title of f: A title is one line of at most 500 characters; all of it stands in the text below.',
    );
  });

  test('[IMP13] every reader answers every odd file with a plan or a Fault that says what to do', async () => {
    const texts = [
      '',
      '\0',
      '{',
      'null',
      '[]',
      '[[[]]]',
      '{"tasks": [1, null, "x", {"title": {}}, {"id": [], "subtasks": 3}]}',
      '{"__proto__": {"tasks": []}, "constructor": 1}',
      '[{"content": null}, {"content": 7, "status": {}, "priority": []}]',
      `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      '---\n---\n',
      '---\nkanban-plugin: board\n---\n<<<<<<< a\n- [ ] x\n',
      '# Task List:\n- [ ] 1. \n- [x] 1.1.1. deep\n',
    ];
    let plans = 0;
    let faults = 0;
    for (const text of texts) {
      for (const kind of IMPORT_KINDS) {
        for (const name of ['tasks.json', 'task_1.json', '1.json', 'todos.json', 'x.md']) {
          for (const source of [fileOf(name, text), folderOf({ [name]: text })]) {
            const read = await importPlan(source, kind);
            if (read.ok) plans += 1;
            else {
              faults += 1;
              expect(read.message).toMatch(/^\S.{10,}$/s);
            }
          }
        }
      }
    }
    expect(plans).toBeGreaterThan(20);
    expect(faults).toBeGreaterThan(500);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('tasks');
  });

  test('[IMP13] a file that the disk refuses is left, and a huge one too', async () => {
    const source = folderOf({ 'task_1.json': '{"id": 1, "subject": "One"}', 'task_2.json': 'x' });
    const refusing = {
      list: (folder: string) => source.reader.list(folder),
      read: async (path: string) => {
        if (path.endsWith('task_2.json')) throw new StoreError('not_utf8', 'task_2.json: no text');
        return source.reader.read(path);
      },
    };
    const plans = await plansOf({ ...source, reader: refusing });
    expect(describeLeftOut(plans)).toEqual(['task_2.json: task_2.json: no text']);
    const huge = fileOf('tasks.json', ' '.repeat(17 * 1024 * 1024));
    expect(await importPlan(huge)).toMatchObject({ ok: false, code: 'too_large' });
  });

  test('[IMP1] no reader writes to its source', async () => {
    const files = { 'tasks/task-1 - a.md': '---\nid: task-1\ntitle: A\nstatus: Done\n---\n' };
    const source = folderOf(files);
    const store = source.reader as MemoryStore;
    for (const kind of IMPORT_KINDS) await importPlan(source, kind);
    expect((await plansOf(source)).plans).toHaveLength(1);
    expect(store.writes).toEqual([]);
    expect([...store.files].map(([path, { text }]) => [path, text])).toEqual([
      ['in/tasks/task-1 - a.md', files['tasks/task-1 - a.md']],
    ]);
  });
});

describe('what tasks say of each other', () => {
  const master = (tasks: readonly object[]) =>
    planOf(fileOf('tasks.json', JSON.stringify({ tasks })), 'task-master');

  test('[IMP12] words that mean nothing here are told: the task stays', async () => {
    const tasks = [
      { id: 1, title: 'A', status: 'cooking', priority: 'so-so', assignee: 'x'.repeat(99) },
    ];
    const plan = await master(tasks);
    expect(describePlan(plan)).toEqual(['1 pending "A"']);
    expect(plan.left.map(({ what }) => what)).toEqual([
      'the status "cooking" of 1',
      'the priority "so-so" of 1',
      `the owner "${'x'.repeat(57)}…" of 1`,
    ]);
  });

  test('[IMP14] an id that two tasks have means the first; one that none has is left out', async () => {
    const plan = await master([
      { id: 1, title: 'First' },
      { id: 1, title: 'Second' },
      { id: 3, title: 'Third', dependencies: [1, 8, 1] },
    ]);
    expect(describePlan(plan)).toEqual([
      '1 pending "First"',
      '- pending "Second"',
      '3 pending "Third" after 1',
    ]);
    expect(plan.tasks[2]?.dependsOn).toEqual([plan.tasks[0]?.key]);
    expect(plan.left).toMatchObject([
      { what: 'the id 1 of "Second"', why: 'Another task has it; who names it means that one.' },
      { what: '3 waits for 8', why: 'There is no such task in the source.' },
    ]);
  });

  test('[IMP15] the edge that closes a circle is left out, and the way round is told', async () => {
    const plan = await master([
      { id: 1, title: 'A', dependencies: [3] },
      { id: 2, title: 'B', dependencies: [1] },
      {
        id: 3,
        title: 'C',
        dependencies: [2, 3],
        subtasks: [{ id: 1, title: 'D', dependencies: ['3'] }],
      },
    ]);
    expect(describePlan(plan)).toEqual([
      '1 pending "A" after 3',
      '2 pending "B" after 1',
      '3 pending "C"',
      '3.1 pending "D" in 3',
    ]);
    expect(plan.left).toMatchObject([
      { what: '3 waits for 2', why: 'It would close a circle: 3 → 2 → 1 → 3.' },
      { what: '3 waits for 3', why: 'It would close a circle: 3 → 3.' },
      { what: '3.1 waits for 3', why: 'It would close a circle: 3.1 → 3 → 3.1.' },
    ]);
  });

  test('[IMP15] a parent under itself stands at the top', async () => {
    const note = (id: string, parent: string) =>
      `---\nid: ${id}\nstatus: todo\nparent: ${parent}\n---\n`;
    const plan = await planOf(folderOf({ 'a.md': note('a', 'b'), 'b.md': note('b', 'a') }));
    expect(describePlan(plan)).toEqual(['b pending "b"', 'a pending "a" in b']);
    expect(plan.left).toMatchObject([
      { what: 'b is a part of a', why: 'It would be a part of itself; it stands at the top.' },
    ]);
  });

  test('[IMP15] of any plan, exactly the edges that close a circle when taken in order', () => {
    const plans = fc.integer({ min: 1, max: 9 }).chain((size) =>
      fc.array(
        fc.record({
          parent: fc.integer({ min: -size, max: size - 1 }),
          dependsOn: fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }),
        }),
        { minLength: size, maxLength: size },
      ),
    );
    let circles = 0;
    let free = 0;
    fc.assert(
      fc.property(plans, (given) => {
        // A parent comes before its subtasks, so parents form no cycle.
        const tasks = given.map(({ parent, dependsOn }, at) => ({
          parent: parent < at ? Math.max(-1, parent) : -1,
          dependsOn,
        }));
        const expected = naiveClosing(tasks);
        const found = closingEdges(tasks);
        expect(found.map(({ from, to }) => [from, to])).toEqual(expected);
        for (const { from, to, way } of found) {
          expect([way[0], way[1], way.at(-1)]).toEqual([from, to, from]);
        }
        circles += expected.length;
        if (expected.length === 0) free += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(circles).toBeGreaterThan(1_000);
    expect(free).toBeGreaterThan(100);
  });

  test('[IMP15] a ring of 10,000 tasks, each way round, loses one edge', () => {
    const ring = (step: number) =>
      Array.from({ length: 10_000 }, (_, at) => ({
        parent: -1,
        dependsOn: [(at + step + 10_000) % 10_000],
      }));
    expect(closingEdges(ring(1)).map(({ from, to }) => [from, to])).toEqual([[9_999, 0]]);
    expect(closingEdges(ring(-1)).map(({ from, to }) => [from, to])).toEqual([[9_999, 9_998]]);
  });
});

/** An edge closes a cycle if its target already waits for the task or for one below it. */
function naiveClosing(tasks: readonly WaitingTask[]): readonly (readonly [number, number])[] {
  const edges: (readonly [number, number])[] = [];
  const left: (readonly [number, number])[] = [];
  const above = (task: number): readonly number[] =>
    task < 0 ? [] : [task, ...above(tasks[task]?.parent ?? -1)];
  // A task needs what it and its ancestors wait for, and all its subtasks, to be done first.
  const needs = (task: number): readonly number[] => [
    ...edges.filter(([from]) => above(task).includes(from)).map(([, to]) => to),
    ...tasks.flatMap(({ parent }, child) => (parent === task ? [child] : [])),
  ];
  tasks.forEach(({ dependsOn }, from) => {
    for (const to of dependsOn) {
      const reached = new Set<number>();
      const walk = (task: number): void => {
        if (reached.has(task)) return;
        reached.add(task);
        needs(task).forEach(walk);
      };
      walk(to);
      const family = tasks.flatMap((_, task) => (above(task).includes(from) ? [task] : []));
      if (family.some((task) => reached.has(task))) left.push([from, to]);
      else edges.push([from, to]);
    }
  });
  return left;
}
