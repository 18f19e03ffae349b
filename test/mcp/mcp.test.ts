import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readBoards, connect, ERAS, filesIn, makeVault, PROGRAM, removeVaults } from './mcp-rig';

afterAll(removeVaults);

const ASKS = JSON.stringify({
  permissions: { rules: [{ permission: 'tasks', action: 'ask' }] },
});

const SETTINGS = '.opencode/agent-task-boards.json';

const NOTE_TOOLS = [
  'obsidian_search_vault',
  'obsidian_read_note',
  'obsidian_list_notes',
  'obsidian_get_note_metadata',
  'obsidian_create_note',
  'obsidian_update_note',
];

/**
 * Sends raw lines to a server, and ends its input after this many answers.
 * @returns its output and how it ends
 */
async function raw(
  vault: string,
  lines: readonly string[],
  answers: number,
  args: readonly string[] = [],
) {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--vault', vault, ...args]);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
    if (out.split('\n').length > answers) child.stdin.end();
  });
  child.stdin.write(lines.map((line) => `${line}\n`).join(''));
  if (lines.length === 0) child.stdin.end();
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [err, code] = await Promise.all([text(child.stderr), ended]);
  return { out, err, code };
}

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};

describe.each(ERAS)('a client of MCP (%s)', (era) => {
  it('[MCP1] [MCP2] [MCP3] plans on a note of the vault, and nothing is there before its first call', async () => {
    const vault = await makeVault();
    const { client, tasks, call, close } = await connect({ vault, era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['tasks', ...NOTE_TOOLS]);
    const { name, description, inputSchema } = tools[0] ?? {};
    const told = JSON.stringify({ name, description, inputSchema });
    expect(told).toContain('"resume"');
    expect(told.length).toBeLessThan(3_050);
    expect(tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint)).toHaveLength(4);
    expect(client.getInstructions()).toContain('resume');
    const made = (await readdir(join(vault, '.opencode'))).filter((name) => name !== 'run');
    expect(made).toEqual([]);
    const added = await tasks({ type: 'init', title: 'Ship it' }, { type: 'add', title: 'Build' });
    expect(added.text).toContain('# Ship it (board of test-client, 0 of 1 done, rev 1)');
    const [[path, note] = ['', '']] = await readBoards(vault);
    expect(path).toMatch(
      /^\.opencode\/todos\/mcp-test-client-[a-z0-9]+-[a-z0-9]{4}\/test-client-tasks\.md$/,
    );
    expect(note).toContain('- [ ] Build');
    expect((await tasks({ type: 'complete', id: '1' })).ok).toBe(true);
    expect((await readBoards(vault)).get(path)).toContain('- [x] Build');
    const result = await client.callTool({
      name: 'tasks',
      arguments: { operations: [{ type: 'list' }] },
    });
    expect(result.structuredContent).toMatchObject({ agent: 'test-client', summary: { total: 1 } });
    expect((await call('no_such_tool', {})).text).toContain(
      'There is no tool "no_such_tool" here.',
    );
    await close();
  });

  it('[MCP7] a rule that says ask asks the person in front of the client, once for each call', async () => {
    const vault = await makeVault({ [SETTINGS]: ASKS });
    const questions: string[] = [];
    const answers = [true, false];
    const asked = (message: string): boolean => {
      questions.push(message);
      return answers.shift() ?? false;
    };
    const { tasks, close } = await connect({ vault, era, onQuestion: asked });
    expect((await tasks({ type: 'add', title: 'Allowed' })).ok).toBe(true);
    const refused = await tasks({ type: 'add', title: 'Denied' });
    expect(refused).toMatchObject({
      ok: false,
      text: expect.stringContaining('denied it') as unknown,
    });
    expect(questions).toHaveLength(2);
    expect(questions[0]).toContain('test-client wants to use its task board.');
    const [note] = (await readBoards(vault)).values();
    expect(note).toContain('Allowed');
    expect(note).not.toContain('Denied');
    await close();
  });

  it('[MCP7] a client that can not ask is denied, with words for the model', async () => {
    const vault = await makeVault({ [SETTINGS]: ASKS });
    const { tasks, close } = await connect({ vault, era });
    const refused = await tasks({ type: 'add', title: 'Never' });
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain('a person has to allow this, and none can be asked here');
    expect(refused.text).toContain('Rule 1 of the permissions of the vault asks: tasks, ask.');
    expect(refused.text).toContain('open the vault in Obsidian');
    expect(refused.text).toContain('a rule that allows "tasks"');
    expect((await readBoards(vault)).size).toBe(0);
    await close();
  });

  it('[MCP10] boards are resources, and a change by the person is told', async () => {
    const vault = await makeVault();
    const updated: string[] = [];
    const told = (uri: string): void => void updated.push(uri);
    const { client, tasks, close } = await connect({ vault, era, onUpdated: told });
    expect((await client.listResources()).resources).toEqual([]);
    await tasks({ type: 'add', title: 'Build' });
    const [resource] = (await client.listResources()).resources;
    const { uri = '' } = resource ?? {};
    expect(uri).toMatch(/^board:\/\/mcp-test-client-.+\/test-client$/);
    const { contents } = await client.readResource({ uri });
    const [[path, note] = ['', '']] = await readBoards(vault);
    expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: note }]);
    if (era === 'legacy') await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    await vi.waitFor(
      async () => {
        // The first poll only learns what exists: write until the client is notified.
        await writeFile(join(vault, path), `${note}\n${Date.now()}\n`);
        expect(updated).toContain(uri);
      },
      { timeout: 60_000, interval: 200 },
    );
    await expect(client.readResource({ uri: 'board://other/agent' })).rejects.toThrow(
      'There is no board board://other/agent in this session.',
    );
    await close();
  });
});

