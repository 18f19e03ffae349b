import { describe, expect, test } from 'vitest';
import {
  findings,
  isSyncCopy,
  findArchivesAndCopies,
  type Finding,
} from '../../src/core/board/board-findings';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { Board } from '../../src/core/board/task';
import { MemoryStore } from '../store/memory-store';

const PATH = 'Boards/s/build-tasks.md';
const ARCHIVE = 'Boards/s/build-tasks.archive.md';

function note(...lines: string[]): string {
  const head = ['---', 'board: 1', 'session: s', 'agent: build', 'title: T', 'prefix: k3f9', '---'];
  return [...head, '', ...lines, ''].join('\n');
}

function board(path: string, ...lines: string[]): Board {
  return parseNote(path, note(...lines)).board;
}

/** `kind line fix` of each finding. */
function brief(found: readonly Finding[]): string[] {
  return found.map(({ kind, line, fix }) => [kind, line, fix?.type ?? ''].join(' ').trim());
}

describe('findings', () => {
  test('[DOC1] a note that can not be parsed is told with line and reason, and has no fix', () => {
    const text = note('- [ ] A').replace('board: 1', 'board: [1');
    const found = findings([parseNote(PATH, text).board], []);
    expect(brief(found)).toEqual(['broken-note 3']);
    expect(found[0]?.text).toMatch(/^This note is read-only until it is repaired\. Line 3: /);
  });

  test('[DOC1] a line that says two things is told; a board in order has no findings', () => {
    const unclear = board(PATH, '- [ ] A 🆔 k3f9-1 and more', '- [ ] B 🆔 k3f9-2 ^k3f9-3');
    expect(brief(findings([unclear], []))).toEqual(['unclear-line 9', 'unclear-line 10']);
    const fine = board(PATH, '- [ ] A 🆔 k3f9-1 ^k3f9-1', '- [ ] B 🆔 k3f9-2 ⛔ k3f9-1');
    expect(findings([fine], [])).toEqual([]);
  });

  test('[REVIEW14] a day of review on a task that is not in progress is told; on one that is, it is not', () => {
    const stray = board(
      PATH,
      '- [x] A [review:: 2026-11-21] 🆔 k3f9-1 ^k3f9-1',
      '- [/] B [review:: 2026-11-21] 🆔 k3f9-2 ^k3f9-2',
    );
    const found = findings([stray], []);
    expect(brief(found)).toEqual(['stray-review 9']);
    expect(found[0]?.text).toBe(
      '#1 A is not in progress, so it waits for no review. Take [review:: 2026-11-21] out of its line, or make its mark [/].',
    );
  });

  test('[DOC1] each line that a merge kept beside another is told, whether it is a task or not', () => {
    const theirs = '[conflict:: theirs]';
    const merged = board(PATH, '- [ ] A 🆔 k3f9-1', `- [ ] B ${theirs}`, '', `Words ${theirs}`);
    expect(brief(findings([merged], []))).toEqual(['two-versions 10', 'two-versions 12']);
  });

  test('[DOC1] a value of the header that continues on the next line, and one that counts as missing, are told with their line', () => {
    const continued = note('- [ ] A').replace('prefix: k3f9', 'prefix: k3f9\nrev: see\n  below');
    const found = findings([parseNote(PATH, continued).board], []);
    expect(brief(found)).toEqual(['broken-note 7']);
    expect(found[0]?.text).toBe(
      'This note is read-only until it is repaired. Line 7: "rev" continues on the next line. Write its value on one line.',
    );
    const foreign = note('- [ ] A').replace(
      'prefix: k3f9',
      'rev: [1]\nprefix: k3f9\narchived: none\nnext: one',
    );
    const told = findings([parseNote(PATH, foreign).board], []);
    expect(brief(told)).toEqual(['unclear-line 6', 'unclear-line 8', 'unclear-line 9']);
    expect(told[0]?.text).toBe(
      'Line 6: "rev" is not a whole number up to 9007199254740991, so it stays as it is and counts as missing. Correct it, or remove the line.',
    );
  });

  test('[DOC2] the second of two tasks with one id can get a new one; the first keeps it', () => {
    const found = findings([board(PATH, '- [ ] A 🆔 k3f9-1', '- [ ] B 🆔 k3f9-1 ^k3f9-1')], []);
    expect(found).toEqual([
      {
        kind: 'duplicate-id',
        path: PATH,
        line: 10,
        text: 'Two tasks are #1. Give the second, "B", a new number.',
        said: { key: 'finding.duplicate', values: { task: '#1', second: '"B"' } },
        fix: { type: 'renumber', target: { id: 'k3f9-1', line: 10, title: 'B' } },
      },
    ]);
  });

  test('[DOC3] an id that is neither on the board nor in its archive is told once per task', () => {
    const now = board(PATH, '- [ ] A 🆔 k3f9-1 ⛔ k3f9-7,k3f9-8,k3f9-9');
    const archive = board(ARCHIVE, '- [x] Z 🆔 k3f9-7');
    const found = findings([now], [{ kind: 'archive', path: ARCHIVE, board: archive }]);
    expect(brief(found)).toEqual(['unknown-id 9']);
    expect(found[0]?.text).toContain('#1 A waits for k3f9-8, k3f9-9, which are not tasks');
  });

  test('[DOC3] tasks that wait for each other are told with the way round', () => {
    const found = findings(
      [board(PATH, '- [ ] A 🆔 k3f9-1 ⛔ k3f9-2', '- [ ] B 🆔 k3f9-2 ⛔ k3f9-1')],
      [],
    );
    expect(brief(found)).toEqual(['cycle 9']);
    expect(found[0]?.text).toContain('#1 A → #2 B → #1 A');
  });

  test('[DOC4] a task on the board and in its archive is told, and left to the next archive', () => {
    const twice = board(ARCHIVE, '- [x] A 🆔 k3f9-1');
    const found = findings(
      [board(PATH, '- [x] A 🆔 k3f9-1', '- [ ] B')],
      [{ kind: 'archive', path: ARCHIVE, board: twice }],
    );
    expect(brief(found)).toEqual(['archived-twice 9']);
  });

  test('[DOC5] a copied board is told for its prefix', () => {
    const copy = board('Boards/other/build-tasks.md', '- [ ] A 🆔 k3f9-1');
    const found = findings([copy, board(PATH, '- [ ] A 🆔 k3f9-1')], []);
    expect(found.map(({ kind, path }) => [kind, path])).toEqual([['shared-prefix', PATH]]);
  });

  test('[DOC6] copies of sync tools and archives are found beside boards; other files are nothing', async () => {
    const store = new MemoryStore();
    const copy = 'Boards/s/build-tasks.sync-conflict-20261121-101112-ABCDEFG.md';
    store.put(PATH, note());
    store.put(ARCHIVE, note('- [x] Z 🆔 k3f9-7'));
    store.put(copy, note());
    store.put('Boards/s/my thoughts.md', '# Mine');
    store.put('Boards/read me.md', '# Mine');
    const files = await findArchivesAndCopies(store, 'Boards');
    expect(files.map(({ kind, path }) => [kind, path])).toEqual([
      ['archive', ARCHIVE],
      ['sync-copy', copy],
    ]);
    expect(brief(findings([], files))).toEqual(['sync-copy 0']);
  });

  test('[DOC6] the names that sync tools give', () => {
    for (const name of [
      'build-tasks.sync-conflict-20261121-101112-ABCDEFG.md',
      'build-tasks (conflicted copy 2026-11-21 101112).md',
      "build-tasks (Anna's conflicted copy 2026-11-21).md",
      'build-tasks (Conflicted copy phone 202611211011).md',
      'build-tasks.archive (conflicted copy 2026-11-21).md',
      'build-tasks (1).md',
      'build-tasks 2.md',
    ]) {
      expect([name, isSyncCopy(name)]).toEqual([name, true]);
    }
    for (const name of [
      'build-tasks.md',
      'build-tasks.archive.md',
      'conflict-tasks.md',
      'build-tasks 2026.md',
      'a conflict of interest.md',
      'tasks (1).md',
    ]) {
      expect([name, isSyncCopy(name)]).toEqual([name, false]);
    }
  });

  test('[DOC7] what dead processes left has a fix only where nothing is lost', () => {
    const lock = {
      kind: 'stale-lock',
      path: 'a.lock',
      text: 'left behind',
      fix: 'remove',
    } as const;
    const journal = { kind: 'leftover-journal', path: 'b', text: 'broken off' } as const;
    expect(findings([], [journal, lock])).toEqual([
      { kind: 'stale-lock', path: 'a.lock', line: 0, text: 'left behind', fix: { type: 'remove' } },
      { kind: 'leftover-journal', path: 'b', line: 0, text: 'broken off' },
    ]);
  });
});
