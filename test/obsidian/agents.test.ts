import type { App } from 'obsidian';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentProgram, ProgramHost, StartRequest } from '../../src/core/session/program-host';
import { AllowedTargets, DeviceStore } from '../../src/obsidian/adapter/device-storage';
import { parseArgs, commandText, type AgentEntry } from '../../src/obsidian/program/agent-entry';
import { Agents, agentSecrets } from '../../src/obsidian/program/agents';
import { StartConsent } from '../../src/obsidian/program/launcher';

type Started = StartRequest & { readonly agent: AgentProgram };

const CODEX: AgentEntry = { kind: 'acp', id: 'a1', name: 'Codex', command: '/bin/codex', args: [] };
const SERVER: AgentEntry = { kind: 'opencode', id: 'b2', name: 'Server', url: 'http://10.0.0.2:1' };

let kept: Map<string, unknown>;
let secrets: Map<string, string>;
let started: Started[];
let killed: number;
let told: string[];
let asked: string[];
let says: boolean;
let found: string | undefined;
let app: App;
let device: DeviceStore;
let agents: Agents;

beforeEach(() => {
  [kept, secrets] = [new Map<string, unknown>(), new Map<string, string>()];
  [started, killed, told, asked, says] = [[], 0, [], [], true];
  found = '/usr/bin/agent-boards';
  app = {
    loadLocalStorage: (key: string) => kept.get(key) ?? null,
    saveLocalStorage: (key: string, value: unknown) => void kept.set(key, structuredClone(value)),
    secretStorage: {
      getSecret: (id: string) => secrets.get(id) ?? null,
      setSecret: (id: string, secret: string) => void secrets.set(id, secret),
    },
  } as unknown as App;
  device = new DeviceStore(app);
  const host: ProgramHost = {
    find: (name) => Promise.resolve(name === 'agent-boards' ? found : undefined),
    openCode: () => {
      throw new Error('No agent is OpenCode');
    },
    agent: (request) => {
      started.push(request);
      return { ready: Promise.resolve({ ok: true }), kill: () => void (killed += 1) };
    },
  };
  const consent = new StartConsent(new AllowedTargets(app), (command) => {
    asked.push(command);
    return Promise.resolve(says);
  });
  agents = new Agents({
    consent,
    ...{ app, folder: '/vault', host: () => Promise.resolve(host), device },
    ...{ ids: { unique: () => 'x' }, onReady: () => undefined },
    notify: (text) => void told.push(text),
  });
});

async function start(entry: AgentEntry): Promise<void> {
  await agents.launcher(entry).start();
}

describe('the agents of this device', () => {
  test('[START16] none is started unless this device allows it; turning that off ends them', async () => {
    agents.save(CODEX);
    await start(CODEX);
    expect([started, agents.launcher(CODEX).state.kind]).toEqual([[], 'off']);
    agents.allow(true);
    await start(CODEX);
    expect(started).toMatchObject([
      { path: '/usr/bin/agent-boards', folder: '/vault', agent: { command: '/bin/codex' } },
    ]);
    expect(agents.launcher(CODEX).state.kind).toBe('running');
    agents.allow(false);
    expect([killed, agents.launcher(CODEX).state.kind]).toEqual([1, 'off']);
  });

  test('[START16] one that died says why, and only the person starts it again', async () => {
    agents.save(CODEX);
    agents.allow(true);
    await start(CODEX);
    started[0]?.onExit('Codex ended (exit code 1).');
    const { state } = agents.launcher(CODEX);
    expect(state).toEqual({ kind: 'failed', message: 'Codex ended (exit code 1).' });
    expect(started).toHaveLength(1);
    expect(told.at(-1)).toBe('Codex ended (exit code 1).');
    found = undefined;
    await start(CODEX);
    const after = agents.launcher(CODEX).state;
    expect(after.kind === 'failed' && after.message).toContain('npm run build && npm link');
  });

  test('[START17] they are kept outside the vault, their passwords with the secrets, and what does not fit is none', async () => {
    agents.save(CODEX);
    agents.save(SERVER, 'canary');
    expect(device.current.agents).toEqual([CODEX, SERVER]);
    expect(JSON.stringify([...kept])).not.toContain('canary');
    expect(agentSecrets(app, device)).toEqual(['canary']);
    agents.allow(true);
    await start(SERVER);
    expect(started[0]?.agent).toEqual({ ...SERVER, password: 'canary' });
    device.change({ agents: [{ ...CODEX, kind: 'other' } as unknown as AgentEntry] });
    expect(device.current.agents).toEqual([]);
  });

  test('[START21] a program that was found is asked about once, with all of the command', async () => {
    agents.save({ ...CODEX, args: ['--x', 'a b'] });
    agents.allow(true);
    await start(CODEX);
    agents.launcher(CODEX).stop();
    await start(CODEX);
    const serve = 'serve --vault /vault --engine acp --name Codex -- /bin/codex --x "a b"';
    expect(asked).toEqual([`/usr/bin/agent-boards ${serve}`]);
    agents.launcher(CODEX).stop();
    found = '/home/me/bin/agent-boards';
    await start(CODEX);
    expect(asked[1]).toBe(`/home/me/bin/agent-boards ${serve}`);
    expect(started).toHaveLength(3);
  });

  test('[START21] a command or an address that another program changed is not started unless the person allows it', async () => {
    agents.save(CODEX);
    agents.save(SERVER, 'canary');
    agents.allow(true);
    await start(CODEX);
    agents.launcher(CODEX).stop();
    device.change({
      agents: [
        { ...CODEX, args: ['--evil'] },
        { ...SERVER, url: 'http://evil:1', directory: '/there' },
        { ...CODEX, id: 'new' },
      ],
    });
    says = false;
    for (const entry of [CODEX, SERVER, { id: 'new' }]) {
      await agents.launcher(entry).start();
      const { state } = agents.launcher(entry);
      expect(state.kind === 'failed' && state.message).toContain('you have not allowed');
    }
    expect(asked[1]).toContain('-- /bin/codex --evil');
    expect(asked[2]).toContain('--url http://evil:1 --directory /there');
    expect([asked.length, started.length]).toEqual([4, 1]);
    says = true;
    await start(CODEX);
    expect(started[1]?.agent).toMatchObject({ args: ['--evil'] });
    // A change that the person makes is not asked about.
    agents.save({ ...CODEX, args: ['--mine'] });
    await start(CODEX);
    expect([asked.length, started.length]).toEqual([5, 3]);
  });

  test('[START17] one that is changed or removed is stopped; removing can be undone', async () => {
    agents.save(SERVER, 'canary');
    agents.allow(true);
    await start(SERVER);
    const undo = agents.remove(SERVER);
    expect([killed, agents.all, agentSecrets(app, device)]).toEqual([1, [], []]);
    await start(SERVER);
    expect(started).toHaveLength(1);
    undo();
    expect([agents.all, agents.passwordOf(SERVER)]).toEqual([[SERVER], 'canary']);
    agents.save({ ...SERVER, name: 'Mine' });
    expect(agents.all).toEqual([{ ...SERVER, name: 'Mine' }]);
    expect(agents.passwordOf(SERVER)).toBe('canary');
  });

  test('[START17] arguments are parted by blanks, and stay together between quotes', () => {
    expect(parseArgs('  acp --name "My agent"  --x="a b" ')).toEqual([
      ...['acp', '--name', 'My agent', '--x=a b'],
    ]);
    for (const args of [['acp'], ['a b', 'c'], ['', 'x'], []]) {
      expect(parseArgs(commandText(args))).toEqual(args);
    }
  });
});
