import { beforeEach, expect, test } from 'vitest';
import { ErrorHandler } from '../../src/core/error-handler';
import type { HookEvent } from '../../src/core/hook/hook-events';
import { Hooks } from '../../src/core/hook/hooks';
import { BridgeRuntime } from '../../src/core/session/bridge-runtime';
import { SessionEventBus, type SessionEventOf } from '../../src/core/session/session-event-bus';
import { followFaults, followSessions } from '../../src/core/session/session-hooks';
import { ManualClock } from '../bridge/manual-clock';
import { ContinueWorld } from '../session/auto-continue/continue-world';
import { created, turnEnd } from '../session/events';
import { ConnectionFixture } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';

let hooks: Hooks;
let heard: [HookEvent, unknown][];

beforeEach(() => {
  hooks = new Hooks({ clock: new ManualClock(), log: { note: () => undefined } });
  heard = [];
});

function hear(...events: readonly HookEvent[]): void {
  for (const event of events) hooks.on(event, 'Test', (facts) => void heard.push([event, facts]));
}

test('[HOOK6] a prompt is sent as the hooks left it; afterwards they are told what was sent', async () => {
  const c = new ConnectionFixture();
  c.bridge.sessions = [{ id: 'ses_1', title: 'One', status: 'idle' }];
  await c.connect();
  const here = () => c.connection;
  const runtime = new BridgeRuntime(
    { forSession: here, forRequest: here, forNewSession: here },
    c.ids,
    hooks,
  );
  hooks.on('pre-prompt', 'Test', ({ text, agent }) => ({
    change: { text: `${text}, in ${agent}`, model: 'a/b' },
  }));
  hear('post-prompt');
  const sent = runtime.send('ses_1', 'Go', { agent: 'build' });
  await flushPromises();
  const [message] = c.bridge.all('session.message');
  expect(message?.payload).toEqual({ text: 'Go, in build', agent: 'build', model: 'a/b' });
  expect(heard).toEqual([]);
  c.bridge.send({ type: 'progress.update', sessionId: 'ses_1', payload: { kind: 'busy' } });
  await sent;
  expect(heard).toEqual([
    [
      'post-prompt',
      { sessionId: 'ses_1', text: 'Go, in build', byRun: false, agent: 'build', model: 'a/b' },
    ],
  ]);
  hooks.on('pre-prompt', 'Quiet hours', () => ({ cancel: 'It is night.' }));
  await expect(runtime.send('ses_1', 'Go')).rejects.toMatchObject({
    ...{ code: 'conflict', retryable: false },
    message: 'A hook of Quiet hours cancelled the prompt. It is night.',
  });
  expect(c.bridge.all('session.message')).toHaveLength(1);
});

test('[HOOK7] what happens in a session runs its hooks, each message once', () => {
  const bus = new SessionEventBus();
  const undo = followSessions(hooks, bus);
  hear('on-session-init', 'on-message-added', 'on-stop', 'on-error');
  bus.emit(created('ses_1', 'One'));
  const payload = { messageId: 'm', partId: 'p', text: 'Words', role: 'user' as const };
  const said: SessionEventOf<'message.final'> = {
    ...{ type: 'message.final', sessionId: 'ses_1', ts: 1, payload },
  };
  bus.emit(said);
  bus.emit(said);
  bus.emit({ ...said, payload: { ...payload, text: 'Words, as they are shown later' } });
  bus.emit({ ...said, payload: { ...payload, messageId: 'n', kind: 'thinking' } });
  const error = { code: 'api', message: 'No credit.' };
  bus.emit(turnEnd('ses_1', { messageId: 'm', reason: 'error', error }));
  expect(heard).toEqual([
    ['on-session-init', { sessionId: 'ses_1', title: 'One' }],
    ['on-message-added', { sessionId: 'ses_1', messageId: 'm', role: 'user', text: 'Words' }],
    ['on-stop', { sessionId: 'ses_1', reason: 'error' }],
    [
      'on-error',
      { sessionId: 'ses_1', at: 'session.turn', severity: 'error', message: 'No credit.' },
    ],
  ]);
  undo();
  bus.emit(created('ses_2'));
  expect(heard).toHaveLength(4);
});

test('[HOOK7] a fault runs the hooks of errors the first time, and never for what a hook did', () => {
  const errors = new ErrorHandler({ now: () => 0 });
  followFaults(hooks, errors);
  hear('on-error');
  for (let n = 0; n < 3; n += 1) {
    errors.note('A file could not be read.', { at: 'store.read', severity: 'error' });
  }
  errors.note('A hook failed.', { at: 'hook.failed', severity: 'error' });
  errors.note('It goes on.', { at: 'store.read' });
  errors.clear();
  expect(heard).toEqual([
    ['on-error', { message: 'A file could not be read.', at: 'store.read', severity: 'error' }],
  ]);
});

test('[HOOK8] a session whose end a hook cancelled does not go on by itself', () => {
  const world = new ContinueWorld();
  world.settings = { on: true, seconds: 10 };
  world.setBoard(['[ ] Next']);
  const undo = world.hooks.on('on-stop', 'Pause', () => ({ cancel: 'Later.' }), { priority: 1 });
  world.turn();
  world.clock.advance(60_000);
  expect(world.sent).toEqual([]);
  undo();
  world.turn();
  world.clock.advance(10_000);
  expect(world.sent).toHaveLength(1);
});

test('[HOOK8] it does not go on either where another turn began before a slow hook had ended', async () => {
  const world = new ContinueWorld();
  world.settings = { on: true, seconds: 10 };
  world.setBoard(['[ ] Next']);
  let go: () => void = () => undefined;
  world.hooks.on('on-stop', 'Slow', () => new Promise((resolve) => (go = resolve)), {
    priority: 1,
  });
  world.turn();
  world.beginTurn();
  go();
  await flushPromises();
  world.clock.advance(60_000);
  expect(world.sent).toEqual([]);
});
