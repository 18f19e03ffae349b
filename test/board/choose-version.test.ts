import { describe, expect, test } from 'vitest';
import { chooseVersion } from '../../src/core/board/merge/choose-version';
import { mergeBoards } from '../../src/core/board/merge/merge-boards';
import { parseNote } from '../../src/core/board/note/parse-note';

const BASE = [
  ...['---', 'board: 1', 'session: ses_1', 'agent: build', 'title: Docs', 'prefix: k3f9'],
  ...['next: 5', 'rev: 3', '---', '', '# Docs', ''],
  '- [ ] Write the guide 🆔 k3f9-1 ⛔ k3f9-4 ^k3f9-1',
  '\t- [ ] Draw 🆔 k3f9-2 ^k3f9-2',
  '- [ ] Print 🆔 k3f9-3 ^k3f9-3',
  '- [ ] Plan 🆔 k3f9-4 ^k3f9-4',
  '',
].join('\r\n');

const ours = BASE.replace('[ ] Write the guide', '[/] Write the book [owner:: me]');
const theirs = BASE.replace('Write the guide', 'Write the tutorial [owner:: build]').replace(
  '⛔ k3f9-4 ^',
  '⛔ k3f9-4 📅 2026-11-30 ^',
);

const merged = (mine = ours, other = theirs) =>
  mergeBoards({ base: BASE, ours: mine, theirs: other })?.text ?? '';

/** The note after choosing one side of the conflict at this index. */
function chosen(text: string, side: 'mine' | 'theirs', at = 0, now = text) {
  const kept = parseNote('', text).board.conflicts?.[at];
  if (kept === undefined) throw new Error('There is no such line');
  const made = chooseVersion(parseNote('', now), kept, side);
  return 'ok' in made ? made.code : made[0]?.text;
}

describe('two versions of a task', () => {
  test('[PLUGIN87] the first stays as it is, and the marked line goes', () => {
    const text = merged();
    const marked = text.split('\r\n').findIndex((line) => line.includes('[conflict:: theirs]'));
    const left = text.split('\r\n').filter((_, at) => at !== marked);
    expect(left).toHaveLength(text.split('\r\n').length - 1);
    expect(chosen(text, 'mine')).toBe(left.join('\r\n'));
  });

  test('[PLUGIN87] the other takes the place of the first, and its id; all else stays', () => {
    expect(chosen(merged(), 'theirs')).toBe(
      merged()
        .replace(/- \[.\] Write the book.*\r\n/u, '')
        .replace(/\t- \[ \] Draw.*\r\n/u, '')
        .replace(
          /- \[.\] Write the tutorial.*\r\n/u,
          [
            '- [ ] Write the tutorial [owner:: build] 🆔 k3f9-1 ⛔ k3f9-4 📅 2026-11-30 ^k3f9-1',
            '\t- [ ] Draw 🆔 k3f9-2 ^k3f9-2',
            '',
          ].join('\r\n'),
        ),
    );
  });

  test('[PLUGIN87] of a task and one under it, each has its own', () => {
    const mine = ours.replace('Draw', 'Draw it');
    const text = merged(mine, theirs.replace('Draw', 'Paint it'));
    const { conflicts = [] } = parseNote('', text).board;
    expect(conflicts.map(({ beside }) => beside?.title)).toEqual(['Draw it', 'Write the book']);
    expect(chosen(text, 'theirs', 0)).toContain('\t- [ ] Paint it 🆔 k3f9-2 ^k3f9-2\r\n');
    expect(chosen(text, 'theirs', 1)).toContain('- [ ] Write the tutorial');
  });

  test('[PLUGIN87] nothing is changed where one of the two is not as it was shown', () => {
    const text = merged();
    expect(chosen(text, 'mine', 0, text.replace('the book', 'the books'))).toBe('conflict');
    expect(chosen(text, 'theirs', 0, text.replace('the tutorial', 'a tutorial'))).toBe('conflict');
    expect(chosen(text, 'mine', 0, ours)).toBe('conflict');
  });

  test('[PLUGIN87] text, and a line with something under it, belong to no task that can be told', () => {
    const beside = (text: string) =>
      parseNote('', text).board.conflicts?.map((one) => one.beside?.title);
    expect(beside(BASE.replace('# Docs', '# Docs\r\nTheirs [conflict:: theirs]'))).toEqual([
      undefined,
    ]);
    expect(beside(merged().replace(/(\[conflict:: theirs\].*)/u, '$1\r\n  Some words'))).toEqual([
      undefined,
    ]);
    const alone = BASE.replace('- [ ] Write the guide 🆔', '- [ ] Mine [conflict:: theirs] 🆔');
    expect(beside(alone)).toEqual([undefined]);
  });
});
