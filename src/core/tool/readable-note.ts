import type { AccessRequest, Decision } from '../permission/decide';
import { VaultTarget } from '../permission/vault-target';
import { StoreError } from '../ports';
import type { NoteDeps, ToolHostDeps } from './call-run';
import { MAX_INDEXED } from './note/note-index';

type Kind = AccessRequest['kind'];

/** Who reads: the rules for this caller apply. */
export type Reader = Pick<AccessRequest, 'sessionId' | 'agent'>;

export type ReadableNoteDeps = Pick<ToolHostDeps, 'permitting' | 'clock'> & {
  readonly notes: Pick<NoteDeps, 'store' | 'resolver'>;
};

/** Decides about reading on behalf of one reader. */
export function readAccessOf(
  { notes, permitting, clock }: ReadableNoteDeps,
  { sessionId, agent }: Reader,
) {
  const { resolver, store } = notes;
  const request = (target: VaultTarget, kind: Kind): AccessRequest => ({
    ...{ sessionId, agent, operation: 'read', target, kind, now: clock.now() },
  });
  return {
    resolve: (path: string, kind: Kind) =>
      kind === 'file' ? resolver.resolve(path) : resolver.resolveFolder(path),
    request,
    /** Checks the file's size only if reading is not denied anyway. */
    decide: async (target: VaultTarget, kind: Kind): Promise<Decision> => {
      const decision = permitting.decide(request(target, kind));
      if (decision.verdict === 'deny' || kind === 'folder') return decision;
      const bytes = (await store.stat(target.real))?.size;
      return permitting.decide({ ...request(target, kind), bytes });
    },
  };
}

/**
 * The text of a note that the rules let an agent read without asking; undefined for any other: one
 * that they ask about, one that is gone, not Markdown, not text or larger than 1 MiB.
 */
export async function readableNote(
  deps: ReadableNoteDeps,
  reader: Reader,
  path: string,
): Promise<string | undefined> {
  const { resolver, store } = deps.notes;
  const { resolve, decide } = readAccessOf(deps, reader);
  const target = /\.md$/i.test(path) ? await resolve(path, 'file') : undefined;
  if (!(target instanceof VaultTarget)) return undefined;
  const isAllowed = async (): Promise<boolean> =>
    (await decide(target, 'file')).verdict === 'allow';
  try {
    if (!(await isAllowed())) return undefined;
    const size = (await store.stat(target.real))?.size ?? Infinity;
    const text = size > MAX_INDEXED ? undefined : await store.read(target.real);
    // Checked again: a folder may have been replaced by a link during the read.
    return (await resolver.movedFault(target)) === undefined && (await isAllowed())
      ? text
      : undefined;
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
