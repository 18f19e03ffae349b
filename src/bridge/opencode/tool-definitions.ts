import { TASKS_DESCRIPTION, tasksArgs } from '../../core/board/tasks-schema';
import { ALIASES } from '../../core/tool/alias/aliases';
import type { ToolRunner } from './tool-runner';
import type { ToolDefinition } from './tool-call';
import { inputSchema } from '../../core/tool/input-schema';
import { noteToolTexts } from '../../core/tool/note/definitions';
import { TASKS } from '../../core/engine/asked';
import type { ToolSettings } from './permission-defaults';

/**
 * Our tools for OpenCode: `tasks`, the deprecated ones for sessions whose model still calls them, and
 * those for notes. Their arguments are given as JSON Schema, one by one: OpenCode passes that on to
 * the model as it is, and every one of them counts as required. (A zod schema it would read with a
 * zod of its own, whose version need not be ours.) It checks nothing; the call itself does.
 */
export function offeredTools(
  runner: ToolRunner,
  { aliases, notes }: Pick<ToolSettings, 'aliases' | 'notes'>,
): Readonly<Record<string, ToolDefinition>> {
  const tasks = { name: TASKS, description: TASKS_DESCRIPTION, input: tasksArgs };
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
