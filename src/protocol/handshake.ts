/** What both ends say before the first frame. */

import type { EngineInfo } from './fields';

export const PROTOCOL_VERSION = 1;

/** The subprotocol that the server answers with. */
export const SUBPROTOCOL = 'agent-task-boards.v1';

const TOKEN_PREFIX = 'token.';

/** The subprotocols a client offers; the token travels in the second, never in the address. */
export function clientProtocols(token: string): readonly string[] {
  return [SUBPROTOCOL, TOKEN_PREFIX + token];
}

/**
 * The token among the offered subprotocols. Undefined if the first is not ours, and if there is no token or
 * more than one, because choosing among several would be a guess.
 */
export function offeredToken(protocols: readonly string[]): string | undefined {
  if (protocols[0] !== SUBPROTOCOL) return undefined;
  const offered = protocols.filter((protocol) => protocol.startsWith(TOKEN_PREFIX));
  return offered.length === 1 ? offered[0]?.slice(TOKEN_PREFIX.length) : undefined;
}

/** Why a socket was closed; the browser shows these and nothing else. */
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
 * What a bridge may be able to do, as `welcome.features` names it; what it does not name it answers
 * with `unsupported`. `keys`: it knows the `key` of `session.start` and `session.message`, and
 * `session.look`. `tasks`: it starts sessions for several tasks of a board. `notes`: it sends the
 * `related` notes of a prompt along. The others are requests: `session.start`, `session.message`, `session.interrupt`,
 * `session.compact`, `session.update`, `session.delete`, `permission.response`, `question.response`
 * and `catalog.get`.
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

/** What no bridge can do that does not name it. */
const LATER: ReadonlySet<string> = new Set<Feature>(['keys', 'tasks', 'notes']);

interface SaidOfBridge {
  readonly engine?: EngineInfo | undefined;
  readonly opencode?: string | undefined;
  readonly features?: readonly string[] | undefined;
}

/**
 * What a bridge can do, by its welcome. The one of 0.1.0 names no engine and no feature but `keys`;
 * it can do all the others.
 */
export function featuresIn({ engine, features = [] }: SaidOfBridge): ReadonlySet<Feature> {
  const others = FEATURES.filter((feature) => !LATER.has(feature));
  const isOld = engine === undefined && !others.some((feature) => features.includes(feature));
  const all = isOld ? [...features, ...others] : features;
  return new Set(FEATURES.filter((feature) => all.includes(feature)));
}

/** What runs the sessions of a bridge, by its welcome or run file: before `engine` it was OpenCode. */
export function engineIn({ engine, opencode = '' }: SaidOfBridge): EngineInfo {
  return engine ?? { name: 'opencode', version: opencode };
}

/** What works in a session, as far as its id says; null where it does not. */
export function engineOfSession(id: string): 'mcp' | null {
  return id.startsWith('mcp-') ? 'mcp' : null;
}
