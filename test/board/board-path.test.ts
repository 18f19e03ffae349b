import { describe, expect, test } from 'vitest';
import {
  boardPath,
  decodeName,
  encodeName,
  isConflictCopy,
  readBoardPath,
  isValidAgentName,
  isValidSessionId,
} from '../../src/core/board/board-path';
import { canHaveTitle } from '../../src/core/board/names/named-store';
import { fc } from '../seeded';

const ROOT = '.opencode/todos';

test.each([
  ['ses_4hQ0-x', 'build', `${ROOT}/ses_4hQ0-x/build-tasks.md`],
  ['../evil', 'a b', `${ROOT}/~2e~2e~2fevil/a~20b-tasks.md`],
  ['é~', '日', `${ROOT}/~c3~a9~7e/~e6~97~a5-tasks.md`],
  ['..', '.', `${ROOT}/~2e~2e/~2e-tasks.md`],
  ['a\\b:c*', 'CON', `${ROOT}/a~5cb~3ac~2a/~43~4f~4e-tasks.md`],
])('[PATH1] session %j and agent %j stand in %s', (session, agent, path) => {
  expect(boardPath(ROOT, session, agent)).toBe(path);
  expect(readBoardPath(ROOT, path)).toEqual({ session, agent });
});

describe('names that differ only by case', () => {
  test.each([
    ['Ab', [], 'Ab'],
    ['Ab', ['Ab', 'ab'], 'Ab'],
    ['Ab', ['ab'], '~41b'],
    ['Ab', ['ab', '~41b'], '~41b'],
    ['ab', ['AB'], '~61~62'],
    ['aB', ['AB', 'a~42'], 'a~42'],
    ['con', [], '~63~6f~6e'],
  ])('[PATH2] %j beside %j is %j', (text, taken, name) => {
    expect(encodeName(text, taken)).toBe(name);
  });

  test('[PATH2] a session and an agent give way to what stands there', () => {
    const taken = { sessions: ['SES'], boards: ['Build-tasks.md', 'other.md'] };
    expect(boardPath(ROOT, 'ses', 'build', taken)).toBe(
      `${ROOT}/~73~65~73/~62~75~69~6c~64-tasks.md`,
    );
  });

  test('[PATH3] no two texts share a name, also on a disk that takes upper for lower case', () => {
    const texts = fc.oneof(
      fc.stringMatching(/^[abAB]{1,2}$/),
      fc.stringMatching(/^[abAB~.-]{1,4}$/),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter(isValidSessionId),
    );
    let cases = 0;
    fc.assert(
      fc.property(fc.uniqueArray(texts, { minLength: 2, maxLength: 12 }), (list) => {
        const names: string[] = [];
        for (const text of list) names.push(encodeName(text, names));
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(list.length);
        expect(names.map(decodeName)).toEqual(list);
        expect(list.map((text) => encodeName(text, names))).toEqual(names);
        expect(names.every((name) => /^[A-Za-z0-9_~-]+$/.test(name))).toBe(true);
        if (new Set(list.map((text) => text.toLowerCase())).size < list.length) cases += 1;
      }),
      { numRuns: 2000 },
    );
    expect(cases).toBeGreaterThan(100);
  });
});

test('[PATH4] an id is 1 to 72 bytes without control characters', () => {
  const good = ['a', '../evil', 'x'.repeat(72), '日'.repeat(24), '😀'];
  const bad = ['', 'x'.repeat(73), '日'.repeat(25), 'a\nb', 'a\0', '\ud800', '\u0085'];
  expect(good.map(isValidSessionId)).toEqual(good.map(() => true));
  expect(bad.map(isValidSessionId)).toEqual(bad.map(() => false));
  expect(bad.map(isValidAgentName)).toEqual(bad.map(() => false));
  expect(() => boardPath(ROOT, '', 'build')).toThrow(RangeError);
});

test('[PATH4] a folder whose name decodes to no valid id is of no session, and none with a title', () => {
  for (const name of ['x'.repeat(73), '~00', '~ed~a0~80', '~e6~97~a5'.repeat(25)]) {
    expect([name, decodeName(name), canHaveTitle(name)]).toEqual([name, undefined, false]);
    expect(readBoardPath(ROOT, `${ROOT}/${name}/build-tasks.md`)).toBeUndefined();
  }
});

test('[PATH4] no name is longer than a file system takes, in its longest form', () => {
  const taken = { boards: [`${'X'.repeat(72)}-tasks.md`] };
  const file = boardPath(ROOT, 's', 'x'.repeat(72), taken).split('/').at(-1) ?? '';
  expect(file.length).toBe(225);
});

test.each([
  `${ROOT}/ses/build-tasks.archive.md`,
  `${ROOT}/ses/build-tasks (conflicted copy).md`,
  `${ROOT}/ses/build-tasks.sync-conflict-20261120-1.md`,
  `${ROOT}/ses/build (copy)-tasks.md`,
  `${ROOT}/ses/-tasks.md`,
  `${ROOT}/ses/sub/build-tasks.md`,
  `${ROOT}/build-tasks.md`,
  `${ROOT}/ses/~zz-tasks.md`,
  `${ROOT}/ses/~c3-tasks.md`,
  'elsewhere/ses/build-tasks.md',
])('[PATH5] is no board: %s', (path) => {
  expect(readBoardPath(ROOT, path)).toBeUndefined();
});

test.each([
  'build-tasks (conflicted copy).md',
  "build-tasks (Anna's conflicted copy 2026-11-20).md",
  'build-tasks (Conflicted copy Phone 202611201200).md',
  'build-tasks.sync-conflict-20261120-101112-ABCDEFG.md',
  'build-tasks_conflict-20261120-101112.md',
])('[PATH6] is a copy of a sync tool, and no board: %s', (name) => {
  expect(isConflictCopy(name)).toBe(true);
  expect(readBoardPath(ROOT, `${ROOT}/ses/${name}`)).toBeUndefined();
});

test.each([
  'build-tasks.md',
  'build-tasks.archive.md',
  'notes on conflicted copies.md',
  'sync-conflict-tasks.md',
  'resolve_conflict-tasks.md',
  'build-tasks (conflicted copy).md.tmp',
])('[PATH6] is none: %s', (name) => {
  expect(isConflictCopy(name)).toBe(false);
});
