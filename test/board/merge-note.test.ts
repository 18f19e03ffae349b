import { describe, expect, test } from 'vitest';
import { mergeLine } from '../../src/core/board/merge/merge-line';
import { mergeNote } from '../../src/core/board/merge/merge-note';
import { editorText } from '../../src/core/board/merge/text-edits';

const HEADER = `---
board: 1
session: s
agent: build
title: A book
prefix: k3f9
next: 7
rev: 4
---
`;

const BASE = `${HEADER}
# A book

Words of a person, on one line.

## First

- [ ] Read 🆔 k3f9-1 ^k3f9-1
- [ ] Write the guide [owner:: me] 🆔 k3f9-2 ⛔ k3f9-1 ^k3f9-2
	body of it
- [ ] Print 🆔 k3f9-3 ^k3f9-3

## Last

- [ ] Sell 🆔 k3f9-4 ^k3f9-4
`;

const line3 = (base: string, mine: string, theirs: string, prefer: 'mine' | 'theirs') =>
  mergeLine({ base, mine, theirs }, prefer);

const merged = (mine: string, theirs: string, base = BASE) => mergeNote({ base, mine, theirs });

describe('what both sides changed elsewhere', () => {
  test('[SRC1] another task, the line next to it, text and new lines: all of it stays', () => {
    const mine = BASE.replace('Write the guide', 'Write the long guide').replace(
      '- [ ] Sell',
      '- [ ] my own\n- [ ] Sell',
    );
    const theirs = BASE.replace('- [ ] Read', '- [x] Read')
      .replace('- [ ] Print', '- [/] Print')
      .replace('rev: 4', 'rev: 5')
      .replace('^k3f9-4\n', '^k3f9-4\n- [ ] Ship 🆔 k3f9-7 ^k3f9-7\n');
    const { text, clashes } = merged(mine, theirs);
    expect(clashes).toEqual([]);
    expect(text).toBe(
      BASE.replace('- [ ] Read', '- [x] Read')
        .replace('Write the guide', 'Write the long guide')
        .replace('- [ ] Print', '- [/] Print')
        .replace('rev: 4', 'rev: 5')
        .replace('- [ ] Sell', '- [ ] my own\n- [ ] Sell')
        .replace('^k3f9-4\n', '^k3f9-4\n- [ ] Ship 🆔 k3f9-7 ^k3f9-7\n'),
    );
  });

  test('[SRC1] a task that one side moved and the other edited stands once, at its new place, edited', () => {
    const line = '- [ ] Print 🆔 k3f9-3 ^k3f9-3\n';
    const moved = BASE.replace(line, '').replace('- [ ] Sell', `${line}- [ ] Sell`);
    const edited = BASE.replace('- [ ] Print', '- [x] Print');
    const wanted = moved.replace('- [ ] Print', '- [x] Print');
    expect(merged(moved, edited)).toEqual({ text: wanted, clashes: [] });
    expect(merged(edited, moved)).toEqual({ text: wanted, clashes: [] });
  });

  test('[SRC1] an edit wins over a deletion, whoever made which', () => {
    const gone = BASE.replace('- [ ] Print 🆔 k3f9-3 ^k3f9-3\n', '');
    const edited = BASE.replace('- [ ] Print', '- [/] Print it');
    expect(merged(gone, edited)).toEqual({ text: edited, clashes: [] });
    expect(merged(edited, gone)).toEqual({ text: edited, clashes: [] });
    expect(merged(gone, BASE).text).toBe(gone);
  });

  test('[SRC1] lines that both inserted at one place stand there, those that are the same once', () => {
    const at = '- [ ] Sell';
    const mine = BASE.replace(at, `- [ ] one\n- [ ] two\n${at}`);
    const theirs = BASE.replace(at, `- [ ] two\n- [ ] three\n${at}`);
    const wanted = BASE.replace(at, `- [ ] one\n- [ ] two\n- [ ] three\n${at}`);
    expect(merged(mine, theirs).text).toBe(wanted);
  });

  test('[SRC4] a task without an id that both ticked is the same task, whatever both wrote below it', () => {
    const base = `${HEADER}\n- [ ] p-3.\n`;
    const { text, clashes } = merged(
      `${HEADER}\n- [x] p-3.\n- [ ] p-6.\n`,
      `${HEADER}\n- [x] p-3. ✅ 2026-11-21\n- [ ] p-5.\n`,
      base,
    );
    expect(clashes).toEqual([]);
    expect(text).toBe(`${HEADER}\n- [x] p-3. ✅ 2026-11-21\n- [ ] p-6.\n- [ ] p-5.\n`);
  });

  test('[SRC1] line ends of the note stay, though an editor has none of its own', () => {
    const base = BASE.replaceAll('\n', '\r\n');
    const mine = BASE.replace('- [ ] Sell', '- [ ] new\n- [ ] Sell it');
    const theirs = base.replace('[ ] Read', '[x] Read');
    const wanted = mine.replace('[ ] Read', '[x] Read').replaceAll('\n', '\r\n');
    expect(merged(mine, theirs, base).text).toBe(wanted);
    expect(merged(editorText(base), base, base).text).toBe(base);
  });
});

