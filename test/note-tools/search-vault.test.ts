import { describe, expect, test } from 'vitest';
import { NoteIndex } from '../../src/core/tool/note/note-index';
import { searchVaultTool } from '../../src/core/tool/note/search-vault';
import { noteFacts } from '../../src/core/tool/note/note-facts';
import { WordIndex } from '../../src/core/tool/note/word-index';
import { fc } from '../seeded';
import { MemoryNotes } from './memory-notes';
import { planOf, read, textOf } from './run-plan';

function searcher(
  all: Readonly<Record<string, string>>,
  hidden: (path: string) => boolean = () => false,
) {
  const notes = new MemoryNotes(all);
  let pauses = 0;
  const pause = () => {
    pauses += 1;
    return Promise.resolve();
  };
  const index = new NoteIndex({ notes, hidden, pause });
  const tool = searchVaultTool(notes, index);
  return {
    ...{ notes, index, tool },
    pauses: () => pauses,
    find: async (args: object | string, allows?: (path: string) => boolean) =>
      textOf(await read(tool, typeof args === 'string' ? { query: args } : args, allows)),
    paths: async (query: string, allows?: (path: string) => boolean): Promise<unknown> => {
      const outcome = await read(tool, { query }, allows);
      return outcome.ok ? outcome.metadata.paths : outcome.error;
    },
  };
}

