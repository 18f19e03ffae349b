import { fault, type Fault } from './fault';

/** Characters of a whole path, and UTF-8 bytes of one name: what file systems and sync tools can hold. */
export const MAX_PATH = 512;
const MAX_NAME = 255;

export type PathFault = Fault<'bad_path'>;

/** Each kind of path that is refused, and what to send instead. The first that fits is told. */
const REFUSED: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^$/, 'The path is empty. Send the path of a note, as in "Projects/Plan.md".'],
  [/\p{Surrogate}/u, 'The path holds half a character. Send it as well-formed text.'],
  [/\p{Cc}/u, 'The path holds a control character. Send it without.'],
  // ZWNJ and ZWJ stay: names in Persian and joined emoji have them.
  [
    /(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}]/u,
    'The path holds an invisible character or one that turns the direction of writing. Send it without.',
  ],
  [/\\/, 'The path holds a backslash. Put "/" between folders.'],
  [/^\/\//, 'The path is one of a network. Send a path inside the vault.'],
  [/^\//, 'The path begins with "/". Send it relative to the vault, without the slash.'],
  [/^[A-Za-z]:/, 'The path begins with a drive. Send it relative to the vault.'],
  [/:/, 'The path holds ":", which names a drive or a stream. Send it without.'],
  [/%[0-9a-f]{2}/i, 'The path holds an escape like %2e. Send the characters themselves.'],
  [/(?:^|\/)\.\.(?:\/|$)/, 'The path holds "..". Send the path that is meant, from the vault on.'],
  [/(?:^|\/)\.(?:\/|$)/, 'The path holds ".". Send it without.'],
  [/\/\/|\/$/, 'The path holds an empty name. Put one "/" between names and none at the end.'],
  [
    /[\s.](?:\/|$)/u,
    'A name in the path ends with a dot or a blank, which some systems drop. Send it without.',
  ],
  [
    /(?:^|\/)(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])[\t ]*(?:\.[^/]*)?(?:\/|$)/iu,
    'A name in the path is one of a device. Choose another name.',
  ],
  [
    /(?:^|\/)[^./]{1,6}~[1-9][0-9]{0,4}(?:\.[^./]{0,3})?(?:\/|$)/u,
    'A name in the path looks like a short name of Windows, as GIT~1. Send the whole name.',
  ],
];

/**
 * Why a path can't be one of a file or folder in the vault, or undefined where it can: relative, with
 * "/" between names, and the same on every system. What follows links is not looked at here.
 */
export function pathFault(path: string): PathFault | undefined {
  if (path.length > MAX_PATH * 2 || Array.from(path).length > MAX_PATH) {
    return fault('bad_path', `The path is too long. Use at most ${MAX_PATH} characters.`);
  }
  const refused = REFUSED.find(([pattern]) => pattern.test(path));
  if (refused !== undefined) return fault('bad_path', refused[1]);
  if (path.split('/').every((name) => utf8Length(name) <= MAX_NAME)) return undefined;
  return fault(
    'bad_path',
    `A name in the path is longer than ${MAX_NAME} bytes. Choose a shorter one.`,
  );
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
