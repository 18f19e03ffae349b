import { sentence, type SaidSentence, type SentenceValues } from '../fault/sentence';
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

/** Why a limit denies something. */
export const LIMIT_TEXTS = {
  'boards-only': 'The task tools reach boards only.',
  protected: 'This is {place}. No rule can change that.',
  'no-scope': 'No limit is set for this agent.',
  'read-only': 'It may only read.',
  'no-delete': 'Only the level full-write deletes.',
  anyPath: 'Its limit denies this path.',
  'denied-path': 'Its limit denies {pattern}.',
  extensions: 'Its limit allows only files of the kinds {kinds}.',
  extension: 'Its limit allows only files of the kinds {kinds}. Write it as "{name}".',
  folders: 'It may write to {folders} only.',
  noFolder: 'It may write to no folder.',
  size: '{bytes} bytes are more than its limit of {most}.',
} as const;

/** Why a limit denies something, with what would be allowed. */
export function limitSentence(limit: AccessLimit): SaidSentence {
  const text = (name: keyof typeof LIMIT_TEXTS, values?: SentenceValues): SaidSentence =>
    sentence(['limit', LIMIT_TEXTS], name, values);
  const values = limit as SentenceValues;
  if (limit.kind === 'protected') {
    const place = sentence(['protectedPlace', PROTECTED_WORDS], limit.place);
    return text(limit.kind, { place });
  }
  if (limit.kind === 'denied-path' && limit.pattern === undefined) return text('anyPath');
  if (limit.kind === 'extensions' && limit.name !== undefined) return text('extension', values);
  if (limit.kind === 'folders' && limit.folders === '') return text('noFolder');
  return text(limit.kind, values);
}
