import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOTE_TOOLS } from '../../src/core/tool/note/definitions';
import type { ModelAnswer } from './model';
import { startRun, type OpencodeRun } from './opencode-run';
import {
  boardFile,
  newestContent,
  PLAN,
  promptByHttp,
  requestsOf,
  sessionByHttp,
  tasksCall,
} from './opencode-steps';
import { TestClient } from './test-client';

let run: OpencodeRun;

const NAMES = NOTE_TOOLS.map(({ openCodeName }) => openCodeName).sort();
const WRITES = ['obsidian_create_note', 'obsidian_update_note'];
const RULES = {
  scopes: [{ agent: 'plan', level: 'read-only' }],
  rules: [
    { permission: 'create', pattern: 'b.md', action: 'allow', agent: 'build' },
    { permission: 'tasks', action: 'ask', agent: 'careful' },
    { permission: 'tasks', action: 'deny', agent: 'writer' },
  ],
};

function write(vault: string, path: string, text: string): void {
  mkdirSync(join(vault, path, '..'), { recursive: true });
  writeFileSync(join(vault, path), text);
}

const settings = (vault: string, value: unknown): void =>
  write(vault, '.opencode/agent-task-boards.json', JSON.stringify(value));

beforeAll(async () => {
  run = await startRun({
    prepare: (vault) => {
      settings(vault, { permissions: RULES });
      for (const name of ['careful', 'writer']) {
        const rules = 'permission:\n  "*": allow\n  "tasks*": allow\n';
        write(
          vault,
          `.opencode/agent/${name}.md`,
          `---\ndescription: Helps.\nmode: primary\n${rules}---\nHelp.\n`,
        );
      }
    },
    config: {
      permission: { obsidian_read_note: { '*': 'allow', 'Private/*': 'deny' } },
    },
  });
});

afterAll(() => run.close());

function call(name: string, args: unknown): ModelAnswer {
  return { tools: [{ name, args }] };
}

async function shown(agent: string): Promise<string[]> {
  const session = await sessionByHttp(run, `As ${agent}`);
  const body = { agent, parts: [{ type: 'text', text: 'go' }] };
  await run.api('POST', `/session/${session}/message`, body);
  const tools = requestsOf(run, session)[0]?.tools ?? [];
  return tools
    .map(({ name }) => name)
    .filter((name) => /^obsidian_|^tasks$/.test(name))
    .sort();
}

/** OpenCode's permission request for one of our tools, as its terminal shows it. */
async function asked(sessionId: string): Promise<{ id: string; permission: string }> {
  const client = await TestClient.connect(run.runFile, []);
  client.send({ type: 'session.attach', sessionId, payload: {} });
  const { payload } = await client.next('permission.request', (one) => one.sessionId === sessionId);
  await client.close();
  return { id: payload.requestId, permission: payload.permission };
}

