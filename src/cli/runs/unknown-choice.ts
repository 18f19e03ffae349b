import type { RunWish } from '../../core/orchestrator/state';
import type { SessionRuntime } from '../../core/session/session-runtime';
import { WireError } from '../../protocol/wire-error';

/** Models that are named where the wanted one is not there. */
const MOST_NAMED = 10;

/** Why agent or model of a wish can't be had, with what there is; undefined where OpenCode has them. */
export async function unknownChoice(
  runtime: Pick<SessionRuntime, 'catalog'>,
  { agent, model }: Pick<RunWish, 'agent' | 'model'>,
): Promise<string | undefined> {
  try {
    const { agents, models } = await runtime.catalog();
    const names = agents.map(({ name }) => name);
    if (!names.includes(agent)) {
      return `There is no agent “${agent}”. There are: ${names.join(', ')}.`;
    }
    const ids = models.map(({ id }) => id);
    return model === null || ids.includes(model) ? undefined : noModel(model, ids);
  } catch (error) {
    // What it has is not known: the start itself says what is wrong.
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** Those of the same provider first. */
function noModel(model: string, ids: readonly string[]): string {
  const provider = model.slice(0, model.indexOf('/') + 1);
  const same = ids.filter((id) => id.startsWith(provider));
  const listed = same.length > 0 ? same : ids;
  const left = listed.length - MOST_NAMED;
  const more = left > 0 ? ` and ${left} more` : '';
  return `There is no model “${model}”. There are: ${listed.slice(0, MOST_NAMED).join(', ')}${more}.`;
}
