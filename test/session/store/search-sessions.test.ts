import { describe, expect, test } from 'vitest';
import { pageText } from '../../../src/core/session/store/session-files';
import { searchSessions } from '../../../src/core/session/store/search-sessions';
import type { Block } from '../../../src/core/session/transcript/transcript';

const text = (id: string, words: string): Block => ({
  ...{ kind: 'text', id, messageId: 'm', text: words, live: false, at: 1 },
});
const tool: Block = {
  ...{
    kind: 'tool',
    id: 'c',
    tool: 'read',
    status: 'completed',
    at: 1,
    output: 'Die Straße "A\\B"',
  },
};

const read: string[] = [];
const sources = {
  sessions: [
    { id: 'new', title: 'Offline search', pages: [1] },
    { id: 'old', title: 'Release notes', pages: [1, 2] },
  ],
  transcript: (id: string) =>
    id === 'new'
      ? { sessionId: id, older: false, blocks: [text('1', 'We index every note.'), tool] }
      : undefined,
  texts: (id: string, pages: readonly number[]) => {
    read.push(id);
    const kept = [
      pageText([text('2', 'The index of notes is\nbuilt at night. '.repeat(20))]),
      pageText([text('3', 'Nothing here'), text('4', 'Index, then search')]),
    ];
    return Promise.resolve(pages.map((page) => kept[page - 1] ?? ''));
  },
};
const found = async (words: string, limit = 50): Promise<readonly (string | undefined)[]> =>
  (await searchSessions(sources, words, limit)).map(({ block, title }) => block?.id ?? title);

describe('a search in the sessions', () => {
  test('[KEEP12] finds titles first, then blocks with all the words, newest first', async () => {
    expect(await found('INDEX')).toEqual(['1', '4', '2']);
    expect(await found('search')).toEqual(['Offline search', '4']);
    expect(await found('search index')).toEqual(['4']);
    expect(await found('nowhere')).toEqual([]);
    expect(await found('  ')).toEqual([]);
    expect(await found('index', 2)).toEqual(['1', '4']);
  });

  test('[KEEP12] finds what tools answered, with quotes, backslashes and other scripts', async () => {
    expect(await found('straße')).toEqual(['c']);
    expect(await found('"a\\b"')).toEqual(['c']);
  });

  test('[KEEP12] shows some words around the first that was found', async () => {
    const [, , hit] = await searchSessions(sources, 'night', 50).then((hits) => [1, 2, ...hits]);
    expect(hit).toMatchObject({ sessionId: 'old', title: 'Release notes' });
    expect((hit as { excerpt: string }).excerpt).toMatch(
      /^The index of notes is built at night\..*…$/,
    );
  });

  test('[KEEP12] ends early once it is given up', async () => {
    read.length = 0;
    await searchSessions(sources, 'index', 50, () => true);
    expect(read).toEqual([]);
  });
});