describe('obsidian.search_vault', () => {
  test('[VAULT40] title before headings and tags before text; with the lines in which the words stand', async () => {
    const { find, paths } = searcher({
      'In text.md': 'one\nthe budget of the year\nnothing\nbudget again',
      'Budget.md': 'no word',
      'Heading.md': '# Budget\nelse',
      'Tag.md': '#budget',
      'None.md': 'other',
    });
    expect(await paths('budget')).toEqual(['Budget.md', 'Heading.md', 'Tag.md', 'In text.md']);
    expect(await find('budget')).toContain(
      'In text.md\n  2: the budget of the year\n  4: budget again',
    );
    expect(await find('absent')).toBe(
      'No note that may be read has "absent". Try other words, or obsidian_list_notes.',
    );
  });

  test('[VAULT40] a note with more of the words comes first; beginnings and small slips find, too', async () => {
    const { paths } = searcher({
      'A.md': 'quarterly',
      'B.md': 'quarterly report for the board',
      'C.md': 'reports reports reports',
    });
    expect(await paths('quarterly report')).toEqual(['B.md', 'A.md', 'C.md']);
    expect(await paths('quart')).toEqual(['A.md', 'B.md']);
    expect(await paths('quaterly')).toEqual(['A.md', 'B.md']);
  });

  test('[VAULT40] each word of the query counts by the words that are like it, not by a title with another one', async () => {
    const { paths } = searcher({ 'A/Report.md': 'quaterly', 'B/Report.md': 'quarterly' });
    expect(await paths('quarterly report')).toEqual(['B/Report.md', 'A/Report.md']);
  });

  test('[VAULT40] what was found stays so when notes come and go before all of it is looked at', () => {
    const index = new WordIndex();
    const put = (path: string, text: string): void => index.add(path, text, noteFacts(text));
    put('Gone.md', 'budgets');
    put('A.md', 'budget budgets');
    put('B.md', 'budget');
    const found = index.search('budget');
    const again = index.search('budget');
    index.remove('Gone.md');
    put('A.md', 'other');
    put('C.md', 'budget');
    index.pack();
    const told = [...found].map(({ path, words }) => [path, words.join(' ')]);
    expect(told).toEqual([
      ['A.md', 'budgets budget'],
      ['B.md', 'budget'],
      ['Gone.md', 'budgets'],
    ]);
    expect([...again].map(({ path }) => path)).toEqual(['A.md', 'B.md', 'Gone.md']);
    expect([...index.search('budget')].map(({ path }) => path)).toEqual(['B.md', 'C.md']);
  });

  test('[VAULT41] accents and case do not matter; scripts without blanks are found by any part', async () => {
    const { paths, find } = searcher({
      'A.md': 'Ein Café in Zürich',
      'B.md': '来週の東京都の会議について話す',
      'C.md': 'การประชุมที่กรุงเทพ',
      'D.md': '山水',
    });
    expect(await paths('cafe ZURICH')).toEqual(['A.md']);
    expect(await paths('東京')).toEqual(['B.md']);
    expect(await paths('会議')).toEqual(['B.md']);
    expect(await paths('กรุงเทพ')).toEqual(['C.md']);
    expect(await paths('水')).toEqual(['D.md']);
    expect(await find('会議')).toContain('1: 来週の東京都の会議について話す');
  });

  test('[VAULT42] nothing is read before the first search; later ones read what changed only', async () => {
    const { notes, find, paths, pauses, index } = searcher({
      'A.md': 'apple',
      'F/B.md': 'banana',
      'F/C.md': 'x '.repeat(60_000),
    });
    expect([notes.reads, notes.listenerCount]).toEqual([[], 0]);
    await find('apple');
    expect(notes.listenerCount).toBe(1);
    expect(pauses()).toBe(1);
    const before = notes.reads.length;
    expect(await paths('cherry')).toEqual([]);
    expect(notes.reads.length).toBe(before);
    notes.put('A.md', 'cherry');
    notes.put('F/D.md', 'cherry');
    expect(await paths('apple')).toEqual([]);
    expect(await paths('cherry')).toEqual(['A.md', 'F/D.md']);
    notes.remove('F');
    expect(await paths('cherry banana')).toEqual(['A.md']);
    notes.store.put('G/E.md', 'banana');
    notes.notify({ kind: 'folder', path: 'G' });
    expect(await paths('banana')).toEqual(['G/E.md']);
    index.close();
    expect(notes.listenerCount).toBe(0);
  });

  test('[VAULT42] an index that could not be made is made anew', async () => {
    const { notes, paths } = searcher({ 'A.md': 'apple' });
    const list = notes.list.bind(notes);
    notes.list = () => Promise.reject(new Error('cut'));
    await expect(paths('apple')).rejects.toThrow('cut');
    expect(notes.listenerCount).toBe(0);
    notes.list = list;
    expect(await paths('apple')).toEqual(['A.md']);
  });

  test('[VAULT42] one that is closed while it is made reads no further, and the next is whole', async () => {
    const { notes, index, paths } = searcher({ 'A.md': 'apple', 'B.md': 'apple', 'C.md': 'apple' });
    const stat = notes.stat.bind(notes);
    notes.stat = (path) => {
      if (path === 'B.md') index.close();
      return stat(path);
    };
    await paths('none');
    expect(notes.reads).not.toContain('C.md');
    notes.stat = stat;
    expect(await paths('apple')).toEqual(['A.md', 'B.md', 'C.md']);
    expect(notes.listenerCount).toBe(1);
  });

  test('[VAULT43] hidden places are never read; large notes are found by their title', async () => {
    const { notes, paths } = searcher(
      { 'Boards/Plan.md': 'apple', 'Big apple.md': `pear ${'x'.repeat(1_100_000)}` },
      (path) => path.startsWith('Boards'),
    );
    expect(await paths('apple')).toEqual(['Big apple.md']);
    expect(await paths('pear')).toEqual([]);
    expect(notes.reads).toEqual([]);
    expect(notes.lists).not.toContain('Boards');
  });

  test('[VAULT44] a folder, a limit, the text; more than there is room for is said', async () => {
    const { find } = searcher({
      'A.md': 'apple',
      'F/B.md': 'apple\r\npie',
      'F/C.md': `apple\n${'line\n'.repeat(3_000)}`,
    });
    expect(await find({ query: 'apple', folder: 'F', limit: 1 })).toMatch(
      /^The best 1 note for "apple"; there are more: add words or a folder\.\nF\/B\.md\n/,
    );
    const content = await find({ query: 'apple', folder: 'F', includeContent: true });
    expect(content).toContain('F/B.md, 2 lines:\napple\r\npie\n');
    expect(content).toMatch(/F\/C\.md, lines 1–248 of 3001:\napple\nline\n/);
    expect(await find({ query: 'apple', folder: null })).toContain('3 notes');
  });

  test('[VAULT44] a query without a word, or with too many, is refused or cut', async () => {
    const { tool, paths } = searcher({ 'A.md': 'word1' });
    expect(planOf(tool, { query: '…!' })).toMatchObject({ code: 'bad_arguments' });
    expect(planOf(tool, { query: 'x'.repeat(501) })).toMatchObject({ code: 'bad_arguments' });
    expect(await paths(Array.from({ length: 60 }, (_, at) => `word${at}`).join(' '))).toEqual([
      'A.md',
    ]);
  });

  test('[VAULT45] what may not be read is not looked at for an answer, and one that went away in between is not told', async () => {
    const { notes, paths, find } = searcher({ 'A.md': 'apple', 'Secret.md': 'apple apple' });
    await paths('x1');
    notes.reads.length = 0;
    const open = (path: string): boolean => path !== 'Secret.md';
    expect(await paths('apple', open)).toEqual(['A.md']);
    expect(notes.reads).toEqual(['A.md']);
    let asked = 0;
    expect(await find('apple', (path) => open(path) && (asked += 1) === 1)).toContain('No note');
    notes.store.files.delete('A.md');
    expect(await paths('apple', open)).toEqual([]);
  });

  test('[VAULT45] an answer is the same, letter for letter, as in a vault without the notes that may not be read', async () => {
    const word = fc.constantFrom(
      'apple',
      'applet',
      'pear',
      'peach',
      'plum',
      'aple',
      '東京',
      '東京都',
    );
    const text = fc
      .array(fc.tuple(word, fc.constantFrom(' ', '\n', '\n# ', ' #')), { maxLength: 12 })
      .map((parts) => parts.map((part) => part.join('')).join(''));
    const vault = fc.dictionary(
      fc.tuple(fc.constantFrom('', 'A/', 'B/'), word).map((part) => `${part.join('')}.md`),
      fc.tuple(text, fc.boolean()),
      { minKeys: 1, maxKeys: 10 },
    );
    const query = fc.array(word, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '));
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(
        vault,
        query,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (all, words, limit, includeContent) => {
          const entries = Object.entries(all);
          const texts = (some: typeof entries) =>
            Object.fromEntries(some.map(([path, [note]]) => [path, note]));
          const may = (path: string): boolean => all[path]?.[1] === true;
          const args = { query: words, limit, includeContent };
          const whole = await searcher(texts(entries)).find(args, may);
          const visible = await searcher(texts(entries.filter(([path]) => may(path)))).find(args);
          expect(whole).toBe(visible);
          if (entries.some(([path]) => !may(path)) && !whole.startsWith('No note')) kept += 1;
        },
      ),
      { numRuns: 300 },
    );
    expect(kept).toBeGreaterThan(50);
  });
});
