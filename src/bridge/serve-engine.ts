import { setImmediate } from 'node:timers/promises';
import { loadConfig, type LoadedConfig } from '../core/config/load-config';
import type { Engine } from '../core/engine/engine';
import type { ModelEngineServices } from '../core/engine/model-engine';
import { PathResolver } from '../core/permission/path-resolver';
import { Redactor } from '../core/permission/audit/redact';
import type { ErrorHandler } from '../core/error-handler';
import { stateFolder } from '../node/audit/audit-folder';
import { ProcessAudit } from '../node/audit/open-audit';
import { configFiles, personalFiles } from '../node/config-files';
import { DiskStore } from '../node/disk-store';
import { openScriptHooks } from '../node/hooks/script-hooks';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';
import { onProcessEnd } from '../node/processes';
import { realPaths } from '../node/real-paths';
import { CallRunner } from './call-runner';
import { DiskBoards } from './disk-boards';
import { HeadlessRunner } from './headless';
import { Clients } from './server/clients';
import { openBridge } from './server/open-bridge';
import { RemoteCalls } from './server/remote-calls';
import { newToken } from './server/socket-server';
import { LiveParts } from './server/token-buffer';
import { UsageLog, type TurnUsage } from './usage-log';

/** What the process provides to an engine. */
export interface EngineHost extends Pick<
  ModelEngineServices,
  'clock' | 'ids' | 'clients' | 'calls' | 'places' | 'config'
> {
  readonly boards: DiskBoards;
  /** absolute */
  readonly vault: string;
  readonly store: DiskStore;
  readonly log: ErrorHandler;
  readonly live: LiveParts;
  readonly pause: () => Promise<void>;
  /** aborted when the program must end, possibly while the engine starts */
  readonly stop: AbortSignal;
}

/** An engine that runs until it is closed. */
export interface ServedEngine extends Engine {
  /** Ends its turns as interrupted. Resolves when everything is stored. */
  close(): Promise<void>;
}

export interface EngineSource {
  readonly kind: TurnUsage['engine'];
  /** secrets that must never be written anywhere: a key, a password */
  readonly secrets: readonly string[];
  open(host: EngineHost): ServedEngine | Promise<ServedEngine>;
}

interface ServeOptions extends EngineSource {
  /** absolute */
  readonly vault: string;
  readonly log: ErrorHandler;
  readonly ready: () => void;
  readonly stop: AbortSignal;
}

/** ms during which files of agents, skills and instructions are not read again */
const MIN_RELOAD_INTERVAL = 1_000;

/** Runs sessions on an engine for the clients of a vault, until `stop` is aborted. */
export async function serveEngine(options: ServeOptions): Promise<void> {
  const { vault, kind, secrets, log, ready, stop } = options;
  const store = new DiskStore(vault);
  const boards = new DiskBoards({ store, clock, ids, log });
  await boards.finishMoves();
  const live = new LiveParts();
  const clients = new Clients(log, clock, live);
  const calls = new RemoteCalls(clock);
  const token = newToken();
  const redactor = new Redactor(() => [token, ...secrets]);
  const months = async () => (await boards.settings()).auditMonths;
  const audit = new ProcessAudit({ vault, kind: 'bridge', clock, redactor, months, log });
  const undoEnd = onProcessEnd(() => audit.close());
  const hooks = openScriptHooks({ vault, log, settings: () => boards.settings() });
  const headless = new HeadlessRunner({ vault, store, boards, audit, clock, ids, log });
  const sessions = { get: (id: string) => engine.sessionInfo(id) };
  const usage = new UsageLog({ state: stateFolder(vault), sessions, clock, log }, kind);
  const engine: ServedEngine = await options.open({
    ...{ vault, store, clock, ids, log, boards, live, stop },
    pause: () => setImmediate(),
    clients: {
      publish: (draft) => {
        usage.record(draft);
        clients.publish(draft);
      },
      publishCreated: (draft) => clients.publishCreated(draft),
    },
    calls: new CallRunner({ calls, clients, headless, hooks }),
    places: new PathResolver(realPaths(vault)),
    config: configOf(vault),
  });
  const closeBridge = await openBridge({
    ...{ vault, token, clock, ids, log, engine, clients, calls },
  });
  ready();
  // Neither the server nor the timers keep the process alive, so this does.
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  await aborted(stop);
  clearInterval(keepAlive);
  await engine.close();
  await usage.settled();
  closeBridge();
  clients.close();
  undoEnd();
  audit.close();
}

/** Returns a function that loads a vault's configuration, at most once per `MIN_RELOAD_INTERVAL`. */
function configOf(vault: string): () => Promise<LoadedConfig> {
  let read: { readonly at: number; readonly loaded: Promise<LoadedConfig> } | undefined;
  return () => {
    const now = clock.now();
    if (read === undefined || now - read.at > MIN_RELOAD_INTERVAL) {
      const loaded = personalFiles().then((own) => loadConfig(configFiles(vault), own));
      read = { at: now, loaded };
    }
    return read.loaded;
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}
