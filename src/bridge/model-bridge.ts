import { STATE_ROOT } from '../core/board/todo-manager';
import { ModelEngine, type ModelEngineServices } from '../core/engine/model-engine';
import { noteAuditStore } from '../core/permission/audit/audit-store';
import type { InProcessBridge } from '../core/session/in-process-bridge';
import type { AnsweredCall } from '../core/tool/tool';
import { CallRunner } from './call-runner';
import { Clients } from './server/clients';
import { openLinkedBridge } from './server/linked-pair';
import { RemoteCalls } from './server/remote-calls';
import { LiveParts } from './server/token-buffer';
import { UsageLog } from './usage-log';

interface ModelBridgeServices extends Omit<ModelEngineServices, 'clients' | 'calls'> {
  /** unique name of this device among those that share the vault */
  readonly device: string;
}

/** Opens a bridge for sessions on a provider's model, with its only client in the same process. */
export function openModelBridge(services: ModelBridgeServices): InProcessBridge {
  const { clock, ids, log } = services;
  const clients = new Clients(log, clock, new LiveParts());
  const remote = new RemoteCalls(clock);
  const calls = new CallRunner({ calls: remote, clients, headless: NOT_CONNECTED });
  const usage = new UsageLog(
    {
      ...{ clock, log, writer: services.device },
      state: noteAuditStore(services.store, STATE_ROOT),
      sessions: { get: (id) => engine.sessionInfo(id) },
    },
    'model',
  );
  const clientsWithUsage: ModelEngineServices['clients'] = {
    publish: (draft) => {
      usage.record(draft);
      clients.publish(draft);
    },
    publishCreated: (draft) => clients.publishCreated(draft),
  };
  const engine = new ModelEngine({ ...services, clients: clientsWithUsage, calls });
  const bridge = openLinkedBridge({ engine, calls: remote, clients, clock, ids, log });
  return {
    ...bridge,
    close: async () => {
      await engine.close();
      await usage.settled();
      await bridge.close();
    },
  };
}

/** For when the client has disconnected, since only the client can run calls. */
const NOT_CONNECTED = { run: notConnected, refuse: notConnected, cancel: () => undefined };

function notConnected(): Promise<AnsweredCall> {
  const message = 'Nothing was done: the person disconnected. Say so, and stop.';
  const audit = { approved: false, dryRun: false, ms: 0 };
  return Promise.resolve({ ok: false, error: { code: 'not_connected', message }, audit });
}
