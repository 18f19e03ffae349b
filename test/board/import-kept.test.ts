import { describe, expect, test } from 'vitest';
import { jsonText } from '../../src/core/exchange/export-board';
import { applyPlan } from '../../src/core/exchange/apply-plan';
import { newNoteText } from '../../src/core/board/note/edit-header';
import { parseNote } from '../../src/core/board/note/parse-note';
import {
  corpus,
  fileOf,
  folderOf,
  describeLeftOut,
  planOf,
  plansOf,
  describePlan,
} from './import-fixture';
import { noteOf } from './note-sample';
import { applyToBoard } from './plan-fixture';

describe('what an import keeps', () => {
  test('[IMP23] a Kanban card keeps what a board can keep; the rest is told', async () => {
    const plans = await plansOf(corpus('kanban/House.md'));
    const [plan] = plans.plans;
    if (plan === undefined) throw new Error('no plan');
    const { text } = applyToBoard(undefined, plan);
    expect(text.slice(text.indexOf('### To do'))).toBe(
      [
        '### To do',
        '',
        '- [ ] Order paint [room:: hall] [colour:: light\\]grey] 🆔 k3f9-1 ⏫ 🔁 every month 🏁 delete ➕ 2026-11-01 🛫 2026-11-20 ⏳ 2026-11-21 📅 2026-12-01 ^paint',
        '- [?] Ask about the roof 🆔 k3f9-2 ⏳ 2026-11-30 ^k3f9-2',
        '- [ ] Measure the door 🆔 k3f9-3 ✅ 2026-11-02 ❌ 2026-11-03 ^k3f9-3',
        '- [ ] Sand the floor @{2026-12-05} [reason:: dust] [approve:: me] [waitsFor:: ses_9/ab12-1] 🆔 k3f9-4 📅 2026-12-04 ^k3f9-4',
        '- [ ] Wax it 🆔 k3f9-5 ^k3f9-5',
        '- [ ] Call the plumber 🆔 k3f9-6 🔁 every week ⏳ 2026-11-27 ^k3f9-6',
        '',
        '### Done',
        '',
        '- [x] Draw a plan 🆔 k3f9-7 ^k3f9-7',
        '- [!] Ask the neighbours 🆔 k3f9-8 ^k3f9-8',
        '',
      ].join('\n'),
    );
    expect(parseNote('p.md', text).board.problems).toEqual([]);
    expect([
      ...describeLeftOut(plans),
      ...applyToBoard(undefined, plan).left.map(({ what }) => what),
    ]).toEqual([
      '"tags" of the front matter: It belongs to no card.',
      '"Only what is urgent.": It belongs to no card.',
      'its day ⏳, "2026-13-45", of task 5: It is not a date.',
      'another ⏳ of task 6: A task has one; the last of them counts.',
      'another ⏳ of task 6: A task has one; the last of them counts.',
      'the mark "?" of task 7: Its task is completed.',
      'the block id ^paint of "Wax it"',
    ]);
  });

  test('[IMP24] a value that is made to be slow is read in time that grows with its length', async () => {
    const lines = [`assignee: @${' '.repeat(60_000)}x`, 'priority: high'];
    const text = ['---', 'id: task-1', 'title: A', 'status: To Do', ...lines, '---', ''].join('\n');
    const names = Array.from({ length: 60 }, (_, at) => [`tasks/task-${at} - a.md`, text] as const);
    const { plans } = await plansOf(folderOf(Object.fromEntries(names)));
    // With quadratic time this would take so long that the test would time out.
    expect(plans[0]?.tasks[0]?.priority).toBe('high');
  });

  test('[IMP24] front matter with an unquoted @name is read as Backlog.md itself reads it', async () => {
    const note = (id: string, ...lines: string[]): string =>
      ['---', `id: ${id}`, `title: Task ${id}`, 'status: To Do', ...lines, '---', ''].join('\n');
    const files = {
      'tasks/task-1 - a.md': note('task-1', 'assignee: @sara'),
      'tasks/task-2 - b.md': note('task-2', 'assignee: [@tom, "@ann"] # two', 'labels: [a, b]'),
      'tasks/task-3 - c.md': note('task-3', 'assignee:', '  - @kim', "milestone: 'to: @all'"),
      'tasks/task-4 - d.md': note('task-4', 'reporter: `who`', 'assignee: @"lee'),
    };
    const plans = await plansOf(folderOf(files));
    expect(plans.plans.map(describePlan)).toEqual([
      [
        'task-1 pending "Task task-1" @sara',
        'task-2 pending "Task task-2 #a #b" @tom',
        'task-3 pending "Task task-3" @kim under to: @all',
        'task-4 pending "Task task-4" @"lee',
      ],
    ]);
    expect(describeLeftOut(plans)).toEqual([
      '@ann of task-2: A task has one owner.',
      '"reporter" of 1 task: A task of a board has no such field.',
    ]);
  });

  test('[IMP25] a parent that is not in the backlog falls back to the dotted id', async () => {
    const note = (id: string, parent: string): string =>
      `---\nid: ${id}\ntitle: ${id}\nstatus: To Do\nparent_task_id: ${parent}\n---\n`;
    const plans = await plansOf(
      folderOf({
        'tasks/task-1 - a.md': '---\nid: task-1\ntitle: task-1\nstatus: To Do\n---\n',
        'tasks/task-1.1 - b.md': note('task-1.1', 'back-7'),
        'tasks/task-2.1 - c.md': note('task-2.1', 'TASK-1'),
        'tasks/task-3.1 - d.md': note('task-3.1', 'back-8'),
      }),
    );
    expect(plans.plans.map(describePlan)).toEqual([
      [
        'task-1 pending "task-1"',
        'task-1.1 pending "task-1.1" in task-1',
        'task-2.1 pending "task-2.1" in task-1',
        'task-3.1 pending "task-3.1"',
      ],
    ]);
    expect(describeLeftOut(plans)).toEqual([
      'task-1.1 is a part of back-7: There is no such task; its id says task-1.',
      'task-3.1 is a part of back-8: There is no such task; it stands at the top.',
    ]);
  });

  test('[IMP26] beads: dependencies, parents, types, priorities and closing reasons', async () => {
    const expected = [
      'shop-a1 pending "Checkout #epic #web-shop" !high : All of it.',
      'shop-a1.1 completed "Cart" !critical @ann in shop-a1 done 2026-10-03 : Keep it. / - [ ] sums / **Design** / One table. / **Notes** / Ask Tom. / Success: It sums up / Success: It survives a reload / **Comment of tom, 2026-10-02** / Looks fine. / Ship it. / Result: Merged in #12',
      'shop-a1.2 in_progress "Pay #feature" !medium in shop-a1 after shop-a1.1 due 2026-12-01',
      'shop-b2 pending "Rounding is wrong #bug" !lowest',
      'shop-e5 deferred "Later #chore" !low',
    ];
    for (const path of ['beads', 'beads/.beads', 'beads/.beads/issues.jsonl']) {
      const plans = await plansOf(corpus(path));
      expect([plans.kind, plans.plans[0]?.name]).toEqual(['beads', 'beads']);
      expect(plans.plans.map(describePlan)).toEqual([expected]);
      expect(describeLeftOut(plans)).toEqual([
        'line 6 of issues.jsonl: It is not JSON.',
        '1 deleted issue: It was deleted in beads.',
        '1 link of the type "related": A board has no such link.',
        'the status "blocked" of shop-b2: What is blocked follows from what a task waits for; it is pending now.',
        'shop-a1.2 waits for shop-zz: There is no such task in the source.',
        '"sender" of 1 task: A task of a board has no such field.',
      ]);
      const [, cart, pay] = plans.plans[0]?.tasks ?? [];
      expect([cart?.estimate, cart?.created, cart?.fields, pay?.start]).toEqual([
        '90m',
        '2026-10-01',
        [{ key: 'external_ref', value: 'gh-9' }],
        '2026-11-01',
      ]);
    }
  });

  test('[IMP26] beads: a byte order mark is no part of the first issue', async () => {
    const issues = ['a', 'b'].map((id) => JSON.stringify({ id, title: id, status: 'open' }));
    const plans = await plansOf(fileOf('issues.jsonl', `\ufeff${issues.join('\n')}\n`));
    expect([plans.kind, plans.plans[0]?.tasks.map(({ title }) => title)]).toEqual([
      'beads',
      ['a', 'b'],
    ]);
    expect(describeLeftOut(plans)).toEqual([]);
  });

  test('[IMP27] TaskNotes: blockedBy, completedDate, timeEstimate, scheduled and dateCreated', async () => {
    const plans = await plansOf(corpus('tasknotes'));
    expect(plans.kind).toBe('task-notes');
    expect(plans.plans.map(describePlan)).toEqual([
      [
        'Buy paint pending "Buy the paint"',
        'shelf-1 pending "Move the shelf"',
        'Paint the hall completed "Paint the hall #task" !high after Buy paint+shelf-1 due 2026-12-01 done 2026-11-21 : Two coats.',
        'Sand the floor in_progress "Sand the floor"',
      ],
    ]);
    const { estimate, created, scheduled } = plans.plans[0]?.tasks[2] ?? {};
    expect([estimate, created, scheduled]).toEqual(['90m', '2026-11-01', '2026-11-20']);
    expect(describeLeftOut(plans)).toEqual([
      'the gap P1D between Paint the hall and Buy paint: A task waits for the end of another, without a gap.',
      'Paint the hall is tied to Sand the floor by STARTTOSTART: A task waits only for the end of another.',
      '"recurrence" of 1 task: A task of a board has no such field.',
    ]);
  });

  test('[IMP9] acceptance criteria of task-master are Success lines', async () => {
    const tasks = [
      { id: 1, title: 'A', details: 'How.', acceptanceCriteria: ['It builds', 'It runs, too'] },
      {
        id: 2,
        title: 'B',
        acceptanceCriteria: '- [ ] It sums\n2. It prints',
        testStrategy: 'Run it.',
      },
    ];
    const plans = await plansOf(fileOf('tasks.json', JSON.stringify({ tasks })));
    expect(plans.plans.map(describePlan)).toEqual([
      [
        '1 pending "A" : How. / Success: It builds / Success: It runs, too',
        '2 pending "B" : Success: It sums / Success: It prints / Success: Run it.',
      ],
    ]);
    expect(describeLeftOut(plans)).toEqual([]);
  });
});

