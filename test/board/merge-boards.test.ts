import { describe, expect, test } from 'vitest';
import { mergeBoards } from '../../src/core/board/merge/merge-boards';
import { addTask } from '../../src/core/board/note/place-task';
import { setTaskDependsOn, setTaskStatus, setTaskTitle } from '../../src/core/board/note/edit-task';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { EditResult } from '../../src/core/board/note/edit-result';
import type { Note } from '../../src/core/board/note/note';
import { fc } from '../seeded';

const BASE = `---
board: 1
session: s
agent: build
title: A book
prefix: k3f9
next: 5
rev: 4
---

# A book

Words of a person.

- [ ] Read 🆔 k3f9-1 ^k3f9-1
- [ ] Write the guide [owner:: me] 🆔 k3f9-2 ⛔ k3f9-1 ^k3f9-2
	body of it
	- [ ] First chapter 🆔 k3f9-3 ^k3f9-3
- [ ] Print 🆔 k3f9-4 ^k3f9-4
`;

const merge = (ours: string, theirs: string, base = BASE) => {
  const merged = mergeBoards({ base, ours, theirs });
  if (merged === undefined) throw new Error('One of the versions could not be read.');
  return merged;
};

const counted = (text: string, next: number, rev: number): string =>
  text.replace(/^next: \d+/m, `next: ${next}`).replace(/^rev: \d+/m, `rev: ${rev}`);

