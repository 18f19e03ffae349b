import { Redactor } from '../core/permission/audit/redact';
import { PathResolver } from '../core/permission/path-resolver';
import { ProcessAudit } from '../node/audit/open-audit';
import { DiskStore } from '../node/disk-store';
import { realPaths } from '../node/real-paths';
import type { Log } from '../core/ports';
import { BRIDGE_VERSION, onProcessEnd, openListener } from './server/listener';
import { Claims, vaultOf } from './opencode/served-vault';
import { Clients } from './server/clients';
import { ClientSession, counter } from './server/client-session';
import { OpencodeEngine } from './opencode/opencode-engine';
import { DiskBoards } from './opencode/disk-boards';
import { EditGuard, protectedInVault } from './opencode/edit-guard';
import { hooksOf, type Hooks, type PluginInput } from './opencode/hooks';
import { Headless } from './opencode/headless';
import { ModelLimits } from './opencode/message-drafts';
import {
  OpencodeApi,
  opencodeHttp,
  opencodeLog,
  opencodeVersion,
  type OpencodeHttp,
} from './opencode/opencode-api';
import { LiveParts } from './server/token-hold';
import { Prompter, StoredPrompts } from './opencode/prompter';
import { RefusedCalls } from './opencode/tool-call';
import { RemoteCalls } from './server/remote-calls';
import { SessionCache } from './opencode/session-cache';
import { SessionStands } from './opencode/session-looks';
import { SessionStarts } from './opencode/session-starts';
import { OpenRequests, Snapshots } from './opencode/snapshots';
import { SubagentTools } from './opencode/subagent-tools';
import { TodoFeed } from './opencode/todo-feed';
import { toolSettings } from './opencode/permission-defaults';
import { newToken } from './server/socket-server';
import { ToolRunner } from './opencode/tool-runner';
import { Translator } from './opencode/translator';
import { UsageLog } from './opencode/usage-log';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';

/** Of this process, since OpenCode calls us once for each folder, and may do so twice. */
const claims = new Claims();

/**
 * The composition root: OpenCode calls it once for each folder it works in.
 * @param options `{vault}`, where the configuration of OpenCode names us with it
 * @returns no hooks where it serves nothing here: no tool is offered, and OpenCode is left as it is
 */
async function server(input: PluginInput, options?: unknown): Promise<Partial<Hooks>> {
  const { client, directory } = input;
  const http = opencodeHttp(client._client, directory);
  const log = opencodeLog(http);
  const choice = vaultOf({ file: __filename, directory, options });
  if (choice.kind === 'stand back') {
    if (choice.why !== undefined) log.note(choice.why);
    return {};
  }
  const release = claims.claim(directory, options === undefined ? 'found' : 'configured');
  return release ? start(input, http, log, choice.vault, release) : {};
}

/** @param release gives the folder free for another bridge of this process */
async function start(
  input: PluginInput,
  http: OpencodeHttp,
  log: Log,
  vault: string,
  release: () => void,
): Promise<Hooks> {
  const { directory } = input;
  const api = new OpencodeApi(http, directory);
  const boards = new DiskBoards({ store: new DiskStore(vault), clock, ids, log });
  const tools = toolSettings(await boards.settings());
  const sessions = new SessionCache(api);
  const live = new LiveParts();
  const limits = new ModelLimits();
  const calls = new RemoteCalls(clock);
  const clients = new Clients(log, clock, live);
  const subagents = new SubagentTools(sessions, tools);
  const translator = new Translator((model) => limits.of(model), clock.now());
  const prompts = new StoredPrompts(api, clock);
  const prompter = new Prompter(api, sessions, prompts);
  const base = {
    ...{ api, boards, calls, clients, clock, limits, live, log, prompter, prompts, sessions },
    ...{ subagents, tools, translator, vault },
  };
  const starts = new SessionStarts(base);
  const snapshots = new Snapshots({ ...base, asks: new OpenRequests(base) });
  const opencode = await opencodeVersion(http, clock);
  const engine = new OpencodeEngine({
    ...{ ...base, snapshots, starts, looks: new SessionStands(base) },
    self: { bridge: BRIDGE_VERSION, opencode, directory },
  });
  const talk = {
    ...{ calls, clients, clock, engine, log, nextId: counter('b'), nextNumber: counter() },
    newEpoch: () => ids.unique(),
    snapshot: (sessionId: string) => snapshots.current(sessionId),
  };
  const token = newToken();
  const closeListener = await openListener({
    ...{ vault, directory, opencode, token, clock, log },
    extraOrigin: process.env.AGENT_TASK_BOARDS_ORIGIN,
    accept: (socket, since, folder) => void new ClientSession({ ...talk, folder }, socket, since),
  });

  const todos = new TodoFeed({ ...base, isLeft: tools.todowrite === 'leave' });
  const audit = openAudit(vault, token, boards);
  const undoEnd = onProcessEnd(() => audit.close());
  const headless = new Headless({ boards, audit, clock, ids, log });
  const refused = new RefusedCalls({ audit, ids, log });
  const places = new PathResolver(realPaths(vault));
  const runner = new ToolRunner({ ...base, places, todos, headless, refused });
  const { worktree } = input;
  const edits = new EditGuard({
    ...{ vault, directory, worktree },
    protectedFiles: async () => protectedInVault(vault, (await boards.settings()).root),
  });
  const usage = new UsageLog(base);
  const close = async (): Promise<void> => {
    release();
    closeListener();
    clients.close();
    await todos.allSettled();
    await usage.settled();
    undoEnd();
    audit.close();
  };
  return hooksOf({ ...base, worktree, starts, todos, runner, edits, usage, close });
}

function openAudit(vault: string, token: string, boards: DiskBoards): ProcessAudit {
  const redactor = new Redactor(() => [token]);
  const months = async (): Promise<number> => (await boards.settings()).auditMonths;
  return new ProcessAudit({ vault, kind: 'bridge', clock, redactor, months });
}

export default { id: 'agent-task-boards', server };
