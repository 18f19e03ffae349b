import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallRunner } from '../../src/bridge/call-runner';
import { DiskBoards } from '../../src/bridge/disk-boards';
import { HeadlessRunner } from '../../src/bridge/headless';
import { RefusedCalls, type ToolCallContext } from '../../src/bridge/opencode/tool-call';
import { ToolRunner, type ToolRunnerServices } from '../../src/bridge/opencode/tool-runner';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import type { AuditRecord } from '../../src/core/permission/audit/audit-entry';
import { Redactor } from '../../src/core/permission/audit/redact';
import type { HookRunner } from '../../src/core/hook/hooks';
import type { LinkedClient } from '../../src/bridge/server/linked-client';
import { NOTE_TOOLS } from '../../src/core/tool/note/definitions';
import { ProcessAudit } from '../../src/node/audit/open-audit';
import { ErrorHandler } from '../../src/core/error-handler';
import { openScriptHooks } from '../../src/node/hooks/script-hooks';
import { DiskStore } from '../../src/node/disk-store';
import { realPaths } from '../../src/node/real-paths';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';
import { toolDefinitions } from '../../src/bridge/opencode/tool-definitions';

const TOKEN = 'the-token-of-this-start-0123456789abcdef';
const PLAN = {
  operations: [
    { type: 'init', title: `Plan ${TOKEN}` },
    { type: 'add', title: 'First' },
  ],
};

let vault = '';
let audit: ProcessAudit;
let asked: unknown[];
beforeEach(async () => {
  vault = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-headless-')));
  asked = [];
  audit = new ProcessAudit({
    vault,
    kind: 'bridge',
    clock,
    redactor: new Redactor(() => [TOKEN]),
    log: { note: () => undefined },
    months: () => 12,
  });
});
afterEach(async () => {
  audit.close();
  await fs.rm(vault, { recursive: true, force: true });
});

/** Runs a tool, which the rules allow, without a client. @param tool its name in OpenCode */
function call(
  tool: string,
  args: unknown,
  answer: () => Promise<void> = () => Promise.resolve(),
  given?: { readonly hooks: HookRunner; readonly runner: () => LinkedClient | undefined },
) {
  const log = { note: () => undefined };
  const store = new DiskStore(vault);
  const boards = new DiskBoards({ store, clock, ids, log });
  const faults = new ErrorHandler({ now: () => 0 });
  const hooks = openScriptHooks({ vault, log: faults, settings: () => boards.settings() });
  const headless = new HeadlessRunner({ vault, store, boards, audit, clock, ids, log });
  const context: ToolCallContext = {
    ...{ sessionID: 'ses_1', messageID: 'm', agent: 'build', callID: 'call_0' },
    abort: new AbortController().signal,
    ask: (request) => {
      if (!request.permission.endsWith('_ask')) return Promise.resolve();
      asked.push(request);
      return answer();
    },
  };
  const runner = new ToolRunner({
    runner: new CallRunner({
      ...{ headless, hooks: given?.hooks ?? hooks },
      clients: { runner: given?.runner ?? (() => undefined) },
      calls: { call: () => Promise.reject(new Error('There is no client.')) },
    }),
    places: new PathResolver(realPaths(vault)),
    sessions: { get: () => Promise.resolve({ title: 't' }) },
    todos: { settled: () => Promise.resolve() },
  } as unknown as ToolRunnerServices);
  return runner.run(tool, args, context);
}

/** Counts what calls without a client read, by path; they list the board one after another. */
async function readsOf(calls: number): Promise<ReadonlyMap<string, number>> {
  const log = { note: () => undefined };
  const store = new DiskStore(vault);
  const reads = new Map<string, number>();
  const read = store.read.bind(store);
  store.read = (path) => {
    reads.set(path, (reads.get(path) ?? 0) + 1);
    return read(path);
  };
  const boards = new DiskBoards({ store, clock, ids, log });
  const headless = new HeadlessRunner({ vault, store, boards, audit, clock, ids, log });
  for (let n = 0; n < calls; n += 1) {
    const args = { operations: [{ type: 'list' }] };
    const by = { callId: `c${n}`, tool: 'tasks', agent: 'build', sessionId: 'ses_1' } as const;
    expect(await headless.run({ ...by, args })).toMatchObject({ ok: true });
  }
  return reads;
}