describe('two clones of a board', () => {
  test('[GIT1] what each changed elsewhere stands in the result, with counters above both', () => {
    const ours = counted(BASE, 5, 6).replace('[ ] Read', '[x] Read');
    const theirs = counted(BASE, 5, 9).replace('Print', 'Print it');
    expect(merge(ours, theirs)).toEqual({
      text: counted(BASE, 5, 10).replace('[ ] Read', '[x] Read').replace('Print', 'Print it'),
      conflicts: [],
      renumbered: [],
    });
  });

  test.each([
    ['ours', BASE.replaceAll('\n', '\r\n'), BASE],
    ['theirs', BASE, BASE.replaceAll('\n', '\r\n')],
  ])('[GIT1] line ends that only %s changed are in the result', (_, ours, theirs) => {
    const printed = theirs.replace('Print', 'Print it');
    const wanted = counted(BASE, 5, 5).replace('Print', 'Print it').replaceAll('\n', '\r\n');
    expect(merge(ours, printed)).toMatchObject({ text: wanted, conflicts: [] });
    const own = ours.replace('Print', 'Print them');
    expect(merge(own, printed)).toMatchObject({
      text: expect.not.stringMatching(/[^\r]\n/) as string,
      conflicts: [{ theirs: expect.stringContaining('Print it') as string }],
    });
  });

  test('[GIT2] new tasks of one number: theirs gets the next free one, with its references', () => {
    const ours =
      counted(BASE, 7, 5) + '- [ ] Sell 🆔 k3f9-5 ^k3f9-5\n- [ ] Bind 🆔 k3f9-6 ^k3f9-6\n';
    const theirs =
      counted(BASE, 6, 5).replace('🆔 k3f9-4 ^', '🆔 k3f9-4 ⛔ k3f9-5 ^') +
      '- [ ] Illustrate 🆔 k3f9-5 ^k3f9-5\n\tSee [[build-tasks#^k3f9-5]], not k3f9-50.\n';
    const { text, renumbered, conflicts } = merge(ours, theirs);
    expect(renumbered).toEqual([{ from: 'k3f9-5', to: 'k3f9-7' }]);
    expect(conflicts).toEqual([]);
    expect(text).toBe(
      counted(BASE, 8, 6).replace('🆔 k3f9-4 ^', '🆔 k3f9-4 ⛔ k3f9-7 ^') +
        '- [ ] Sell 🆔 k3f9-5 ^k3f9-5\n- [ ] Bind 🆔 k3f9-6 ^k3f9-6\n' +
        '- [ ] Illustrate 🆔 k3f9-7 ^k3f9-7\n\tSee [[build-tasks#^k3f9-7]], not k3f9-50.\n',
    );
  });

  test('[GIT2] the same new line on both sides is one task', () => {
    const both = `${counted(BASE, 6, 5)}- [ ] Sell 🆔 k3f9-5 ^k3f9-5\n`;
    expect(merge(both, both).text).toBe(counted(both, 6, 6));
  });

  test('[GIT2] the same new line at two places is two tasks, each with an id of its own', () => {
    const sell = '- [ ] Sell 🆔 k3f9-5 ^k3f9-5\n';
    const ours = counted(BASE, 6, 5).replace('- [ ] Read', `${sell}- [ ] Read`);
    const theirs = `${counted(BASE, 6, 5)}\t${sell}`;
    const { text, renumbered } = merge(ours, theirs);
    expect(renumbered).toEqual([{ from: 'k3f9-5', to: 'k3f9-6' }]);
    expect(text).toBe(`${counted(ours, 7, 6)}\t- [ ] Sell 🆔 k3f9-6 ^k3f9-6\n`);
    const behind = merge(ours, `${counted(BASE, 6, 5)}${sell}`);
    expect(behind.text).toBe(`${counted(ours, 7, 6)}- [ ] Sell 🆔 k3f9-6 ^k3f9-6\n`);
  });

  test('[GIT3] of what both changed ours stands, theirs follows behind the task, marked and without an id', () => {
    const ours = BASE.replace('Write the guide', 'Write the manual');
    const theirs = BASE.replace('Write the guide', 'Write the tutorial').replace(
      'First chapter',
      'Chapter one',
    );
    const { text, conflicts } = merge(ours, theirs);
    expect(text).toBe(
      counted(ours, 5, 5)
        .replace('First chapter', 'Chapter one')
        .replace(
          '- [ ] Print',
          '- [ ] Write the tutorial [owner:: me] [conflict:: theirs] ⛔ k3f9-1\n- [ ] Print',
        ),
    );
    expect(conflicts).toEqual([
      {
        line: 19,
        title: 'Write the guide',
        theirs: '- [ ] Write the tutorial [owner:: me] 🆔 k3f9-2 ⛔ k3f9-1 ^k3f9-2',
      },
    ]);
    expect(parseNote('', text).board.conflicts?.map(({ line }) => line)).toEqual([19]);
  });

  test('[GIT3] a task and its subtask, both in conflict: each line stands where its task does', () => {
    const edit = (word: string) =>
      BASE.replace('the guide', word).replace('First chapter', `First ${word}`);
    const { text } = merge(edit('one'), edit('two'));
    const tasks = parseNote('', text).board.tasks.map(({ title, depth }) => [depth, title]);
    expect(tasks).toEqual([
      [0, 'Read'],
      [0, 'Write one'],
      [1, 'First one'],
      [1, 'First two'],
      [0, 'Write two'],
      [0, 'Print'],
    ]);
  });

  test('[GIT3] a person’s line and the title: the line is kept beside, the title is told', () => {
    const edit = (word: string) =>
      BASE.replace('title: A book', `title: ${word}`).replace('Words of a person.', `${word}!`);
    const { text, conflicts } = merge(edit('Ours'), edit('Theirs'));
    expect(text).toContain('title: Ours\n');
    expect(text).toContain('\nOurs!\nTheirs! [conflict:: theirs]\n');
    expect(conflicts).toEqual([
      { line: 0, title: 'title: A book', theirs: 'title: Theirs' },
      { line: 14, title: 'Words of a person.', theirs: 'Theirs!' },
    ]);
  });

  test('[GIT3] a key that both added to the header: ours stands, theirs is told', () => {
    const add = (line: string) => BASE.replace('rev: 4\n', `rev: 4\n${line}\n`);
    const { text, conflicts } = merge(add('color: red'), add('color: blue'));
    expect(text).toBe(counted(add('color: red'), 5, 5));
    expect(conflicts).toEqual([{ line: 0, title: 'color', theirs: 'color: blue' }]);
  });

  test('[GIT3] where the header grows by a counter, theirs follows its line nonetheless', () => {
    const base = BASE.replace('next: 5\n', '');
    const edit = (word: string) => base.replace('Words of a person.', word);
    const { text, conflicts } = merge(edit('Ours!'), edit('Theirs!'), base);
    expect(text).toContain('\nOurs!\nTheirs! [conflict:: theirs]\n');
    expect(text.split('\n')[(conflicts[0]?.line ?? 0) - 1]).toBe('Theirs! [conflict:: theirs]');
  });

  test('[GIT3] two conflicts of one text are told with a line for each', () => {
    const base = BASE.replace('[ ] Print', '[ ] Write').replace('the guide [owner:: me] ', '');
    const edit = (word: string) => base.replaceAll('Write', word).replace(' ⛔ k3f9-1', '');
    const { text, conflicts } = merge(edit('One'), edit('Two'), base);
    const lines = text.split('\n');
    expect(conflicts.map(({ line }) => lines[line - 1])).toEqual([
      '- [ ] Two [conflict:: theirs]',
      '- [ ] Two [conflict:: theirs]',
    ]);
    expect(new Set(conflicts.map(({ line }) => line)).size).toBe(2);
  });

  test('[GIT3] theirs has no id, also where its tail can’t be read, and never two marks', () => {
    const base = BASE.replace('Print 🆔', 'Print [conflict:: theirs] 🆔');
    const ours = base.replace('Write the guide', 'Write it').replace('Print', 'Sell');
    const theirs = base
      .replace('guide [owner:: me] 🆔 k3f9-2', 'guides 🆔 k3f9-2 soon')
      .replace('Print', 'Give away');
    const { text } = merge(ours, theirs, base);
    expect(text).toContain('\n- [ ] Write the guides soon ⛔ k3f9-1 [conflict:: theirs]\n');
    expect(text).not.toMatch(/theirs\].*theirs\]/);
    const ids = parseNote('', text).board.tasks.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ['its mark', '[ ] Write', '[/] Write'],
    ['its body', 'body of it', 'more of it'],
    ['a new line of its body', 'body of it\n', 'body of it\n\tand more\n'],
  ])('[GIT4] a task removed here, and %s changed there: it stays with its body', (_, from, to) => {
    const gone = BASE.replace(/- \[ \] Write[^]*(?=- \[ \] Print)/, '');
    const edited = BASE.replace(from, to);
    const kept = counted(edited, 5, 5).replace(/\t- \[ \] First chapter.*\n/, '');
    expect(merge(gone, edited).text).toBe(kept);
    expect(merge(edited, gone).text).toBe(kept);
  });

  test.each([
    ['changed', BASE.replace('[ ] First', '[/] First')],
    ['added', BASE.replace(/\t- \[ \] First/, '\t- [ ] Preface 🆔 k3f9-5 ^k3f9-5\n$&')],
  ])('[GIT4] a subtask that was %s there keeps the task that was removed here', (_, edited) => {
    const gone = BASE.replace(/- \[ \] Write[^]*(?=- \[ \] Print)/, '');
    for (const { text } of [merge(gone, edited), merge(edited, gone)]) {
      const { tasks } = parseNote('', text).board;
      const sub = tasks.find(({ depth }) => depth === 1);
      expect(sub?.title).toMatch(/First chapter|Preface/);
      expect(sub?.parent).toBe('k3f9-2');
      expect(text).toContain('\tbody of it\n');
    }
  });

  test('[GIT4] in the Dataview dialect too a task moved here and changed there stands once', () => {
    const [read, write, print] = ['Read', 'Write', 'Print'].map(
      (title, at) => `- [ ] ${title} [id:: k3f9-${at + 1}]\n`,
    );
    const base = BASE.replace(/- \[ \][^]*/, '');
    const edited = `${read}${write}${print}`.replace('[ ] Write', '[x] Write');
    const { text } = merge(
      `${base}${read}${print}${write}`,
      base + edited,
      `${base}${read}${write}${print}`,
    );
    expect(text).toBe(
      counted(`${base}${read}${print}${write}`, 5, 5).replace('[ ] Write', '[x] Write'),
    );
  });

  test('[GIT4] removed here and changed there: the changed one stays, either way', () => {
    const line = '- [ ] Print 🆔 k3f9-4 ^k3f9-4\n';
    const [gone, edited] = [BASE.replace(line, ''), BASE.replace('[ ] Print', '[x] Print')];
    expect(merge(gone, edited).text).toBe(counted(edited, 5, 5));
    expect(merge(edited, gone).text).toBe(counted(edited, 5, 5));
  });

  test('[GIT5] the numbers of archived tasks are those of both', () => {
    const without = (n: number, title: string) =>
      counted(BASE, 5, 5)
        .replace('rev: 5\n', `rev: 5\narchived: ${n}\n`)
        .replace(`- [ ] ${title} 🆔 k3f9-${n} ^k3f9-${n}\n`, '');
    const base = BASE.replace('rev: 4\n', 'rev: 4\narchived: 9!\n');
    const { text, conflicts } = merge(without(1, 'Read'), without(4, 'Print'), base);
    expect(text).toContain('\narchived: 1,4\n');
    expect(conflicts).toEqual([]);
  });

  test('[GIT1] a board of 6,000 tasks is merged within seconds', () => {
    const tasks = Array.from(
      { length: 6000 },
      (_, n) => `- [ ] T${n} 🆔 k3f9-${n + 5} ^k3f9-${n + 5}`,
    );
    const base = `${BASE}${tasks.join('\n')}\n`;
    const began = performance.now();
    const { text } = merge(base.replace('T7 ', 'Ours '), base.replace('T8 ', 'Theirs '), base);
    expect(performance.now() - began).toBeLessThan(5000);
    expect(text).toMatch(/Ours .*\n.*Theirs /);
  });

  test('[GIT5] tasks that each side was the first to archive', () => {
    const without = (n: number, title: string) =>
      BASE.replace('rev: 4\n', `rev: 5\narchived: ${n}\n`).replace(
        `- [ ] ${title} 🆔 k3f9-${n} ^k3f9-${n}\n`,
        '',
      );
    const { text, conflicts } = merge(without(1, 'Read'), without(4, 'Print'));
    expect(text).toContain('\nrev: 6\narchived: 1,4\n---\n');
    expect(conflicts).toEqual([]);
  });

  test('[GIT1] rev is above that of both, also where theirs went back', () => {
    expect(merge(BASE, counted(BASE, 5, 2)).text).toBe(counted(BASE, 5, 5));
  });

  test('[GIT7] a body is merged with that of its own task, also where the next task goes', () => {
    const base = `${BASE}\tink\n- [ ] Sell 🆔 k3f9-5 ^k3f9-5\n\tpaper\n`;
    const ours = base.replace('paper', 'papers');
    const theirs = base.replace('ink', 'pages').replace(/- \[ \] Sell[^]*/, '');
    const { text, conflicts } = merge(ours, theirs, base);
    expect(text).toBe(counted(ours, 6, 5).replace('ink', 'pages'));
    expect(conflicts).toEqual([]);
  });

  test('[GIT4] what was added where a removed task stood is no part of that task', () => {
    const ours = BASE.replace(/- \[ \] Print.*\n/, '\tours\n');
    const theirs = `${BASE}\ttheirs\n`;
    const chapter = 'First chapter 🆔 k3f9-3 ^k3f9-3\n';
    for (const { text } of [merge(ours, theirs), merge(theirs, ours)]) {
      expect(text).toBe(counted(theirs, 5, 5).replace(chapter, `${chapter}\tours\n`));
    }
  });

  test('[GIT7] lines added at one place: subtasks and bodies stay under their own task', () => {
    const end = (lines: string) => `${counted(BASE, 9, 5)}${lines}`;
    const ours = '\tours of Print\n- [ ] Sell 🆔 k3f9-5 ^k3f9-5\n\tours of Sell\n';
    const theirs = '\t- [ ] Bind 🆔 k3f9-6 ^k3f9-6\n\n## Later\n\n- [ ] Rest 🆔 k3f9-7 ^k3f9-7\n';
    const parents = (text: string) =>
      parseNote('', text).board.tasks.map(({ title, parent, phase }) => [title, parent, phase]);
    for (const { text } of [merge(end(ours), end(theirs)), merge(end(theirs), end(ours))]) {
      expect(parents(text)).toEqual([
        ...parents(BASE),
        ['Bind', 'k3f9-4', null],
        ['Sell', null, null],
        ['Rest', null, 'Later'],
      ]);
      expect(text).toMatch(/Sell.*\n\tours of Sell\n/);
    }
  });

  test.each([
    ['the ancestor', '', BASE, BASE],
    ['ours', BASE, 'no header\n', BASE],
    ['theirs', BASE, BASE, BASE.replace('board: 1', 'board: [')],
  ])('[GIT6] %s that is no board is left to an ordinary merge', (_, base, ours, theirs) => {
    expect(mergeBoards({ base, ours, theirs })).toBeUndefined();
  });
});

