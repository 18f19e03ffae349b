import { ALIASES } from '../../core/tool/alias/aliases';
import type { Marks } from './marked-block';

export const INSTRUCTION_MARKS: Marks = {
  begin: '<!-- agent-task-boards: begin, written by agent-boards connect -->',
  end: '<!-- agent-task-boards: end -->',
};

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
