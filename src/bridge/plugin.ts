import { DiskStore } from '../node/disk-store';
import { BRIDGE_VERSION } from './bridge-version';
import { Clients } from './clients';
import { Conversation } from './conversation';
import { counter } from './counter';
import { Desk } from './desk';
import { DiskBoards } from './disk-boards';
import { eventHook } from './event-hook';
import { hooksOf } from './hooks';
import { openLine } from './line';
import { OpencodeApi } from './opencode-api';
import { opencodeHttp } from './opencode-http';
import { opencodeLog } from './opencode-log';
import type { Hooks, PluginInput } from './opencode-plugin';
import { opencodeVersion } from './opencode-version';
import { Prompter } from './prompter';
import { RemoteCalls } from './remote-calls';
import { SessionBook } from './session-book';
import { SessionStarts } from './session-starts';

import { TodoFeed } from './todo-feed';
import { ToolRunner } from './tool-runner';
import { Translator } from './translate';
import { vaultOf } from './vault-of';
import { nodeClock as clock } from '../node/node-clock';
import { nodeIds as ids } from '../node/node-ids';

/** The composition root: OpenCode calls it once for each folder it works in. */
async function server(input: PluginInput): Promise<Hooks> {
  const { client, directory } = input;
  const http = opencodeHttp(client._client, directory);
  const log = opencodeLog(http);
  const api = new OpencodeApi(http, directory);
  const vault = vaultOf(import.meta.url, directory);
  const boards = new DiskBoards({ store: new DiskStore(vault), clock, ids, log });

  const book = new SessionBook(api);
  const clients = new Clients(log);
  const calls = new RemoteCalls(clock);
  const translator = new Translator();
  const prompter = new Prompter(api, book);
  const starts = new SessionStarts(api, clients);

  const opencode = await opencodeVersion(http, clock);
  const self = { epoch: ids.unique(), bridge: BRIDGE_VERSION, opencode, directory };
  const desk = new Desk({ api, book, calls, clients, prompter, starts, translator, self });
  const talk = { calls, clients, clock, desk, log, nextId: counter('b'), nextNumber: counter() };
  const closeLine = await openLine({
    vault,
    directory,
    opencode,
    extraOrigin: process.env.AGENT_TASK_BOARDS_ORIGIN,
    clock,
    log,
    accept: (socket, folder) => void new Conversation({ ...talk, folder }, socket),
  });

  const todos = new TodoFeed({ book, log, boards: () => boards.manager() });
  const runner = new ToolRunner({ book, calls, clients, todos, boards: () => boards.manager() });
  const onEvent = eventHook({ book, clients, prompter, starts, todos, translator });
  const close = async (): Promise<void> => {
    closeLine();
    await todos.allSettled();
  };
  const aliases = await boards.aliases();
  return hooksOf({ ...input, vault, boards, log, runner, aliases, onEvent, close });
}

export default { id: 'agent-task-boards', server };
