import type { Boards } from './alias/alias';
import { ALIASES } from './alias/aliases';
import { tasksTool } from './tasks-tool';
import type { Tool } from './tool';

/** All tools that work on boards, by name; which of them a model sees is for the bridge to say. */
export function boardTools(boards: Boards): ReadonlyMap<string, Tool> {
  const tools = [tasksTool(boards), ...ALIASES.map((alias) => alias.tool(boards))];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
