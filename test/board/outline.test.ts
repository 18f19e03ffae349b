import { describe, expect, test } from 'vitest';
import { outline, type OutlineOptions, type OutlineRow } from '../../src/obsidian/model/outline';
import type { Board } from '../../src/core/board/task';
import { boardOf } from './note-sample';

/** The board from the pictures of the interface specification. */
const STORY = boardOf(`# Offline search

## Groundwork

- [x] Choose the tokeniser 🆔 k3f9-1 ✅ 2026-11-20 ^k3f9-1
- [x] Read the notes in batches 🆔 k3f9-2 ✅ 2026-11-20 ^k3f9-2
- [/] Build the inverted index [risk:: high] 🆔 k3f9-3 ⏫ ^k3f9-3
	- [x] Split words in Chinese and Japanese [owner:: explore] 🆔 k3f9-4 ^k3f9-4
	- [/] Keep the index across restarts [owner:: explore] 🆔 k3f9-5 ^k3f9-5

## Ranking

- [ ] Score by field and recency 🆔 k3f9-6 ⛔ k3f9-3 ^k3f9-6
- [ ] Highlight matches in the snippet 🆔 k3f9-7 ⛔ k3f9-6 🔽 ^k3f9-7
- [-] Rank with embeddings 🆔 k3f9-8 ❌ 2026-11-20 ^k3f9-8

## Release

- [ ] Choose a sample vault [owner:: me] 🆔 k3f9-9 ^k3f9-9
- [ ] Measure on 10,000 notes 🆔 k3f9-10 ⛔ k3f9-6,k3f9-9 ^k3f9-10
- [!] Sign the build [reason:: signing key missing] 🆔 k3f9-11 ^k3f9-11
- [ ] Write the user guide 🆔 k3f9-12 ⛔ k3f9-6 📅 2026-11-28 ^k3f9-12
- [ ] Publish the beta 🆔 k3f9-13 ⛔ k3f9-10,k3f9-11,k3f9-12 ^k3f9-13
`);

const rowsOf = (board: Board, options: Partial<OutlineOptions> = {}): readonly OutlineRow[] =>
  outline(board, { foldFinished: false, folded: new Set(), changed: new Set(), ...options });

/** A row as text, as a person sees it. */
function seen(row: OutlineRow): string {
  const indent = '  '.repeat(row.level - 1);
  if (row.kind === 'phase') return `${indent}${row.title}  ${row.done} / ${row.total}`;
  if (row.kind === 'finished') return `${indent}${row.text}`;
  const { facts, word, reason } = row.words();
  const own = facts.map((fact) => fact.text).join(', ');
  const parts = [`${indent}${word}: ${row.task.title}`, own, reason?.text ?? ''];
  return parts.filter((part) => part !== '').join('  ');
}

const taskRow = (board: Board, at = 0, options: Partial<OutlineOptions> = {}) => {
  const row = rowsOf(board, options).filter((each) => each.kind === 'task')[at];
  if (!row) throw new Error('no such row');
  return row;
};

