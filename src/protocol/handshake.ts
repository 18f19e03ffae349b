/** What both ends say before the first frame. */

export const PROTOCOL_VERSION = 1;

/** The subprotocol that the server answers with. */
export const SUBPROTOCOL = 'agent-task-boards.v1';

const TOKEN_PREFIX = 'token.';

/** The subprotocols a client offers; the token travels in the second, never in the address. */
export function clientProtocols(token: string): readonly string[] {
  return [SUBPROTOCOL, TOKEN_PREFIX + token];
}

/**
 * The token among offered subprotocols. Undefined where the first is not ours, where none is there,
 * and where there are several: which of them counts would be a guess.
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
 * What a bridge can do that older ones of the same version can't, as `welcome.features` names it.
 * `keys`: it knows the `key` of `session.start` and `session.message`, and `session.look`.
 */
export const FEATURES = ['keys'] as const;

export type Feature = (typeof FEATURES)[number];
