import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskBoards } from '../../src/bridge/disk-boards';
import { Headless } from '../../src/bridge/headless';
import { RefusedCalls, type ToolCallContext } from '../../src/bridge/opencode/tool-call';
import { ToolRunner, type ToolRunnerServices } from '../../src/bridge/opencode/tool-runner';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import type { AuditRecord } from '../../src/core/permission/audit/audit-entry';
import { Redactor } from '../../src/core/permission/audit/redact';
import { NOTE_TOOLS } from '../../src/core/tool/note/definitions';
import { ProcessAudit } from '../../src/node/audit/open-audit';
import { DiskStore } from '../../src/node/disk-store';
import { realPaths } from '../../src/node/real-paths';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';
import { offeredTools } from '../../src/bridge/opencode/tool-definitions';

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
    months: () => 12,
  });
});
afterEach(async () => {
  audit.close();
  await fs.rm(vault, { recursive: true, force: true });
});

/** As OpenCode's bridge runs it with no client; its rules allow the tools themselves. @param tool by its name in OpenCode */
function call(tool: string, args: unknown, answer: () => Promise<void> = () => Promise.resolve()) {
  const log = { note: () => undefined };
  const boards = new DiskBoards({ store: new DiskStore(vault), clock, ids, log });
  const headless = new Headless({ boards, audit, clock, ids, log });
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
    headless,
    places: new PathResolver(realPaths(vault)),
    sessions: { get: () => Promise.resolve({ title: 't' }) },
    clients: { runner: () => undefined },
    todos: { settled: () => Promise.resolve() },
  } as unknown as ToolRunnerServices);
  return runner.run(tool, args, context);
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

const board = (): Promise<string> =>
  fs.readFile(join(vault, '.opencode/todos/ses_1/build-tasks.md'), 'utf8');

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

  test('[BRIDGE48] what the rules deny is not done, and the model is told the rule', async () => {
    await settings({ permissions: { rules: [{ permission: 'tasks', action: 'deny' }] } });
    await expect(call('tasks', PLAN)).rejects.toThrow(/Nothing was done.*Rule 4 decides/);
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

  test.each(NOTE_TOOLS.map(({ openCodeName }) => openCodeName))(
    '[BRIDGE49] %s says that the vault is not connected and what to do, and touches nothing',
    async (name) => {
      await fs.writeFile(join(vault, 'a.md'), 'canary');
      const args = { path: 'a.md', query: 'canary', content: 'x', mode: 'replace', dryRun: false };
      await expect(call(name, args)).rejects.toThrow(
        /Nothing was done: the vault is not connected\. Ask the person to open Obsidian/,
      );
      expect(await fs.readFile(join(vault, 'a.md'), 'utf8')).toBe('canary');
      const [intent, outcome] = await audited();
      const tool = name.replace('_', '.');
      expect(intent).toMatchObject({ kind: 'intent', tool, sent: 'call_0' });
      expect(outcome).toMatchObject({ kind: 'outcome', result: 'failed' });
    },
  );

  test('[BRIDGE49] OpenCode gets each with its arguments as JSON Schema and a name without dots', () => {
    const tools = offeredTools({} as ToolRunner, { aliases: [], notes: true });
    const names = NOTE_TOOLS.map(({ openCodeName }) => openCodeName);
    expect(Object.keys(tools)).toEqual(['tasks', ...names]);
    expect(tools['obsidian_update_note']?.args).toMatchObject({
      path: { type: 'string' },
      mode: { enum: ['replace', 'append', 'prepend', 'insert'] },
      dryRun: { type: 'boolean', default: true },
    });
  });
});