describe('the rows of a board', () => {
  test('[VIEW1] are phases with their progress, and tasks with word, facts and reason', () => {
    expect(rowsOf(STORY).map(seen)).toEqual([
      'Groundwork  3 / 5',
      '  Done: Choose the tokeniser',
      '  Done: Read the notes in batches',
      '  In progress: Build the inverted index  Critical path, 1 / 2',
      '    Done: Split words in Chinese and Japanese',
      '    In progress: Keep the index across restarts  explore',
      'Ranking  0 / 2',
      '  Waiting: Score by field and recency  Critical path  Waits for Build the inverted index',
      '  Waiting: Highlight matches in the snippet  Waits for Score by field and recency',
      '  Cancelled: Rank with embeddings',
      'Release  0 / 5',
      '  Ready: Choose a sample vault  You',
      '  Waiting: Measure on 10,000 notes  Critical path  Waits for 2 tasks',
      '  Failed: Sign the build  Failed: signing key missing',
      '  Waiting: Write the user guide  28 Nov  Waits for Score by field and recency',
      '  Waiting: Publish the beta  Critical path  Waits for 3 tasks, 1 failed',
    ]);
  });

  test('[VIEW2] finished tasks at the head of a phase fold, and open when the person opens them', () => {
    const folded = rowsOf(STORY, { foldFinished: true });
    expect(folded.slice(0, 3).map(seen)).toEqual([
      'Groundwork  3 / 5',
      '  2 finished',
      '  In progress: Build the inverted index  Critical path, 1 / 2',
    ]);
    expect(folded[1]).toMatchObject({ kind: 'finished', expanded: false, name: '2 finished' });
    const opened = new Set([folded[1]?.key ?? '']);
    expect(rowsOf(STORY, { foldFinished: true, opened }).slice(1, 5).map(seen)).toEqual([
      '  2 finished',
      '    Done: Choose the tokeniser',
      '    Done: Read the notes in batches',
      '  In progress: Build the inverted index  Critical path, 1 / 2',
    ]);
  });

  test('[VIEW2] a task with an open one under it is not folded, one alone is not, subtasks are counted', () => {
    const rows = (body: string) => rowsOf(boardOf(body), { foldFinished: true }).map(seen);
    expect(rows('- [x] a\n\t- [ ] b\n- [x] c\n')).toEqual([
      'Done: a  0 / 1',
      '  Ready: b',
      'Done: c',
    ]);
    expect(rows('- [x] a\n- [ ] b\n')).toEqual(['Done: a', 'Ready: b']);
    expect(rows('- [x] a\n\t- [-] b\n- [-] c\n')).toEqual(['3 finished']);
  });

  test('[VIEW3] a folded phase or task hides what is under it and says so', () => {
    const phase = rowsOf(STORY)[0]?.key ?? '';
    const rows = rowsOf(STORY, { folded: new Set([phase]) });
    expect(rows.slice(0, 2).map(seen)).toEqual(['Groundwork  3 / 5', 'Ranking  0 / 2']);
    expect(rows[0]).toMatchObject({ expanded: false });
    expect(rows[1]).toMatchObject({ expanded: true });
    const task = rowsOf(STORY, { folded: new Set(['k3f9-3']) });
    expect(task[3]).toMatchObject({ key: 'k3f9-3', expanded: false });
    expect(task[4]).toMatchObject({ kind: 'phase' });
    expect(task[1]).toMatchObject({ expanded: null });
  });

  test('[VIEW4] level, set size and position are those of a tree', () => {
    const board = boardOf('- [ ] a\n\t- [ ] b\n\t- [ ] c\n## P\n- [ ] d\n');
    const places = rowsOf(board).map((row) => [row.level, row.posinset, row.setsize]);
    expect(places).toEqual([
      [1, 1, 2],
      [2, 1, 2],
      [2, 2, 2],
      [1, 2, 2],
      [2, 1, 1],
    ]);
  });

  test('[VIEW5] keys are unique and stay while the row says the same', () => {
    const body = '- [ ] a\n## P\n- [ ] b 🆔 k3f9-1\n## Q\n- [ ] c\n## P\n- [ ] d\n';
    const keys = rowsOf(boardOf(body)).map((row) => row.key);
    expect(new Set(keys).size).toBe(keys.length);
    const later = rowsOf(boardOf(`${body}- [ ] e\n`)).map((row) => row.key);
    expect(later.slice(0, keys.length)).toEqual(keys);
  });
});

