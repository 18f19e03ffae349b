import type { AskAnswer } from '../../core/permission/ask';
import type { PermissionReply } from '../../protocol/permission-reply';

/** What a person decided about one need. */
export type Answer =
  | { readonly kind: 'permission'; readonly reply: PermissionReply; readonly message?: string }
  | { readonly kind: 'question'; readonly answers: readonly (readonly string[])[] }
  | { readonly kind: 'ask'; readonly answer: AskAnswer };
