import { describe, expect, test } from 'vitest';
import { moveTask, type MoveTarget } from '../../src/core/board/note/place-task';
import { parseNote } from '../../src/core/board/note/parse-note';
import { fc } from '../seeded';
import { notes, rawLines } from './note-maker';
import { bodyOf, noteOf } from './note-sample';

const A = '- [ ] a 🆔 k3f9-1 ^k3f9-1';
const B = '- [ ] b 🆔 k3f9-2 ^k3f9-2';
const C = '- [ ] c 🆔 k3f9-3 ^k3f9-3';

describe('moving', () => {
  test.each<[string, MoveTarget, string]>([
    [`${A}\n${B}\n${C}\n`, { after: 'k3f9-3' }, `${B}\n${C}\n${A}\n`],
    [`${A}\n${B}\n${C}`, { after: 'k3f9-3' }, `${B}\n${C}\n${A}`],
    [
      `${A}\n\n\ttext  \n\t- [ ] s\n${B}\n`,
      { parent: 'k3f9-2' },
      `${B}\n\t${A}\n\n\t\ttext  \n\t\t- [ ] s\n`,
    ],
    [
      `${B}\n  ${A}\n    text\n      deep\n${C}\n`,
      { after: 'k3f9-3' },
      `${B}\n${C}\n${A}\n  text\n    deep\n`,
    ],
    [`${A}\n${B}\n  ${C}\n`, { parent: 'k3f9-2' }, `${B}\n  ${C}\n  ${A}\n`],
    [`${A}\n## P\n\n${B}\n`, { phase: 'P' }, `## P\n\n${B}\n${A}\n`],
    [`${A}\n${B}\n`, { phase: 'New' }, `${B}\n\n## New\n\n${A}\n`],
    [`${A}\r\n${B}\r\n`, { after: 'k3f9-2' }, `${B}\r\n${A}\r\n`],
    [`${B}\n\t${A}\n\t${C}\n`, { parent: 'k3f9-2' }, `${B}\n\t${C}\n\t${A}\n`],
    [`${A}\nrest\n${B}\n`, { parent: 'k3f9-2' }, `${B}\n\t${A}\nrest\n`],
  ])(
    '[NOTE55] takes the block along, unchanged but for its indentation: %j to %j',
    (before, target, after) => {
      expect(bodyOf(moveTask(noteOf(before), 'k3f9-1', target))).toBe(after);
    },
  );

  test.each<[string, MoveTarget]>([
    [A, { after: 'k3f9-1' }],
    [`${A}\n\t${B}\n`, { parent: 'k3f9-2' }],
    [`${A}\n\t${B}\n`, { after: 'k3f9-2' }],
    [`- [ ] p\n\t${A}\n\t\t- [ ] x\n${B}\n\t\tdeep\n- plain\n`, { parent: 'k3f9-1' }],
  ])('[NOTE56] a task does not move under or behind itself: %j to %j', (before, target) => {
    expect(moveTask(noteOf(before), 'k3f9-1', target)).toMatchObject({ code: 'bad_place' });
  });

  test('[NOTE1, NOTE55] any move of any note keeps every line, and all that other tasks say', () => {
    let moved = 0;
    let refused = 0;
    fc.assert(
      fc.property(notes, fc.nat(13), fc.nat(13), fc.nat(2), (text, from, to, how) => {
        const note = parseNote('p', text);
        const { tasks } = note.board;
        const task = tasks[from % Math.max(tasks.length, 1)];
        const other = tasks[to % Math.max(tasks.length, 1)];
        if (!task || !other) return;
        const targets = [{ after: other.key }, { parent: other.key }, { phase: 'Ground' }];
        const result = moveTask(note, task.key, targets[how] ?? {});
        if (!result.ok) {
          refused += 1;
          return;
        }
        moved += 1;
        const after = parseNote('p', result.text).board.tasks;
        expect(linesOf(result.text).filter((line) => line !== '' && line !== '## Ground')).toEqual(
          linesOf(text).filter((line) => line !== '' && line !== '## Ground'),
        );
        const titles = (all: typeof tasks): string[] =>
          all.map(({ title, id, mark, body }) => [title, id, mark, ...body].join('|')).sort();
        expect(titles(after)).toEqual(titles(tasks));
      }),
      { numRuns: 3_000 },
    );
    expect(moved).toBeGreaterThan(500);
    expect(refused).toBeGreaterThan(100);
  });
});

function linesOf(text: string): string[] {
  return rawLines(text)
    .map((line) => line.replace(/^[ \t]+|[\r\n]+$/g, ''))
    .sort();
}
