import type { FromBridgeOf } from '../protocol/from-bridge';
import type { AgentInfo, ModelInfo, OpencodeApi } from './opencode-api';

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
}: ModelInfo): Catalog['models'][number] {
  const reasoning = capabilities?.reasoning;
  return {
    id,
    ...(name !== undefined && { name }),
    ...(provider !== undefined && { provider }),
    ...(limit && { context: Math.trunc(limit.context), output: Math.trunc(limit.output) }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
