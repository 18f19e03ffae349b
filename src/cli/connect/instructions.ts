import { ALIASES } from '../../core/tool/alias/aliases';
import type { Marks } from './marked-block';

export const INSTRUCTION_MARKS: Marks = {
  begin: '<!-- agent-task-boards: begin, written by agent-boards connect -->',
  end: '<!-- agent-task-boards: end -->',
};

/** Instructions for the model, for its client's instruction file: at most 200 words. */
export const INSTRUCTIONS = `## Plan on the task board

The MCP server \`agent-task-boards\` has the tool \`tasks\`. It keeps your plan as a note that the person reads and edits while you work.

- For work of three steps or more, plan before you begin: operation \`init\` with a title, then \`add\` for each task, with \`dependsOn\` where one waits for another. Work of one step needs no board. Keep no second list elsewhere.
- To pick up an unfinished board, in a new conversation or after the context was compacted, call \`resume\` first; the answer says which boards there are. Go on with the next ready task instead of planning anew.
- Set a task to \`in_progress\` when you begin it. Use \`complete\` as soon as it is done and checked, one by one.
- Never complete what is not done. Set it to \`failed\` or \`deferred\` and say why, or leave it open.
- Each answer says what the person changed on the board. Their changes stand: follow them.`;

/** Operations whose earlier tools had other names. */
const OPERATIONS: Readonly<Record<string, string>> = { create: 'add', status: 'list' };

/**
 * Rewrites a text for models from the tool names and the folder of older layouts to the current
 * ones.
 * @param boards folder of the boards
 */
export function updateToolNames(text: string, boards: string): string {
  const names = ALIASES.map(({ name }) => name).join('|');
  return text
    .replace(
      new RegExp(`(\`?)\\b(${names})\\b(\`?)`, 'g'),
      (_, open: string, name: string, close: string) => {
        const old = name.replace(/^tasks?_/, '');
        const operation = OPERATIONS[old] ?? old;
        return open + close === '``'
          ? `\`tasks\` operation \`${operation}\``
          : `${open}tasks operation ${operation}${close}`;
      },
    )
    .replace(/(?<![\w./-])(?:\.\/)?\.tasks\//g, () => `${boards}/`);
}
