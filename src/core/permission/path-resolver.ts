import { fault, type Fault } from './fault';
import { MAX_PATH, pathFault } from './path-fault';
import { VAULT, VaultTarget } from './vault-target';

/** What stands at a path of the vault, all links on the way followed. */
export type RealPath =
  /** `path`: where it really is, relative to the vault, "/"-separated */
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'outside' }
  /** nothing, not even a link that leads nowhere */
  | { readonly kind: 'missing' }
  /** a link that leads nowhere: what is written there would appear at its end */
  | { readonly kind: 'dangling' };

/** Where there are links (desktop). Must not follow a link's text by itself: the system does. */
export type RealPaths = (path: string) => Promise<RealPath>;

export type ResolveFault = Fault<'bad_path' | 'outside' | 'changed'>;

/** How models write the vault itself. */
const WHOLE: readonly string[] = ['', '.', './', '/'];

/** The one way from a path that a model sends to a place in the vault, for every tool. */
export class PathResolver {
  /** @param realPaths absent where the vault can't hold links (phones) */
  constructor(private readonly realPaths?: RealPaths) {}

  /** Of a file or folder that may not exist yet. */
  async resolve(sent: string): Promise<VaultTarget | ResolveFault> {
    const bad = pathFault(sent);
    if (bad !== undefined) return bad;
    const path = sent.normalize('NFC');
    const real = await this.follow(path);
    return typeof real === 'string' ? new VaultTarget(path, real) : real;
  }

  /** Of a folder that is listed or searched: the vault itself too, and a slash at the end is dropped. */
  async resolveFolder(sent: string): Promise<VaultTarget | ResolveFault> {
    if (WHOLE.includes(sent)) return new VaultTarget(VAULT);
    return this.resolve(sent.endsWith('/') ? sent.slice(0, -1) : sent);
  }

  /** Looks again, right before the effect: a folder may have been swapped for a link since. */
  async stillThere(target: VaultTarget): Promise<ResolveFault | undefined> {
    if (target.path === VAULT) return undefined;
    const now = await this.resolve(target.path);
    if (!(now instanceof VaultTarget)) return now;
    if (now.equals(target)) return undefined;
    return fault('changed', `${target.path} leads elsewhere since this was asked. Ask again.`);
  }

  /** The deepest of its folders that exists, followed, and the rest of its names. */
  private async follow(path: string): Promise<string | ResolveFault> {
    const { realPaths } = this;
    if (realPaths === undefined) return path;
    const names = path.split('/');
    for (let depth = names.length; depth > 0; depth -= 1) {
      const found = await realPaths(names.slice(0, depth).join('/'));
      if (found.kind === 'missing') continue;
      if (found.kind !== 'inside') return leadsOut(path, found.kind);
      const real = [found.path, ...names.slice(depth)].filter((part) => part !== '').join('/');
      if (real.normalize('NFC') === path) return path;
      return (await realFault(path, real, found.path, realPaths)) ?? real.normalize('NFC');
    }
    return path;
  }
}

/**
 * What a link leads to must be a path of the vault as well; the vault itself is no file of it.
 * @param there the part of `real` that exists
 */
async function realFault(
  path: string,
  real: string,
  there: string,
  realPaths: RealPaths,
): Promise<ResolveFault | undefined> {
  const usable = real.length <= MAX_PATH * 2 && pathFault(real) === undefined;
  if (usable && (await isSameInNfc(there, realPaths))) return undefined;
  return fault('outside', `${path} leads to a place that can't be used. Use another path.`);
}

/** On some disks a name in another Unicode form is another name: that may be a link itself. */
async function isSameInNfc(there: string, realPaths: RealPaths): Promise<boolean> {
  const form = there.normalize('NFC');
  if (form === there) return true;
  const found = await realPaths(form);
  return found.kind === 'inside' && found.path === there;
}

function leadsOut(path: string, kind: 'outside' | 'dangling'): ResolveFault {
  const where = kind === 'outside' ? 'leads out of the vault' : 'is a link that leads nowhere';
  return fault('outside', `${path} ${where}. Use a path inside the vault.`);
}
