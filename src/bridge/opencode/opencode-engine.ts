import { boundIn } from './prompt-parts';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { Engine } from '../../core/engine/engine';
import type { AgentInfo, OpencodeModel, OpencodeApi } from './opencode-api';
import type { Prompter } from './prompter';
import type { SessionCache } from './session-cache';
import { standOf } from './session-looks';
import type { Clock } from '../../core/ports';
import type { SessionStarts } from './session-starts';
import type { Snapshots } from './snapshots';
import type { Translator } from './translator';

interface OpencodeEngineServices {
  readonly api: OpencodeApi;
  readonly clock: Clock;
  readonly prompter: Prompter;
  readonly self: Engine['self'];
  readonly sessions: SessionCache;
  readonly snapshots: Snapshots;
  readonly starts: SessionStarts;
  readonly translator: Translator;
}

/** OpenCode as an engine. */
export function opencodeEngine(services: OpencodeEngineServices): Engine {
  const { api, prompter, self, sessions, snapshots, starts, translator } = services;
  return {
    self,
    sessions: () => listedSessions(api),
    known: (sessionId) => sessions.get(sessionId),
    start: (payload, told) => starts.start(payload, told),
    prompt: (message) => prompter.send(message, () => translator.expectPrompt(message.sessionId)),
    interrupt: (sessionId) => api.on(sessionId, 'POST', '/abort'),
    standing: (sessionId) => translator.standing(sessionId),
    answerPermission: ({ requestId, reply, message }) =>
      api.reply('permission', requestId, { reply, ...(message !== undefined && { message }) }),
    answerQuestion: ({ requestId, answers }) => api.reply('question', requestId, { answers }),
    rename: (sessionId, title) => api.on(sessionId, 'PATCH', '', { title }),
    remove: (sessionId) => {
      prompter.forget(sessionId);
      return api.on(sessionId, 'DELETE');
    },
    compact: async (sessionId) =>
      api.on(sessionId, 'POST', '/summarize', await prompter.anyModel(sessionId)),
    history: (message) => snapshots.history(message),
    snapshot: (sessionId) => snapshots.current(sessionId),
    look: (sessionId) => standOf(services, sessionId),
    catalog: () => readCatalog(api),
    sendsNotes: true,
  };
}

async function listedSessions(api: OpencodeApi) {
  const [sessions, statuses] = await Promise.all([api.sessions(), api.statuses()]);
  return sessions.map(({ id, title, parentID, agent, time, metadata }) => ({
    id,
    title,
    status: statusOf(statuses.get(id)),
    ...(parentID !== undefined && { parentId: parentID }),
    ...(agent !== undefined && { agent }),
    ...(time?.updated !== undefined && { updated: time.updated }),
    ...boundIn(metadata),
  }));
}

function statusOf(type: string | undefined): 'idle' | 'busy' | 'retry' {
  if (type === undefined || type === 'idle') return 'idle';
  return type === 'retry' ? 'retry' : 'busy';
}

type Catalog = FromBridgeOf<'catalog'>['payload'];

/** What a person can choose for a session; hidden agents are OpenCode's own business. @throws WireError */
export async function readCatalog(api: OpencodeApi): Promise<Catalog> {
  const [agents, models, model] = await Promise.all([
    api.agents(),
    api.models(),
    api.defaultModel(),
  ]);
  return {
    agents: agents.filter(({ hidden }) => hidden !== true).map(toAgent),
    models: models.map(toModel),
    ...(model !== undefined && { model }),
  };
}

function toAgent({ name, description, mode, model }: AgentInfo): Catalog['agents'][number] {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model: `${model.providerID}/${model.modelID}` }),
  };
}

function toModel({
  id,
  name,
  provider,
  limit,
  capabilities,
}: OpencodeModel): Catalog['models'][number] {
  const reasoning = capabilities?.reasoning;
  return {
    id,
    ...(name !== undefined && { name }),
    ...(provider !== undefined && { provider }),
    ...(limit?.context !== undefined && { context: limit.context }),
    ...(limit?.output !== undefined && { output: limit.output }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
