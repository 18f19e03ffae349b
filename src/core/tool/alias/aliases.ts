import type { Alias } from './alias';
import {
  deprecatedAddCommand,
  deprecatedCompleteCommand,
  deprecatedInitCommand,
  deprecatedListCommand,
  deprecatedRemoveCommand,
  deprecatedStatusCommand,
  deprecatedUpdateCommand,
} from './deprecated-commands';
import { TASK_TOOLS } from './task-tools';

/**
 * The tools that `tasks` replaces. None is called `task`: that is OpenCode's own, by which an agent
 * starts a sub-agent.
 */
export const ALIASES: readonly Alias[] = [
  deprecatedInitCommand,
  deprecatedAddCommand,
  deprecatedUpdateCommand,
  deprecatedCompleteCommand,
  deprecatedRemoveCommand,
  deprecatedListCommand,
  deprecatedStatusCommand,
  ...TASK_TOOLS,
];
