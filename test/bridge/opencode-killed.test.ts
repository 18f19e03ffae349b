import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PluginLink } from '../../soak/link/plugin-link';
import { runToolCalls } from '../../soak/link/vault-plugin';
import { SeededRandom } from '../../soak/seeded';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { SessionEvent, SessionEventType } from '../../src/core/session/session-event-bus';
import { startRun, type OpencodeRun } from './opencode-run';
import { boardFile, LIST, newestContent, requestsOf, tasksCall } from './opencode-steps';

let first: OpencodeRun;
let now: OpencodeRun;
let plugin: PluginLink;
let heard: SessionEvent[];
let wake: () => void;

beforeEach(async () => {
  first = await startRun();
  now = first;
  // Slow enough that a busy machine is not mistaken for a dead bridge.
  plugin = new PluginLink(() => ({ port: now.runFile.port, run: now.runFile }), 5);
  heard = [];
  wake = () => undefined;
  plugin.bus.onAll((event) => {
    heard.push(event);
    wake();
  });
  plugin.connection.connect();
  await plugin.connected();
});

afterEach(async () => {
  plugin.close();
  if (now !== first) await now.opencode.kill();
  await first.close();
});

/** The first matching event at or after an index. */
async function next(type: SessionEventType, from = 0, fits = (_: SessionEvent) => true) {
  for (;;) {
    const found = heard.slice(from).find((event) => event.type === type && fits(event));
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => (wake = resolve));
  }
}

async function start(title: string): Promise<string> {
  const draft = { type: 'session.start', payload: { requestId: title, title } } as const;
  const answer = await plugin.connection.request(
    draft,
    60_000,
    (message) => message.type === 'session.created',
  );
  return answer.sessionId ?? '';
}

function say(sessionId: string, text: string): void {
  plugin.connection.send({ type: 'session.message', sessionId, payload: { text } });
}

/** `kill -9`, then another OpenCode in the same vault; the plugin finds it by itself. */
async function killAndStartAgain(): Promise<void> {
  const lost = new Promise<void>((resolve) => {
    const undo = plugin.connection.onState(({ kind }) => {
      if (kind === 'connected') return;
      undo();
      resolve();
    });
  });
  process.kill(first.runFile.pid, 'SIGKILL');
  await lost;
  await first.opencode.kill();
  now = await first.restart();
  await plugin.connected();
}

async function prompts(sessionId: string): Promise<number> {
  const all = (await now.api('GET', `/session/${sessionId}/message`)) as {
    info: { role: string };
  }[];
  return all.filter(({ info }) => info.role === 'user').length;
}

describe('kill -9 of OpenCode', () => {
  test('[FAULT12] in the middle of an answer: the session comes as it is now, its prompt once, and goes on', async () => {
    const id = await start('Cut off');
    first.model.play(id, { text: 'one two', hang: true });
    say(id, 'go');
    await next('stream.token', 0, (event) => JSON.stringify(event.payload).includes('wait'));
    const before = heard.length;
    await killAndStartAgain();
    const told = await next('snapshot', before);
    expect(told).toMatchObject({
      sessionId: id,
      payload: { resync: true, state: { status: 'idle' } },
    });
    const roles =
      told.type === 'snapshot' ? told.payload.state.messages.map(({ role }) => role) : [];
    expect(roles.filter((role) => role === 'user')).toEqual(['user']);
    expect(await prompts(id)).toBe(1);
    const from = heard.length;
    now.model.play(id, { text: 'three four' });
    say(id, 'on');
    expect(await next('turn.end', from)).toMatchObject({ payload: { reason: 'completed' } });
    const words = heard
      .slice(from)
      .flatMap((event) => (event.type === 'stream.token' ? [event.payload.delta] : []));
    expect(words.join('')).toBe('three four');
    expect(await prompts(id)).toBe(2);
    expect(new Set(heard.map(({ sessionId }) => sessionId))).toEqual(new Set([id]));
  });

  test('[FAULT12] in the middle of a tool call: what the call did stands on the board once, and the model finds it', async () => {
    runToolCalls(plugin, first.vault, new SeededRandom(1), () => undefined);
    const id = await start('In a call');
    const titles = Array.from({ length: 20 }, (_, at) => `Task ${at + 1}`);
    const operations = titles.map((title) => ({ type: 'add', title }));
    first.model.play(id, tasksCall({ operations }));
    const called = next('tool.call');
    say(id, 'go');
    await called;
    await killAndStartAgain();
    const from = heard.length;
    now.model.play(id, tasksCall(LIST), { text: 'done' });
    say(id, 'what is there?');
    expect(await next('turn.end', from)).toMatchObject({ payload: { reason: 'completed' } });
    const { board } = parseNote('b.md', readFileSync(boardFile(now, id), 'utf8'));
    expect(board.broken).toBeNull();
    expect(board.tasks.map(({ title }) => title)).toEqual(titles);
    expect(newestContent(requestsOf(now, id).at(-1), 'tool')).toContain('Task 20');
    expect(await prompts(id)).toBe(2);
  });
});
