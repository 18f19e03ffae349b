import { TASKS, type ToolSettings } from './tool-denials';

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