async function settings(value: unknown): Promise<void> {
  await fs.mkdir(join(vault, '.opencode'), { recursive: true });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  await fs.writeFile(join(vault, '.opencode/agent-task-boards.json'), text);
}

async function audited(): Promise<AuditRecord[]> {
  const folder = join(vault, AUDIT_FOLDER);
  const names = (await fs.readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => fs.readFile(join(folder, name), 'utf8')));
  return texts
    .flatMap((text) => text.trimEnd().split('\n'))
    .flatMap((one) => parseRecord(one) ?? []);
}

async function note(path: string, text: string): Promise<void> {
  await fs.mkdir(join(vault, path, '..'), { recursive: true });
  await fs.writeFile(join(vault, path), text);
}

const board = (): Promise<string> =>
  fs.readFile(join(vault, '.opencode/todos/ses_1/build-tasks.md'), 'utf8');

test('[BRIDGE103] a call reads the settings and the list of board folders once each, whatever came before it', async () => {
  await call('tasks', PLAN);
  const [few, many] = [await readsOf(5), await readsOf(25)];
  expect(few.get('.opencode/agent-task-boards.json')).toBe(5);
  expect(few.get('.opencode/agent-task-boards/board-folders.json')).toBe(5);
  const total = (reads: ReadonlyMap<string, number>) =>
    [...reads.values()].reduce((sum, one) => sum + one, 0);
  expect(total(many)).toBeLessThanOrEqual(5 * total(few));
});

