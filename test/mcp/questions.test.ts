import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { readBoards, ERAS, filesIn, makeVault, removeVaults } from './mcp-rig';
import { RawMcpClient } from './raw-mcp-client';

const open: RawMcpClient[] = [];

afterEach(async () => {
  for (const wire of open.splice(0)) await wire.kill();
});
afterAll(removeVaults);

const SETTINGS = '.opencode/agent-task-boards.json';

const rules = (...permissions: readonly string[]) => ({
  [SETTINGS]: JSON.stringify({
    permissions: { rules: permissions.map((permission) => ({ permission, action: 'ask' })) },
  }),
});

async function wireTo(...given: Parameters<typeof RawMcpClient.open>): Promise<RawMcpClient> {
  const wire = await RawMcpClient.open(...given);
  open.push(wire);
  return wire;
}

const add = (title: string) => ({ operations: [{ type: 'add', title }] });

/** Titles on the only board, in order. */
async function titles(vault: string): Promise<readonly string[]> {
  const [note = ''] = (await readBoards(vault)).values();
  return [...note.matchAll(/^- \[.\] (\S+)/gm)].map(([, title = '']) => title);
}

async function auditOf(vault: string): Promise<string> {
  const files = await filesIn(vault, '.opencode/agent-task-boards/audit');
  const texts = files
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => readFile(join(vault, path), 'utf8'));
  return (await Promise.all(texts)).join('');
}

describe.each(ERAS)('questions of an MCP client (%s)', (era) => {
  it('[MCP16] a call that waits for the person blocks no other', async () => {
    const vault = await makeVault(rules('tasks'));
    const wire = await wireTo(vault, era);
    const one = wire.call('tasks', add('one'));
    const first = await wire.nextQuestion(one, 'tasks', add('one'));
    const two = wire.call('tasks', add('two'));
    const second = await wire.nextQuestion(two, 'tasks', add('two'));
    second.answer('accept');
    expect(await wire.answer(two)).toMatchObject({ ok: true });
    expect(await titles(vault)).toEqual(['two']);
    first.answer('accept');
    expect(await wire.answer(one)).toMatchObject({ ok: true });
    expect(await titles(vault)).toEqual(['two', 'one']);
  });

  it('[MCP9] the input ends while several calls are asked about, and so does the process', async () => {
    const vault = await makeVault(rules('tasks'));
    const wire = await wireTo(vault, era);
    for (const title of ['one', 'two', 'three']) {
      await wire.nextQuestion(wire.call('tasks', add(title)), 'tasks', add(title));
    }
    expect(await wire.end()).toBe(0);
    expect(await titles(vault)).toEqual([]);
    expect((await auditOf(vault)).match(/"result":"cancelled"/g)).toHaveLength(3);
  });

  it('[MCP16] a call that is cancelled before its turn, or in it, is not carried out', async () => {
    const vault = await makeVault();
    const wire = await wireTo(vault, era);
    const long = {
      operations: Array.from({ length: 50 }, (_, n) => ({ type: 'add', title: `t${n}` })),
    };
    const calls = [long, add('two'), add('three'), add('four')].map((args) =>
      wire.request('tasks', args),
    );
    const requestId = calls[2]?.id;
    wire.send(...calls, { method: 'notifications/cancelled', params: { requestId } });
    expect(await wire.answer(4)).toMatchObject({ ok: true });
    expect((await titles(vault)).slice(-2)).toEqual(['two', 'four']);
  });

  it('[MCP7] a question about the whole vault says so', async () => {
    const wire = await wireTo(await makeVault(rules('read')), era);
    const search = { query: 'word' };
    const id = wire.call('obsidian_search_vault', search);
    const { message, answer } = await wire.nextQuestion(id, 'obsidian_search_vault', search);
    expect(message).toContain('wire wants to read the notes of the vault.');
    answer('decline');
    expect(await wire.answer(id)).toMatchObject({ ok: false });
  });

  it('[MCP7] an answer holds for the question that was shown: sent again it answers no other', async () => {
    const note = 'Plan.md';
    const vault = await makeVault({ ...rules('update'), [note]: 'first\n' });
    const wire = await wireTo(vault, era);
    const change = { path: note, mode: 'append', content: 'added', dryRun: false };
    const id = wire.call('obsidian_update_note', change);
    const first = await wire.nextQuestion(id, 'obsidian_update_note', change);
    expect(first.message).toContain('first');
    await writeFile(join(vault, note), 'second\n');
    first.answer('accept');
    const second = await wire.nextQuestion(id, 'obsidian_update_note', change);
    expect(second.message).toContain('second');
    expect(await readFile(join(vault, note), 'utf8')).toBe('second\n');
    if (era === 'auto') {
      first.answer('accept');
      const again = await wire.nextQuestion(id, 'obsidian_update_note', change);
      expect(again.message).toBe(second.message);
      expect(await readFile(join(vault, note), 'utf8')).toBe('second\n');
    }
    second.answer('accept');
    expect(await wire.answer(id)).toMatchObject({ ok: true });
    expect(await readFile(join(vault, note), 'utf8')).toBe('second\nadded\n');
  });

  it('[MCP8] a call that waits for the person while another board is taken up is not carried out', async () => {
    const vault = await makeVault();
    const other = await RawMcpClient.open(vault, era);
    await other.answer(other.call('tasks', add('left')));
    await other.end();
    await writeFile(join(vault, SETTINGS), rules('tasks')[SETTINGS]);
    const wire = await wireTo(vault, era);
    const waits = wire.call('tasks', add('late'));
    const question = await wire.nextQuestion(waits, 'tasks', add('late'));
    await writeFile(join(vault, SETTINGS), '{}');
    const resumed = await wire.answer(wire.call('tasks', { operations: [{ type: 'resume' }] }));
    expect(resumed.text).toContain('You work on');
    question.answer('accept');
    expect(await wire.answer(waits)).toMatchObject({
      ok: false,
      text: expect.stringContaining('cancelled') as unknown,
    });
    expect(await titles(vault)).toEqual(['left']);
  });
});

