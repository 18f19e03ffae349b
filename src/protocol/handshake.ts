/** What both ends agree on before the first frame. */

import type { EngineInfo } from './fields';

export const PROTOCOL_VERSION = 1;

/** The subprotocol that the server answers with. */
export const SUBPROTOCOL = 'agent-task-boards.v1';

const TOKEN_PREFIX = 'token.';

/**
 * The subprotocols that a client offers. The second contains the token, which is never part of the
 * address.
 */
export function clientProtocols(token: string): readonly string[] {
  return [SUBPROTOCOL, TOKEN_PREFIX + token];
}

/**
 * The token among the offered subprotocols; undefined if the first is not ours, or unless there is
 * exactly one token, since choosing among several would be a guess.
 */
export function offeredToken(protocols: readonly string[]): string | undefined {
  if (protocols[0] !== SUBPROTOCOL) return undefined;
  const offered = protocols.filter((protocol) => protocol.startsWith(TOKEN_PREFIX));
  return offered.length === 1 ? offered[0]?.slice(TOKEN_PREFIX.length) : undefined;
}

/** Close codes of a socket. Browsers report nothing else. */
export const CLOSE = {
  normal: 1000,
  protocol: 4400,
  token: 4401,
  dead: 4408,
  replaced: 4409,
  tooLarge: 1009,
  tooSlow: 1013,
} as const;

/**
 * Features that a bridge may list in `welcome.features`; it answers requests for others with
 * `unsupported`. `keys`: it supports the `key` of `session.start` and `session.message`, and
 * `session.look`. `tasks`: it starts sessions for several tasks of a board. `notes`: it sends the
 * `related` notes of a prompt along. The others stand for requests: `session.start`,
 * `session.message`, `session.interrupt`, `session.compact`, `session.update`, `session.delete`,
 * `permission.response`, `question.response` and `catalog.get`.
 */
export const FEATURES = [
  'keys',
  'tasks',
  'notes',
  'start',
  'prompt',
  'interrupt',
  'compact',
  'rename',
  'remove',
  'permissions',
  'questions',
  'catalog',
] as const;

export type Feature = (typeof FEATURES)[number];

/** Features that a bridge has only if it lists them. */
const OPT_IN_FEATURES: ReadonlySet<string> = new Set<Feature>(['keys', 'tasks', 'notes']);

interface BridgeDescription {
  readonly engine?: EngineInfo | undefined;
  readonly opencode?: string | undefined;
  readonly features?: readonly string[] | undefined;
}

/**
 * The features of a bridge, from its welcome. Version 0.1.0 names no engine and no feature but
 * `keys`; it has all the others.
 */
export function featuresIn({ engine, features = [] }: BridgeDescription): ReadonlySet<Feature> {
  const others = FEATURES.filter((feature) => !OPT_IN_FEATURES.has(feature));
  const isOld = engine === undefined && !others.some((feature) => features.includes(feature));
  const all = isOld ? [...features, ...others] : features;
  return new Set(FEATURES.filter((feature) => all.includes(feature)));
}

/** The engine of a bridge, from its welcome or run file. Bridges without `engine` run OpenCode. */
export function engineIn({ engine, opencode = '' }: BridgeDescription): EngineInfo {
  return engine ?? { name: 'opencode', version: opencode };
}

/** The engine of a session, if its id tells; otherwise null. */
export function engineOfSession(id: string): 'mcp' | null {
  return id.startsWith('mcp-') ? 'mcp' : null;
}
