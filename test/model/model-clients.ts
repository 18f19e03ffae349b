import { afterEach } from 'vitest';
import {
  ModelError,
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
  type ModelRetry,
} from '../../src/core/model/model-client';
import type { ProviderId } from '../../src/core/model/provider';
import { createProviderClient } from '../../src/core/model/provider-client';
import type { Clock, Undo } from '../../src/core/ports';
import { nodeHttp } from '../../src/node/http-client';
import { startModelServer, type ModelServer } from './model-server';

export const KEY = 'sk-canary-0123456789abcdef';

export const REQUEST: ModelRequest = {
  ...{ model: 'm', system: 'You plan.', tools: [] },
  messages: [{ role: 'user', text: 'Hi' }],
};

/** Waits between attempts end at once and are recorded; no answer times out. */
export class ImmediateClock implements Clock {
  readonly waits: number[] = [];
  now = (): number => 1_000_000;
  today = (): string => '2026-11-27';

  after(ms: number, task: () => void): Undo {
    if (ms > 60_000 || ms === 30_000) return () => undefined;
    this.waits.push(ms);
    const timer = setImmediate(task);
    return () => clearImmediate(timer);
  }
}

export interface CollectedAnswer {
  readonly events: readonly ModelEvent[];
  /** the error of the answer, if it failed */
  readonly error: ModelError | undefined;
}

/** All events of an answer, and how it ended. @throws anything but a ModelError */
export async function collectAnswer(
  client: ModelClient,
  request = REQUEST,
  signal = new AbortController().signal,
  retrying?: (retry: ModelRetry) => void,
): Promise<CollectedAnswer> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of client.stream(request, signal, retrying)) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { events, error };
  }
}

/** Splits text into an event per character, so that the pieces in which it arrives don't matter. */
export function splitDeltas(events: readonly ModelEvent[]): readonly ModelEvent[] {
  return events.flatMap((event): readonly ModelEvent[] =>
    event.type === 'text' || event.type === 'thinking'
      ? [...event.delta].map((delta) => ({ type: event.type, delta }))
      : [event],
  );
}

/** Servers of a test, closed after it, and clients of them. */
export function useModelClients(): {
  readonly clock: () => ImmediateClock;
  readonly server: (host?: string) => Promise<ModelServer>;
  readonly client: (server: ModelServer, provider?: ProviderId, clock?: Clock) => ModelClient;
} {
  const servers: ModelServer[] = [];
  let quick = new ImmediateClock();
  afterEach(async () => {
    quick = new ImmediateClock();
    for (const server of servers.splice(0)) await server.close();
  });
  return {
    clock: () => quick,
    async server(host) {
      const server = await startModelServer(host);
      servers.push(server);
      return server;
    },
    client: ({ url }, provider = 'openai', clock = quick) => {
      let last = 0;
      const ids = { unique: () => `own${++last}`, random: () => 0.5 };
      return createProviderClient({ provider, url, key: KEY }, { http: nodeHttp(), clock, ids });
    },
  };
}
