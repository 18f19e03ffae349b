import type { Script, Turn } from '../../workbench/demo/script';
import { add, operations, session } from './script-parts';

const note = (name: string, args: object): Turn => ({
  tools: [{ name: `obsidian_${name}`, args }],
});
const update = (mode: string, content: string, more: object = {}): Turn =>
  note('update_note', { path: 'Plans/Week.md', mode, content, dryRun: false, ...more });

export const NOTES: Readonly<Record<string, string>> = {
  'Plans/Week.md': '---\ntags: [plan]\n---\n\n# Week\n\n- Monday\n\n## Later\n\nEnd.\n',
  'Plans/Year.md': '# Year\n\nSee [[Week]].\n',
  '.obsidian/app.json': '{}',
};

/** The final text of `Plans/Week.md`. */
export const WEEK = [
  '---\ntags: [plan]\n---\nFirst\n\n',
  '# Week\n\n- Monday\n- Tuesday\n\n## Later\n\nBelow\nLine\n\nEnd.\n- Sunday\n',
].join('');

/** One agent that uses each tool for notes in every way, and a person who decides. */
export function noteScript(): Script {
  return {
    sessions: [
      session(
        'Looks and writes',
        {
          turns: [
            operations(add('Plan the week')),
            note('search_vault', { query: 'monday' }),
            note('list_notes', { folder: 'Plans' }),
            note('read_note', { path: 'Plans/Week.md', heading: 'Later' }),
            note('get_note_metadata', { path: 'Plans/Year.md' }),
            note('read_note', { path: '.obsidian/app.json' }),
            note('read_note', { path: 'Shared/secret.md' }),
            note('read_note', { path: '../secret.md' }),
          ],
        },
        {
          turns: [
            update('append', '- Sunday', { dryRun: true }),
            update('append', '- Sunday'),
            update('prepend', 'First'),
            update('insert', 'Below', { heading: 'Later' }),
            update('insert', '- Tuesday', { marker: '- Monday' }),
            update('insert', 'Line', { line: 14 }),
            update('insert', 'Nowhere', { marker: 'Not there' }),
          ],
          answers: [{ permission: 'obsidian_update_note', reply: 'always' }],
        },
        {
          turns: [
            note('create_note', { path: 'Plans/New.md', content: '# New\n' }),
            note('create_note', { path: 'Plans/New.md', content: '# New\n', dryRun: false }),
            note('create_note', { path: 'Plans/New.md', content: 'Again', dryRun: false }),
            update('replace', 'Gone', { path: 'Plans/Year.md' }),
            update('replace', '{"a":1}', { path: '.obsidian/app.json' }),
            note('create_note', { path: 'Shared/new.md', content: 'x', dryRun: false }),
          ],
          answers: [
            { permission: 'obsidian_create_note', reply: 'once' },
            { permission: 'obsidian_update_note', reply: 'reject', message: 'Leave the year' },
          ],
        },
      ),
    ],
  };
}
