import { describe, expect, test } from 'vitest';
import { getNoteMetadataTool } from '../../src/core/tool/note/get-note-metadata';
import { listNotesTool } from '../../src/core/tool/note/list-notes';
import { MemoryNotes } from './memory-notes';
import { read, textOf } from './run-plan';

const notes = (all: Readonly<Record<string, string>>) => new MemoryNotes(all);
const open = (path: string): boolean => !path.startsWith('Private');

describe('obsidian.list_notes', () => {
  const vault = notes({
    'A.md': '',
    'Private/Secret.md': '',
    'Projects/B.md': '',
    'Projects/Old/C.md': '',
    'Projects/picture.png': '',
  });
  const list = async (args: object, allows = open) =>
    textOf(await read(listNotesTool(vault), args, allows));

  test('[VAULT30] lists the notes of a folder, of its folders too, and the folders if wanted', async () => {
    expect(await list({})).toBe('3 entries in the vault.\nA.md\nProjects/B.md\nProjects/Old/C.md');
    expect(await list({ folder: 'Projects', recursive: false })).toBe(
      '1 entry in Projects.\nProjects/B.md',
    );
    expect(await list({ folder: 'Projects', includeFolders: true })).toBe(
      '3 entries in Projects.\nProjects/B.md\nProjects/Old/\nProjects/Old/C.md',
    );
    expect(await list({ folder: 'None' })).toContain('There is no folder None.');
  });

  test('[VAULT31] what may not be read is not listed, and does not count', async () => {
    const some = { includeFolders: true };
    expect(await list(some)).toBe(
      '5 entries in the vault.\nA.md\nProjects/\nProjects/B.md\nProjects/Old/\nProjects/Old/C.md',
    );
    const one = (path: string): boolean => path === 'A.md';
    expect(await list({ limit: 1 }, one)).toBe('1 entry in the vault.\nA.md');
    expect(await list({ limit: 1 }, open)).toBe(
      'The first 1 entry in the vault; for the others send "after": "A.md".\nA.md',
    );
    expect(await list({}, () => false)).toBe('There are no notes to read in the vault.');
  });
});

describe('a list in parts', () => {
  const many = notes(
    Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`N${1_000 + at}.md`, ''])),
  );
  const list = async (args: object, allows = open) =>
    textOf(await read(listNotesTool(many), args, allows));

  test('[VAULT30] what 500 lines do not hold is told on request, each entry once', async () => {
    const all: string[] = [];
    const heads: string[] = [];
    for (let after: string | undefined; heads.length < 3; after = all.at(-1)) {
      const [head = '', ...entries] = (await list({ limit: 1_000, after })).split('\n');
      expect(entries.length).toBeLessThan(500);
      heads.push(head);
      all.push(...entries);
    }
    expect(heads).toEqual([
      'The first 499 entries in the vault; for the others send "after": "N1498.md".',
      'The next 499 entries in the vault; for the others send "after": "N1997.md".',
      'The last 102 entries in the vault.',
    ]);
    expect(new Set(all).size).toBe(1_100);
    expect(await list({ after: 'N2099.md' })).toBe('There are no more notes to read in the vault.');
  });

  test('[VAULT30] what is not there, or may not be read, is no place to go on from', async () => {
    const refused = 'A list of the vault with these arguments has no "N1000.md".';
    expect(await list({ after: 'N1000.md' }, (path) => path !== 'N1000.md')).toContain(refused);
    expect(await list({ after: 'Gone.md' })).toContain('has no "Gone.md". Leave "after" out');
  });
});

