import { createNote, updateNote } from '../core/tool/note/definitions';
import type { Rule } from './permission-rules';

/**
 * Rules of a session that may only read: OpenCode's own tools that change files, which are all one
 * permission, and ours for notes. A session's rules come last, and its sub-agents get them too.
 */
export const READ_ONLY: readonly Rule[] = [
  'edit',
  createNote.openCodeName,
  updateNote.openCodeName,
].map((permission) => ({ permission, pattern: '*', action: 'deny' }));
