import { beforeEach, describe, expect, test } from 'vitest';
import { BridgeRuntime } from '../../src/core/session/bridge-runtime';
import { isFeatureAvailable } from '../../src/core/session/connection';
import { canDo, hostOf, hostTitle, unsupportedReason } from '../../src/core/session/session-host';
import type { FakeBridge } from '../wire/fake-bridge';
import { flushPromises } from '../wire/manual-clock';
import { SeveralBridges } from '../wire/several-bridges';

const MCP = { name: 'mcp', version: '0.1.0' };

let s: SeveralBridges;
let runtime: BridgeRuntime;
let mcp: FakeBridge;

/** The bridge of an agent that only calls our tools, newer than any OpenCode. */
beforeEach(() => {
  s = new SeveralBridges();
  runtime = new BridgeRuntime(s.bridges, { unique: () => 'request', random: () => 0 });
  mcp = s.add(4009, 'm');
  mcp.engine = MCP;
  mcp.features = [];
  mcp.sessions = [{ id: 'm', title: 'By MCP', agent: 'claude-code', status: 'idle' }];
});

describe('a bridge that can’t do everything', () => {
  test('[CONN60] is asked for nothing that it can’t do, in words that name it', async () => {
    await s.connect();
    const before = mcp.received.length;
    for (const [asked, words] of [
      [
        runtime.start(),
        'MCP starts no sessions from here; OpenCode does, where it runs in this vault.',
      ],
      [runtime.start({ key: 'k' }), 'MCP starts no sessions'],
      [runtime.send('m', 'Go'), 'MCP takes no messages from here.'],
      [runtime.send('m', 'Go', { key: 'k' }), 'MCP takes no messages from here.'],
      [runtime.interrupt('m'), 'MCP can’t be stopped from here.'],
      [runtime.compact('m'), 'MCP can’t be compacted from here.'],
      [runtime.rename('m', 'New'), 'MCP takes no titles from here.'],
      [runtime.remove('m'), 'MCP deletes no sessions from here.'],
      [runtime.answerPermission('m', 'r', 'once'), 'MCP takes no answers to permission requests'],
      [runtime.answerQuestion('m', 'r', []), 'MCP takes no answers to questions'],
      [runtime.catalog('m'), 'MCP does not say which agents and models it has.'],
      [runtime.catalog(), 'MCP does not say which agents and models it has.'],
    ] as const) {
      await expect(asked).rejects.toMatchObject({
        code: 'unsupported',
        retryable: false,
        message: expect.stringContaining(words) as string,
      });
    }
    expect(mcp.received).toHaveLength(before);
  });

  test('[CONN54] [CONN57] does not stand in the way of one that starts sessions', async () => {
    await s.connect();
    expect(s.bridges.state).toMatchObject({ kind: 'connected', engine: MCP });
    expect(isFeatureAvailable(s.bridges.state, 'start')).toBe(false);
    const opencode = s.add(4001, 'o');
    await s.clock.advance(2_000);
    expect(s.bridges.state).toMatchObject({
      engine: { name: 'opencode', version: '1.18.33' },
      among: { up: 2, of: 2, mixed: true },
    });
    const started = runtime.start({ title: 'New' });
    await flushPromises();
    expect(mcp.all('session.start')).toEqual([]);
    expect(opencode.all('session.start')).toHaveLength(1);
    opencode.created('n', 'New', 'request');
    expect(await started).toEqual({ sessionId: 'n' });
    void runtime.catalog().catch(() => undefined);
    await flushPromises();
    expect(opencode.all('catalog.get')).toHaveLength(1);
    await expect(runtime.start({ bridge: s.bridges.all[0]?.id ?? '' })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  test('[CONN60] its sessions know it, also those that begin later, until it is gone', async () => {
    s.add(4001, 'o');
    await s.connect();
    await s.clock.advance(2_000);
    mcp.created('later', 'Later');
    await flushPromises();
    const what = (id: string): string | undefined => s.sessions.get(id)?.host?.engine.name;
    expect(['m', 'later', 'o'].map(what)).toEqual(['mcp', 'mcp', 'opencode']);
    const before = s.sessions.get('m');
    mcp.welcome();
    await flushPromises();
    expect(s.sessions.get('m')?.host).toBe(before?.host);
    mcp.closeConnection(1006);
    await flushPromises();
    expect(['m', 'o'].map(what)).toEqual([undefined, 'opencode']);
    await s.clock.advance(500);
    expect(what('m')).toBe('mcp');
  });
});

test('[CONN60] a session says why it can’t be asked, by the name of what runs it', () => {
  const host = hostOf({ engine: MCP, features: ['rename'] });
  const title = (agent: string | null): string => hostTitle(host, agent);
  expect(title('claude-code')).toBe('Claude Code');
  expect(title('codex')).toBe('Codex');
  expect(title(null)).toBe('MCP');
  expect(hostTitle(hostOf({ opencode: '1' }), 'build')).toBe('OpenCode');
  expect(hostTitle({ engine: { name: 'acp', version: '1' } }, 'build')).toBe('acp');
  const session = { agent: 'claude-code', host };
  expect(unsupportedReason(session, 'prompt')).toBe('Claude Code takes no messages from here.');
  expect(unsupportedReason(session, 'rename')).toBeUndefined();
  expect([canDo(session, 'prompt'), canDo(session, 'rename')]).toEqual([false, true]);
  expect([unsupportedReason({}, 'prompt'), canDo({}, 'prompt')]).toEqual([undefined, true]);
});
