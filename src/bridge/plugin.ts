import { Redactor } from '../core/permission/audit/redact';
import { PathResolver } from '../core/permission/path-resolver';
import { stateFolder } from '../node/audit/audit-folder';
import { ProcessAudit } from '../node/audit/open-audit';
import { DiskStore } from '../node/disk-store';
import { realPaths } from '../node/real-paths';
import { ErrorHandler } from '../core/error-handler';
import { PRODUCT_VERSION } from '../core/version';
import { openBridge } from './server/open-bridge';
import { Claims, chooseVault } from './opencode/served-vault';
import { Clients } from './server/clients';
import { OpencodeSessions } from './opencode/opencode-engine';
import { DiskBoards } from './disk-boards';
import { EditGuard, protectedFiles, protectedInVault } from './opencode/edit-guard';
import { guarded, type OpenCodeHooks, type PluginInput } from './opencode/hooks';
import { readEvent } from './opencode/opencode-event';
import { callContext } from '../core/tool/tool';
import { SummaryHooks } from './opencode/summary-hooks';
import { describeTool, toolDefinitions } from './opencode/tool-definitions';
import { CallRunner } from './call-runner';
import { HeadlessRunner } from './headless';
import { ModelLimits } from './opencode/message-drafts';
import {
  OpencodeApi,
  opencodeHttp,
  opencodeLog,
  opencodeVersion,
  type OpencodeHttp,
} from './opencode/opencode-api';
import { LiveParts } from './server/token-buffer';
import { RefusedCalls } from './opencode/tool-call';
import { RemoteCalls } from './server/remote-calls';
import { callerOf, SessionCache } from './opencode/session-cache';
import { READ_ONLY_RULES } from './opencode/session-starts';
import { SubagentTools } from './opencode/subagent-tools';
import { addPermissionDefaults, toolSettings } from './opencode/permission-defaults';
import { newToken } from './server/socket-server';
import { ToolRunner } from './opencode/tool-runner';
import { UsageLog } from './usage-log';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';
import { openScriptHooks } from '../node/hooks/script-hooks';
import { onStdinEnd } from '../node/stdin-end';
import { onProcessEnd } from '../node/processes';

/** Shared by the whole process, since OpenCode calls us once for each folder, or even twice. */
const claims = new Claims();

/**
 * The composition root. OpenCode calls it once for each folder that it works in.
 * @param options `{vault}`, if we are listed with it in OpenCode's configuration
 * @returns no hooks if nothing is served here; then no tool is offered, and OpenCode is unchanged
 */
async function server(input: PluginInput, options?: unknown): Promise<Partial<OpenCodeHooks>> {
  const { client, directory } = input;
  onStdinEnd(() => process.kill(process.pid, 'SIGTERM'));
  // The program that started this process, over ACP, serves its sessions.
  if (process.env.AGENT_TASK_BOARDS_SERVED !== undefined) return {};
  const http = opencodeHttp(client._client, directory);
  const log = new ErrorHandler({
    now: () => clock.now(),
    redactor: new Redactor(),
    log: opencodeLog(http),
  });
  const choice = chooseVault({ file: __filename, directory, options });
  if (choice.kind === 'stand back') {
    if (choice.why !== undefined) {
      log.note('No vault is served here.', { at: 'bridge.vault', why: choice.why });
    }
    return {};
  }
  const release = claims.claim(directory, options === undefined ? 'found' : 'configured');
  return release ? hooksOf(await start(input, http, log, choice.vault, release)) : {};
}

type Services = Awaited<ReturnType<typeof start>>;

/**
 * Creates everything that serves a folder, and opens the server for clients.
 * @param release releases the folder for another bridge in this process
 */
