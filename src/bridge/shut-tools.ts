import { isShut } from '../core/permission/hidden-tools';
import type { Operation } from '../core/permission/rule';
import type { SharedSettings } from '../core/shared-settings';
import { ALIASES } from '../core/tool/alias/aliases';
import { createNote, NOTE_TOOLS, updateNote } from '../core/tool/note/definitions';
import { policyOf } from './policy-of';

/** What each tool does, by its name in OpenCode. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ...['tasks', ...ALIASES.map(({ name }) => name)].map((name) => [name, 'tasks'] as const),
  ...NOTE_TOOLS.map(({ openCodeName }) => [openCodeName, 'read'] as const),
  [createNote.openCodeName, 'create'] as const,
  [updateNote.openCodeName, 'update'] as const,
]);

/** @param tool by its name in OpenCode */
export function operationOf(tool: string): Operation {
  return OPERATIONS.get(tool) ?? 'tasks';
}

/** The tools that the rules keep from an agent, whatever it would do with them. */
export function shutTools(settings: SharedSettings): (agent: string) => readonly string[] {
  const policy = policyOf(settings);
  return (agent) =>
    [...OPERATIONS].flatMap(([tool, operation]) => (isShut(policy, operation, agent) ? tool : []));
}
