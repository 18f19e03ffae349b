import { ModelEngine, type ModelEngineServices } from '../core/engine/model-engine';
import type { LinkedBridge } from '../core/session/linked-bridge';
import type { AnsweredCall } from '../core/tool/tool';
import { CallRunner } from './call-runner';
import { Clients } from './server/clients';
import { openLinkedBridge } from './server/linked-pair';
import { RemoteCalls } from './server/remote-calls';
import { LiveParts } from './server/token-hold';

type ModelBridgeServices = Omit<ModelEngineServices, 'clients' | 'calls'>;

/** Sessions on a model of a provider, in the process of their only client. */
export function openModelBridge(services: ModelBridgeServices): LinkedBridge {
  const { clock, ids, log } = services;
  const clients = new Clients(log, clock, new LiveParts());
  const remote = new RemoteCalls(clock);
  const calls = new CallRunner({ calls: remote, clients, headless: NOT_CONNECTED });
  const engine = new ModelEngine({ ...services, clients, calls });
  const bridge = openLinkedBridge({ engine, calls: remote, clients, clock, ids, log });
  return {
    ...bridge,
    close: async () => {
      await engine.close();
      await bridge.close();
    },
  };
}

/** Its client alone runs calls. */
const NOT_CONNECTED = { run: notConnected, refuse: notConnected, cancel: () => undefined };

function notConnected(): Promise<AnsweredCall> {
  const message = 'Nothing was done: the person disconnected. Say so, and stop.';
  const audit = { approved: false, dryRun: false, ms: 0 };
  return Promise.resolve({ ok: false, error: { code: 'not_connected', message }, audit });
}