describe('agent-boards mcp', () => {
  it('[MCP19] does nothing for a client that did not say who it is, unless --agent names one', async () => {
    const vault = await makeVault();
    const operations = [{ type: 'add', title: 'Build' }];
    const params = { name: 'tasks', arguments: { operations } };
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { out } = await raw(vault, [call], 1);
    const error: unknown = expect.objectContaining({ code: -32600 });
    expect(JSON.parse(out)).toMatchObject({ id: 1, error });
    expect([...(await readBoards(vault)).keys()]).toEqual([]);
    await raw(vault, [call], 2, ['--agent', 'build']);
    expect([...(await readBoards(vault)).keys()]).toEqual([
      expect.stringMatching(/\/build-tasks\.md$/),
    ]);
  });

  it('[MCP4] answers junk, and says nothing on standard output but the protocol', async () => {
    const vault = await makeVault();
    const call = (id: number, params: object) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const lines = [
      JSON.stringify(INITIALIZE),
      'junk',
      '{"jsonrpc":"2.0"',
      '[]',
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      call(2, { name: 'tasks', arguments: { operations: 'none' } }),
      call(3, { name: 'tasks', arguments: { operations: [{ type: 'add', title: 7 }] } }),
      call(4, { name: 'tasks', arguments: { session: 'other', operations: [{ type: 'list' }] } }),
      call(5, { name: 'tasks', arguments: { operations: [{ type: 'no' }, 3, null] } }),
      call(6, { name: 'tasks', arguments: { operations: 'x'.repeat(3_000_000) } }),
      call(7, { name: 'tasks' }),
    ];
    const { out, code } = await raw(vault, lines, 10);
    const said = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: number | null; result?: Result });
    expect(said.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    const results = new Map(said.map(({ id, result }) => [id, result]));
    expect([...results.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, null]);
    for (const id of [2, 3, 5, 6, 7]) {
      const text = results.get(id)?.content?.[0]?.text ?? '';
      expect(text, `answer ${id}`).toMatch(/Nothing was done|can't|must|is no|unknown|not/i);
      expect(results.get(id)?.isError, `answer ${id}`).toBe(true);
    }
    expect(results.get(4)?.content?.[0]?.text).toContain('no board yet');
    expect(results.get(4)?.isError).toBeUndefined();
    expect(code).toBe(0);
  });

  it('[MCP16] calls that are sent at once are carried out in their order', async () => {
    const vault = await makeVault();
    const { tasks, close } = await connect({ vault });
    const calls = Array.from({ length: 8 }, (_, at) => [
      tasks({ type: 'add', title: `Task ${at}` }),
      tasks({ type: 'complete', id: `Task ${at}` }),
    ]).flat();
    expect((await Promise.all(calls)).filter(({ ok }) => !ok)).toEqual([]);
    const [note = ''] = (await readBoards(vault)).values();
    expect(note.match(/^- \[x\] Task \d/gm)).toHaveLength(8);
    await close();
  });

  it('[MCP5] refuses a folder that is not there with exit code 2', async () => {
    const vault = await makeVault();
    const { code, err } = await raw(join(vault, 'gone'), [], 0);
    expect(code).toBe(2);
    expect(err).toContain('there is no folder');
  });

  it('[MCP5] says on standard error that a folder does not look like a vault, and makes .opencode', async () => {
    const vault = await makeVault({ 'A.md': '' });
    const { code, err } = await raw(vault, [], 0);
    expect([code, err]).toEqual([0, expect.stringContaining('does not look like a vault')]);
    const marked = await makeVault({ '.obsidian/app.json': '{}' });
    expect((await raw(marked, [], 0)).err).not.toContain('does not look like a vault');
  });

  it('[MCP8] says that the session of --session begins, with one that may be meant; no id is exit code 2', async () => {
    const note = '---\nboard: 1\ntitle: A\nrev: 1\nnext: 1\nsession: ses_boards\nagent: a\n---\n';
    const vault = await makeVault({ '.opencode/todos/ses_boards/a-tasks.md': note });
    const told = await raw(vault, [], 0, ['--session', 'ses_bords']);
    expect(told.err).toContain(
      'There is no session "ses_bords" yet; it begins here. Did you mean "ses_boards"?',
    );
    expect((await raw(vault, [], 0, ['--session', 'ses_boards'])).err).toBe('');
    const odd = await raw(vault, [], 0, ['--session', 'x'.repeat(90)]);
    expect([odd.code, odd.err]).toEqual([2, expect.stringContaining('--session takes an id')]);
  });

  it('[MCP1] offers the board alone where it is told to', async () => {
    const vault = await makeVault();
    const { client, call, close } = await connect({ vault, args: ['--tools', 'tasks'] });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['tasks']);
    expect((await call('obsidian_read_note', { path: 'A.md' })).ok).toBe(false);
    await close();
  });

  it('[MCP6] names what an earlier process left, goes on with it by resume, and writes where it stood', async () => {
    const vault = await makeVault();
    const first = await connect({ vault });
    await first.tasks({ type: 'init', title: 'Begun' }, { type: 'add', title: 'One' });
    await first.close();
    const before = [...(await readBoards(vault)).keys()];
    const second = await connect({ vault });
    const told = await second.tasks({ type: 'list' });
    expect(told.text).toContain('Unfinished boards of earlier sessions in this folder:');
    const resumed = await second.tasks({ type: 'resume' }, { type: 'complete', id: '1' });
    expect(resumed.text).toContain('You work on "Begun" (0 of 1 done');
    const boards = await readBoards(vault);
    expect([...boards.keys()]).toEqual(before);
    expect([...boards.values()][0]).toContain('- [x] One');
    await second.close();
    const third = await connect({ vault });
    expect((await third.tasks({ type: 'list' })).text).not.toContain('Unfinished');
    expect((await third.tasks({ type: 'resume' })).text).toContain('no unfinished board');
    await third.close();
  });

  it('[MCP6] what another client, folder or living process works on is not offered', async () => {
    const vault = await makeVault();
    const folder = await makeVault();
    const alive = await connect({ vault });
    await alive.tasks({ type: 'add', title: 'Alive' });
    const others = [
      await connect({ vault }),
      await connect({ vault, name: 'Other' }),
      await connect({ vault, folder }),
    ];
    await alive.close();
    const [same, other, elsewhere] = others;
    expect((await other?.tasks({ type: 'list' }))?.text).not.toContain('Unfinished');
    expect((await elsewhere?.tasks({ type: 'list' }))?.text).not.toContain('Unfinished');
    expect((await same?.tasks({ type: 'list' }))?.text).toContain('Unfinished');
    for (const one of others) await one.close();
  });

  it('[MCP8] a board that was not offered needs the person, whatever an argument says', async () => {
    const vault = await makeVault();
    const owner = await connect({ vault, name: 'Owner' });
    await owner.tasks({ type: 'init', title: 'Owned' }, { type: 'add', title: 'Secret' });
    await owner.close();
    const [path = ''] = (await readBoards(vault)).keys();
    const session = path.split('/')[2];
    const mute = await connect({ vault, name: 'Mute' });
    const refused = await mute.tasks({ type: 'resume', session });
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain(`--session ${session}`);
    expect(refused.text).not.toContain('Secret');
    await mute.close();
    const questions: string[] = [];
    const answers = [false, true];
    const asked = (message: string): boolean => {
      questions.push(message);
      return answers.shift() ?? false;
    };
    const asking = await connect({ vault, name: 'Asking', onQuestion: asked });
    expect((await asking.tasks({ type: 'resume', session })).ok).toBe(false);
    expect((await asking.tasks({ type: 'resume', session })).text).toContain('Secret');
    expect(questions[0]).toContain('wants to go on with "Owned"');
    await asking.close();
  });

  it('[MCP8] --session binds a process to a session from its start', async () => {
    const vault = await makeVault();
    const first = await connect({ vault, args: ['--session', 'ses_1', '--agent', 'ann'] });
    await first.tasks({ type: 'add', title: 'One' });
    await first.close();
    const second = await connect({ vault, args: ['--session', 'ses_1', '--agent', 'bob'] });
    expect((await second.tasks({ type: 'list' })).text).toContain('#1 One');
    await second.close();
    expect([...(await readBoards(vault)).keys()]).toEqual(['.opencode/todos/ses_1/ann-tasks.md']);
  });

  it('[MCP9] ends with its input, also while a person is asked; nothing was done then', async () => {
    const vault = await makeVault({ [SETTINGS]: ASKS });
    let isAsked: (now: unknown) => void;
    const question = new Promise((resolve) => (isAsked = resolve));
    const { client, pid, tasks } = await connect({
      vault,
      onQuestion: (message) => {
        isAsked(message);
        return new Promise<boolean>(() => undefined);
      },
    });
    const call = tasks({ type: 'add', title: 'Waiting' }).catch((error: unknown) => error);
    await question;
    await client.close();
    await call;
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    expect((await readBoards(vault)).size).toBe(0);
    expect(await filesIn(vault, '.opencode/run')).toEqual(['.opencode/run/.gitignore']);
    const [audit = ''] = (await filesIn(vault, '.opencode/agent-task-boards/audit')).filter(
      (path) => path.includes('.mcp-'),
    );
    expect(await readFile(join(vault, audit), 'utf8')).toContain('"result":"cancelled"');
  });

  it('[MCP11] prompts: plan, continue, handoff', async () => {
    const vault = await makeVault();
    const { client, tasks, close } = await connect({ vault });
    const prompt = async (name: string, args: Record<string, string> = {}): Promise<string> => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join();
    };
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      ...['plan', 'continue', 'handoff'],
    ]);
    expect(await prompt('handoff')).toContain('There is no task board yet');
    for (const args of [{}, { goal: ' ' }]) {
      await expect(client.getPrompt({ name: 'plan', arguments: args })).rejects.toThrow(
        'The prompt "plan" lacks the argument "goal": What shall be reached.',
      );
    }
    await expect(client.getPrompt({ name: 'plans' })).rejects.toThrow(
      'There is no prompt "plans", only plan, continue, handoff.',
    );
    expect(await prompt('plan', { goal: 'Ship' })).toContain('Goal: Ship');
    const bodies = Array.from({ length: 49 }, (_, at) => ({
      ...{ type: 'add', title: `Task ${at}`, body: `Decided: ${'x'.repeat(500)}` },
    }));
    await tasks({ type: 'init', title: 'Long' }, ...bodies);
    await tasks({ type: 'complete', id: '49' });
    const text = await prompt('handoff');
    expect(text).toContain('Plan "Long" (board of');
    expect(text).toContain('Decided:');
    expect(text).toMatch(/Left out for length: \d+ tasks with decisions or results\./);
    await close();
  });

  it('[MCP12] ten servers on one vault keep ten boards, and leave nothing behind', async () => {
    const vault = await makeVault();
    const servers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => connect({ vault, name: `c${at}` })),
    );
    await Promise.all(
      servers.map(async ({ tasks }, at) => {
        for (let n = 0; n < 5; n += 1) await tasks({ type: 'add', title: `Of ${at}` });
      }),
    );
    const boards = await readBoards(vault);
    expect(boards.size).toBe(10);
    for (const [path, note] of boards) {
      const of = /\/c(\d)-tasks\.md$/.exec(path)?.[1];
      expect(note.match(/^- \[ \] Of \d/gm)).toEqual(Array<string>(5).fill(`- [ ] Of ${of}`));
    }
    await Promise.all(servers.map(({ close }) => close()));
    expect(await filesIn(vault, '.opencode/run')).toEqual(['.opencode/run/.gitignore']);
  });
});