const TODAY = '2026-11-23';

type Step = { readonly kind: 'status' | 'title' | 'depend' | 'add' | 'sub'; readonly at: number };

/** Edits as a program makes them; `who` is part of new texts, so that they are unique. */
function edited(note: Note, steps: readonly Step[], ids: readonly string[], who: string): Note {
  return steps.reduce((now, { kind, at }, n) => {
    const id = ids[at % ids.length] ?? '';
    const done = ((): EditResult => {
      switch (kind) {
        case 'status':
          return setTaskStatus(now, id, 'in_progress', { today: TODAY });
        case 'title':
          return setTaskTitle(now, id, `${who} ${n}`);
        case 'depend':
          return setTaskDependsOn(now, id, [ids[(at + 1) % ids.length] ?? '']);
        case 'add':
          return addTask(now, { title: `${who} new ${n}`, today: TODAY });
        case 'sub':
          return addTask(now, { title: `${who} new ${n}`, today: TODAY, parent: id });
      }
    })();
    return done.ok ? parseNote('', done.text) : now;
  }, note);
}

test('[GIT7] a merge says what one history says in which their edits follow ours, numbers of new tasks aside', () => {
  const step = fc.record({
    kind: fc.constantFrom<Step['kind']>('status', 'title', 'depend', 'add', 'sub'),
    at: fc.nat(5),
  });
  const steps = fc.array(step, { maxLength: 6 });
  let merges = 0;
  let renumbered = 0;
  fc.assert(
    fc.property(steps, steps, (mine, theirs) => {
      let base = parseNote('', BASE.replace(/- \[ \][^]*/, ''));
      for (let n = 0; n < 6; n += 1) {
        const added = addTask(base, { title: `Task ${n}`, today: TODAY });
        if (added.ok) base = parseNote('', added.text);
      }
      const ids = base.board.tasks.map(({ id }) => id ?? '');
      // Each side edits its own tasks: another test covers changes of both sides to one task.
      const [even, odd] = [0, 1].map((rest) => ids.filter((_, at) => at % 2 === rest));
      const ours = edited(base, mine, even ?? [], 'ours');
      const other = edited(base, theirs, odd ?? [], 'theirs');
      const merged = merge(ours.text, other.text, base.text);
      const inOrder = edited(ours, theirs, odd ?? [], 'theirs');
      expect(merged.conflicts).toEqual([]);
      expect(said(merged.text)).toEqual(said(inOrder.text));
      merges += 1;
      renumbered += merged.renumbered.length;
    }),
    { numRuns: 300 },
  );
  expect(merges).toBe(300);
  expect(renumbered).toBeGreaterThan(50);
});

/** The contents of a board, with tasks named by title. */
function said(text: string): unknown {
  const { board } = parseNote('', text);
  const titles = new Map(board.tasks.map(({ id, title }) => [id, title]));
  const ids = board.tasks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  return board.tasks.map(({ title, status, dependsOn, parent }) => ({
    title,
    status,
    parent: parent === null ? null : titles.get(parent),
    dependsOn: dependsOn.map((id) => titles.get(id) ?? id),
  }));
}