describe('questions of an older MCP client', () => {
  it('[MCP16] a client that wants to know is told that its call still waits', async () => {
    const vault = await makeVault(rules('tasks'));
    const wire = await wireTo(vault);
    const one = wire.call('tasks', add('one'), { _meta: { progressToken: 'mine' } });
    const question = await wire.nextQuestion(one, 'tasks', add('one'));
    const { params } = await wire.next(({ method }) => method === 'notifications/progress');
    expect(params).toMatchObject({ progressToken: 'mine', progress: 1 });
    question.answer('accept');
    expect(await wire.answer(one)).toMatchObject({ ok: true });
  });

  it('[MCP16] a call that is cancelled while its person is asked ends, and the audit says so', async () => {
    const vault = await makeVault(rules('tasks'));
    const wire = await wireTo(vault);
    const one = wire.call('tasks', add('one'));
    await wire.nextQuestion(one, 'tasks', add('one'));
    wire.cancel(one);
    await vi.waitFor(async () => expect(await auditOf(vault)).toContain('"result":"cancelled"'));
    expect(await titles(vault)).toEqual([]);
  });
});

describe('an older MCP client that says it can ask and can not', () => {
  it('[MCP7] has nothing done, and the audit says how the call ended', async () => {
    const vault = await makeVault(rules('tasks'));
    const wire = await wireTo(vault);
    const one = wire.call('tasks', add('one'));
    const { id } = await wire.next(({ method }) => method === 'elicitation/create');
    wire.send({ id, error: { code: -32601, message: 'Method not found' } });
    const { ok, text } = await wire.answer(one);
    expect(ok).toBe(false);
    expect(text).toContain('Nothing was done: the call was cancelled');
    expect(await auditOf(vault)).toContain('"result":"cancelled"');
    expect(await titles(vault)).toEqual([]);
  });
});

describe('a server that is told to stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '[MCP9] %s cancels what waits for the person, leaves the session and cleans up',
    async (signal) => {
      const vault = await makeVault(rules('tasks'));
      const wire = await wireTo(vault);
      await wire.nextQuestion(wire.call('tasks', add('one')), 'tasks', add('one'));
      process.kill(wire.pid, signal);
      expect(await wire.ended).toBe(0);
      expect(await auditOf(vault)).toContain('"result":"cancelled"');
      expect(await filesIn(vault, '.opencode/agent-task-boards/mcp')).toEqual([]);
      expect(await filesIn(vault, '.opencode/run')).toEqual(['.opencode/run/.gitignore']);
    },
  );
});

describe('questions of a newer MCP client', () => {
  it('[MCP7] a state that is forged, cut or of another call answers nothing', async () => {
    const vault = await makeVault(rules('tasks'));
    const wire = await wireTo(vault, 'auto');
    const { result } = await wire.next(
      (
        (id) => (message) =>
          message.id === id
      )(wire.call('tasks', add('one'))),
    );
    const state = result?.requestState ?? '';
    expect(state).not.toBe('');
    const inputResponses = { allow: { action: 'accept', content: {} } };
    const forged = ['', 'x', state.slice(0, -1), state.slice(0, 8), `${state}9`, '__proto__.1'];
    for (const requestState of forged) {
      const id = wire.call('tasks', add('one'), { requestState, inputResponses });
      const said = await wire.next((message) => message.id === id);
      expect(said.result?.isError === true || said.result?.requestState === state).toBe(true);
    }
    const other = wire.call('tasks', add('other'), { requestState: state, inputResponses });
    expect(await wire.answer(other)).toMatchObject({ ok: false });
    expect(await titles(vault)).toEqual([]);
    const twice = [1, 2].map(() =>
      wire.call('tasks', add('one'), { requestState: state, inputResponses }),
    );
    for (const id of twice) await wire.answer(id);
    expect(await titles(vault)).toEqual(['one']);
  });
});