async function start(
  input: PluginInput,
  http: OpencodeHttp,
  log: ErrorHandler,
  vault: string,
  release: () => void,
) {
  const { directory } = input;
  const api = new OpencodeApi(http, directory);
  const store = new DiskStore(vault);
  const boards = new DiskBoards({ store, clock, ids, log });
  await boards.finishMoves();
  const tools = toolSettings(await boards.settings());
  const sessions = new SessionCache(api);
  const live = new LiveParts();
  const limits = new ModelLimits();
  const calls = new RemoteCalls(clock);
  const clients = new Clients(log, clock, live);
  const subagents = new SubagentTools(sessions, tools);
  const usage = new UsageLog({ state: stateFolder(vault), sessions, clock, log });
  const opencode = await opencodeVersion(http, clock);
  const self = {
    ...{ bridge: PRODUCT_VERSION, opencode, directory },
    engine: { name: 'opencode', version: opencode },
  };
  const base = { api, boards, clock, live, log, sessions, vault };
  const served = new OpencodeSessions({
    ...base,
    ...{
      self,
      since: clock.now(),
      ignoresTodowrite: tools.todowrite === 'leave',
      limitOf: (model) => limits.get(model),
    },
    boundRules: (agent, changes) => [
      ...subagents.allowRules(agent),
      ...(changes ? [] : READ_ONLY_RULES),
    ],
    clients: {
      publish: (draft) => {
        usage.record(draft);
        clients.publish(draft);
      },
      publishCreated: (draft) => clients.publishCreated(draft),
    },
  });
  const { engine, todos } = served;
  const token = newToken();
  const closeBridge = await openBridge({ ...base, token, engine, ids, calls, clients });

  const audit = openAudit(vault, token, boards, log);
  const undoEnd = onProcessEnd(() => audit.close());
  const hooks = openScriptHooks({ vault, log, settings: () => boards.settings() });
  const headless = new HeadlessRunner({ vault, store, boards, audit, clock, ids, log });
  const refused = new RefusedCalls({ audit, ids, log });
  const places = new PathResolver(realPaths(vault));
  const calling = new CallRunner({ calls, clients, headless, hooks });
  const runner = new ToolRunner({ ...base, places, todos, runner: calling, refused });
  const { worktree } = input;
  const edits = new EditGuard({
    ...{ vault, directory, worktree },
    protectedFiles: async () => protectedInVault(vault, (await boards.settings()).root),
  });
  const close = async (): Promise<void> => {
    release();
    closeBridge();
    clients.close();
    await todos.allSettled();
    await usage.settled();
    undoEnd();
    audit.close();
  };
  return { ...base, limits, subagents, tools, worktree, served, runner, edits, close };
}

/**
 * The hooks for OpenCode. None of them can break a turn, and only that for protected files can
 * refuse an edit.
 */
function hooksOf(services: Services): OpenCodeHooks {
  const { vault, worktree, boards, log, tools, edits, limits, subagents } = services;
  const summary = new SummaryHooks(async ({ sessionId, agent }) => {
    const { board } = await callerOf(services.sessions, sessionId);
    return (await boards.manager()).summary(
      callContext({ sessionId, agent, ...(board && { board }) }),
    );
  });
  return {
    event: guarded(log, 'event', ({ event }) => handleEvent(event, services)),
    config: guarded(log, 'config', async (config) => {
      subagents.readConfig(config);
      const files = protectedFiles(vault, worktree, await boards.root());
      addPermissionDefaults(config, { protectedFiles: files, tools });
    }),
    tool: toolDefinitions(services.runner, tools),
    // Errors are meant for the model; they stop only this call.
    'tool.execute.before': ({ tool }, { args }) => edits.check(tool, args),
    'tool.definition': guarded(log, 'tool.definition', ({ toolID }, output) =>
      describeTool(toolID, output, tools),
    ),
    'chat.message': guarded(log, 'chat.message', ({ sessionID }, output) =>
      subagents.handlePrompt(sessionID, output),
    ),
    'chat.params': guarded(log, 'chat.params', (input: unknown) => limits.record(input)),
    'experimental.chat.messages.transform': guarded(log, 'messages.transform', (_, { messages }) =>
      summary.transform(messages),
    ),
    'experimental.session.compacting': guarded(log, 'session.compacting', ({ sessionID }, output) =>
      summary.compact(sessionID, output.context),
    ),
    dispose: guarded(log, 'dispose', services.close),
  };
}

/** Handles an event of OpenCode synchronously. */
function handleEvent(value: unknown, { edits, served }: Services): void {
  const event = readEvent(value);
  if (!event) return;
  edits.handleEvent(event);
  served.handleEvent(event);
}

function openAudit(
  vault: string,
  token: string,
  boards: DiskBoards,
  log: ErrorHandler,
): ProcessAudit {
  const redactor = new Redactor(() => [token]);
  const months = async (): Promise<number> => (await boards.settings()).auditMonths;
  return new ProcessAudit({ vault, kind: 'bridge', clock, redactor, months, log });
}

export default { id: 'agent-task-boards', server };
