import { utf8Length } from '../../protocol/frame-limits';
import { patternFault, type PatternFault } from './path-pattern';
import { VAULT_ROOT, VaultTarget } from './vault-target';

/** What is at a vault path once all links are followed. */
export type RealPath =
  /** `path`: the real location, relative to the vault, "/"-separated */
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'outside' }
  /** the system denies this program access */
  | { readonly kind: 'closed' }
  /** nothing, not even a broken link */
  | { readonly kind: 'missing' }
  /** a broken link: writing to it would create a file at its target */
  | { readonly kind: 'dangling' };

/**
 * Follows links, on systems that have them (desktop). Must let the system follow them instead of
 * interpreting a link's text.
 */
export type RealPathLookup = (path: string) => Promise<RealPath>;

type ResolveFault = PatternFault<'bad_path' | 'outside' | 'changed'>;

/** The ways in which models write the vault's root. */
const ROOT_SPELLINGS: readonly string[] = ['', '.', './', '/'];

/** Turns a path that a model sent into a target in the vault. All tools use it. */
export class PathResolver {
  /** @param realPaths absent if the vault can't contain links (phones) */
  constructor(private readonly realPaths?: RealPathLookup) {}

  /** Resolves the path of a file or folder, which need not exist. */
  async resolve(sent: string): Promise<VaultTarget | ResolveFault> {
    const bad = pathFault(sent);
    if (bad !== undefined) return bad;
    const path = sent.normalize('NFC');
    const real = await this.followLinks(path);
    return typeof real === 'string' ? new VaultTarget(path, real) : real;
  }

  /** Resolves a folder to list or search: accepts the vault itself and drops a trailing slash. */
  async resolveFolder(sent: string): Promise<VaultTarget | ResolveFault> {
    if (ROOT_SPELLINGS.includes(sent)) return new VaultTarget(VAULT_ROOT);
    return this.resolve(sent.endsWith('/') ? sent.slice(0, -1) : sent);
  }

  /**
   * Resolves again right before the effect, since a folder may have been replaced by a link.
   * Returns a fault if the path now leads elsewhere.
   */
  async movedFault(target: VaultTarget): Promise<ResolveFault | undefined> {
    if (target.path === VAULT_ROOT) return undefined;
    const now = await this.resolve(target.path);
    if (!(now instanceof VaultTarget)) return now;
    if (now.equals(target)) return undefined;
    return patternFault(
      'changed',
      `${target.path} leads elsewhere since this was asked. Ask again.`,
    );
  }

  /** Follows the deepest part of the path that exists and appends the remaining names. */
  private async followLinks(path: string): Promise<string | ResolveFault> {
    const { realPaths } = this;
    if (realPaths === undefined) return path;
    const names = path.split('/');
    for (let depth = names.length; depth > 0; depth -= 1) {
      const found = await realPaths(names.slice(0, depth).join('/'));
      if (found.kind === 'missing') continue;
      if (found.kind !== 'inside') {
        return patternFault('outside', `${path} ${UNUSABLE[found.kind]}`);
      }
      const real = [found.path, ...names.slice(depth)].filter((part) => part !== '').join('/');
      if (real.normalize('NFC') === path) return path;
      return (await linkTargetFault(path, real, found.path, realPaths)) ?? real.normalize('NFC');
    }
    return path;
  }
}

const UNUSABLE: Readonly<Record<'outside' | 'dangling' | 'closed', string>> = {
  outside: 'leads out of the vault. Use a path inside the vault.',
  dangling: 'is a link that leads nowhere. Use a path inside the vault.',
  closed: 'cannot be looked at: the system does not allow it. Use another path, or ask the person.',
};

/**
 * Checks that a link's target is a usable vault path too. The vault itself is not a file.
 * @param existing the part of `real` that exists
 */
async function linkTargetFault(
  path: string,
  real: string,
  existing: string,
  realPaths: RealPathLookup,
): Promise<ResolveFault | undefined> {
  const usable = real.length <= MAX_PATH * 2 && pathFault(real) === undefined;
  if (usable && (await isSameInNfc(existing, realPaths))) return undefined;
  return patternFault('outside', `${path} leads to a place that can't be used. Use another path.`);
}

/**
 * Checks that the NFC form names the same file. On some disks another Unicode form is another name,
 * which may be a link itself.
 */
async function isSameInNfc(there: string, realPaths: RealPathLookup): Promise<boolean> {
  const form = there.normalize('NFC');
  if (form === there) return true;
  const found = await realPaths(form);
  return found.kind === 'inside' && found.path === there;
}

/**
 * Longest path in characters, and longest name in UTF-8 bytes, that file systems and sync tools
 * support.
 */
const MAX_PATH = 512;

const MAX_NAME = 255;

type PathFault = PatternFault<'bad_path'>;

/** Refused paths and what to send instead. The first match is reported. */
const REFUSED_PATHS: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^$/, 'The path is empty. Send the path of a note, as in "Projects/Plan.md".'],
  [/\p{Surrogate}/u, 'The path contains half a character. Send it as well-formed text.'],
  [/\p{Cc}/u, 'The path contains a control character. Send it without.'],
  // ZWNJ and ZWJ are allowed: Persian names and joined emoji contain them.
  [
    /(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}]/u,
    'The path contains an invisible character or one that turns the direction of writing. Send it without.',
  ],
  [/\\/, 'The path contains a backslash. Put "/" between folders.'],
  [/^\/\//, 'The path is one of a network. Send a path inside the vault.'],
  [/^\//, 'The path begins with "/". Send it relative to the vault, without the slash.'],
  [/^[A-Za-z]:/, 'The path begins with a drive. Send it relative to the vault.'],
  [/:/, 'The path contains ":", which names a drive or a stream. Send it without.'],
  [/%[0-9a-f]{2}/i, 'The path contains an escape like %2e. Send the characters themselves.'],
  [/(?:^|\/)\.\.(?:\/|$)/, 'The path contains "..". Send the resolved path, from the vault on.'],
  [/(?:^|\/)\.(?:\/|$)/, 'The path contains ".". Send it without.'],
  [/\/\/|\/$/, 'The path contains an empty name. Put one "/" between names and none at the end.'],
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
 * Returns why a path can't name a file or folder in the vault; undefined if it can. A valid path is
 * relative, has "/" between names and means the same on every system. Doesn't follow links.
 */
function pathFault(path: string): PathFault | undefined {
  if (path.length > MAX_PATH * 2 || Array.from(path).length > MAX_PATH) {
    return patternFault('bad_path', `The path is too long. Use at most ${MAX_PATH} characters.`);
  }
  const refused = REFUSED_PATHS.find(([pattern]) => pattern.test(path));
  if (refused !== undefined) return patternFault('bad_path', refused[1]);
  if (path.split('/').every((name) => utf8Length(name) <= MAX_NAME)) return undefined;
  const message = `A name in the path is longer than ${MAX_NAME} bytes. Choose a shorter one.`;
  return patternFault('bad_path', message);
}
