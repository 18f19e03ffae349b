import { TASKS_DESCRIPTION, tasksArgs } from '../../core/board/tasks-schema';
import { ALIASES } from '../../core/tool/alias/aliases';
import type { ToolRunner } from './tool-runner';
import type { ToolDefinition } from './tool-call';
import { inputSchema } from '../../core/tool/input-schema';
import { noteToolTexts } from '../../core/tool/note/definitions';
import { TASKS_PERMISSION } from '../../core/engine/engine-permissions';
import type { ToolSettings } from './permission-defaults';

/**
 * Our tools for OpenCode: `tasks`, the deprecated ones for sessions whose model still uses them,
 * and those for notes. Each argument is given as JSON Schema, which OpenCode passes to the model
 * unchanged, marking every argument as required. (It would read a zod schema with its own zod,
 * which may be another version.) OpenCode doesn't validate arguments; the call does.
 */
export function toolDefinitions(
  runner: ToolRunner,
  { aliases, notes }: Pick<ToolSettings, 'aliases' | 'notes'>,
): Readonly<Record<string, ToolDefinition>> {
  const tasks = { name: TASKS_PERMISSION, description: TASKS_DESCRIPTION, input: tasksArgs };
  const onBoards = [tasks, ...(aliases.length > 0 ? ALIASES : [])].map(
    ({ name, description, input }) => {
      return { name, description, parameters: inputSchema(input()) };
    },
  );
  const tools = [...onBoards, ...(notes ? noteToolTexts() : [])].map(
    ({ name, description, parameters }): [string, ToolDefinition] => {
      const args = { ...(parameters.properties as Readonly<Record<string, unknown>>) };
      const execute: ToolDefinition['execute'] = (sent, context) => runner.run(name, sent, context);
      return [name, { description, args, execute }];
    },
  );
  return Object.fromEntries(tools);
}

const DELEGATED =
  'Work that you delegate and that stands on your task board (tool `tasks`): set its task in progress before, and complete it from the result;';

/**
 * Adds information about the board to tool descriptions; changes `output`.
 * - `task`, with which OpenCode's agents start subagents: how delegated work relates to the board.
 * - `tasks`, where it replaces `todowrite`, which models are trained to look for.
 */
export function describeTool(
  tool: string,
  output: { description: string },
  { subagents, todowrite }: Pick<ToolSettings, 'subagents' | 'todowrite'>,
): void {
  if (tool === 'task') {
    const child = subagents
      ? 'the subagent keeps a board of its own.'
      : 'the subagent can neither see nor change the board.';
    output.description += `\n\n${DELEGATED} ${child}`;
  }
  if (tool === TASKS_PERMISSION && todowrite === 'replace') {
    output.description += '\nIt stands in for `todowrite`, which is not there.';
  }
}
