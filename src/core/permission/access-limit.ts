import { PROTECTED_WORDS, type ProtectedPlace } from './protected-places';

/** A limit that no rule can lift: a protected place, or the bounds of the caller's scope. */
export type AccessLimit =
  | { readonly kind: 'boards-only' | 'no-scope' | 'read-only' | 'no-delete' }
  | { readonly kind: 'protected'; readonly place: ProtectedPlace }
  /** `pattern` is the entry of the scope's denied paths; undefined if it is not known */
  | { readonly kind: 'denied-path'; readonly pattern: string | undefined }
  /** @param name the path with its extension, if only the extension is missing */
  | { readonly kind: 'extensions'; readonly kinds: string; readonly name: string | undefined }
  /** the folders it may write to; empty if there are none */
  | { readonly kind: 'folders'; readonly folders: string }
  | { readonly kind: 'size'; readonly bytes: number; readonly most: number };

/**
 * Describes a limit in one or two sentences, with what would be allowed. For the person and the
 * model.
 */
export function limitWords(limit: AccessLimit): string {
  const never = limit.kind === 'protected' || limit.kind === 'boards-only';
  return `${never ? 'Never allowed' : 'Not allowed'}: ${reason(limit)}`;
}

function reason(limit: AccessLimit): string {
  switch (limit.kind) {
    case 'boards-only':
      return 'the task tools reach boards only.';
    case 'protected':
      return `this is ${PROTECTED_WORDS[limit.place]}. No rule can change that.`;
    case 'no-scope':
      return 'no limit is set for this agent.';
    case 'denied-path':
      return `its limit denies ${limit.pattern ?? 'this path'}.`;
    case 'extensions': {
      const { kinds, name } = limit;
      const fault = `its limit allows only files of the kinds ${kinds}.`;
      return name === undefined ? fault : `${fault} Write it as "${name}".`;
    }
    case 'read-only':
      return 'it may only read.';
    case 'no-delete':
      return 'only the level full-write deletes.';
    case 'folders':
      return `it may write to ${limit.folders || 'no folder'} only.`;
    case 'size':
      return `${limit.bytes} bytes are more than its limit of ${limit.most}.`;
  }
}
