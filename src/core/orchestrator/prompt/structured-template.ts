import type { ContextPart, ContextStrategy } from './context-strategy';

const HEADINGS: Readonly<Record<ContextPart['name'], string>> = {
  goal: 'Goal',
  task: 'Task',
  details: 'Details',
  success: 'Done when',
  results: 'Results of the steps before',
  wrong: 'What went wrong before',
  instructions: 'What to do',
};

/**
 * Each part under its own heading. A line of a part that looks like a heading is indented, and a block
 * of code that is left open ends with its part, so that the text of a note can't pass for another part
 * or swallow the next.
 */
export const structuredTemplate: ContextStrategy = {
  join(parts) {
    return parts
      .filter(({ lines }) => lines.length > 0)
      .map(({ name, lines }) => `## ${HEADINGS[name]}\n\n${closed(lines.map(plain).join('\n'))}`)
      .join('\n\n');
  },
};

function plain(line: string): string {
  return line
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((one) =>
      /^ {0,3}(?:#{1,6}(?:\s|$)|=+\s*$|-+\s*$)/.test(one) ? `    ${one.trimStart()}` : one,
    )
    .join('\n');
}

/** Where a line may open a block of code, also as the text of a list item. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/;

function closed(text: string): string {
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const [, fence = '', rest = ''] = FENCE.exec(line) ?? [];
    if (fence === '') continue;
    const ends = open !== undefined && fence.startsWith(open) && rest.trim() === '';
    if (ends) open = undefined;
    else if (open === undefined && !(fence.startsWith('`') && rest.includes('`'))) open = fence;
  }
  return open === undefined ? text : `${text}\n${open}`;
}
