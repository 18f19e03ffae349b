import * as z from 'zod/mini';
import { TASKS_DESCRIPTION, tasksArgs } from '../core/board/tasks-schema';
import { ALIASES } from '../core/tool/alias/aliases';
import type { ToolAnswer, ToolCallContext, ToolRunner } from './tool-runner';

/** A tool as OpenCode takes it from a plugin. */
export interface ToolDefinition {
  readonly description: string;
  readonly args: Readonly<Record<string, unknown>>;
  execute(args: unknown, context: ToolCallContext): Promise<ToolAnswer>;
}

/**
 * `tasks` for OpenCode. Its arguments are given as JSON Schema, one by one: OpenCode passes that on
 * to the model as it is, and every one of them counts as required. (A zod schema it would read with
 * a zod of its own, whose version need not be ours.) It checks nothing; the call itself does.
 */
export function tasksTool(runner: ToolRunner): ToolDefinition {
  const { properties } = z.toJSONSchema(tasksArgs, { io: 'input' });
  return {
    description: TASKS_DESCRIPTION,
    args: { ...properties },
    execute: (args, context) => runner.run('tasks', args, context),
  };
}

/** The deprecated tools, for sessions whose model still calls them. */
export function aliasTools(runner: ToolRunner): Readonly<Record<string, ToolDefinition>> {
  const tools = ALIASES.map(({ name, description, input }): [string, ToolDefinition] => {
    const { properties } = z.toJSONSchema(input, { io: 'input' });
    const execute: ToolDefinition['execute'] = (args, context) => runner.run(name, args, context);
    return [name, { description, args: { ...properties }, execute }];
  });
  return Object.fromEntries(tools);
}
