import { describe, expect, test, vi } from 'vitest';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import type { CoreServices } from '../../src/obsidian/app/core-services';
import {
  boardFoldersIn,
  changeBoardFolders,
  defaultSettings,
  SHARED_SETTINGS_PATH,
} from '../../src/core/shared-settings';
import { VaultTarget } from '../../src/core/permission/vault-target';
import type { WatchedNotes } from '../../src/core/tool/note/vault-notes';
import {
  AuditMarks,
  confirmedRules,
  knownFolders,
} from '../../src/obsidian/adapter/device-storage';
import { ToolServices } from '../../src/obsidian/tool/tool-services';
import { ManagerFixture, seededIds } from '../board/manager-fixture';
import { accessRequest } from '../permission/policy-of';
import { MemoryStore } from '../store/memory-store';
import { ManualClock, flushPromises } from '../wire/manual-clock';
import { LocalStorage } from './local-storage';

/** The plugin's tools over a vault in memory, with a record of reads. */
function setUp(app = new LocalStorage(), root = '.opencode/todos') {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const seen: string[] = [];
  const around = { root };
  const notes: WatchedNotes = {
    list: (folder) => Promise.resolve(void seen.push(`list ${folder}`)),
    read: (path) => store.read(path),
    stat: (path) => store.stat(path),
    leadsTo: () => Promise.resolve(undefined),
    backlinks: () => Promise.resolve([]),
    onChange: () => () => undefined,
  };
  const connection = { send: () => true };
  const parts = {
    ...{ store, clock, ids: seededIds(), log: { note: () => undefined } },
    ...{ bus: new SessionEventBus(), connection },
    tools: {
      ...{ realPaths: undefined, confirmed: confirmedRules(app), notes },
      boardFolders: knownFolders(app),
      pause: () => Promise.resolve(),
      audit: {
        ...{ device: 'd1', marks: new AuditMarks(app), secrets: () => [] },
        open: () => Promise.reject(new Error(`${seen.push('audit')}`)),
      },
    },
  } as unknown as CoreServices;
  const manager = () => new ManagerFixture(store).manager;
  const boards = () => around.root;
  const services = new ToolServices(parts, '.config', boards, manager, () => defaultSettings());
  return { services, store, clock, seen, around };
}

const call = (tool: string, args: unknown) => ({ tool, args, sessionId: 's', agent: 'build' });

describe('the tools of the plugin', () => {
  test('[PLUGIN50] at the start only the rules are read; index and audit are opened when they are used', async () => {
    const { services, store, seen } = setUp();
    await services.start();
    await flushPromises();
    const folders = '.opencode/agent-task-boards/board-folders.json';
    expect(store.reads).toEqual([SHARED_SETTINGS_PATH, folders]);
    expect([store.writes, seen]).toEqual([[], []]);
    const { audit } = await services.host.run(call('obsidian.search_vault', { query: 'a' }));
    expect(seen).toEqual(['audit']);
    expect(audit.approved).toBe(false);
    services.close();
  });

  test('[PLUGIN44] boards are out of reach where they are now, and so is the folder of settings', async () => {
    const { services, around } = setUp();
    await services.start();
    const verdict = (path: string) =>
      services.policy.decide(accessRequest(path, { operation: 'read' })).verdict;
    expect(['Plans/s/a-tasks.md', '.config/app.json'].map(verdict)).toEqual(['allow', 'deny']);
    around.root = 'Plans';
    services.rootChanged();
    expect(['Plans/s/a-tasks.md', 'plans/x.md', 'Other/x.md'].map(verdict)).toEqual([
      ...['deny', 'deny', 'allow'],
    ]);
    services.close();
  });

  test('[PERM53] a folder of boards that the settings do not name any more is out of reach until it is released', async () => {
    const app = new LocalStorage();
    const { services, around } = setUp(app, 'Plans');
    await services.start();
    const reach = (on: ToolServices, paths: readonly string[]) =>
      paths.map((path) => on.policy.decide(accessRequest(path, { operation: 'read' })).verdict);
    around.root = 'Other';
    services.rootChanged();
    expect(reach(services, ['plans/s/a-tasks.md', 'Other/x.md', 'a.md'])).toEqual([
      ...['deny', 'deny', 'allow'],
    ]);
    expect(services.places().isBoard(new VaultTarget('Plans/s/a-tasks.md'))).toBe(false);
    expect(services.policy.decide(accessRequest('Plans/x.md')).why).toContain('held task boards');
    services.close();
    const { services: next, around: later } = setUp(app, 'Third');
    await next.start();
    expect(next.boardFolders.left).toEqual(['Other', 'Plans']);
    expect(reach(next, ['Plans/x.md', 'Other/x.md'])).toEqual(['deny', 'deny']);
    next.boardFolders.release(['Plans']);
    expect(reach(next, ['Plans/x.md', 'Other/x.md'])).toEqual(['allow', 'deny']);
    next.boardFolders.release(['Third']);
    later.root = '.opencode/todos';
    next.rootChanged();
    expect(reach(next, ['Plans/x.md', 'Third/x.md'])).toEqual(['allow', 'deny']);
    next.close();
  });

  test('[PERM53] the plugin and programs without Obsidian know of the same folders', async () => {
    const { services, store } = setUp(new LocalStorage(), 'Plans');
    await changeBoardFolders(store, () => ['Left', '.opencode/todos']);
    await services.start();
    expect(services.boardFolders.left).toEqual(['Left']);
    expect(await boardFoldersIn(store)).toEqual(['Plans', 'Left']);
    services.boardFolders.release(['Left']);
    await vi.waitFor(async () => expect(await boardFoldersIn(store)).toEqual(['Plans']));
    services.close();
  });

  test('[PERM53] a folder that is protected anyway is none to release', () => {
    const { services, around } = setUp();
    around.root = 'Plans';
    services.rootChanged();
    expect(services.boardFolders.left).toEqual([]);
    around.root = 'Plans/Boards';
    services.rootChanged();
    expect(services.boardFolders.left).toEqual(['Plans']);
    around.root = 'Plans';
    services.rootChanged();
    expect(services.boardFolders.left).toEqual([]);
  });

  test('[PLUGIN47] closed, it asks for nothing any more', async () => {
    const { services } = setUp();
    await services.start();
    const decision = { verdict: 'ask', rule: { kind: 'default' }, why: '' } as const;
    const end = services.asks.ask({
      ...{ requestId: 'r', sessionId: 's', agent: 'build', tool: 't', callId: 'c' },
      ...{ operation: 'update', path: 'a.md', args: {}, decision, change: undefined },
      ...{ always: undefined, replaces: undefined, askedAt: 0, expiresAt: undefined },
    });
    services.close();
    expect(await end).toEqual({ reply: 'cancelled' });
    expect(services.asks.all()).toEqual([]);
  });
});