describe('the tools for notes', () => {
  test('[BRIDGE49] [BRIDGE34] models are shown them beside tasks; what our rules keep from an agent, it is not', async () => {
    expect(await shown('build')).toEqual([...NAMES, 'tasks']);
    expect(await shown('plan')).toEqual([
      ...NAMES.filter((name) => !WRITES.includes(name)),
      'tasks',
    ]);
    expect(await shown('writer')).toEqual(NAMES);
  });

  test('[BRIDGE49] with no client they work on the notes on disk, and the turn goes on', async () => {
    write(run.vault, 'Notes/a.md', 'what stands here');
    const session = await sessionByHttp(run, 'Headless notes');
    run.model.play(
      session,
      call('obsidian_read_note', { path: 'Notes/a.md', heading: '', block: '', lines: null }),
      call('obsidian_create_note', { path: 'b.md', content: 'x', overwrite: false, dryRun: false }),
      { text: 'I see' },
    );
    await promptByHttp(run, session, 'read');
    const requests = requestsOf(run, session);
    expect(newestContent(requests[1], 'tool')).toContain('what stands here');
    expect(newestContent(requests[2], 'tool')).toContain('New note, 1 line: b.md');
    expect(requests).toHaveLength(3);
    expect(readFileSync(join(run.vault, 'b.md'), 'utf8')).toBe('x');
    expect(run.filesWith('"tool":"obsidian.create_note"')).toEqual([
      expect.stringMatching(/^\.opencode\/agent-task-boards\/audit\/\d{4}-\d\d\.bridge-/),
    ]);
  });

  test('[BRIDGE47] [BRIDGE52] a rule of the user in OpenCode counts first, by the path', async () => {
    const client = await TestClient.connect(run.runFile);
    const session = await client.start('Private');
    run.model.play(session, call('obsidian_read_note', { path: 'Private/a.md' }), { text: 'no' });
    await client.prompt(session, 'read');
    expect(client.ofType('tool.call')).toEqual([]);
    expect(newestContent(requestsOf(run, session)[1], 'tool')).toMatch(/prevents|denied|rule/i);
    expect(run.filesWith('"verdict":"deny","why":"Not allowed in OpenCode.')).toHaveLength(1);
    await client.close();
  });

  test('[BRIDGE46] [BRIDGE49] a client gets the call under its dotted name, says that a person is asked, and answers', async () => {
    const client = await TestClient.connect(run.runFile);
    const session = await client.start('To the vault');
    const args = { path: 'Notes/a.md', mode: 'append', content: 'x', dryRun: false };
    run.model.play(session, call('obsidian_update_note', args), { text: 'done' });
    const end = client.prompt(session, 'write');
    const { payload } = await client.next('tool.call');
    expect(payload).toMatchObject({ tool: 'obsidian.update_note', args, agent: 'build' });
    const { callId } = payload;
    client.send({ type: 'tool.waiting', sessionId: session, payload: { callId, ms: 600_000 } });
    const audit = { approved: true, dryRun: false, ms: 1 };
    const result = { callId, ok: true, output: 'Appended 1 line', title: 'a.md', audit };
    client.send({ type: 'tool.result', sessionId: session, payload: result });
    expect((await end).payload.reason).toBe('completed');
    expect(client.ofType('error')).toEqual([]);
    expect(newestContent(requestsOf(run, session)[1], 'tool')).toContain('Appended 1 line');
    await client.close();
  });
});

describe('what our rules ask about the boards, without Obsidian', () => {
  async function prompted(title: string) {
    const session = await sessionByHttp(run, title);
    run.model.play(session, tasksCall(PLAN), { text: 'fine' });
    const body = { agent: 'careful', parts: [{ type: 'text', text: 'plan' }] };
    const over = run.api('POST', `/session/${session}/message`, body);
    const request = await asked(session);
    expect(request.permission).toBe('tasks_ask');
    return {
      session,
      over,
      reply: (value: unknown) => run.api('POST', `/permission/${request.id}/reply`, value),
    };
  }
  const board = (session: string): string =>
    boardFile(run, session).replace('build-tasks', 'careful-tasks');

  test('[BRIDGE33] OpenCode asks, whatever its rules let pass; once is for this once', async () => {
    const first = await prompted('Ask once');
    expect(existsSync(board(first.session))).toBe(false);
    await first.reply({ reply: 'once' });
    await first.over;
    expect(existsSync(board(first.session))).toBe(true);
    // "Always" is valid for this one call only.
    const second = await prompted('Ask always');
    await second.reply({ reply: 'always' });
    await second.over;
    const third = await prompted('Ask again');
    await third.reply({ reply: 'reject', message: 'Not now, write the summary.' });
    await third.over;
    expect(existsSync(board(third.session))).toBe(false);
    expect(newestContent(requestsOf(run, third.session)[1], 'tool')).toContain(
      'Not now, write the summary.',
    );
  });

  test('[BRIDGE33] a plain no ends the turn, as a no to OpenCode’s own tools does', async () => {
    const { session, over, reply } = await prompted('Plain no');
    await reply({ reply: 'reject' });
    await over;
    expect(existsSync(board(session))).toBe(false);
    expect(requestsOf(run, session)).toHaveLength(1);
  });
});

test('[BRIDGE49] the shared setting takes them away', async () => {
  settings(run.vault, { noteTools: false });
  await run.opencode.kill();
  run = await run.restart();
  expect(await shown('build')).toEqual(['tasks']);
});
