import { describe, expect, test } from 'vitest';
import { editNote } from '../../src/core/tool/note/write-note';
import { noteFacts } from '../../src/core/tool/note/note-facts';
import { readNoteTool } from '../../src/core/tool/note/read-note';
import { scanNote } from '../../src/core/tool/note/scan-note';
import { MemoryNotes } from './memory-notes';
import { read, textOf } from './run-plan';

const NOTE = `---
tags: [a]
---
Plan
====
Words. ^intro

Goals
of 2026
---
- one

# Last
end
`;

const headings = (text: string) =>
  scanNote(text).headings.map(({ level, text: title, line, last }) => [level, title, line, last]);

describe('a heading that is underlined', () => {
  test('[VAULT14] is told with its level and its first line, on one line or more', () => {
    expect(noteFacts(NOTE).headings).toEqual([
      { level: 1, text: 'Plan', line: 4, last: 5 },
      { level: 2, text: 'Goals of 2026', line: 8, last: 10 },
      { level: 1, text: 'Last', line: 13, last: 13 },
    ]);
    expect(headings('\uFEFFA \\* b ^id\r\n  -  \r\n')).toEqual([[2, 'A * b', 1, 2]]);
    expect(headings('* * *\nA\n=')).toEqual([[1, 'A', 2, 3]]);
    expect(headings('- a\n\nB\n---\n')).toEqual([[2, 'B', 3, 4]]);
  });

  test.each([
    ['an empty line between', 'A\n\n---\n'],
    ['a list item', '- A\n---\n'],
    ['what goes on in one', '- A\nB\n---\n\n  C\n---\n'],
    ['a quote', '> A\nB\n===\n'],
    ['a table', '| A |\n| - |\n---\n'],
    ['HTML', '<div>\nA\n---\n'],
    ['a line of code', '    A\n---\n'],
    ['code', '```\nA\n---\n```\n'],
    ['what stands before code', 'A\n```\n```\n---\n'],
    ['a deep underline', 'A\n    ---\n'],
    ['an underline with more in it', 'A\n=== b\n'],
    ['a line of its own', '---\n\n---\n'],
  ])('[VAULT14] is none: %s', (_, text) => {
    expect(headings(text)).toEqual([]);
  });

  test('[VAULT14] gives its section, and a block below it does not hold it', async () => {
    const tool = readNoteTool(new MemoryNotes({ 'A.md': NOTE }));
    const part = async (args: object) => textOf(await read(tool, { path: 'A.md', ...args }));
    expect(await part({ heading: 'plan' })).toContain('lines 4–12 of 14');
    expect(await part({ heading: 'Plan#Goals of 2026' })).toContain('lines 8–12 of 14');
    expect(await part({ block: 'intro' })).toBe('A.md, lines 6–6 of 14\n\nWords. ^intro\n');
  });

  test('[VAULT14] what is inserted below it stands below its underline', () => {
    const edited = (heading: string) => editNote(NOTE, { mode: 'insert', heading }, 'x');
    expect(edited('Plan')).toMatchObject({ after: NOTE.replace('====\n', '====\nx\n') });
    expect(edited('Goals of 2026')).toMatchObject({
      after: NOTE.replace('2026\n---\n', '2026\n---\nx\n'),
    });
  });
});
