import { beforeEach, describe, expect, test } from 'vitest';
import type { ProgramHost, StartFault, StartRequest } from '../../src/core/session/program-host';
import { DeviceStore } from '../../src/obsidian/adapter/device-storage';
import type { Launcher } from '../../src/obsidian/program/launcher';
import { openCodeLauncher } from '../../src/obsidian/program/opencode';

type Ready = { readonly ok: true; readonly url: string } | StartFault;

const NO_MODEL = {
  ...{ provider: '', providerUrl: '', model: '' },
  ...{ mayStartAgents: false, agentBoardsPath: '', agents: [] },
};
let requests: StartRequest[];
let answer: (ready: Ready) => void;
let told: string[];
let tryAgain: (() => void) | undefined;
let found: string | undefined;
let allows: boolean;
let asked: readonly unknown[];
let device: { mayStart: boolean; openCodePath: string };
let services: Launcher;

beforeEach(() => {
  [requests, told, tryAgain, found] = [[], [], undefined, '/usr/bin/opencode'];
  device = { mayStart: true, openCodePath: '' };
  [allows, asked] = [true, []];
  const host: ProgramHost = {
    find: () => Promise.resolve(found),
    agent: () => {
      throw new Error('OpenCode is no agent of the list');
    },
    openCode: (request) => {
      requests.push(request);
      const ready = new Promise<Ready>((resolve) => (answer = resolve));
      return { ready, kill: () => void told.push('killed') };
    },
  };
  services = openCodeLauncher({
    folder: '/vault',
    host: () => Promise.resolve(host),
    consent: {
      allows: (...question) => {
        asked = question;
        return Promise.resolve(allows);
      },
    },
    device: {
      get current() {
        return { ...NO_MODEL, ...device };
      },
    },
    notify: (text, button) => {
      told.push(text);
      tryAgain = button?.onClick;
    },
    onReady: () => void told.push('connect'),
  });
});

async function begun(): Promise<void> {
  void services.start();
  await expect.poll(() => requests.length).toBeGreaterThan(0);
}

async function running(): Promise<void> {
  await begun();
  answer({ ok: true, url: 'http://127.0.0.1:4096' });
  await expect.poll(() => services.state.kind).toBe('running');
}

describe('OpenCode that is started from Obsidian', () => {
  test('[START10] is not started unless this device allows it, and once at a time', async () => {
    device = { ...device, mayStart: false };
    await services.start();
    expect([services.state.kind, requests]).toEqual(['off', []]);
    device = { ...device, mayStart: true };
    await begun();
    await services.start();
    expect(requests).toMatchObject([{ path: '/usr/bin/opencode', folder: '/vault' }]);
  });

  test('[START10] a start that was stopped and begun anew is one: nothing runs on unseen', async () => {
    void services.start();
    services.stop();
    void services.start();
    await expect.poll(() => requests.length).toBeGreaterThan(0);
    answer({ ok: true, url: 'http://127.0.0.1:4096' });
    await expect.poll(() => services.state.kind).toBe('running');
    expect(requests).toHaveLength(1);
  });

  test('[START10] the path of the settings wins; where none is found, the person is told what to do', async () => {
    device = { mayStart: true, openCodePath: '/own/opencode' };
    await begun();
    expect(requests[0]?.path).toBe('/own/opencode');
    services.stop();
    device = { mayStart: true, openCodePath: '' };
    found = undefined;
    await services.start();
    expect(told.at(-1)).toBe(
      'OpenCode was not found. Enter the path of its program in the settings.',
    );
  });

  test('[START21] one that the person does not allow is not started, and says why', async () => {
    allows = false;
    await services.start();
    expect(asked).toEqual([{ opencode: '/usr/bin/opencode' }, ['/usr/bin/opencode', 'serve']]);
    expect([services.state.kind, requests]).toEqual(['failed', []]);
    expect(told.at(-1)).toContain('you have not allowed this program');
  });

  test('[START11] runs, connects, and stops at a word or with the plugin', async () => {
    await running();
    expect(told).toEqual([
      'OpenCode is running in this vault. It stops when Obsidian closes.',
      'connect',
    ]);
    services.stop();
    requests[0]?.onExit('OpenCode ended (SIGTERM).');
    expect([services.state.kind, told.at(-1)]).toEqual(['off', 'killed']);
    await running();
    services.close();
    expect(told.at(-1)).toBe('killed');
  });

  test('[START11] stopped before it is ready it never runs', async () => {
    await begun();
    services.stop();
    answer({ ok: true, url: 'http://127.0.0.1:1' });
    await Promise.resolve();
    await Promise.resolve();
    expect([services.state.kind, told]).toEqual(['off', ['killed']]);
  });

  test('[START12] a crash is told with its last error, if there is one, and a way to try again; nothing tries by itself', async () => {
    await running();
    for (let line = 1; line <= 250; line += 1) requests[0]?.onLine(`line ${line}`);
    expect(services.log).toHaveLength(200);
    expect([services.log[0], services.log.at(-1)]).toEqual(['line 51', 'line 250']);
    requests[0]?.onExit('OpenCode ended (exit code 1).', 'no such model');
    expect(services.state).toEqual({ kind: 'failed', message: 'OpenCode ended (exit code 1).' });
    expect(told.at(-1)).toBe('OpenCode ended (exit code 1). Its last error: no such model');
    expect(requests).toHaveLength(1);
    tryAgain?.();
    await expect.poll(() => requests.length).toBe(2);
    requests[1]?.onLine('starting…');
    answer({ ok: false, code: 'not_started', message: 'No.' });
    await expect.poll(() => services.state).toEqual({ kind: 'failed', message: 'No.' });
    expect(services.log).toEqual(['starting…']);
    expect(told.at(-1)).toBe('No.');
  });

  test('[START13] its path and its switch are kept outside the vault, and what does not fit is the default', () => {
    const kept = new Map<string, unknown>();
    const store = new DeviceStore({
      loadLocalStorage: (key) => kept.get(key) ?? null,
      saveLocalStorage: (key, value: unknown) => void kept.set(key, value),
    });
    expect(store.current).toEqual({ ...NO_MODEL, mayStart: false, openCodePath: '' });
    store.change({ openCodePath: '/own/opencode' });
    store.change({ mayStart: true });
    expect(store.current).toEqual({ ...NO_MODEL, mayStart: true, openCodePath: '/own/opencode' });
    kept.set([...kept.keys()][0] ?? '', { mayStart: 'yes', openCodePath: 7 });
    expect(store.current).toEqual({ ...NO_MODEL, mayStart: false, openCodePath: '' });
  });
});
