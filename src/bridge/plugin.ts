import { Redactor } from '../core/permission/audit/redact';
import { PathResolver } from '../core/permission/path-resolver';
import { ProcessAudit } from '../node/audit/open-audit';
import { DiskStore } from '../node/disk-store';
import { realPaths } from '../node/real-paths';
import { BRIDGE_VERSION } from './bridge-version';
import { Claims } from './claims';
import { Clients } from './clients';
import { Conversation } from './conversation';
import { counter } from './counter';
import { Desk } from './desk';
import { DiskBoards } from './disk-boards';
import { EditGuard } from './edit-guard';
import { eventHook } from './event-hook';
import { onProcessEnd } from './exit-cleanup';
import { Headless } from './headless';
import { hooksOf } from './hooks';
import { idleHooks } from './idle-hooks';
import { openLine } from './line';
import { ModelLimits } from './model-limits';
import { OpencodeApi } from './opencode-api';
import { LiveParts } from './live-parts';
import { opencodeHttp } from './opencode-http';
import { opencodeLog } from './opencode-log';
import type { Hooks, PluginInput } from './opencode-plugin';
import { opencodeVersion } from './opencode-version';
import { Prompter } from './prompter';
import { protectedInVault } from './protected-files';
import { RefusedCalls } from './refused-calls';
import { RemoteCalls } from './remote-calls';
import { SessionBook } from './session-book';
import { SessionLooks } from './session-looks';
import { SessionStarts } from './session-starts';
import { Snapshots } from './snapshots';
import { StandingAsks } from './standing-asks';
import { StoredPrompts } from './stored-prompts';
import { SubagentTools } from './subagent-tools';
import { TodoFeed } from './todo-feed';
import { toolSettings } from './tool-denials';
import { newToken } from './token';
import { ToolRunner } from './tool-runner';
import { Translator } from './translate';
import { vaultOf } from './vault-of';
import { nodeClock as clock } from '../node/node-clock';
import { nodeIds as ids } from '../node/node-ids';

/** Of this process, since OpenCode calls us once for each folder, and may do so twice. */
const claims = new Claims();

/**
 * The composition root: OpenCode calls it once for each folder it works in.
 * @param options `{vault}`, where the configuration of OpenCode names us with it
 */
async function server(input: PluginInput, options?: unknown): Promise<Hooks> {
  const { client, directory } = input;
  const http = opencodeHttp(client._client, directory);
  const log = opencodeLog(http);
  const api = new OpencodeApi(http, directory);
  const choice = vaultOf({ moduleUrl: import.meta.url, directory, options });
  if (choice.kind === 'stand back') {
    if (choice.why !== undefined) log.note(choice.why);
    return idleHooks();
  }
  const release = claims.claim(directory, options === undefined ? 'found' : 'configured');
  if (!release) return idleHooks();
  const { vault } = choice;
  const boards = new DiskBoards({ store: new DiskStore(vault), clock, ids, log });

  const tools = toolSettings(await boards.settings());
  const book = new SessionBook(api);
  const subagents = new SubagentTools(book, tools);
  const live = new LiveParts();
  const clients = new Clients(log, clock, live);
  const calls = new RemoteCalls(clock);
  const limits = new ModelLimits();
  const translator = new Translator((model) => limits.of(model), clock.now());
  const prompts = new StoredPrompts(api, clock);
  const prompter = new Prompter(api, book, prompts);
  const starts = new SessionStarts({
    ...{ api, clients, prompter, subagents },
    boards: () => boards.manager(),
  });

  const opencode = await opencodeVersion(http, clock);
  const self = { bridge: BRIDGE_VERSION, opencode, directory };
  const asks = new StandingAsks({ api, clients, log, translator });
  const snapshots = new Snapshots({ api, asks, book, clock, live, log, translator });
  const looks = new SessionLooks({ api, clock, translator });
  const desk = new Desk({
    ...{ api, book, calls, clients, looks, prompter, snapshots, starts, translator, self },
  });
  const talk = {
    ...{ calls, clients, clock, desk, log, nextId: counter('b'), nextNumber: counter() },
    newEpoch: () => ids.unique(),
    snapshot: (sessionId: string) => snapshots.current(sessionId),
  };
  const token = newToken();
  const closeLine = await openLine({
    vault,
    directory,
    opencode,
    token,
    extraOrigin: process.env.AGENT_TASK_BOARDS_ORIGIN,
    clock,
    log,
    accept: (socket, folder) => void new Conversation({ ...talk, folder }, socket),
  });

  const todos = new TodoFeed({
    book,
    log,
    isLeft: tools.todowrite === 'leave',
    boards: () => boards.manager(),
  });
  const redactor = new Redactor(() => [token]);
  const months = async (): Promise<number> => (await boards.settings()).auditMonths;
  const audit = new ProcessAudit({ vault, kind: 'bridge', clock, redactor, months });
  const undoEnd = onProcessEnd(() => audit.close());
  const headless = new Headless({ boards, audit, clock, ids, log });
  const refused = new RefusedCalls({ audit, ids, log });
  const places = new PathResolver(realPaths(vault));
  const runner = new ToolRunner({ book, calls, clients, places, todos, headless, refused });
  const edits = new EditGuard({
    ...{ vault, directory, worktree: input.worktree },
    protectedFiles: async () => protectedInVault(vault, (await boards.settings()).root),
  });
  const onEvent = eventHook({
    ...{ book, clients, edits, prompter, prompts, starts, todos, translator },
  });
  const close = async (): Promise<void> => {
    release();
    closeLine();
    clients.close();
    await todos.allSettled();
    undoEnd();
    audit.close();
  };
  return hooksOf({
    ...input,
    vault,
    boards,
    log,
    book,
    runner,
    limits,
    tools,
    subagents,
    edits,
    onEvent,
    close,
  });
}

export default { id: 'agent-task-boards', server };
