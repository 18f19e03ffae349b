import { describe, expect, test } from 'vitest';
import { joinNotes } from '../../src/core/exchange/join-notes';
import { splitNote, textFingerprint } from '../../src/core/exchange/split-notes';
import { parseNote } from '../../src/core/board/note/parse-note';
import { fc } from '../seeded';
import { notes } from './note-maker';

const RUNS = 1_000;

describe('one note per task', () => {
  test('[EXP8] [EXP9] any note becomes a folder and the same bytes again', () => {
    const count = { tasks: 0, parts: 0, files: 0 };
    fc.assert(
      fc.property(notes, fc.integer(), (text, seed) => {
        const note = parseNote('p.md', text);
        const split = splitNote(note);
        if (!split.ok) throw new Error(split.message);
        count.tasks += note.board.tasks.length;
        count.files += split.files.length - 1;
        count.parts += split.files[0]?.text.match(/ [1-9]\d*%%\n/g)?.length ?? 0;
        const shuffled = split.files.toSorted((a, b) => order(a.path, seed) - order(b.path, seed));
        const joined = joinNotes(shuffled, '2026-11-21');
        if (!joined.ok) throw new Error(joined.message);
        expect(joined.base).toBe(text);
        expect(joined.text).toBe(text);
        expect(joined.exported).toBe(textFingerprint(text));
        expect([joined.edited, joined.added, joined.left]).toEqual([0, 0, []]);
      }),
      { numRuns: RUNS },
    );
    expect(count.tasks).toBeGreaterThan(RUNS);
    expect(count.files).toBe(count.tasks);
    expect(count.parts).toBeGreaterThan(20);
  });
});

/** A pseudo-random sort key of a file that depends only on its name and the seed. */
function order(name: string, seed: number): number {
  let hash = seed;
  for (const char of name) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return hash;
}
