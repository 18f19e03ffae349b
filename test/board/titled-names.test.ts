import { describe, expect, test } from 'vitest';
import { readBoardPath } from '../../src/core/board/board-path';
import {
  agentPart,
  legalTitle,
  plainFile,
  sessionTail,
  tailOf,
  titledFile,
  titledFolder,
} from '../../src/core/board/names/titled-names';
import { fc } from '../seeded';

describe('[PATH7] names by title', () => {
  test.each([
    [
      'Offline search',
      'ses_4hq0example',
      'build',
      'Offline search (xample)',
      'Offline search - build-tasks.md',
    ],
    ['A - b', 'ab', 'm~c3~a9', 'A - b (ab)', 'A - b - m~c3~a9-tasks.md'],
    ['Ü (draft)', 'my/plan:1', 'build', 'Ü (draft) (an~3a1)', 'Ü (draft) - build-tasks.md'],
  ])('%j of %j', (title, session, agent, folder, file) => {
    expect(titledFolder(title, sessionTail(session), [])).toBe(folder);
    expect(titledFile(title, `${agent}-tasks.md`)).toBe(file);
    expect(plainFile(file)).toBe(`${agent}-tasks.md`);
    expect(tailOf(folder)).toBe(sessionTail(session));
  });

  test.each([
    ['Search - build-tasks.archive.md', 'build-tasks.archive.md'],
    ['Search - build-run-r1.md', 'build-run-r1.md'],
    ['A - b - build-tasks (conflicted copy - mac).md', 'build-tasks (conflicted copy - mac).md'],
    ['A - build-tasks.sync-conflict-2026.md', 'build-tasks.sync-conflict-2026.md'],
    ['My notes - today.md', 'My notes - today.md'],
  ])('%j is %j without its title', (name, plain) => {
    expect(plainFile(name)).toBe(plain);
  });

  test('a folder by its session is none by title, and the other way round', () => {
    expect(tailOf('ses_1')).toBeUndefined();
    expect(readBoardPath('r', 'r/Search (ses_1)/build-tasks.md')).toBeUndefined();
  });
});

test.each([
  ['a/b\\c:d*e?f"g<h>i|j#k^l[m]n', 'a b c d e f g h i j k l m n'],
  ['.hidden', 'hidden'],
  ['ends with dots. . .', 'ends with dots'],
  ['tab\tand\nline', 'tab and line'],
  ['e\u0301', 'é'],
  ['right\u202eto left\u200b', 'rightto left'],
  ['👩\u200d💻 works', '👩\u200d💻 works'],
  ['con', '_con'],
  ['NUL.txt', '_NUL.txt'],
  ['COM¹', '_COM¹'],
  ['console', 'console'],
  ['???', 'Untitled'],
  ['', 'Untitled'],
])('[PATH8] the title %j is %j in a name', (title, legal) => {
  expect(legalTitle(title, 80)).toBe(legal);
});

test('[PATH8] any title makes names that every system takes, for any agent', () => {
  const agents = fc.constantFrom('build', `${'~e2'.repeat(72)}`, 'a');
  let long = 0;
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300, size: 'max' }),
      agents,
      (title, agent) => {
        const bytes = (name: string) => new TextEncoder().encode(name).length;
        const folder = titledFolder(title, 'ab12cd', []);
        const archive = titledFile(title, `${agent}-tasks.archive.md`);
        for (const name of [folder, archive]) {
          expect(name).toBe(name.normalize('NFC'));
          expect(name).not.toMatch(/[\\/:*?"<>|#^[\]]|\p{Cc}|\p{Cs}|^[. ]|[. ]$|\s\s/u);
          expect(name.split('.')[0]).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d) *$/i);
          expect(bytes(name)).toBeLessThanOrEqual(255);
        }
        expect(bytes(folder)).toBeLessThanOrEqual(89);
        if (bytes(folder) > 80) long += 1;
        expect(tailOf(folder)).toBe('ab12cd');
        expect(agentPart(plainFile(archive))).toBe(agent);
      },
    ),
    { numRuns: 1_000 },
  );
  expect(long).toBeGreaterThan(50);
});

test.each([
  [['Search (ab12cd)'], 'Search 2 (ab12cd)'],
  [['SEARCH (AB12CD)', 'search 2 (ab12cd)'], 'Search 3 (ab12cd)'],
  [['Search (ab12ce)'], 'Search (ab12cd)'],
])('[PATH9] beside %j another number keeps a folder apart: %j', (taken, name) => {
  expect(titledFolder('Search', 'ab12cd', taken)).toBe(name);
});

test('[PATH9] names that differ by case or Unicode form alone count as one', () => {
  expect(titledFolder('Straße', 'ab', ['STRASSE (AB)'])).toBe('Straße 2 (ab)');
  expect(titledFolder('Caf\u00e9', 'ab', ['cafe\u0301 (ab)'])).toBe('Café 2 (ab)');
});
