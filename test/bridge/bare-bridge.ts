import type { Engine, FromDraft } from '../../src/core/engine/engine';
import { acceptClients } from '../../src/bridge/server/client-session';
import { Clients } from '../../src/bridge/server/clients';
import { openListener } from '../../src/bridge/server/listener';
import { RemoteCalls } from '../../src/bridge/server/remote-calls';
import { newToken } from '../../src/bridge/server/socket-server';
import { LiveParts } from '../../src/bridge/server/token-buffer';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';
import type { ToBridgeOf } from '../../src/protocol/to-bridge';
import type { FaultLog } from '../../src/bridge/server/serve';
import { WireError } from '../../src/protocol/wire-error';

type ToolResult = ToBridgeOf<'tool.result'>['payload'];

export interface BareBridge {
  /** Sends it to the clients that follow the session. */
  publish(draft: FromDraft): void;
  /** Calls a tool of its session's agent in the client that runs it. Waits without a time limit. */
  call(tool: string, args: object): Promise<ToolResult>;
  close(): void;
}

interface BareBridgeOptions {
  /** agent of its only session, `mcp-1` */
  readonly agent?: string;
  readonly status?: 'idle' | 'busy';
  /** origin of a page that may connect besides Obsidian */
  readonly origin?: string;
  /** features beyond the minimum */
  readonly able?: Partial<Engine>;
  readonly log?: FaultLog;
}

/** The minimal engine: it has one session and does nothing. */
export function bareEngine(
  vault: string,
  { agent = 'claude-code', status = 'idle', able }: BareBridgeOptions = {},
): Engine {
  const session = { title: 'From outside', agent };
  const known: Engine['sessionInfo'] = async (id) => {
    if (id === 'mcp-1') return session;
    throw new WireError('unknown_session', 'There is no such session.');
  };
  const created = (sessionId: string) =>
    ({ type: 'session.created', sessionId, payload: { ...session, directory: vault } }) as const;
  const state = { ...session, status, permissions: [], questions: [], todos: [], messages: [] };
  return {
    self: { bridge: '0.1.0', engine: { name: 'mcp', version: '0.1.0' }, directory: vault },
    sessions: async () => [{ id: 'mcp-1', ...session, status }],
    sessionInfo: known,
    currentEvents: (sessionId) => [
      { type: 'progress.update', sessionId, payload: { kind: status } },
    ],
    history: async ({ sessionId }) => known(sessionId).then(() => [state]),
    snapshot: async () => () => [state],
    getStatus: async (id) => known(id).then(() => ({ created: created(id), status: { status } })),
    ...able,
  };
}

/** Opens a bridge with a minimal engine on a vault. */
export async function openBareBridge(
  vault: string,
  { origin, log = { note: () => undefined }, ...options }: BareBridgeOptions = {},
): Promise<BareBridge> {
  const engine = bareEngine(vault, options);
  const clients = new Clients(log, clock, new LiveParts());
  const calls = new RemoteCalls({ ...clock, after: () => () => undefined });
  const close = await openListener({
    ...{ vault, directory: vault, engine: engine.self.engine, token: newToken(), clock, log },
    extraOrigin: origin,
    accept: acceptClients({ calls, clients, clock, engine, ids, log }),
  });
  return {
    publish: (draft) => clients.publish(draft),
    call: async (tool, args) => {
      const client = clients.runner('mcp-1');
      if (client === undefined) throw new Error('No client runs calls.');
      const [callId, abort] = [ids.unique(), new AbortController().signal];
      const agent = options.agent ?? 'claude-code';
      const session = { agent, messageId: callId, originSessionId: 'mcp-1' };
      const outcome = await calls.call(client, { callId, tool, args, ...session }, abort);
      if (outcome.kind === 'result') return outcome.result;
      throw new Error(`The call was ${outcome.kind}.`);
    },
    close: () => {
      close();
      clients.close();
    },
  };
}