describe('obsidian.get_note_metadata', () => {
  const about = async (
    text: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> =>
    textOf(
      await read(getNoteMetadataTool(notes({ 'N.md': text, ...more })), { path: 'N.md' }, open),
    );
  const facts = async (text: string, more = {}): Promise<string> =>
    (await about(text, more)).split('\n').slice(1).join('\n');

  test('[VAULT32] tells front matter, tags, headings and tasks, with lines; code, comments and HTML hold none', async () => {
    const text = [
      '---',
      'tags: [plan, "#work/now"]',
      'count: 3',
      '---',
      '# Title #top',
      '- [ ] open `#no` [x](a.md)',
      '> - [x] done #plan',
      '```',
      '- [ ] code #no',
      '[[No]]',
      '```',
      '%%',
      '#no [[No]]',
      '%%',
      '<style>',
      '# No',
      '',
      '- [ ] #no',
      '</style>',
      '<div>',
      '## No',
      '- [ ] [[No]]',
      '',
      '> <div>',
      '> ## No',
      '- <details>',
      '  - [ ] no',
      '- [ ] item behind',
      'text',
      '<x-y>',
      'a#no #123 [[Away]]',
    ].join('\n');
    expect(await facts(text)).toBe(
      [
        'Front matter: {"tags":["plan","#work/now"],"count":3}',
        'Tags (3):',
        '  #plan',
        '  #work/now',
        '  #top',
        'Headings (1):',
        '  5: # Title #top',
        'Tasks (3):',
        '  6: [ ] open `#no` [x](a.md)',
        '  7: [x] done #plan',
        '  28: [ ] item behind',
        'Links (2):',
        '  6: (a.md)',
        '  31: [[Away]]',
      ].join('\n'),
    );
    expect(await about('a\nb')).toMatch(/^N\.md: 3 bytes, 2 lines, changed 1970-/);
  });

  test('[VAULT33] front matter that cannot be read is told, and nothing in it grows', async () => {
    expect(await facts('---\na: [\n---\n')).toContain("The front matter can't be read: ");
    const bomb = `---\na: &a [x, x]\nb: &b [*a, *a]\n---\n#tag\n`;
    expect(await facts(bomb)).toMatch(
      /^The front matter can't be read: .*\nTags \(1\):\n {2}#tag$/,
    );
    const deep = `---\na: ${'['.repeat(5_000)}\n---\n`;
    expect(await facts(deep)).toContain("can't be read");
    expect(await facts(`---\na: ${'x'.repeat(70_000)}\n---\n`)).toContain('longer than 64 KiB');
  });

  test('[VAULT34] links lead where they lead, backlinks come from where they come, as far as that may be read', async () => {
    const text =
      '[[Plan]] [[Secret|s]] ![[Plan#H]] [w](https://a.b) [p](Projects/My%20Plan.md "t")';
    const more = {
      'Projects/Plan.md': '[[N]]',
      'Projects/My Plan.md': '',
      'Private/Secret.md': 'see [[N]]',
    };
    expect(await facts(text, more)).toBe(
      [
        'Links (5):',
        '  1: [[Plan]] → Projects/Plan.md',
        '  1: [[Secret]]',
        '  1: ![[Plan#H]] → Projects/Plan.md',
        '  1: (https://a.b)',
        '  1: (Projects/My%20Plan.md) → Projects/My Plan.md',
        'Backlinks (1):',
        '  Projects/Plan.md',
      ].join('\n'),
    );
  });

  test('[VAULT35] a note full of them is told in part, and how many are left out', async () => {
    const text = Array.from(
      { length: 5_000 },
      (_, at) => `- [ ] ${'word '.repeat(400)}${at} #t${at}x [[L${at}]]`,
    );
    const output = await about(['# H'.repeat(3), ...text].join('\n'));
    expect(output).toContain('Tasks (5000):');
    expect(output).toMatch(/ {2}… 49\d\d more\n/);
    expect(new TextEncoder().encode(output).length).toBeLessThan(48_000);
  });

  test('[VAULT35] lines made to be slow are read in time that grows with their length', async () => {
    const hostile = ['[', '[[', '[](', '![](<', '`', '#', '"', '[a](b "', '> ', '- [ ] ', '$%%'];
    for (const part of hostile) {
      expect(await about(part.repeat(200_000 / part.length))).toMatch(/^N\.md: /);
    }
  });
});
