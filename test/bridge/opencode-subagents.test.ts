import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelAnswer } from './model';
import { startRun, type OpencodeRun } from './opencode-run';
import {
  boardFile,
  LIST,
  newestContent,
  PLAN,
  promptByHttp,
  requestsOf,
  sessionByHttp,
  tasksCall,
} from './opencode-steps';
import { TestClient } from './test-client';

let run: OpencodeRun;

const MODES = { helper: 'subagent', both: 'all', mine: 'subagent' } as const;
const SETTINGS = '.opencode/agent-task-boards.json';

/** Agents as notes: the user lets `mine` use `tasks`. */
function withAgents(vault: string): void {
  for (const [name, mode] of Object.entries(MODES)) {
    const rule = name === 'mine' ? 'permission:\n  tasks: allow\n' : '';
    const text = `---\ndescription: Helps.\nmode: ${mode}\n${rule}---\nHelp.\n`;
    write(vault, `.opencode/agent/${name}.md`, text);
  }
  write(vault, SETTINGS, JSON.stringify({ aliases: true }));
}

function write(vault: string, path: string, text: string): void {
  mkdirSync(dirname(join(vault, path)), { recursive: true });
  writeFileSync(join(vault, path), text);
}

beforeAll(async () => {
  run = await startRun({ prepare: withAgents });
});

afterAll(() => run.close());

function delegate(agent: string): ModelAnswer {
  const args = { description: 'Look', prompt: 'look', subagent_type: agent };
  return { tools: [{ name: 'task', args }] };
}

/** What the model of a subagent's session receives, and the session's id. */
async function child(agent: string, ...answers: ModelAnswer[]) {
  const sessionId = await sessionByHttp(run, `With ${agent}`);
  run.model.play(sessionId, delegate(agent), { text: 'done' });
  run.model.play(`child of ${sessionId}`, ...answers, { text: 'looked' });
  await promptByHttp(run, sessionId, 'go');
  const requests = run.model.requests.filter(({ parentId }) => parentId === sessionId);
  const [first] = requests;
  if (!first) throw new Error('no subagent was asked');
  return { sessionId, childId: first.sessionId, requests, tools: taskTools(first.tools) };
}

function taskTools(tools: readonly { readonly name: string }[]): string[] {
  return tools.map(({ name }) => name).filter((name) => /^tasks?_|^tasks$|^todowrite$/.test(name));
}

