import { escapeHeading } from './heading';
import { tidyTitle } from './title';
import { yamlText } from './yaml-text';

/** The text of a new board note: header (next 1, rev 0) and title heading. `title` is tidied. */
export function newNote(spec: {
  readonly session: string;
  readonly agent: string;
  readonly title: string;
  readonly prefix: string;
}): string {
  const title = tidyTitle(spec.title);
  return [
    '---',
    'board: 1',
    `session: ${yamlText(spec.session)}`,
    `agent: ${yamlText(spec.agent)}`,
    `title: ${yamlText(title)}`,
    `prefix: ${yamlText(spec.prefix)}`,
    'next: 1',
    'rev: 0',
    '---',
    '',
    `# ${escapeHeading(title)}`,
    '',
  ].join('\n');
}