describe('a task row', () => {
  test.each([
    ['- [ ] t', 'ready', 'Ready', 'false'],
    ['- [ ] t ⛔ x', 'waiting', 'Waiting', 'false'],
    ['- [/] t ⛔ x', 'in_progress', 'In progress', 'mixed'],
    ['- [x] t', 'completed', 'Done', 'true'],
    ['- [!] t', 'failed', 'Failed', 'false'],
    ['- [>] t', 'deferred', 'Deferred', 'false'],
    ['- [-] t', 'cancelled', 'Cancelled', 'false'],
  ])('[VIEW6] %s has the mark %s', (line, mark, word, checked) => {
    expect(taskRow(boardOf(line)).words()).toMatchObject({ mark, word, checked });
  });

  test.each([
    ['- [!] t', 'Failed'],
    ['- [ ] t ⛔ x', 'Waits for x, not found'],
    ['- [ ] t ⛔ x,y', 'Waits for 2 tasks, 2 not found'],
    ['- [ ] t ⛔ p-1\n- [!] s 🆔 p-1', 'Waits for s, failed'],
    ['- [ ] t ⛔ p-1,p-2\n- [x] s 🆔 p-1\n- [ ] r 🆔 p-2', 'Waits for r'],
    ['- [/] t ⛔ x', undefined],
    ['- [x] t ⛔ x', undefined],
    ['- [ ] t', undefined],
  ])('[VIEW7] %j says %j', (body, text) => {
    expect(taskRow(boardOf(body)).words().reason?.text).toBe(text);
  });

  test('[VIEW7] a subtask that waits only with its parent does not repeat why', () => {
    const body = '- [ ] p ⛔ p-1\n\t- [ ] c\n- [ ] s 🆔 p-1\n- [>] q\n\t- [ ] d\n\t\t- [ ] e\n';
    const reasons = [1, 4, 5].map((at) => taskRow(boardOf(body), at).words().reason?.text);
    expect(reasons).toEqual([undefined, undefined, undefined]);
    const own = '- [ ] p ⛔ p-1\n\t- [ ] c ⛔ p-2\n- [ ] s 🆔 p-1\n- [ ] r 🆔 p-2\n';
    expect(taskRow(boardOf(own), 1).words().reason?.text).toBe('Waits for r');
  });

  test('[VIEW10] tasks on the critical path are marked, a parent for its subtasks; a path of one is none', () => {
    const marked = (body: string) =>
      rowsOf(boardOf(body)).flatMap((row) =>
        row.kind === 'task' && row.words().facts.some(({ kind }) => kind === 'critical')
          ? [row.task.title]
          : [],
      );
    expect(marked('- [ ] a\n- [ ] b\n')).toEqual([]);
    expect(marked('- [ ] a\n\t- [ ] b\n')).toEqual([]);
    expect(marked('- [ ] a 🆔 p-1\n- [x] b 🆔 p-2 ⛔ p-1\n- [ ] c ⛔ p-2\n')).toEqual([]);
    expect(marked('- [ ] a 🆔 p-1\n\t- [ ] b\n- [ ] c ⛔ p-1\n- [ ] d\n')).toEqual(['a', 'c']);
    const [fact] = taskRow(boardOf('- [ ] a 🆔 p-1\n- [ ] c ⛔ p-1\n')).words().facts;
    expect(fact).toMatchObject({ icon: 'route', text: 'Critical path', iconOnly: true });
  });

  test('[VIEW8] at most two facts: subtasks, owner, due date, high risk', () => {
    const facts = (line: string, today?: string) =>
      taskRow(boardOf(line), 0, today === undefined ? {} : { today })
        .words()
        .facts.map((f) => [f.icon, f.text]);
    expect(
      facts('- [ ] t [owner:: me] [risk:: critical] 📅 2026-11-05\n\t- [-] c\n\t- [x] d\n'),
    ).toEqual([
      [null, '1 / 1'],
      ['user-round', 'You'],
    ]);
    expect(facts('- [ ] t [owner:: explore] [risk:: high]')).toEqual([
      ['bot', 'explore'],
      ['triangle-alert', 'High risk'],
    ]);
    expect(facts('- [ ] t [owner:: build] [risk:: low] 📅 2027-01-05', '2026-11-21')).toEqual([
      [null, '5 Jan 2027'],
    ]);
    expect(facts('- [ ] t 📅 2026-01-05', '2026-11-21')).toEqual([[null, '5 Jan']]);
    expect(facts('- [ ] t 📅 2026-13-05')).toEqual([[null, '2026-13-05']]);
    expect(facts('- [x] t [owner:: me] [risk:: high] 📅 2026-01-05')).toEqual([]);
  });

  test('[VIEW9] its accessible name begins with what the row shows, and says state, further facts, change and number', () => {
    const names = rowsOf(STORY, { changed: new Set(['k3f9-11']) }).map((row) =>
      row.kind === 'task' ? row.words().name : row.name,
    );
    expect(names[0]).toBe('Groundwork, 3 / 5');
    expect(names[3]).toBe('Build the inverted index, 1 / 2, in progress, critical path, task 3');
    expect(names[7]).toBe(
      'Score by field and recency, Waits for Build the inverted index, critical path, task 6',
    );
    expect(names[11]).toBe('Choose a sample vault, You, ready, task 9');
    expect(names[13]).toBe('Sign the build, Failed: signing key missing, changed, task 11');
    expect(names[14]).toBe(
      'Write the user guide, 28 Nov, Waits for Score by field and recency, task 12',
    );
    expect(taskRow(boardOf('- [ ] t [owner:: explore] [risk:: high]')).words().name).toBe(
      't, ready, explore, high risk',
    );
    expect(taskRow(boardOf('- [ ] t')).words().name).toBe('t, ready');
  });
});
