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
 * Each part under its own heading. A line of a part that looks like a heading is indented, so that
 * the text of a note can't pass for another part.
 */
export const structuredTemplate: ContextStrategy = {
  join(parts) {
    return parts
      .filter(({ lines }) => lines.length > 0)
      .map(({ name, lines }) => [`## ${HEADINGS[name]}`, '', ...lines.map(plain)].join('\n'))
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
