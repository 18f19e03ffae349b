import { openModelBridge } from '../../src/bridge/model-bridge';
import { loadConfig } from '../../src/core/config/load-config';
import { Hooks } from '../../src/core/hook/hooks';
import { createProviderClient } from '../../src/core/model/provider-client';
import { PathResolver } from '../../src/core/permission/path-resolver';
import type { NoteStore } from '../../src/core/ports';
import { BridgeRuntime } from '../../src/core/session/bridge-runtime';
import { Bridges } from '../../src/core/session/bridges';
import { InProcessBridgeSlot } from '../../src/core/session/in-process-bridge';
import type { SessionEvent } from '../../src/core/session/session-event-bus';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import { defaultSettings } from '../../src/core/shared-settings';
import { nodeHttp } from '../../src/node/http-client';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';
import { memoryFolder } from '../config/memory-folder';

const log = { note: () => undefined };

/** The plugin's sessions on a model, built from its own parts without views and boards. */
export async function pluginOnModel(url: string, store: NoteStore, model = 'script') {
  const client = createProviderClient({ provider: 'own', url }, { http: nodeHttp(), clock, ids });
  const summary = (): Promise<undefined> => Promise.resolve(undefined);
  const linked = new InProcessBridgeSlot();
  await linked.replace(async () =>
    openModelBridge({
      self: { bridge: '1', engine: { name: 'model', version: '1' }, directory: '/v' },
      provider: () => ({ id: 'own', name: 'Own', client, model }),
      ...{ store, clock, ids, log, places: new PathResolver(), device: 'here' },
      boards: {
        manager: () => Promise.resolve({ summary, boundFault: () => Promise.resolve(undefined) }),
        settings: () => Promise.resolve(defaultSettings()),
      },
      config: () => loadConfig(memoryFolder({}), undefined),
    }),
  );
  const bus = new SessionEventBus();
  const bridges = new Bridges({
    ...{ clock, ids, log, bus },
    open: linked.wrapOpen(() => {
      throw new Error('There is no other bridge.');
    }),
    discover: () => Promise.resolve(linked.endpoints),
    hello: () => ({ client: 'test', version: '1', vault: 'v', capabilities: ['permissions'] }),
  });
  const sessions = new Sessions(bus, bridges);
  const hooks = new Hooks({ clock, log });
  const connected = new Promise<void>((resolve) => {
    const undo = bridges.onState(() => {
      if (bridges.all[0]?.state.kind !== 'connected') return;
      undo();
      resolve();
    });
  });
  bridges.connect();
  await connected;
  return {
    ...{ bus, sessions, hooks, runtime: new BridgeRuntime(bridges, ids, hooks) },
    /** Waits for the session's next event of this type. */
    next: (sessionId: string, type: SessionEvent['type']) =>
      new Promise<void>((resolve) => {
        const undo = bus.onAll((event) => {
          if (event.sessionId !== sessionId || event.type !== type) return;
          undo();
          resolve();
        });
      }),
    close: async (): Promise<void> => {
      bridges.close();
      await linked.close();
    },
  };
}
