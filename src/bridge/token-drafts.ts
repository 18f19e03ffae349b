import { modelOf } from './model-of';
import type { MessageInfo } from './opencode-event';
import type { RecentMap } from './recent-map';
import type { FromDraft } from './translate';

/** How many tokens fit into one request of a model (`provider/model`), where that is known. */
export type LimitOf = (model: string) => number | undefined;

/** Which answers were told of. */
export interface Told {
  /** ids of messages */
  readonly counted: RecentMap<string, true>;
  /** ms since the epoch: what was complete before was told by a process before this one */
  readonly since: number;
}

/** What an answer cost, once it is complete; each is told once. */
export function tokenDrafts(
  sessionId: string,
  info: MessageInfo,
  { counted, since }: Told,
  limitOf: LimitOf,
): readonly FromDraft[] {
  const { id, tokens, cost } = info;
  if (info.role !== 'assistant' || info.time.completed === undefined || !tokens) return [];
  if (tokens.input === 0 && tokens.output === 0) return [];
  if (counted.get(id) || info.time.completed < since) return [];
  counted.set(id, true);
  const model = modelOf(info);
  const payload = {
    kind: 'tokens',
    messageId: id,
    input: Math.trunc(tokens.input),
    output: Math.trunc(tokens.output),
    ...whole('reasoning', tokens.reasoning),
    ...whole('cacheRead', tokens.cache?.read),
    ...whole('cacheWrite', tokens.cache?.write),
    ...(model !== undefined && { model, ...whole('limit', limitOf(model)) }),
    ...(cost !== undefined && { cost }),
  } as const;
  return [{ type: 'progress.update', sessionId, payload }];
}

function whole<K extends string>(name: K, value: number | undefined): { [N in K]?: number } {
  return value === undefined ? {} : ({ [name]: Math.trunc(value) } as { [N in K]?: number });
}
