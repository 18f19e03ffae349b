import { join } from 'node:path';
import process from 'node:process';
import { afterEach, expect, test } from 'vitest';
import { parseNote } from '../../src/core/board/note/parse-note';
import { readHookCommands } from '../../src/core/hook/hook-commands';
import { HOOK_EVENTS } from '../../src/core/hook/hooks';
import { AutoContinue } from '../../src/core/session/auto-continue/auto-continue';
import { followSessions } from '../../src/core/session/session-hooks';
import { ConfirmedHooks } from '../../src/node/hooks/confirmed-hooks';
import { digestOf } from '../../src/node/hooks/script-hooks';
import { HEADER } from '../board/note-sample';
import { ManualClock } from '../bridge/manual-clock';
import { startModel } from '../bridge/model';
import { answerCalls, newestContent, requestsOf, tasksCall } from '../bridge/opencode-steps';
import { TestClient } from '../bridge/test-client';
import { MemoryStore } from '../store/memory-store';
import { pluginOnModel } from './plugin-on-model';
import { serveModel } from './served-model';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

test('[HOOK6] [HOOK7] hooks of prompts, sessions, messages and faults run on a model as on OpenCode', async () => {
  const model = await startModel();
  const plugin = await pluginOnModel(model.url, new MemoryStore());
  close = async () => {
    await plugin.close();
    await model.close();
  };
  const told: [string, object][] = [];
  for (const event of HOOK_EVENTS) {
    plugin.hooks.on(event, 'test', (facts: object) => void told.push([event, facts]));
  }
  plugin.hooks.on('pre-prompt', 'changes', ({ text }) => {
    if (text === 'never') return { cancel: 'Not today.' };
    return { change: { text: `${text}, please` } };
  });
  followSessions(plugin.hooks, plugin.bus);
  const { sessionId } = await plugin.runtime.start({ title: 'Hooked' });
  model.play(sessionId, { text: 'All is well.' }, { status: 400 });
  const first = plugin.next(sessionId, 'turn.end');
  await plugin.runtime.send(sessionId, 'Look');
  await first;
  expect(newestContent(requestsOf({ model }, sessionId)[0], 'user')).toContain('Look, please');
  await expect(plugin.runtime.send(sessionId, 'never')).rejects.toThrow('Not today.');
  const second = plugin.next(sessionId, 'turn.end');
  await plugin.runtime.send(sessionId, 'Fail');
  await second;
  expect(requestsOf({ model }, sessionId)).toHaveLength(2);
  expect(told).toMatchObject([
    ['on-session-init', { sessionId, title: 'Hooked' }],
    ['pre-prompt', { text: 'Look', byRun: false }],
    ['on-message-added', { role: 'user', text: 'Look, please' }],
    ['post-prompt', { text: 'Look, please' }],
    ['on-message-added', { role: 'assistant', text: 'All is well.' }],
    ['on-stop', { reason: 'completed' }],
    ['pre-prompt', { text: 'never' }],
    ['pre-prompt', { text: 'Fail' }],
    ['on-message-added', { role: 'user', text: 'Fail, please' }],
    ['post-prompt', { text: 'Fail, please' }],
    ['on-stop', { reason: 'error' }],
    ['on-error', { at: 'session.turn', sessionId }],
  ]);
});

test('[AUTO1] [HOOK8] a session on a model with an open task goes on by itself', async () => {
  const model = await startModel();
  const plugin = await pluginOnModel(model.url, new MemoryStore());
  const { bus, sessions, hooks, runtime } = plugin;
  const { sessionId } = await runtime.start({ title: 'Goes on' });
  const path = `.opencode/todos/${sessionId}/build-tasks.md`;
  const note = `${HEADER.replace('ses_1', sessionId)}- [ ] Dig 🆔 k3f9-1 ^k3f9-1\n`;
  const clock = new ManualClock();
  const auto = new AutoContinue({
    ...{ bus, clock, sessions: () => sessions.all(), online: () => true },
    boards: () => [parseNote(path, note).board],
    settings: () => ({ on: true, seconds: 10 }),
    send: (id, text) => runtime.send(id, text),
    reportFailure: (_, error) => {
      throw error;
    },
  });
  hooks.on('on-stop', 'auto-continue', (stop) => auto.turnStopped(stop));
  followSessions(hooks, bus);
  close = async () => {
    auto.close();
    await plugin.close();
    await model.close();
  };
  const counting = new Promise<void>((resolve) =>
    auto.onChange((id) => {
      if (auto.state(id).kind === 'waiting') resolve();
    }),
  );
  await runtime.send(sessionId, 'Look');
  await counting;
  const second = plugin.next(sessionId, 'turn.end');
  clock.advance(10_000);
  await second;
  const asked = requestsOf({ model }, sessionId);
  expect(asked).toHaveLength(2);
  expect(newestContent(asked[1], 'user')).toContain('Dig');
});

const GUARD = `
  let text = '';
  process.stdin.on('data', (more) => (text += more)).on('end', () => {
    const { event, data } = JSON.parse(text);
    const say = (answer) => console.log(JSON.stringify(answer));
    if (event === 'post-tool-use') return say({ change: { output: data.output + ' Seen.' } });
    const args = JSON.stringify(data.args);
    if (args.includes('Never')) return say({ cancel: 'Never that.' });
    say({ change: { args: JSON.parse(args.replace('Soup', 'Cake')) } });
  });`;

test('[HOOK15] commands cancel, change and see the calls of a session on a model, with and without a client', async () => {
  const hooks = ['pre-tool-use', 'post-tool-use'].map((event) => ({
    ...{ event, command: [process.execPath, '-e', GUARD], within: 60_000 },
  }));
  const files = { '.opencode/agent-task-boards.json': JSON.stringify({ hooks }) };
  const served = await serveModel({ files });
  close = () => served.close();
  const { model, vault, runFile } = served;
  const env = { XDG_CONFIG_HOME: join(vault, '../home/.config') };
  const confirmed = new ConfirmedHooks(vault, env);
  await confirmed.change(() => readHookCommands(hooks).commands.map(digestOf));
  const add = (title: string) => tasksCall({ operations: [{ type: 'add', title }] });
  const told = async (client: TestClient): Promise<string[]> => {
    const sessionId = await client.start('Dinner');
    model.play(sessionId, add('Never'), add('Soup'), { text: 'planned' });
    await client.prompt(sessionId, 'plan');
    return requestsOf({ model }, sessionId)
      .slice(1)
      .map((one) => newestContent(one, 'tool'));
  };
  const alone = await told(await TestClient.connect(runFile, []));
  expect(alone[0]).toContain('cancelled the call. Never that.');
  expect(alone[1]).toMatch(/#1 Cake.* Seen\./);
  const client = await TestClient.connect(runFile);
  answerCalls(client, 'from the vault');
  const there = await told(client);
  expect(there[0]).toContain('cancelled the call. Never that.');
  expect(there[1]).toContain('from the vault Seen.');
  const calls = client.ofType('tool.call').map(({ payload }) => JSON.stringify(payload.args));
  expect(calls).toEqual([expect.stringContaining('Cake')]);
});
