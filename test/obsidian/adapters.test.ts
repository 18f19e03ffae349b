import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Plugin } from 'obsidian';
import { describe, expect, test, vi } from 'vitest';
import { mayBeAlive } from '../../src/node/may-be-alive';
import { thisProcess } from '../../src/node/lock';
import { Discovery } from '../../src/core/session/discovery';
import {
  SCAN_INTERVAL_VISIBLE,
  SCAN_INTERVAL_HIDDEN,
  DiskPoller,
  followWindows,
} from '../../src/obsidian/adapter/disk-poller';
import { BridgeInstaller, BRIDGE_PATH } from '../../src/core/bridge-file';
import { saveSharedSettings } from '../../src/obsidian/board/board-root';
import {
  loopbackAddress,
  readOwnSettings,
  SettingsStore,
} from '../../src/obsidian/settings/settings-store';
import { MemoryStore } from '../store/memory-store';
import { ManualClock, flushPromises } from '../wire/manual-clock';

const TOKEN = 'abcdefghijklmnopqrstuvwxyz012345';

function runFile(pid: number, startedAt: number, port: number): string {
  const common = { host: 'here', directory: '/v', protocol: 1, bridge: '0.1.0', opencode: '1' };
  return JSON.stringify({ ...common, port, token: TOKEN, pid, folder: `f${pid}`, startedAt });
}

describe('Discovery', () => {
  const none = { address: '', token: '' };

  test('[PLUGIN3] finds all bridges, the newest first, and leaves out what is no run file', async () => {
    const store = new MemoryStore();
    await store.update('.opencode/run/11.json', () => runFile(11, 100, 4001));
    await store.update('.opencode/run/22.json', () => runFile(22, 200, 4002));
    await store.update('.opencode/run/33.json', () => '{"port": 4003');
    await store.update('.opencode/run/.gitignore', () => '*');
    expect(await new Discovery(store, () => none).all()).toEqual([
      {
        ...{ url: 'ws://127.0.0.1:4002/', token: TOKEN, folder: 'f22' },
        ...{ protocol: 1, startedAt: 200 },
      },
      {
        ...{ url: 'ws://127.0.0.1:4001/', token: TOKEN, folder: 'f11' },
        ...{ protocol: 1, startedAt: 100 },
      },
    ]);
  });

  test('[PLUGIN3] leaves out a bridge whose process is known to be dead', async () => {
    const store = new MemoryStore();
    await store.update('.opencode/run/11.json', () => runFile(11, 100, 4001));
    await store.update('.opencode/run/22.json', () => runFile(22, 200, 4002));
    const discovery = new Discovery(
      store,
      () => none,
      async ({ host, pid }) => host !== 'here' || pid !== 22,
    );
    expect((await discovery.all()).map(({ folder }) => folder)).toEqual(['f11']);
  });

  test('[PLUGIN3] a dead process is known as such on its own machine only', async () => {
    const { host } = await thisProcess();
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(child, 'exit');
    const pid = child.pid ?? 0;
    expect([await mayBeAlive({ host, pid }), await mayBeAlive({ host: 'another', pid })]).toEqual([
      false,
      true,
    ]);
    expect(await mayBeAlive({ host, pid: process.pid })).toBe(true);
  });

  test('[PLUGIN3] an address by hand wins and claims no folder', async () => {
    const store = new MemoryStore();
    await store.update('.opencode/run/11.json', () => runFile(11, 100, 4001));
    const discovery = new Discovery(store, () => ({ address: 'ws://127.0.0.1:9/', token: 't' }));
    expect(await discovery.all()).toEqual([{ url: 'ws://127.0.0.1:9/', token: 't' }]);
  });

  test('[PLUGIN3] no run file, no bridge', async () => {
    expect(await new Discovery(new MemoryStore(), () => none).all()).toEqual([]);
  });
});

