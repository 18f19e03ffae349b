import { PersonRequests } from '../../core/engine/person-requests';
import { createNote, updateNote } from '../../core/tool/note/definitions';
import { TASKS_PERMISSION } from '../../core/engine/engine-permissions';
import { OpencodeApi, MCP_ENTRY, type OpencodeModel } from '../opencode/opencode-api';
import { OpencodeSessions } from '../opencode/opencode-engine';
import { SessionCache } from '../opencode/session-cache';
import type { EngineHost, ServedEngine } from '../serve-engine';
import { PRODUCT_VERSION } from '../../core/version';
import { EventFeed } from './event-feed';
import { MissedEvents } from './missed-events';
import type { OpencodeServer } from './opencode-server';
import { ToolEntry } from './tool-entry';

/** ms that the server has to remove our tools. */
const CLOSE_TIMEOUT = 2_000;

interface ServedOpencode {
  readonly server: OpencodeServer;
  /** as returned by the server's `check` */
  readonly version: string;
  readonly directory: string;
  readonly wantsPassword: boolean;
  /** whether it can reach this machine's loopback */
  readonly reachesLoopback: boolean;
  /** its name in Obsidian; its address is used if there is none */
  readonly title: string | undefined;
}

/** Opens a stock OpenCode server as an engine, until that is closed. */
export async function openOpencode(
  served: ServedOpencode,
  host: EngineHost,
): Promise<ServedEngine> {
  const { boards, clients, clock, ids, log, live } = host;
  const { server, version, directory, reachesLoopback: isNear, wantsPassword } = served;
  const { title = `OpenCode at ${server.name}` } = served;
  const api = new OpencodeApi(async (request) => {
    await feed.untilConnected();
    return server.request(request);
  }, directory);
  const sessions = new SessionCache(api);
  const settings = await boards.settings();
  const engineInfo = { name: 'opencode', version, title };
  let models: readonly OpencodeModel[] = [];
  const opencode = new OpencodeSessions({
    ...{ api, boards, clients, clock, live, log, sessions, boundRules, since: 0 },
    self: { bridge: PRODUCT_VERSION, opencode: version, directory, engine: engineInfo },
    ignoresTodowrite: settings.todowrite === 'leave',
    limitOf: (model) => limitsOf(models, model),
  });
  const { engine, todos } = opencode;
  const requests = new PersonRequests((draft) => clients.publish(draft), log);
  const entry = isNear
    ? new ToolEntry({
        ...{ api, sessions, requests, clock, ids, log, todos, places: host.places },
        ...{ runner: host.calls, settings: () => boards.settings() },
      })
    : undefined;
  const missed = new MissedEvents({
    ...{ api, log, translator: opencode.translator },
    onEvent: (event) => opencode.handleEvent(event, (draft) => missed.shouldPublish(draft)),
  });
  const stop = new AbortController();
  const feed = new EventFeed({
    ...{ server, clock, ids, log, stop: stop.signal },
    check: async () => {
      if (wantsPassword) await server.checkPassword();
    },
    onOpen: async () => {
      entry?.markMissing();
      models = await api.models();
      await missed.catchUp();
      await entry?.ensureAdded();
    },
    onEvent: (event) => {
      missed.observe(event);
      opencode.handleEvent(event, (draft) => missed.shouldPublish(draft));
    },
    onDisposed: () => entry?.markMissing(),
  });
  await startFeed(host.stop, feed, () => (stop.abort(), server.close()));
  return {
    ...engine,
    lacksTools: entry === undefined,
    prompt: async (message) => {
      await feed.untilConnected();
      await entry?.ensureAdded();
      return engine.prompt(message);
    },
    currentEvents: (sessionId) => [
      ...engine.currentEvents(sessionId),
      ...requests.all.filter((ask) => ask.sessionId === sessionId),
    ],
    answerPermission: (answer) =>
      requests.has(answer.requestId)
        ? Promise.resolve(requests.answer(answer.requestId, answer))
        : engine.answerPermission(answer),
    close: async () => {
      // May send a last request; once the feed has stopped, nothing waits for it.
      const closed = entry?.close();
      stop.abort();
      const undo = clock.after(CLOSE_TIMEOUT, () => server.close());
      await closed;
      undo();
      server.close();
      await todos.allSettled();
    },
  };
}

/** Starts the feed. Gives up when the program is told to end. */
async function startFeed(ended: AbortSignal, feed: EventFeed, giveUp: () => void) {
  ended.throwIfAborted();
  ended.addEventListener('abort', giveUp);
  await feed.start();
  ended.removeEventListener('abort', giveUp);
}

/**
 * Rules of a session that works on a given board: as in OpenCode's process, with the names that the
 * tools have here.
 */
function boundRules(_agent: string | undefined, changes: boolean) {
  const writes = [createNote, updateNote].map(({ openCodeName }) => `${MCP_ENTRY}_${openCodeName}`);
  return [
    { permission: `${MCP_ENTRY}_${TASKS_PERMISSION}`, pattern: '*', action: 'allow' },
    ...(changes ? [] : ['edit', ...writes]).map((permission) => ({
      ...{ permission, pattern: '*', action: 'deny' },
    })),
  ];
}

function limitsOf(models: readonly OpencodeModel[], model: string) {
  const limit = models.find(({ id }) => id === model)?.limit;
  if (limit?.context === undefined || limit.context < 1) return undefined;
  return { context: limit.context, output: limit.output };
}
