import { describe, expect, test } from 'vitest';
import { corpus, describeLeftOut, planOf, plansOf, describePlan } from './import-fixture';

describe('plans of other programs', () => {
  test('[IMP3] a list of todowrite, of the session that its file is named after', async () => {
    const plan = await planOf(corpus('todowrite/ses_3fTodo.json'));
    expect(describePlan(plan)).toEqual([
      '- completed "Read the failing test" !high',
      '- in_progress "Fix the parser" !high',
      '- cancelled "Rename the helper" !low',
      '- pending "Write the changelog" !medium',
    ]);
    expect([plan.name, plan.session, plan.left]).toEqual(['Todos', 'ses_3fTodo', []]);
    expect((await planOf(corpus('todowrite'))).tasks).toHaveLength(4);
  });

  test('[IMP4] notes of the older tasks plugin: numbers make subtasks, items make text', async () => {
    const plans = await plansOf(corpus('opencode-tasks'));
    const [plan] = plans.plans;
    if (plan === undefined) throw new Error('no plan');
    expect(plans.kind).toBe('opencode-tasks');
    expect(describePlan(plan)).toEqual([
      '1 completed "Design the schema" : one table for sessions',
      '2 pending "Write the login"',
      '2.1 pending "Check the password" in 2',
      '2.2 completed "Send the cookie" in 2',
      '3 in_progress "Write the tests"',
    ]);
    expect([plan.title, plan.session, plan.agent]).toEqual([
      'implement-auth',
      'ses_alpha',
      'senior-sw-engineer',
    ]);
    expect(plan.tasks[0]?.created).toBe('2026-01-24');
    expect(describeLeftOut(plans)).toEqual([
      'notes.md: It does not begin with "# Task List:".',
      'the memo "ask about the lifetime of cookies": It belongs to no task.',
    ]);
  });

  test('[IMP5] lists of SimpleTodoManager: agent and session from the folder, or from the todos', async () => {
    const plans = await plansOf(corpus('todo-sessions'));
    expect(plans.kind).toBe('todo-sessions');
    expect(plans.plans.map(({ agent, session }) => [agent, session])).toEqual([
      ['build', 'project-alpha'],
      ['qa', '8df7e6bf'],
    ]);
    expect(plans.plans.map(describePlan)).toEqual([
      [
        'sen-001 completed "Implement the endpoint" !high done 2026-01-25',
        'sen-002 pending "Document it" !low',
      ],
      ['- pending "Check the release" !medium'],
    ]);
    expect(describeLeftOut(plans)).toEqual(['item 2 of qa_8df7e6bf: It is no todo.']);
    const one = await planOf(corpus('todo-sessions/build_project-alpha/todos.json'));
    expect([one.agent, one.session, one.tasks.length]).toEqual(['build', 'project-alpha', 2]);
  });

  test('[IMP6] one JSON file per task: either side of an edge counts, numbers sort as numbers', async () => {
    const plans = await plansOf(corpus('task-files'));
    expect(plans.kind).toBe('task-files');
    expect(plans.plans.map(describePlan)).toEqual([
      [
        '1 completed "Setup project"',
        '2 in_progress "Write code" @alice after 1 : In small steps. / With tests.',
        '10 pending "Write tests" after 2',
      ],
    ]);
    expect(describeLeftOut(plans)).toEqual(['state.json: Its name is not that of a task.']);
  });

  test('[IMP7] tasks of Claude Code, a plan per list', async () => {
    const plans = await plansOf(corpus('claude-tasks'));
    expect(plans.kind).toBe('claude-tasks');
    expect(plans.plans.map(({ session }) => session)).toEqual(['3f1c']);
    expect(plans.plans.map(describePlan)).toEqual([
      [
        '1 completed "Map the call sites" : Every caller of the old API.',
        '2 pending "Replace the old API" @explore after 1',
      ],
    ]);
    expect(describeLeftOut(plans)).toEqual([
      '"metadata" of 1 task: A task of a board has no such field.',
    ]);
  });

  test('[IMP8] one note per task: front matter, and its text', async () => {
    const plans = await plansOf(corpus('task-notes'));
    const [plan] = plans.plans;
    if (plan === undefined) throw new Error('no plan');
    expect(plans.kind).toBe('task-notes');
    expect(describePlan(plan)).toEqual([
      'auth-setup in_progress "Set up authentication #backend #user-login" !critical @alice due 2026-12-01 : # Set up authentication /  / - [ ] sessions in the database',
      'deploy pending "Deploy" after auth-setup',
      'docs completed "Write: the docs" after auth-setup done 2026-11-19 : Short ones.',
    ]);
    const { scope, risk, impact, level, created } = plan.tasks[0] ?? {};
    expect([scope, risk, impact, level, created]).toEqual([
      'moderate',
      'high',
      'component',
      'implementation',
      '2026-11-01',
    ]);
    expect(plan.tasks[2]?.estimate).toBe('2h');
    expect(describeLeftOut(plans)).toEqual([
      'readme.md: It has no front matter.',
      'the status "blocked" of deploy: What is blocked follows from what a task waits for; it is pending now.',
      'the risk "huge" of deploy: It is not one of trivial, low, medium, high, critical.',
      'deploy waits for nowhere: There is no such task in the source.',
    ]);
  });

  test('[IMP9] tasks.json of task-master: a plan per tag, subtasks by their numbers', async () => {
    const plans = await plansOf(corpus('task-master'));
    expect(plans.kind).toBe('task-master');
    expect(plans.plans.map(({ name }) => name)).toEqual(['master', 'feature']);
    expect(plans.plans.map(describePlan)).toEqual([
      [
        '1 completed "Initialise the project" !high : The skeleton. / Use the template. / Success: It builds.',
        '2 in_progress "Core functions" !medium after 1 : The middle.',
        '2.1 completed "Parser" in 2',
        '2.2 in_progress "Printer" in 2 after 2.1',
        '3 deferred "Interface" !low after 2.2',
      ],
      ['1 pending "Spike"'],
    ]);
    expect(describeLeftOut(plans)).toEqual([
      '3 waits for 9: There is no such task in the source.',
      '"complexityScore" of 1 task: A task of a board has no such field.',
      'the status "blocked" of 1: What is blocked follows from what a task waits for; it is pending now.',
    ]);
  });

  test('[IMP10] the folder of Backlog.md, as its command line wrote it', async () => {
    const plans = await plansOf(corpus('backlog'));
    const [plan] = plans.plans;
    if (plan === undefined) throw new Error('no plan');
    expect([plans.kind, plan.name, plan.title]).toEqual(['backlog', 'Backlog', 'demo']);
    expect(describePlan(plan)).toEqual([
      'TASK-1 pending "First thing #a #b" !high @me under First light : What it is /  / Success: It works,It is fast ✔ /  / **Implementation Plan** /  / 1. do',
      'TASK-1.1 pending "Sub of first" in TASK-1',
      'TASK-2 in_progress "Second" after TASK-1 : **Implementation Notes** /  / hm',
      'DRAFT-1 pending "A draft" under Drafts',
      'TASK-3 completed "Old work" under Completed',
      'TASK-4 cancelled "Dropped idea" under Archive',
    ]);
    expect(describeLeftOut(plans)).toEqual([]);
  });

  test('[IMP11] a note of the Kanban plugin: lanes, cards of several lines, days, complete lanes, the archive', async () => {
    const plans = await plansOf(corpus('kanban/Garden.md'));
    expect([plans.kind, plans.plans[0]?.name]).toEqual(['kanban', 'Garden']);
    expect(plans.plans.map(describePlan)).toEqual([
      [
        '- pending "Buy seeds #shop" under To do due 2026-12-01',
        '- pending "Dig the bed" under To do : two spades deep / with a string',
        '- pending "mark it out" in Dig the bed',
        '- pending "Plain card" under To do',
        '- completed "Draw a plan" under Done',
        '- completed "Ask the neighbours" under Done',
        '- completed "Clear the shed" under Archive',
      ],
    ]);
    expect(describeLeftOut(plans)).toEqual([]);
  });

  test('[IMP2] what a source is, is told from its files; a plain text is nothing', async () => {
    const kinds = [
      'todowrite',
      'opencode-tasks',
      'todo-sessions',
      'task-files',
      'claude-tasks',
      'task-notes',
      'task-master',
      'backlog',
    ];
    for (const kind of kinds) expect((await plansOf(corpus(kind))).kind).toBe(kind);
    expect((await plansOf(corpus('task-master/tasks.json'))).kind).toBe('task-master');
    expect((await plansOf(corpus('task-files/task_1.json'))).kind).toBe('task-files');
    expect((await plansOf(corpus('opencode-tasks/ses_alpha'))).kind).toBe('opencode-tasks');
    await expect(plansOf(corpus('task-notes/readme.md'))).rejects.toThrow(
      'unknown_source: Nothing in readme.md looks like a plan. Name the folder that holds the tasks themselves, or say which kind it is: todowrite, opencode-tasks',
    );
  });
});
