import type { Hooks } from './opencode-plugin';

/** Of a bridge that serves nothing here: no tool is offered, and OpenCode is left as it is. */
export function idleHooks(): Hooks {
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    event: nothing,
    config: nothing,
    dispose: nothing,
    tool: {},
    'tool.execute.before': nothing,
    'tool.definition': nothing,
    'chat.message': nothing,
    'chat.params': nothing,
    'experimental.chat.messages.transform': nothing,
    'experimental.session.compacting': nothing,
  };
}
