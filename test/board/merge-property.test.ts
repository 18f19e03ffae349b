import { describe, expect, test } from 'vitest';
import { mergeNote } from '../../src/core/board/merge/merge-note';
import { textEdits } from '../../src/core/board/merge/text-edits';
import { applySplices } from '../../src/core/board/note/edit-result';
import { fc } from '../seeded';

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

/** An edit of a note's lines; `word` occurs nowhere else. */
type Edit = (lines: string[], at: number, word: string) => void;

const EDITS: Readonly<Record<string, Edit>> = {
  retitle: (lines, at, word) => {
    lines[at] = (lines[at] ?? '').replace(/\] (\S+)/, `] ${word}`);
  },
  extend: (lines, at, word) => {
    lines[at] = (lines[at] ?? '').replace(/ 🆔/, ` ${word} 🆔`);
  },
  mark: (lines, at) => {
    lines[at] = (lines[at] ?? '').replace(/\[.\]/, '[/]');
  },
  field: (lines, at, word) => {
    lines[at] = (lines[at] ?? '').replace(/ 🆔/, ` [note:: ${word}] 🆔`);
  },
  prose: (lines, at, word) => {
    lines[at] = /🆔|^\w+:|^---/.test(lines[at] ?? '') ? (lines[at] ?? '') : `${lines[at]} ${word}`;
  },
  insert: (lines, at, word) => void lines.splice(at, 0, `- [ ] ${word}`),
  text: (lines, at, word) => void lines.splice(at, 0, word, ''),
  remove: (lines, at) => void lines.splice(at, 1),
  move: (lines, at) => void lines.push(...lines.splice(at, 1)),
};

const edits = fc.array(
  fc.record({ kind: fc.constantFrom(...Object.keys(EDITS)), at: fc.nat(40) }),
  { maxLength: 6 },
);

const board = fc
  .array(
    fc.constantFrom(
      '- [ ] Task',
      '\t- [x] Sub [owner:: me]',
      'prose line',
      '',
      '## Phase',
      '\tbody',
    ),
    { maxLength: 14 },
  )
  .map((lines) =>
    [
      ...HEADER.split('\n'),
      ...lines.map((text, n) =>
        text.includes('[') ? `${text.replace(/Task|Sub/, `$&${n}`)} 🆔 k3f9-${n} ^k3f9-${n}` : text,
      ),
      '',
    ].join('\n'),
  );

function edited(text: string, list: readonly { kind: string; at: number }[], who: string) {
  const lines = text.split('\n');
  const first = HEADER.split('\n').length;
  const typed: string[] = [];
  list.forEach(({ kind, at }, index) => {
    if (lines.length <= first) return;
    const word = `${who}${index}`;
    EDITS[kind]?.(lines, first + (at % (lines.length - first)), word);
    typed.push(word);
  });
  const now = lines.join('\n');
  return { text: now, typed: typed.filter((word) => now.includes(word)) };
}

describe('properties', () => {
  const seen = { clashes: 0, typed: 0, both: 0 };

  test('[SRC4] whatever both did: no word that either typed is missing from the note and its clashes', () => {
    fc.assert(
      fc.property(board, edits, edits, (base, own, other) => {
        const mine = edited(base, own, 'mine');
        const theirs = edited(base, other, 'theirs');
        const { text, clashes } = mergeNote({ base, mine: mine.text, theirs: theirs.text });
        const kept = [text, ...clashes.map((clash) => clash.theirs)].join('\n');
        for (const word of mine.typed) expect(text).toContain(word);
        for (const word of theirs.typed) expect(kept).toContain(word);
        for (const { line, yours } of clashes) {
          for (const word of yours.match(/mine\d/g) ?? []) {
            expect(text.split('\n')[line]).toContain(word);
          }
        }
        seen.clashes += clashes.length;
        seen.typed += mine.typed.length + theirs.typed.length;
        if (mine.text !== base && theirs.text !== base) seen.both += 1;
      }),
      { numRuns: 3_000 },
    );
    expect(seen.clashes).toBeGreaterThan(50);
    expect(seen.typed).toBeGreaterThan(1_000);
    expect(seen.both).toBeGreaterThan(1_000);
  });

  test('[SRC4] where one side changed nothing, the other stands as it is, byte by byte', () => {
    fc.assert(
      fc.property(board, edits, fc.constantFrom('\n', '\r\n', '\r'), (lf, list, end) => {
        const base = lf.replaceAll('\n', end);
        const now = edited(lf, list, 'x').text;
        const there = now.replaceAll('\n', end);
        const none = { text: there, clashes: [] };
        expect(mergeNote({ base, mine: lf, theirs: there })).toEqual(none);
        expect(mergeNote({ base, mine: now, theirs: base })).toEqual(none);
        expect(mergeNote({ base, mine: now, theirs: there })).toEqual(none);
      }),
      { numRuns: 1_000 },
    );
  });

  test('[SRC5] what goes into the editor are edits that make the one text of the other', () => {
    fc.assert(
      fc.property(board, edits, edits, (base, one, two) => {
        const [a, b] = [edited(base, one, 'a').text, edited(base, two, 'b').text];
        expect(applySplices(a, textEdits(a, b))).toBe(b);
      }),
      { numRuns: 1_000 },
    );
    expect(textEdits('- [ ] one two\nx\n', '- [x] one two\nx\n')).toEqual([
      { from: 3, to: 4, text: 'x' },
    ]);
  });
});
