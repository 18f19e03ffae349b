import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readHookCommands } from '../../src/core/hook/hook-commands';
import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import { ConfirmedHooks } from '../../src/node/hooks/confirmed-hooks';
import { digestOf } from '../../src/node/hooks/script-hooks';
import { startRun, type OpencodeRun } from './opencode-run';
import { TestClient } from './test-client';
import {
  answerCalls,
  boardFile,
  newestContent,
  PLAN,
  promptByHttp,
  requestsOf,
  sessionByHttp,
  tasksCall,
} from './opencode-steps';

let run: OpencodeRun;

beforeAll(async () => {
  run = await startRun();
});

afterAll(() => run.close());

const GUARD = `
  let text = '';
  process.stdin.on('data', (more) => (text += more)).on('end', () => {
    const { event, data } = JSON.parse(text);
    require('node:fs').writeFileSync('passed', JSON.stringify(process.env));
    if (JSON.stringify(data.args).includes('Second')) console.log('{"cancel": "No second one."}');
  });`;

test('[HOOK15] the bridge runs commands before a call that it carries out, after they were allowed; late ones end', async () => {
  const env = { XDG_CONFIG_HOME: join(run.vault, '../home/.config') };
  const hooks = [
    { event: 'pre-tool-use', command: [process.execPath, '-e', GUARD], within: 20_000 },
    { event: 'post-tool-use', command: ['sh', '-c', 'sleep 1000 & echo $! > late; wait'], within: 2_000 }, // prettier-ignore
  ];
  writeFileSync(join(run.vault, '.opencode/agent-task-boards.json'), JSON.stringify({ hooks }));
  const plan = async (title: string): Promise<string> => {
    const sessionId = await sessionByHttp(run, title);
    run.model.play(sessionId, tasksCall(PLAN), { text: 'planned' });
    await promptByHttp(run, sessionId, 'plan');
    expect(existsSync(boardFile(run, sessionId))).toBe(title === 'Not allowed yet');
    return newestContent(requestsOf(run, sessionId)[1], 'tool');
  };
  expect(await plan('Not allowed yet')).toContain('Second');
  const confirmed = new ConfirmedHooks(run.vault, env);
  await confirmed.change(() => readHookCommands(hooks).commands.map(digestOf));
  expect(await plan('Allowed')).toContain('cancelled the call. No second one.');
  const passed = JSON.parse(readFileSync(join(confirmed.folder, 'passed'), 'utf8')) as object;
  expect(Object.keys(passed).filter((name) => name.startsWith('OPENCODE_'))).toEqual([]);
  const sessionId = await sessionByHttp(run, 'Let through');
  run.model.play(sessionId, tasksCall({ operations: [{ type: 'list' }] }), { text: 'listed' });
  await promptByHttp(run, sessionId, 'list');
  expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain('no board yet');
  const late = Number(readFileSync(join(confirmed.folder, 'late'), 'utf8'));
  await expect.poll(() => isThere(late), { timeout: 10_000 }).toBe(false);
});

const NOTE = `
  let text = '';
  process.stdin.on('data', (more) => (text += more)).on('end', () => {
    const { event, data } = JSON.parse(text);
    require('node:fs').appendFileSync('heard', event + '\\n');
    if (JSON.stringify(data.args).includes('Never')) console.log('{"cancel": "Never."}');
    else if (event === 'pre-tool-use') console.log('{"change": {"args": {"operations": [{"type": "analyze"}]}}}');
    else console.log(JSON.stringify({ change: { output: data.output + ', seen by a hook' } }));
  });`;

test('[HOOK15] commands run once around a call that a client carries out; what one cancels the client never gets', async () => {
  const env = { XDG_CONFIG_HOME: join(run.vault, '../home/.config') };
  const hooks = ['pre-tool-use', 'post-tool-use'].map((event) => ({
    ...{ event, command: [process.execPath, '-e', NOTE], within: 20_000 },
  }));
  writeFileSync(join(run.vault, '.opencode/agent-task-boards.json'), JSON.stringify({ hooks }));
  const confirmed = new ConfirmedHooks(run.vault, env);
  await confirmed.change(() => readHookCommands(hooks).commands.map(digestOf));
  const client = await TestClient.connect(run.runFile);
  answerCalls(client, 'from the vault');
  const sessionId = await client.start('Carried out there');
  const never = { operations: [{ type: 'add', title: 'Never' }] };
  run.model.play(sessionId, tasksCall(PLAN), tasksCall(never), { text: 'planned' });
  await promptByHttp(run, sessionId, 'plan');
  const [, first, second] = requestsOf(run, sessionId);
  expect(newestContent(first, 'tool')).toBe('"from the vault, seen by a hook"');
  expect(newestContent(second, 'tool')).toContain('cancelled the call. Never.');
  const got = client.received.filter(({ type }) => type === 'tool.call');
  expect(got).toMatchObject([{ payload: { args: { operations: [{ type: 'analyze' }] } } }]);
  const heard = readFileSync(join(confirmed.folder, 'heard'), 'utf8');
  expect(heard).toBe('pre-tool-use\npost-tool-use\npre-tool-use\n');
  const audit = readdirSync(join(run.vault, AUDIT_FOLDER)).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const entries = audit.map((name) => readFileSync(join(run.vault, AUDIT_FOLDER, name), 'utf8'));
  expect(entries.join('')).toContain('cancelled the call. Never.');
  await client.close();
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
