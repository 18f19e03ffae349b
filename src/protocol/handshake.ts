/** What both ends say before the first frame. */

export const PROTOCOL_VERSION = 1;

/** The subprotocol that the server answers with. */
export const SUBPROTOCOL = 'agent-task-boards.v1';

const TOKEN_PREFIX = 'token.';

/** The subprotocols a client offers; the token travels in the second, never in the address. */
export function clientProtocols(token: string): readonly string[] {
  return [SUBPROTOCOL, TOKEN_PREFIX + token];
}

/** The token among offered subprotocols, undefined where the first is not ours or none is there. */
export function offeredToken(protocols: readonly string[]): string | undefined {
  if (protocols[0] !== SUBPROTOCOL) return undefined;
  const offered = protocols.find((protocol) => protocol.startsWith(TOKEN_PREFIX));
  return offered?.slice(TOKEN_PREFIX.length);
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
