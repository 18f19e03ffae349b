/**
 * The name under which OpenCode keeps a key: in the metadata of the session that was started with
 * it, and in that of a prompt's words. No model is shown it.
 */
export const KEY_MARK = 'agent-task-boards-key';

/** The key in metadata of any form. */
export function keyIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const key = (metadata as Readonly<Record<string, unknown>>)[KEY_MARK];
  return typeof key === 'string' ? key : undefined;
}
