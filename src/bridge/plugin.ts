import { randomUUID } from 'node:crypto';
import type { Ids } from '../core/ports';
import { DiskStore } from '../node/disk-store';
import { BRIDGE_VERSION } from './bridge-version';
import { Clients } from './clients';
import { Conversation } from './conversation';
import { Desk } from './desk';
import { DiskBoards } from './disk-boards';
import { eventHook } from './event-hook';
import { guarded } from './guarded';
import { openLine } from './line';
import { OpencodeApi } from './opencode-api';
import { opencodeHttp } from './opencode-http';
import { opencodeLog } from './opencode-log';
import type { Hooks, PluginInput } from './opencode-plugin';
import { opencodeVersion } from './opencode-version';
import { addPermissionDefaults } from './permission-defaults';
import { Prompter } from './prompter';
import { protectedFiles } from './protected-files';
import { RemoteCalls } from './remote-calls';
import { SessionBook } from './session-book';
import { SessionStarts } from './session-starts';
import { SummaryHooks } from './summary-hooks';
import { systemClock as clock } from './system-clock';
import { tasksTool } from './tasks-tool';
import { ToolRunner } from './tool-runner';
import { Translator } from './translate';
import { vaultOf } from './vault-of';

const ids: Ids = { unique: () => randomUUID(), random: () => Math.random() };

/** The composition root: OpenCode calls it once for each folder it works in. */
async function server({ client, directory, worktree }: PluginInput): Promise<Hooks> {
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
  const runner = new ToolRunner({ book, calls, clients, boards: () => boards.manager() });
  const summary = new SummaryHooks(async (caller) => (await boards.manager()).summary(caller));

  const opencode = await opencodeVersion(http, clock);
  const self = { epoch: ids.unique(), bridge: BRIDGE_VERSION, opencode, directory };
  const desk = new Desk({ api, book, calls, clients, prompter, starts, translator, self });
  let lastId = 0;
  let lastNumber = 0;
  const closeLine = await openLine({
    vault,
    directory,
    opencode,
    extraOrigin: process.env.AGENT_TASK_BOARDS_ORIGIN,
    clock,
    log,
    accept: (socket, folder) => {
      const nextId = (): string => `b${++lastId}`;
      const nextNumber = (): number => ++lastNumber;
      new Conversation({ calls, clients, clock, desk, log, folder, nextId, nextNumber }, socket);
    },
  });

  return {
    event: guarded(log, 'event', eventHook({ book, clients, prompter, starts, translator })),
    config: guarded(log, 'config', async (config) => {
      addPermissionDefaults(config, protectedFiles(vault, worktree, await boards.root()));
    }),
    tool: { tasks: tasksTool(runner) },
    'experimental.chat.messages.transform': guarded(log, 'messages.transform', (_, { messages }) =>
      summary.transform(messages),
    ),
    'experimental.session.compacting': guarded(log, 'session.compacting', ({ sessionID }, output) =>
      summary.compact(sessionID, output.context),
    ),
    dispose: guarded(log, 'dispose', closeLine),
  };
}

export default { id: 'agent-task-boards', server };