describe('one line, both sides', () => {
  const line = '- [ ] Write [owner:: me] 🆔 k3f9-2 ⛔ k3f9-1 ^k3f9-2';

  test.each([
    ['title and mark', ['Write', 'Write it all'], ['[ ]', '[/]']],
    ['title and a new field', ['Write', 'Write it'], [' 🆔', ' [risk:: high] 🆔']],
    ['title and prerequisites', ['Write', 'Draft'], ['⛔ k3f9-1', '⛔ k3f9-1,k3f9-3']],
    ['title and a field that goes', ['Write', 'Draft'], [' [owner:: me]', '']],
    ['title and a date', ['Write', 'Draft'], [' ^k', ' 📅 2026-11-28 ^k']],
    ['two new fields', [' 🆔', ' [scope:: broad] 🆔'], [' ^k', ' ⏫ ^k']],
    ['indentation and mark', ['- [', '\t- ['], ['[ ]', '[x]']],
  ] as const)('[SRC2] %s: both stay', (_, [a, b], [c, d]) => {
    const wanted = line.replace(a, b).replace(c, d);
    const done = { text: wanted, clash: false };
    expect(line3(line, line.replace(a, b), line.replace(c, d), 'mine')).toEqual(done);
    expect(line3(line, line.replace(c, d), line.replace(a, b), 'mine')).toEqual(done);
  });

  test('[SRC2] the same field: the line of the person stands, the rest of the other is taken, the clash is told', () => {
    const mine = line.replace('Write', 'Write with three examples');
    const theirs = line.replace('Write', 'Write a quick start').replace('[ ]', '[/]');
    const { text, clashes } = mergeNote({ base: line, mine, theirs });
    expect(text).toBe(mine.replace('[ ]', '[/]'));
    expect(clashes).toEqual([
      { line: 0, id: 'k3f9-2', title: 'Write', base: line, yours: mine, theirs },
    ]);
    expect(line3(line, text, theirs, 'theirs').text).toBe(theirs);
  });

  test('[SRC2] the counters of the header take the higher number, without a clash', () => {
    expect(line3('rev: 4', 'rev: 5', 'rev: 7', 'mine')).toEqual({
      text: 'rev: 7',
      clash: false,
    });
    expect(line3('next: 4', 'next: 9', 'next: 7', 'mine').text).toBe('next: 9');
  });

  test('[SRC2] prose is merged by words; words that touch clash', () => {
    const base = 'Search answers in under 50 ms, offline.';
    const mine = base.replace('50', '20');
    const theirs = base.replace('Search', 'The search');
    const both = 'The search answers in under 20 ms, offline.';
    expect(line3(base, mine, theirs, 'mine')).toEqual({ text: both, clash: false });
    const other = base.replace('50', '80');
    expect(line3(base, mine, other, 'mine')).toEqual({ text: mine, clash: true });
    expect(line3(base, mine, other, 'theirs')).toEqual({ text: other, clash: true });
  });

  test('[SRC3] a line that is being typed counts as unsaved: no other title takes its place, other fields come in', () => {
    const at = BASE.split('\n').findIndex((text) => text.startsWith('- [ ] Print'));
    const typed = BASE.replace('Print', 'Print on pap');
    const held = [{ line: at, before: '- [ ] Print 🆔 k3f9-3 ^k3f9-3' }];
    const renamed = typed.replace('Print on pap', 'Publish');
    const one = mergeNote({ base: typed, mine: typed, theirs: renamed, held });
    expect(one.text).toBe(typed);
    expect(one.clashes.map(({ title, line }) => [title, line])).toEqual([['Print', at]]);
    const ticked = typed.replace('[ ] Print', '[x] Print');
    const two = mergeNote({ base: typed, mine: typed, theirs: ticked, held });
    expect(two).toEqual({ text: ticked, clashes: [] });
    const gone = typed.replace('- [ ] Print on pap 🆔 k3f9-3 ^k3f9-3\n', '');
    expect(mergeNote({ base: typed, mine: typed, theirs: gone, held }).text).toBe(typed);
  });
});

test('[SRC3] own text that was saved while it was typed is no other version of it', () => {
  const before = '- [ ] Print 🆔 k3f9-3 ^k3f9-3';
  const saved = before.replace('Print', 'Print on');
  const mine = before.replace('Print', 'Print on paper');
  const held = [{ line: 0, before }];
  expect(mergeNote({ base: saved, mine, theirs: saved, held }).clashes).toEqual([]);
  const ticked = saved.replace('[ ]', '[x]');
  expect(mergeNote({ base: saved, mine, theirs: ticked, held })).toEqual({
    text: mine.replace('[ ]', '[x]'),
    clashes: [],
  });
  const prose = {
    base: 'one two',
    mine: 'one two',
    theirs: 'one three',
    held: [{ line: 0, before: 'one' }],
  };
  expect(mergeNote(prose).clashes.map(({ theirs }) => theirs)).toEqual(['one three']);
});