describe('Watch', () => {
  function watched(state: { view: boolean; window: boolean }) {
    const clock = new ManualClock();
    let scans = 0;
    const faults: unknown[] = [];
    let fault: Error | undefined;
    const watch = new DiskPoller({
      clock,
      scan: () => {
        scans += 1;
        return fault === undefined ? Promise.resolve() : Promise.reject(fault);
      },
      viewVisible: () => state.view,
      windowVisible: () => state.window,
      onFault: (error) => faults.push(error),
    });
    return {
      clock,
      watch,
      faults,
      count: () => scans,
      failWith: (error: Error | undefined) => (fault = error),
    };
  }

  test('[PLUGIN4] looks every 2 s while a view is visible, every 30 s while none is', async () => {
    const state = { view: true, window: true };
    const { clock, watch, count } = watched(state);
    watch.start();
    await clock.advance(200);
    expect(count()).toBe(1);
    await clock.advance(3 * SCAN_INTERVAL_VISIBLE);
    expect(count()).toBe(4);
    state.view = false;
    await clock.advance(SCAN_INTERVAL_VISIBLE);
    expect(count()).toBe(5);
    await clock.advance(SCAN_INTERVAL_HIDDEN - 100);
    expect(count()).toBe(5);
    await clock.advance(200);
    expect(count()).toBe(6);
    watch.close();
    expect(clock.timers).toBe(0);
  });

  test('[PLUGIN4] never looks while the window is hidden, and at once on focus', async () => {
    const state = { view: true, window: false };
    const { clock, watch, count } = watched(state);
    watch.start();
    await clock.advance(10 * SCAN_INTERVAL_HIDDEN);
    expect(count()).toBe(0);
    state.window = true;
    watch.focus();
    await clock.advance(0);
    expect(count()).toBe(1);
    watch.close();
  });

  test('[PLUGIN4] many hints make one look; a look that fails is told and does not end the watch', async () => {
    const { clock, watch, count, faults, failWith } = watched({ view: false, window: true });
    failWith(new Error('disk'));
    for (let hints = 0; hints < 50; hints += 1) watch.hint();
    await clock.advance(500);
    expect(count()).toBe(1);
    expect(faults).toHaveLength(1);
    failWith(undefined);
    watch.hint();
    await clock.advance(500);
    expect(count()).toBe(2);
    watch.close();
  });
});

test('[PLUGIN125] the windows of the app are followed: those that are open, and later ones', () => {
  const [main, popout, later] = ['main', 'popout', 'later'].map((name) => ({ name }));
  vi.stubGlobal('window', main);
  let opened: ((split: unknown, win: unknown) => void) | undefined;
  const workspace = {
    iterateAllLeaves: (each: (leaf: unknown) => void) => {
      for (const win of [main, popout, main]) each({ view: { containerEl: { win } } });
    },
    on: (event: string, listener: typeof opened) =>
      (opened = event === 'window-open' ? listener : opened),
  };
  const followed: unknown[] = [];
  const plugin = { app: { workspace }, registerEvent: () => undefined } as unknown as Plugin;
  followWindows(plugin, (win) => void followed.push(win));
  opened?.({}, later);
  vi.unstubAllGlobals();
  expect(followed).toEqual([main, popout, later]);
});

