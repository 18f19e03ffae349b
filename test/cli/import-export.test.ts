import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
const { runAsAgent: words } = cli;
const TODOS = JSON.stringify([
  { content: 'Read the code', status: 'completed', priority: 'high' },
  { content: 'Write the fix', status: 'pending', priority: 'medium' },
  { status: 'pending' },
]);

let outside = '';
beforeAll(async () => {
  outside = await realpath(await mkdtemp(join(tmpdir(), 'atb-outside-')));
});
afterAll(() => rm(outside, { recursive: true, force: true }));

describe('import', () => {
  test('[CLI13] says what it took, what it left and why; the source stays, and a second time takes nothing', async () => {
    const file = join(outside, 'todos.json');
    await writeFile(file, TODOS);
    const tried = await words('import', file, '--kind', 'todowrite', '--dry-run');
    expect([tried.code, tried.out]).toEqual([0, expect.stringContaining('Would take 3 tasks')]);
    expect(parseOutput(await cli.run(['list', '--json']))).toEqual({ boards: [] });
    const done = await words('import', file, '--kind', 'todowrite');
    expect([done.code, done.err]).toEqual([0, '']);
    expect(done.out).toContain(`Took 3 tasks of Todos onto ${cli.board()}.`);
    expect(done.out).toMatch(/\n {2}left: .+: .+/);
    expect(await cli.read(cli.board())).toContain('- [x] Read the code');
    expect(await readFile(file, 'utf8')).toBe(TODOS);
    const again = await words('import', file, '--kind', 'todowrite', '--json');
    expect(parseOutput(again)).toMatchObject({
      ok: true,
      boards: [{ added: 0, there: 3, path: cli.board() }],
    });
  });

  test('[CLI13] [IMP21] the folder .tasks of a project names no session', async () => {
    await cli.write('project/.tasks/task_1.json', '{"id": 1, "subject": "A", "status": "pending"}');
    const path = '.opencode/todos/imported/build-tasks.md';
    const [first, again] = [
      await cli.run(['import', 'project']),
      await cli.run(['import', 'project/.tasks']),
    ];
    expect(first.out).toContain(`Took 1 task of .tasks onto ${path}.`);
    expect(again.out).toContain('1 task was there already.');
    const { err } = await cli.run(['import', '.opencode']);
    expect(err).toContain('task-master, backlog, kanban, beads, json. Name it with --kind.');
  });

  test('[IMP5] the file of a session, named itself, is of the agent and session of its folder', async () => {
    await cli.write('of/qa_ses9/todos.json', '[{"id": "1", "content": "A", "status": "pending"}]');
    const path = '.opencode/todos/ses9/qa-tasks.md';
    const file = await cli.run(['import', 'of/qa_ses9/todos.json']);
    expect(file.out).toContain(`onto ${path}.`);
    expect((await cli.run(['import', 'of'])).out).toContain('1 task was there already.');
  });

  test('[IMP17] two projects are told apart by their folders', async () => {
    for (const name of ['a', 'b']) {
      await cli.write(`${name}/.tasks/task_1.json`, `{"id": 1, "subject": "Of ${name}"}`);
      expect((await cli.run(['import', `${name}/.tasks`])).out).toContain('Took 1 task');
    }
    const text = await cli.read('.opencode/todos/imported/build-tasks.md');
    expect(text).toMatch(/Of a \[source:: task-files\/a\/[^]*Of b \[source:: task-files\/b\//);
  });

  test('[CLI13] --dry-run of an exported folder counts its tasks, what was changed and what is new', async () => {
    await words('add', 'A');
    await words('add', 'B');
    expect((await words('export', '--to', 'notes', '--out', 'notes')).code).toBe(0);
    const folder = 'notes/build-tasks';
    const [name = ''] = (await readdir(join(cli.vault, folder))).filter((file) =>
      file.endsWith('-1.md'),
    );
    const note = await cli.read(`${folder}/${name}`);
    await cli.write(`${folder}/${name}`, note.replace('title: "A"', 'title: A again'));
    await cli.write(`${folder}/Mine.md`, '---\npriority: low\n---\n');
    const before = await cli.read(cli.board());
    for (const kind of [[], ['--kind', 'notes']]) {
      const tried = await cli.run(['import', folder, '--dry-run', ...kind]);
      expect([tried.code, tried.err]).toEqual([0, '']);
      expect(tried.out).toContain('holds 3 tasks of build in session s1, 1 changed and 1 new. ');
    }
    expect(parseOutput(await cli.run(['import', folder, '--dry-run', '--json']))).toEqual({
      ...{ ok: true, kind: 'notes', name: 'build-tasks', session: 's1', agent: 'build' },
      ...{ tasks: 3, edited: 1, added: 1, left: [], dryRun: true },
    });
    expect(await cli.read(cli.board())).toBe(before);
    await cli.write(`${folder}/${name}`, '---\n');
    expect((await cli.run(['import', folder, '--dry-run'])).code).toBe(1);
  });

  test('[IMP28] importing edited notes of tasks says how many it changed, added and removed', async () => {
    for (const title of ['A', 'B', 'C']) await words('add', title);
    expect((await words('export', '--to', 'notes', '--out', 'notes')).code).toBe(0);
    const folder = 'notes/build-tasks';
    const again = await cli.run(['import', folder]);
    expect(again.out).toBe(
      `${cli.board()} already says what build-tasks says; nothing was written.\n`,
    );
    const names = (await readdir(join(cli.vault, folder))).filter((name) => name !== 'index.md');
    const [a = '', b = ''] = names.toSorted();
    for (const name of [a, b]) {
      const text = await cli.read(`${folder}/${name}`);
      await cli.write(`${folder}/${name}`, text.replace('priority: normal', 'priority: high'));
    }
    await cli.write(`${folder}/new.md`, '---\ntitle: New\n---\n');
    const done = await cli.run(['import', folder]);
    expect(done.out).toBe(`Changed 2 tasks and added 1 task of ${cli.board()} from build-tasks.\n`);
  });

  test('[CLI13] words of the source make no lines in the answer', async () => {
    const id = `a\nTook 9 tasks of it. ${'x'.repeat(3000)}`;
    await cli.write(
      'tasks.json',
      JSON.stringify({ tasks: [{ id: 1, title: 'A', dependencies: [id] }] }),
    );
    const { out } = await cli.run(['import', 'tasks.json']);
    const [took, left, ...more] = out.trimEnd().split('\n');
    expect([took, left?.slice(0, 20), more]).toEqual([
      expect.stringContaining('Took 1 task of'),
      '  left: 1 waits for ',
      [],
    ]);
    expect(left?.length).toBeLessThan(500);
  });

  test('[CLI13] what can not be taken is told with the reason: 1, wrong usage: 2', async () => {
    await cli.write('broken.json', '[{');
    const broken = await words('import', 'broken.json', '--kind', 'todowrite');
    expect([broken.code, broken.out]).toEqual([1, '']);
    expect(broken.err).toMatch(/^agent-boards: .+/);
    expect((await words('import', 'nowhere.json')).code).toBe(2);
    expect((await words('import', 'broken.json', '--kind', 'jira')).err).toContain(
      '"jira" is not one of them',
    );
    expect(
      parseOutput(await words('import', 'broken.json', '--kind', 'todowrite', '--json')),
    ).toMatchObject({
      ok: false,
      error: { code: expect.any(String) as string },
    });
  });
});

describe('export', () => {
  test('[CLI14] prints a board as another format, its bytes as they are', async () => {
    await words('add', 'A, "quoted"');
    const csv = await words('export', '--to', 'csv');
    expect([csv.code, csv.raw]).toEqual([0, true]);
    expect(csv.out).toContain('"A, ""quoted"""');
    expect(parseOutput(await words('export', '--to', 'json'))).toMatchObject({
      board: { rev: 1 },
      tasks: [{ n: 1 }],
    });
    expect((await words('export', '--to', 'mermaid')).out).toContain('flowchart');
    const kinds = await words('export', '--to', 'pdf');
    expect([kinds.code, kinds.err]).toEqual([2, expect.stringContaining('json, csv, mermaid')]);
  });

  test('[CLI14] writes a file once; over one that is there only by force', async () => {
    await words('add', 'A');
    const done = await words('export', '--to', 'dot', '--out', 'plan.dot');
    expect([done.code, await cli.read('plan.dot')]).toEqual([
      0,
      expect.stringContaining('digraph'),
    ]);
    await cli.write('plan.dot', 'mine');
    const refused = await words('export', '--to', 'dot', '--out', 'plan.dot');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is there already')]);
    expect(await cli.read('plan.dot')).toBe('mine');
    expect((await words('export', '--to', 'dot', '--out', 'plan.dot', '--force')).code).toBe(0);
    expect(await cli.read('plan.dot')).toContain('digraph');
    expect((await readdir(cli.vault)).sort()).toEqual(['.opencode', 'plan.dot']);
  });

  test('[CLI14] a folder where the file is to stand, or a file where a folder is, is told', async () => {
    await words('add', 'A');
    await cli.write('plan.dot', 'mine');
    for (const out of ['.opencode', 'plan.dot/deeper/x.dot']) {
      const refused = await words('export', '--to', 'dot', '--out', out, '--force');
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`${out} `)]);
    }
    expect(await cli.read('plan.dot')).toBe('mine');
  });

  test('[CLI14] one note per task, and several boards, go into a folder', async () => {
    await words('add', 'A');
    await words('add', 'P', '--board', 'plan');
    expect((await words('export', '--to', 'notes')).code).toBe(2);
    const notes = parseOutput(
      await words('export', '--to', 'notes', '--out', 'notes', '--json'),
    ) as {
      files: string[];
    };
    expect(notes.files.length).toBeGreaterThan(1);
    expect(notes.files.every((file) => file.startsWith(join(cli.vault, 'notes/')))).toBe(true);
    expect((await cli.run(['export', '--to', 'csv'])).err).toContain('2 boards fit');
    expect((await cli.run(['export', '--to', 'csv', '--out', 'all'])).code).toBe(0);
    expect((await readdir(join(cli.vault, 'all/s1'))).sort()).toEqual([
      'build-tasks.csv',
      'plan-tasks.csv',
    ]);
  });

  test('[EXP16] by force, notes of tasks that are gone are removed, so that the folder can be imported', async () => {
    const notes = ['export', '--to', 'notes', '--out', 'notes'];
    await words('add', 'A');
    await words('add', 'B');
    const [first] = [parseOutput(await words(...notes, '--json')) as { files: string[] }];
    await cli.write('notes/build-tasks/mine.md', '---\ntitle: Mine\n---\n');
    await words('complete', '1');
    expect((await words('archive')).code).toBe(0);
    const { out } = await words(...notes, '--force');
    const gone = first.files.find((file) => /-1\b|A/.test(basename(file)));
    expect(out).toContain(`Removed ${gone ?? 'no file'}\n`);
    const kept = await readdir(join(cli.vault, 'notes/build-tasks'));
    expect(kept).toHaveLength(first.files.length);
    expect(kept).toContain('mine.md');
    expect(await words('import', 'notes/build-tasks')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Added 1 task') as string,
    });
  });

  test('[CLI14] a note to repair is not exported: 3', async () => {
    await words('add', 'A');
    await cli.write(cli.board(), (await cli.read(cli.board())).replace('board: 1', 'board: ['));
    expect((await words('export', '--to', 'csv')).code).toBe(3);
  });
});

describe('history', () => {
  test('[CLI15] tells who changed what, the newest first, and what was undone', async () => {
    await words('add', 'A');
    await words('complete', '1');
    await words('undo');
    const told = parseOutput(await words('history', '--json')) as {
      history: { undone: boolean; by: object }[];
    };
    expect(told.history.map(({ undone }) => undone)).toEqual([false, true, false]);
    expect(told.history[0]?.by).toEqual({ kind: 'agent', name: 'build' });
    const lines = (await words('history', '--limit', '2')).out.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}build: .*#1.* \(rev 2, undone\)$/);
    expect(await cli.read(cli.board())).toContain('- [ ] A');
  });

  test('[CLI15] archive and restore take a finished task away and back', async () => {
    await words('add', 'A');
    await words('complete', '1');
    for (const option of [['--force'], ['--reason', 'old']]) {
      const { code, err } = await words('archive', ...option);
      expect([code, err]).toEqual([2, expect.stringContaining('for the tasks that it names')]);
    }
    expect((await words('archive')).code).toBe(0);
    expect(await cli.read(cli.board())).not.toContain('] A');
    expect((await words('restore', '1')).code).toBe(0);
    expect(await cli.read(cli.board())).toContain('- [x] A');
  });
});
