import { describe, expect, test } from 'vitest';
import { parseNote } from '../../src/core/board/note/parse-note';
import { renumberTask } from '../../src/core/board/note/give-id';
import { bodyOf, noteOf } from './note-sample';

const FIRST = '- [ ] a 🆔 k3f9-6 ^k3f9-6\n';

describe('a pasted duplicate', () => {
  test('[NOTE58] gets the next id, behind 🆔 and as block id; the first keeps its own', () => {
    const note = noteOf(`${FIRST}- [x] a 🆔️ k3f9-6 ⛔ k3f9-1 ⏫ ✅ 2026-11-20 ^k3f9-6 #late\n`);
    const result = renumberTask(note, '@11');
    expect(bodyOf(result)).toBe(
      `${FIRST}- [x] a 🆔️ k3f9-20 ⛔ k3f9-1 ⏫ ✅ 2026-11-20 ^k3f9-20 #late\n`,
    );
    if (!result.ok) throw new Error(result.message);
    const { board } = parseNote('p', result.text);
    expect(board.tasks.map(({ key }) => key)).toEqual(['k3f9-6', 'k3f9-20']);
    expect(board.problems).toEqual([]);
    expect(result.text).toContain('next: 21\n');
  });

  test('[NOTE58] has its own block id then, also where it had none or that of a third task', () => {
    const bare = renumberTask(noteOf(`${FIRST}- [ ] a 🆔 k3f9-6\n`), '@11');
    expect(bodyOf(bare)).toBe(`${FIRST}- [ ] a 🆔 k3f9-20 ^k3f9-20\n`);
    const other = renumberTask(noteOf(`${FIRST}- [ ] a 🆔 k3f9-6 ^k3f9-4\n`), '@11');
    expect(bodyOf(other)).toBe(`${FIRST}- [ ] a 🆔 k3f9-20 ^k3f9-20\n`);
  });

  test('[NOTE58] keeps a block id that a person made up', () => {
    const result = renumberTask(noteOf(`${FIRST}- [ ] a 🆔 k3f9-6 ^mine\n`), '@11');
    expect(bodyOf(result)).toBe(`${FIRST}- [ ] a 🆔 k3f9-20 ^mine\n`);
  });

  test('[NOTE58] what is no duplicate keeps its id; what is not there or malformed is refused', () => {
    const note = noteOf(`${FIRST}- [ ] b\n- [ ] c 🆔 k3f9-6 text\n`);
    expect(renumberTask(note, 'k3f9-6')).toMatchObject({ ok: false, code: 'bad_id' });
    expect(renumberTask(note, '@11')).toMatchObject({ ok: false, code: 'bad_id' });
    expect(renumberTask(note, '@12')).toMatchObject({ ok: false, code: 'malformed_tail' });
    expect(renumberTask(note, '@99')).toMatchObject({ ok: false, code: 'unknown_task' });
  });
});
