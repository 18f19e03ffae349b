import * as z from 'zod/mini';
import { TASKS_DESCRIPTION, tasksArgs } from '../../core/board/tasks-schema';
import { ALIASES } from '../../core/tool/alias/aliases';
import type { ToolRunner } from './tool-runner';
import type { ToolDefinition } from './tool-call';
import { noteToolTexts } from '../../core/tool/note/definitions';
import { TASKS, type ToolSettings } from './permission-defaults';

/**
 * `tasks` for OpenCode. Its arguments are given as JSON Schema, one by one: OpenCode passes that on
 * to the model as it is, and every one of them counts as required. (A zod schema it would read with
 * a zod of its own, whose version need not be ours.) It checks nothing; the call itself does.
 */
export function offeredTasksTool(runner: ToolRunner): ToolDefinition {
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

/** The tools for notes, for OpenCode. See `tasksTool` on how their arguments are declared. */
export function offeredNoteTools(runner: ToolRunner): Readonly<Record<string, ToolDefinition>> {
  const tools = noteToolTexts().map(
    ({ name, description, parameters }): [string, ToolDefinition] => {
      const { properties } = parameters as { properties: Readonly<Record<string, unknown>> };
      const execute: ToolDefinition['execute'] = (args, context) => runner.run(name, args, context);
      return [name, { description, args: { ...properties }, execute }];
    },
  );
  return Object.fromEntries(tools);
}

const DELEGATED =
  'Work that you delegate and that stands on your task board (tool `tasks`): set its task in progress before, and complete it from the result;';

/**
 * What the descriptions of tools say of the board beside their own words; changes `output`.
 * - `task`, by which OpenCode's agents start sub-agents: what delegated work has to do with the board.
 * - `tasks`, where it replaces `todowrite`, which models are trained to look for.
 */
export function describeTool(
  tool: string,
  output: { description: string },
  { subagents, todowrite }: Pick<ToolSettings, 'subagents' | 'todowrite'>,
): void {
  if (tool === 'task') {
    const child = subagents
      ? 'the sub-agent keeps a board of its own.'
      : 'the sub-agent can neither see nor change the board.';
    output.description += `\n\n${DELEGATED} ${child}`;
  }
  if (tool === TASKS && todowrite === 'replace') {
    output.description += '\nIt stands in for `todowrite`, which is not there.';
  }
}