describe('settings', () => {
  const defaults = {
    ...{ connectAutomatically: true, address: '', defaultAgent: '' },
    ...{ keepDays: 7, foldDays: 7, conversationFolder: 'Conversations' },
    ...{ enterSends: true, remoteImages: false, autoContinue: false, continueAfter: 10 },
    compactAhead: false,
    ...{ notices: true, systemNotices: false },
  };

  test('[PLUGIN5] what does not fit in the data file takes its default; the rest stays', () => {
    expect(readOwnSettings(null)).toEqual(defaults);
    expect(readOwnSettings([1])).toEqual(defaults);
    expect(readOwnSettings({ connectAutomatically: 'yes', defaultAgent: 'plan' })).toEqual({
      ...defaults,
      defaultAgent: 'plan',
    });
    const odd = { keepDays: -1, foldDays: 2.5, continueAfter: 0, autoContinue: 'on' };
    expect(readOwnSettings({ ...odd, notices: false })).toEqual({ ...defaults, notices: false });
  });

  test('[PLUGIN5] the data file holds the settings and never a token', async () => {
    const saved: unknown[] = [];
    const store = await SettingsStore.load({
      loadData: () => Promise.resolve({ token: 'canary', defaultAgent: 'plan' }),
      saveData: (data) => Promise.resolve(void saved.push(data)),
    });
    await store.change({ address: 'ws://127.0.0.1:1/' });
    expect(saved).toEqual([{ ...defaults, address: 'ws://127.0.0.1:1/', defaultAgent: 'plan' }]);
  });

  test.each([
    ['', ''],
    ['127.0.0.1:4000', 'ws://127.0.0.1:4000/'],
    ['ws://localhost:4000/', 'ws://localhost:4000/'],
    ['ws://[::1]:4000', 'ws://[::1]:4000/'],
    ['ws://127.0.0.1', undefined],
    ['wss://127.0.0.1:4000', undefined],
    ['ws://evil.example:4000', undefined],
    ['ws://127.0.0.1.evil.example:4000', undefined],
    ['ws://u:p@127.0.0.1:4000', undefined],
    ['ws://127.0.0.1:4000/?token=x', undefined],
    ['file:///etc/passwd', undefined],
    ['not an address at all', undefined],
  ])('[PLUGIN6] the address %j reads as %j: this machine only', (given, read) => {
    expect(loopbackAddress(given)).toBe(read);
  });

  test('[PLUGIN7] the board root goes into the shared file, and nothing else in it changes', async () => {
    const store = new MemoryStore();
    const path = '.opencode/agent-task-boards.json';
    await store.update(path, () => '{"defaultSession": "refuse", "later": {"x": 1}}');
    expect(await saveSharedSettings(store, { root: 'Boards' })).toBeUndefined();
    expect(JSON.parse((await store.read(path)) ?? '')).toEqual({
      root: 'Boards',
      defaultSession: 'refuse',
      later: { x: 1 },
    });
    expect(await saveSharedSettings(store, { root: '' })).toBeUndefined();
    expect(JSON.parse((await store.read(path)) ?? '')).not.toHaveProperty('root');
  });

  test('[PLUGIN7] a shared file that is no JSON is left as it is', async () => {
    const store = new MemoryStore();
    const path = '.opencode/agent-task-boards.json';
    await store.update(path, () => '{ oops');
    expect(await saveSharedSettings(store, { root: 'Boards' })).toEqual(expect.any(String));
    expect(await store.read(path)).toBe('{ oops');
  });
});

describe('BridgeInstaller', () => {
  test('[PLUGIN8] tells missing, older and current; installing makes it current', async () => {
    const store = new MemoryStore();
    const installer = new BridgeInstaller(store, () => Promise.resolve('new text'));
    expect(await installer.state()).toBe('missing');
    await store.update(BRIDGE_PATH, () => 'old text');
    expect(await installer.state()).toBe('older');
    const told: string[] = [];
    expect(await installer.install(([sentence]) => told.push(sentence))).toBe(true);
    expect(told).toEqual(['The bridge is updated. Restart OpenCode in this vault to load it.']);
    expect(await installer.state()).toBe('current');
    expect(await store.read('.opencode/plugin/agent-task-boards.js')).toBe('new text');
    await flushPromises();
  });

  test('[INSTALL4] a newer bridge is not replaced by an older one; the notice says what to do', async () => {
    const store = new MemoryStore();
    const bridge = (version: string) => `// agent-task-boards ${version}\ncode\n`;
    const told: string[] = [];
    const install = (version: string) =>
      new BridgeInstaller(store, () => Promise.resolve(bridge(version))).install(([text]) =>
        told.push(text),
      );
    await store.update(BRIDGE_PATH, () => bridge('0.10.0'));
    expect(await install('0.9.9')).toBe(false);
    expect(told).toEqual([
      'The bridge was not installed. The vault has version 0.10.0, which is newer than 0.9.9, the one of this program. Update the program, or remove .opencode/plugin/agent-task-boards.js and install again.',
    ]);
    expect(await store.read(BRIDGE_PATH)).toBe(bridge('0.10.0'));
    expect(await install('0.10.1')).toBe(true);
    expect(await store.read(BRIDGE_PATH)).toBe(bridge('0.10.1'));
    await store.update(BRIDGE_PATH, () => '// agent-task-boards bridge 0.10.2\nof its own\n');
    expect(await install('0.10.1')).toBe(false);
  });
});