describe('subagents', () => {
  test('[BRIDGE30] none is shown the task tools by default, but the one that the user lets', async () => {
    for (const agent of ['general', 'explore', 'helper', 'both']) {
      expect([agent, (await child(agent)).tools]).toEqual([agent, []]);
    }
    const mine = await child('mine');
    expect(mine.tools).toContain('tasks');
    expect(mine.tools).toContain('task_create');
    const session = await sessionByHttp(run, 'As itself');
    const body = { agent: 'both', parts: [{ type: 'text', text: 'go' }] };
    await run.api('POST', `/session/${session}/message`, body);
    expect(taskTools(requestsOf(run, session)[0]?.tools ?? [])).toContain('tasks');
  });

  test('[BRIDGE63] the description of task says what delegated work has to do with the board', async () => {
    const { sessionId } = await child('general');
    const task = requestsOf(run, sessionId)[0]?.tools.find(({ name }) => name === 'task');
    expect(task?.description).toContain('the subagent can neither see nor change the board.');
    expect(task?.description).toContain('general');
  });

  test('[BRIDGE45] a session that was started for a task works on that board alone, in its own agent’s name', async () => {
    const parent = await sessionByHttp(run, 'Parent');
    run.model.play(parent, tasksCall(PLAN), { text: 'planned' });
    await promptByHttp(run, parent, 'plan');
    const client = await TestClient.connect(run.runFile, []);
    const board = { session: parent, agent: 'build', task: '1' };
    const step = await client.start('Step', { parentId: parent, agent: 'helper', board });
    const operations = [
      { type: 'complete', id: '2', agent: 'build' },
      { type: 'complete', id: '1' },
    ];
    run.model.play(`child of ${parent}`, tasksCall({ operations, session: step }), { text: 'ok' });
    await client.prompt(step, 'do it');
    const [first, second] = requestsOf(run, step);
    expect(taskTools(first?.tools ?? [])).toContain('tasks');
    expect(newestContent(first, 'user')).toContain('You were started for #1 First');
    expect(newestContent(second, 'tool')).toContain('This session was started for #1 First');
    const note = readFileSync(boardFile(run, parent), 'utf8');
    expect(note).toMatch(/- \[x\] First/);
    expect(note).toMatch(/- \[ \] Second/);
    expect(existsSync(join(run.vault, '.opencode/todos', step))).toBe(false);
    await client.close();
  });

  test('[BRIDGE45] the binding outlives OpenCode, and a client that runs the call is told of it', async () => {
    const parent = await sessionByHttp(run, 'Long plan');
    run.model.play(parent, tasksCall(PLAN), { text: 'planned' });
    await promptByHttp(run, parent, 'plan');
    const before = await TestClient.connect(run.runFile, []);
    const board = { session: parent, agent: 'build', task: '1' };
    const step = await before.start('Step', { board });
    await run.opencode.kill();
    run = await run.restart();
    const client = await TestClient.connect(run.runFile);
    client.send({ type: 'session.attach', sessionId: step, payload: {} });
    run.model.play(step, tasksCall(LIST), { text: 'ok' });
    client.send({ type: 'session.message', sessionId: step, payload: { text: 'go on' } });
    const { payload } = await client.next('tool.call');
    expect(payload).toMatchObject({ originSessionId: step, board });
    await client.close();
  });

  test('[BRIDGE98] started for several tasks, it changes these and what stands under them, and clients are told of it', async () => {
    const parent = await sessionByHttp(run, 'Several');
    const add = (title: string) => ({ type: 'add', title });
    const plan = [{ type: 'init', title: 'Plan' }, ...['One', 'Two', 'Three'].map(add)];
    run.model.play(parent, tasksCall({ operations: plan }), { text: 'planned' });
    await promptByHttp(run, parent, 'plan');
    const client = await TestClient.connect(run.runFile, []);
    const board = { session: parent, agent: 'build', tasks: ['1', '3'] };
    const step = await client.start('Have it done', { board });
    run.model.play(
      step,
      tasksCall({ operations: [{ type: 'complete', id: 2 }] }),
      tasksCall({
        operations: [
          { type: 'claim', id: 1 },
          { type: 'add', title: 'Part', parent: 1, status: 'completed' },
          { type: 'complete', id: 1 },
        ],
      }),
      { text: 'ok' },
    );
    await client.prompt(step, 'do them');
    const [first, second, third] = requestsOf(run, step);
    expect(newestContent(first, 'user')).toContain('You were started for #1 One, #3 Three');
    expect(newestContent(second, 'tool')).toContain('it may update, claim and complete #1, #3');
    expect(newestContent(third, 'tool')).not.toContain('was not done');
    const note = readFileSync(boardFile(run, parent), 'utf8');
    expect(note).toMatch(/- \[x\] One .*\[owner:: build\]/);
    expect(note).toMatch(/- \[x\] Part/);
    expect(note).toMatch(/- \[ \] Two/);
    expect(client.ofType('session.created').at(-1)?.payload.board).toEqual(board);
    await client.close();
    await run.opencode.kill();
    run = await run.restart();
    const later = await TestClient.connect(run.runFile, []);
    const [welcome] = later.ofType('welcome');
    expect(welcome?.payload.features).toContain('tasks');
    expect(welcome?.payload.sessions.find(({ id }) => id === step)?.board).toEqual(board);
    later.send({ type: 'session.attach', sessionId: step, payload: {} });
    run.model.play(step, tasksCall({ operations: [{ type: 'complete', id: 2 }] }), { text: 'ok' });
    await later.prompt(step, 'go on');
    expect(newestContent(requestsOf(run, step).at(-1), 'tool')).toContain(
      'started for #1 One, #3 Three',
    );
    await later.close();
  });

  test('[BRIDGE45] a board or a task that is not there starts nothing', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const board = { session: 'ses_nothing', agent: 'build' };
    client.send({ type: 'session.start', payload: { requestId: 'r', title: 'Lost', board } });
    const { payload } = await client.next('error');
    expect(payload).toMatchObject({
      code: 'bad_message',
      message: 'There is no board of "build" in session "ses_nothing".',
    });
    const listed = (await run.api('GET', '/session')) as { title: string }[];
    expect(listed.map(({ title }) => title)).not.toContain('Lost');
    await client.close();
  });

  test('[BRIDGE32] [BRIDGE62] allowed by the setting, a child works on its own board; todowrite is replaced', async () => {
    write(run.vault, SETTINGS, JSON.stringify({ subagents: true, todowrite: 'replace' }));
    await run.opencode.kill();
    run = await run.restart();
    const { sessionId, childId, requests, tools } = await child('general', tasksCall(PLAN));
    expect(tools).toEqual(['tasks']);
    expect(newestContent(requests[1], 'tool')).toContain('#1 First');
    const note = join(run.vault, '.opencode/todos', childId, 'general-tasks.md');
    expect(readFileSync(note, 'utf8')).toContain('First');
    const offered = requestsOf(run, sessionId)[0]?.tools ?? [];
    expect(taskTools(offered)).toEqual(['tasks']);
    const [tasks] = offered.filter(({ name }) => name === 'tasks');
    expect(tasks?.description).toContain('stands in for `todowrite`');
  });
});
