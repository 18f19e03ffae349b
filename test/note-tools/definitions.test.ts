import { describe, expect, test } from 'vitest';
import { NOTE_TOOLS, noteToolTexts } from '../../src/core/tool/note/definitions';
import { NoteIndex } from '../../src/core/tool/note/note-index';
import { noteTools } from '../../src/core/tool/note/note-tools';
import { MemoryNotes } from './memory-notes';
import { planOf } from './run-plan';

const notes = new MemoryNotes();
const pause = () => Promise.resolve();
const tools = noteTools(notes, new NoteIndex({ notes, pause, hidden: () => false }));

describe('the note tools', () => {
  test('[VAULT3] are six, with names of the protocol and of OpenCode, and each is one that runs', () => {
    const names = [
      'search_vault',
      'read_note',
      'list_notes',
      'get_note_metadata',
      'create_note',
      'update_note',
    ];
    expect(NOTE_TOOLS.map(({ name }) => name)).toEqual(names.map((name) => `obsidian.${name}`));
    expect(NOTE_TOOLS.map((tool) => tool.openCodeName)).toEqual(
      names.map((name) => `obsidian_${name}`),
    );
    expect([...tools.keys()]).toEqual(names.map((name) => `obsidian.${name}`));
  });

  test('[VAULT3] cost a model little: names, descriptions and parameters are under 3,300 characters', () => {
    // o200k_base counts 724 tokens; in such text a token is four characters.
    const text = noteToolTexts()
      .map((tool) => JSON.stringify(tool))
      .join('');
    expect(text.length).toBeLessThan(3_300);
    expect(noteToolTexts().every(({ parameters }) => parameters.type === 'object')).toBe(true);
  });

  test('[VAULT4] arguments that do not fit are refused with what to send', () => {
    const said = (name: string, args: object): string => {
      const tool = tools.get(`obsidian.${name}`);
      const plan = tool && planOf(tool, args);
      return plan !== undefined && 'code' in plan ? plan.message : 'fits';
    };
    expect(said('read_note', {})).toBe(
      "Nothing was done, the arguments of obsidian.read_note don't fit. path: send the path of a note",
    );
    expect(said('read_note', { path: 'A.md', lines: '1-2' })).toContain(
      'lines: send {"from": 1, "to": 20}',
    );
    expect(said('search_vault', { query: 'a', limit: 51 })).toContain('limit: use at most 50');
    expect(said('list_notes', { recursive: 'yes' })).toContain('recursive: send true or false');
    expect(said('update_note', { path: 'A.md', content: 'x', mode: 'add' })).toContain(
      'mode: send replace, append, prepend or insert',
    );
    expect(said('list_notes', { folder: null, limit: null, recursive: null })).toBe('fits');
  });

  test('[VAULT4] any string in any field becomes a plan or a fault, and the path goes into it as it was sent', () => {
    const strings = [
      ...[
        '',
        ' ',
        '../x',
        '/etc/passwd',
        'a\u0000b',
        '\u202e',
        '__proto__',
        'constructor',
        '\ud800',
      ],
      ...['{{x}}', '${x}', '<img src=x onerror=alert(1)>', 'a'.repeat(100_000), '%2e%2e/', 'C:\\x'],
    ];
    const values = [...strings, null, 1, -1, Infinity, true, [], {}, { from: 'x' }];
    let planned = 0;
    for (const tool of tools.values()) {
      const fields = ['path', 'query', 'folder', 'content', 'heading', 'block', 'marker', 'mode'];
      for (const field of [
        ...fields,
        'lines',
        'line',
        'limit',
        'dryRun',
        'overwrite',
        '__proto__',
      ]) {
        for (const value of values) {
          const args = { path: 'A.md', query: 'x', content: 'x', mode: 'append', [field]: value };
          const plan = planOf(tool, args);
          if ('code' in plan) expect(plan.message).not.toBe('');
          else if (plan.kind !== 'board') {
            planned += 1;
            const sent =
              tool.name.endsWith('_vault') || tool.name.endsWith('list_notes') ? 'folder' : 'path';
            if (field === sent && typeof value === 'string') expect(plan.path).toBe(value);
          }
        }
      }
      for (const args of [null, undefined, 'x', [], 1]) {
        const plan = planOf(tool, args);
        if (!tool.name.endsWith('list_notes'))
          expect(plan).toMatchObject({ code: 'bad_arguments' });
      }
    }
    expect(planned).toBeGreaterThan(500);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
