import { randomBytes } from 'node:crypto';
import { rawFrame } from './raw-frame';
import { upgradeBytes, type UpgradeHead } from './raw-upgrade';

const OBSIDIAN_ORIGIN = 'app://obsidian.md';
const OUR_PROTOCOL = 'agent-task-boards.v1';

/** Expected result of a handshake: the upgrade refused, the token refused, or a welcome. */
export type Verdict = 'forbidden' | 'token' | 'in';

export interface MatrixCell {
  readonly name: string;
  readonly head: UpgradeHead;
  readonly verdict: Verdict;
}

export interface MatrixKeys {
  readonly port: number;
  readonly token: string;
  /** token of an earlier bridge */
  readonly oldToken: string;
}

/** Origins that none of our pages has. */
export const FOREIGN_ORIGINS = [
  'null',
  '',
  'app://obsidian.md/',
  'APP://obsidian.md',
  'app://obsidian.md.evil.example',
  'app://obsidian.md@evil.example',
  'app://obsidian.md:80',
  'app://obsidian.md, https://evil.example',
  'app://obsidian',
  'http://obsidian.md',
  'https://obsidian.md',
  'capacitor://localhost',
  'http://localhost',
  'http://127.0.0.1',
  'https://evil.example',
  'file://',
  'chrome-extension://abcdefghijklmnop',
  'vscode-webview://abc',
  'moz-extension://abc',
  '*',
] as const;

/**
 * Every Origin combined with every token and every Host; each cell names how it deviates from a
 * correct handshake.
 */
export function handshakeMatrix(keys: MatrixKeys): MatrixCell[] {
  const own = `http://127.0.0.1:${keys.port}`;
  const foreign = [...FOREIGN_ORIGINS, own].map((origin) => [origin]);
  const origins = [
    [],
    [OBSIDIAN_ORIGIN],
    ...foreign,
    [OBSIDIAN_ORIGIN, OBSIDIAN_ORIGIN],
    [OBSIDIAN_ORIGIN, FOREIGN_ORIGINS[14]],
  ];
  return origins.flatMap((origin) =>
    hostHeaders(keys.port).flatMap(({ hosts, good: goodHost }) =>
      protocolOffers(keys).map(({ name, protocols, good }) => {
        const goodOrigin =
          origin.length === 0 || (origin.length === 1 && origin[0] === OBSIDIAN_ORIGIN);
        const verdict = goodOrigin && goodHost ? (good ? 'in' : 'token') : 'forbidden';
        return {
          name: `Origin ${JSON.stringify(origin)}, Host ${JSON.stringify(hosts)}, ${name}`,
          head: { origins: origin, hosts, protocols },
          verdict,
        };
      }),
    ),
  );
}

/** The bytes of a cell. */
export function cellBytes({ head }: MatrixCell): Buffer {
  return upgradeBytes(head);
}

/** A client's first message; only an accepted client gets an answer. */
export function helloFrame(): Buffer {
  const payload = { client: 'matrix', version: '1', vault: 'v', capabilities: ['tools'] };
  return rawFrame(JSON.stringify({ v: 1, id: 'h1', ts: 1, type: 'hello', payload }));
}

/** A well-formed token that no bridge uses. */
export function unknownToken(): string {
  return randomBytes(32).toString('base64url');
}

function hostHeaders(
  port: number,
): { readonly hosts: readonly string[]; readonly good: boolean }[] {
  const good = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  const bad = [
    '127.0.0.1',
    `127.0.0.1:${port === 65535 ? 1 : port + 1}`,
    `evil.example:${port}`,
    `localhost.evil.example:${port}`,
    `127.0.0.1:${port}.evil.example`,
    `0.0.0.0:${port}`,
    `2130706433:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `user@127.0.0.1:${port}`,
  ];
  return [
    ...good.map((host) => ({ hosts: [host], good: true })),
    ...bad.map((host) => ({ hosts: [host], good: false })),
    { hosts: [], good: false },
    { hosts: [`127.0.0.1:${port}`, `evil.example:${port}`], good: false },
  ];
}

function protocolOffers({ token, oldToken }: MatrixKeys) {
  const bad: Record<string, readonly string[]> = {
    'a wrong token': [`${OUR_PROTOCOL}, token.${unknownToken()}`],
    'an old token': [`${OUR_PROTOCOL}, token.${oldToken}`],
    'no token': [OUR_PROTOCOL],
    'an empty token': [`${OUR_PROTOCOL}, token.`],
    'nothing offered': [],
    'a token cut by one': [`${OUR_PROTOCOL}, token.${token.slice(0, -1)}`],
    'a token and one more': [`${OUR_PROTOCOL}, token.${token}A`],
    'a token in capitals': [`${OUR_PROTOCOL}, token.${token.toUpperCase()}`],
    'another prefix': [`${OUR_PROTOCOL}, Token.${token}`],
    'the token first': [`token.${token}, ${OUR_PROTOCOL}`],
    'the token alone': [`token.${token}`],
    'the next version': [`agent-task-boards.v2, token.${token}`],
    'the right token behind a wrong one': [
      `${OUR_PROTOCOL}, token.${unknownToken()}, token.${token}`,
    ],
    'a wrong token behind the right one': [
      `${OUR_PROTOCOL}, token.${token}, token.${unknownToken()}`,
    ],
  };
  return [
    { name: 'the right token', protocols: [`${OUR_PROTOCOL}, token.${token}`], good: true },
    ...Object.entries(bad).map(([name, protocols]) => ({ name, protocols, good: false })),
  ];
}
