import { PROTECTED_WORDS, type ProtectedPlace } from './protected-places';

/** What no rule can open: a protected place, or what is beyond the caller's scope. */
export type AccessLimit =
  | { readonly kind: 'boards-only' | 'no-scope' | 'read-only' | 'no-delete' }
  | { readonly kind: 'protected'; readonly place: ProtectedPlace }
  /** `pattern` of the scope's denied paths; undefined: not known which */
  | { readonly kind: 'denied-path'; readonly pattern: string | undefined }
  /** @param name as it should be written, where only the ending lacks */
  | { readonly kind: 'extensions'; readonly kinds: string; readonly name: string | undefined }
  /** where it may write; empty: nowhere */
  | { readonly kind: 'folders'; readonly folders: string }
  | { readonly kind: 'size'; readonly bytes: number; readonly most: number };

/** In a sentence or two, with what would be within, for the person and the model. */
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
      return 'no scope is set for this agent.';
    case 'denied-path':
      return `its scope denies ${limit.pattern ?? 'this path'}.`;
    case 'extensions': {
      const { kinds, name } = limit;
      const fault = `its scope takes files of the kinds ${kinds} only.`;
      return name === undefined ? fault : `${fault} Write it as "${name}".`;
    }
    case 'read-only':
      return 'it may only read.';
    case 'no-delete':
      return 'only the level full-write deletes.';
    case 'folders':
      return `it may write to ${limit.folders || 'no folder'} only.`;
    case 'size':
      return `${limit.bytes} bytes are more than the ${limit.most} of its scope.`;
  }
}