describe('calls without Obsidian', () => {
  test('[BRIDGE48] a call of tasks is done, and stands in the audit with one intent and one outcome, without the token', async () => {
    expect(await call('tasks', PLAN)).toMatchObject({ metadata: { via: 'headless' } });
    expect(await call('tasks', { operations: [{ type: 'list' }] })).toBeDefined();
    expect(await board()).toContain('First');
    expect(asked).toEqual([]);
    const records = await audited();
    expect(records.map(({ kind }) => kind)).toEqual(['intent', 'outcome', 'intent', 'outcome']);
    expect(records[0]).toMatchObject({ sent: 'call_0', tool: 'tasks', verdict: 'allow' });
    expect(records[1]).toMatchObject({ result: 'done' });
    const [first, , third] = records.map((one) => 'callId' in one && one.callId);
    expect(first).not.toBe(third);
    expect(JSON.stringify(records)).not.toContain(TOKEN);
    expect(JSON.stringify(records)).toContain('[secret]');
  });

  test('[TOOL31] a call on a note names the task that is in progress on the caller’s board', async () => {
    await call('tasks', PLAN);
    const task = '#1';
    await call('tasks', { operations: [{ type: 'update', id: task, status: 'in_progress' }] });
    await note('a.md', 'one\n');
    await call('obsidian_read_note', { path: 'a.md' });
    const id = / 🆔 (\S+)/u.exec(await board())?.[1];
    expect(id).toMatch(/-1$/);
    const intents = (await audited()).filter(({ kind }) => kind === 'intent');
    expect(intents.at(-1)).toMatchObject({ path: 'a.md', task: id });
  });

  test('[BRIDGE48] what the rules deny is not done, and the model is told the rule', async () => {
    await settings({ permissions: { rules: [{ permission: 'tasks', action: 'deny' }] } });
    await expect(call('tasks', PLAN)).rejects.toThrow(/Nothing was done.*Rule 1 decides/);
    await expect(board()).rejects.toThrow();
    expect(await audited()).toMatchObject([{ verdict: 'deny' }, { result: 'denied' }]);
    expect(asked).toEqual([]);
  });

  test('[SET12] calls without a session get the shared one, and are refused from the look after the choice on', async () => {
    const log = { note: () => undefined };
    const boards = new DiskBoards({ store: new DiskStore(vault), clock, ids, log });
    const nameless = async () => {
      const manager = await boards.manager();
      return manager.call({ sessionId: undefined, agent: 'build' }, PLAN);
    };
    expect((await nameless()).metadata.sessionId).toBe('default-session');
    await settings({ defaultSession: 'refuse' });
    expect((await nameless()).refused?.code).toBe('no_session');
    await settings({ defaultSession: 'isolate' });
    expect((await nameless()).refused).toBeUndefined();
  });

  test('[BRIDGE33] what the rules ask about, OpenCode asks, once and for nothing more', async () => {
    await settings({ permissions: { rules: [{ permission: 'tasks', action: 'ask' }] } });
    await call('tasks', PLAN);
    expect(asked).toMatchObject([{ permission: 'tasks_ask', always: [] }]);
    expect(await board()).toContain('First');
    expect(await audited()).toMatchObject([{ verdict: 'ask' }, { result: 'done', reply: 'once' }]);
  });

  test('[BRIDGE33] a no of the person is passed on as OpenCode says it; nothing is done', async () => {
    await settings({ permissions: { rules: [{ permission: 'tasks', action: 'ask' }] } });
    const no = new Error('The user rejected permission');
    await expect(call('tasks', PLAN, () => Promise.reject(no))).rejects.toBe(no);
    await expect(board()).rejects.toThrow();
    expect(await audited()).toMatchObject([{ verdict: 'ask' }, { result: 'denied' }]);
  });

  test('[BRIDGE33] settings that can’t be followed ask about everything', async () => {
    for (const text of ['{', '{"permissions": {"rules": 7}}', '{"permissions": {"preset": "x"}}']) {
      await settings(text);
      asked = [];
      await call('tasks', { operations: [{ type: 'list' }] });
      expect([text, asked]).toMatchObject([text, [{ permission: 'tasks_ask' }]]);
    }
  });

  test('[BRIDGE48] where the audit can’t be written nothing is done', async () => {
    await fs.mkdir(join(vault, '.opencode/agent-task-boards'), { recursive: true });
    await fs.writeFile(join(vault, AUDIT_FOLDER), 'no folder');
    await expect(call('tasks', PLAN)).rejects.toThrow(/Nothing was done.*audit/);
    await expect(board()).rejects.toThrow();
  });

  test('[BRIDGE52] what OpenCode itself refuses is audited, as what it was and why', async () => {
    const refused = new RefusedCalls({ audit, ids, log: { note: () => undefined } });
    const call = { callId: 'call_0', sessionId: 'ses_1', agent: 'build' };
    const error = new Error('The user rejected it');
    await refused.note('obsidian_update_note', { ...call, args: { path: 'a.md' } }, error);
    await refused.note('task_create', { ...call, args: undefined }, error);
    expect(await audited()).toMatchObject([
      {
        ...{ kind: 'intent', tool: 'obsidian.update_note', operation: 'update', path: 'a.md' },
        ...{ sent: 'call_0', dryRun: true, verdict: 'deny' },
        why: 'Not allowed in OpenCode. The user rejected it',
      },
      { kind: 'outcome', result: 'denied' },
      { kind: 'intent', tool: 'task_create', operation: 'tasks', args: null },
      { kind: 'outcome', result: 'denied' },
    ]);
  });

  test('[HOOK15] a call whose client leaves while a hook looks at it is carried out here, and hooks hear of it once', async () => {
    const heard: string[] = [];
    let client: object | undefined = {};
    const hooks: HookRunner = {
      run: (event, facts) => {
        heard.push(event);
        client = undefined;
        return Promise.resolve({ facts });
      },
    };
    await call('tasks', PLAN, undefined, { hooks, runner: () => client as LinkedClient });
    expect(await board()).toContain('First');
    expect(heard).toEqual(['pre-tool-use', 'post-tool-use']);
  });

  test('[BRIDGE49] the tools for notes work on the notes on disk', async () => {
    await note('Notes/Plan.md', '# Plan\nThe budget of [[Other]] #money\n');
    await note('Other.md', 'budgets\n');
    await settings({ permissions: { rules: [{ permission: '*', action: 'allow' }] } });
    const found = await call('obsidian_search_vault', { query: 'budget' });
    expect(found.output).toContain('Notes/Plan.md\n  2: The budget of [[Other]] #money');
    expect(found.metadata).toMatchObject({ paths: ['Notes/Plan.md', 'Other.md'], via: 'headless' });
    const read = await call('obsidian_read_note', { path: 'Notes/Plan.md', heading: 'Plan' });
    expect(read.output).toContain('The budget of');
    const list = await call('obsidian_list_notes', { folder: 'Notes' });
    expect(list.output).toBe('1 entry in Notes.\nNotes/Plan.md');
    const about = await call('obsidian_get_note_metadata', { path: 'Other.md' });
    expect(about.output).toContain('Backlinks (1):\n  Notes/Plan.md');
    const made = { path: 'New.md', content: 'one\n' };
    expect((await call('obsidian_create_note', made)).output).toContain('Nothing is written yet');
    await expect(fs.stat(join(vault, 'New.md'))).rejects.toThrow();
    await call('obsidian_create_note', { ...made, dryRun: false });
    const add = { path: 'New.md', mode: 'append', content: 'two', dryRun: false };
    await call('obsidian_update_note', add);
    expect(await fs.readFile(join(vault, 'New.md'), 'utf8')).toBe('one\ntwo\n');
    const again = await call('obsidian_search_vault', { query: 'two' });
    expect(again.metadata).toMatchObject({ paths: ['New.md'] });
    const outcomes = (await audited()).filter(({ kind }) => kind === 'outcome');
    expect(outcomes).toHaveLength(8);
    const { before = '' } = outcomes[6] as { before?: string };
    expect(await audit.texts.read(before)).toBe('one\n');
  });

  test('[BRIDGE33] a change that the rules ask about shows OpenCode what would be written; one of a note that changed meanwhile is asked again', async () => {
    await note('a.md', 'one\n');
    await settings({ permissions: { rules: [{ permission: 'update', action: 'ask' }] } });
    const add = { path: 'a.md', mode: 'append', content: 'two', dryRun: false };
    await call('obsidian_update_note', add, () =>
      asked.length === 1 ? note('a.md', 'another\n') : Promise.resolve(),
    );
    expect(asked).toMatchObject([
      { permission: 'notes_ask', patterns: ['a.md'], always: [] },
      { permission: 'notes_ask', patterns: ['a.md'], always: [] },
    ]);
    const diffs = asked.map((one) => (one as { metadata: { diff: string } }).metadata.diff);
    expect(diffs[0]).toContain(' one\n+two');
    expect(diffs[1]).toContain(' another\n+two');
    expect(await fs.readFile(join(vault, 'a.md'), 'utf8')).toBe('another\ntwo\n');
    const no = new Error('The user rejected permission');
    const again = { ...add, content: 'three' };
    const answer = call('obsidian_update_note', again, () => Promise.reject(no));
    await expect(answer).rejects.toBe(no);
    expect(await fs.readFile(join(vault, 'a.md'), 'utf8')).toBe('another\ntwo\n');
  });

  test('[BRIDGE49] boards and hidden folders are no notes, whatever the rules say', async () => {
    await settings({
      root: 'Boards',
      permissions: { rules: [{ permission: '*', action: 'allow' }] },
    });
    await note('Boards/s/build-tasks.md', 'canary');
    await note('.obsidian/a.md', 'canary');
    await note('Seen.md', 'bird');
    for (const path of ['Boards/s/build-tasks.md', '.obsidian/a.md', '.opencode/x.md']) {
      for (const [tool, args] of [
        ['obsidian_read_note', { path }],
        ['obsidian_create_note', { path, content: 'x', overwrite: true, dryRun: false }],
      ] as const) {
        await expect(call(tool, args)).rejects.toThrow(/Nothing was done\. Never allowed/);
      }
    }
    const found = await call('obsidian_search_vault', { query: 'canary' });
    expect(found.output).toMatch(/^No note that may be read/);
  });

  test('[BRIDGE49] OpenCode gets each with its arguments as JSON Schema and a name without dots', () => {
    const tools = toolDefinitions({} as ToolRunner, { aliases: [], notes: true });
    const names = NOTE_TOOLS.map(({ openCodeName }) => openCodeName);
    expect(Object.keys(tools)).toEqual(['tasks', ...names]);
    expect(tools['obsidian_update_note']?.args).toMatchObject({
      path: { type: 'string' },
      mode: { enum: ['replace', 'append', 'prepend', 'insert'] },
      dryRun: { type: 'boolean', default: true },
    });
  });
});