describe('our own JSON', () => {
  const BODY = [
    '# Offline search',
    '',
    '- [ ] Loose 🆔 k3f9-1 ^k3f9-1',
    '',
    '## Ground',
    '',
    '- [?] Draw [room:: hall] [owner:: me] [reason:: none yet] 🆔 k3f9-2 ⛔ k3f9-1 ⏫ 🔁 every week ➕ 2026-11-01 ⏳ 2026-11-02 📅 2026-12-24 ^mine',
    '\tWhy, and',
    '\t\thow.',
    '\t- [ ] Part #tag 🆔 k3f9-3 ✅ 2026-11-03 ^k3f9-3',
    '- [X] Without a number',
    '',
  ].join('\n');
  const NOTE = noteOf(BODY);
  const clean = (text: string): unknown => {
    const { tasks } = JSON.parse(text) as { tasks: readonly Record<string, unknown>[] };
    const keys = new Map(tasks.map(({ key, title }) => [key, title]));
    const named = (list: unknown) => (list as readonly string[]).map((key) => keys.get(key));
    return tasks.map(({ key, id, n, line, fields, ...task }) => ({
      ...task,
      known: [key, id, n, line].length,
      fields: (fields as readonly { key: string }[]).filter((one) => one.key !== 'source'),
      parent: keys.get(task.parent) ?? null,
      dependsOn: named(task.dependsOn),
      blockedBy: named(task.blockedBy),
      blocks: named(task.blocks),
    }));
  };

  test('[EXP15] a board exported as JSON is imported as the same tasks, with text, dates and headings', async () => {
    const source = fileOf('build-tasks.json', jsonText(NOTE));
    const plans = await plansOf(source);
    expect([plans.kind, plans.plans[0]?.session, plans.plans[0]?.agent]).toEqual([
      'json',
      'ses_1',
      'build',
    ]);
    expect(describeLeftOut(plans)).toEqual([]);
    const fresh = newNoteText({
      session: 's',
      agent: 'a',
      title: 'Offline search',
      prefix: 'zzzz',
    });
    const plan = await planOf(source);
    const done = applyPlan(undefined, plan, { path: 'p.md', fresh });
    if (!done.ok) throw new Error(done.message);
    expect(done.left).toEqual([]);
    const made = parseNote('p.md', done.text);
    expect(clean(jsonText(made))).toEqual(clean(jsonText(NOTE)));
    expect(done.text).toContain('\n## Ground\n');
    expect(applyPlan(made, plan, { path: 'p.md', fresh })).toMatchObject({
      ok: true,
      added: 0,
      text: done.text,
    });
    expect(applyPlan(NOTE, plan, { path: 'p.md', fresh })).toMatchObject({
      ok: true,
      added: 0,
      text: NOTE.text,
    });
  });

  test('[EXP15] JSON of another version or form is refused with what to do', async () => {
    const of = (value: object) =>
      plansOf(fileOf('x.json', JSON.stringify({ format: 'agent-task-boards', ...value })));
    await expect(of({ version: 2, tasks: [] })).rejects.toThrow(
      'bad_source: x.json has version 2 of this format, and this program reads version 1. Update it.',
    );
    await expect(of({ version: 1 })).rejects.toThrow('empty_source');
  });
});
