import { describe, expect, test } from 'vitest';
import { joinNotes, type JoinedNotes } from '../../src/core/exchange/join-notes';
import { splitNote, textFingerprint, type LayoutFile } from '../../src/core/exchange/split-notes';
import { parseNote } from '../../src/core/board/note/parse-note';
import { BODY } from './layout-sample';
import { HEADER, noteOf } from './note-sample';

const TODAY = '2026-11-21';
function filesOf(body: string): readonly LayoutFile[] {
  const split = splitNote(noteOf(body));
  if (!split.ok) throw new Error(split.message);
  return split.files;
}

function changed(
  files: readonly LayoutFile[],
  name: string,
  change: (text: string) => string,
): readonly LayoutFile[] {
  const found = files.find(({ path }) => path === name);
  if (found === undefined || change(found.text) === found.text)
    throw new Error(`${name}: no change`);
  return files.map((file) => (file === found ? { ...file, text: change(file.text) } : file));
}

function joined(files: readonly LayoutFile[]): JoinedNotes {
  const done = joinNotes(files, TODAY);
  if (!done.ok) throw new Error(`${done.code}: ${done.message}`);
  return done;
}

function bodyAfter(files: readonly LayoutFile[]): string {
  return joined(files).text.replace(HEADER, '');
}

describe('one note per task', () => {
  test('[EXP8] a note per task with front matter and text; an index with all that is no task', () => {
    const files = filesOf(BODY);
    expect(files.map(({ path }) => path)).toEqual([
      'index.md',
      'k3f9-1.md',
      'k3f9-2.md',
      'k3f9-3.md',
      'task-4.md',
    ]);
    expect(files[0]?.text).toBe(
      [
        HEADER.replace(
          '---\n',
          `---\nagent-boards-layout: task ${textFingerprint(HEADER + BODY)}\n`,
        ) + '# Offline search',
        '',
        'Anything.',
        '',
        '## Groundwork',
        '',
        '- [[k3f9-1]] %%task k3f9-1 0%%',
        '- [[k3f9-2]] %%task k3f9-2 0%%',
        '\t- [[k3f9-3]] %%task k3f9-3 0%%',
        '\t%%task k3f9-2 1%%',
        '- [[task-4]] %%task task-4 0%%',
        '',
        'The end.',
        '',
      ].join('\n'),
    );
    expect(files[2]?.text).toBe(
      [
        '---',
        'id: "k3f9-2"',
        'title: "Build the index #search"',
        'status: in_progress',
        'finished: false',
        'phase: "Groundwork"',
        'order: 2',
        'dependsOn:',
        '  - "k3f9-1"',
        'priority: high',
        'risk: high',
        'due: 2026-11-28',
        'asWritten:',
        '  - "- [/] Build the index [risk:: high] [mine:: kept] #search 🆔 k3f9-2 ⛔ k3f9-1 ⏫ 📅 2026-11-28 ^k3f9-2\\n\\tKeep it small.\\n"',
        '  - "\\tAnd fast.\\n"',
        '---',
        'Keep it small.',
        'And fast.',
        '',
      ].join('\n'),
    );
  });

  test('[EXP8] names: no two differ by case only, none is a device', () => {
    const files = filesOf(
      '- [ ] a 🆔 Ab\n- [ ] b 🆔 aB\n- [ ] c 🆔 con\n- [ ] d 🆔 Ab\n- [ ] e 🆔 index\n',
    );
    expect(files.map(({ path }) => path)).toEqual([
      'index.md',
      'Ab.md',
      'task-2.md',
      'task-3.md',
      'task-4.md',
      'task-5.md',
    ]);
  });

  test('[EXP10] what was changed in a task’s note is written into its line, and nothing else', () => {
    let files = filesOf(BODY);
    files = changed(files, 'k3f9-2.md', (text) =>
      text
        .replace('"Build the index #search"', 'Build a *new* index')
        .replace('in_progress', 'done')
        .replace('risk: high', 'risk: low\nowner: me')
        .replace('priority: high', 'priority: critical')
        .replace('  - "k3f9-1"', '  - k3f9-1\n  - k3f9-3')
        .replace('due: 2026-11-28\n', ''),
    );
    // A parent that waits for its own subtask is a cycle.
    expect(joinNotes(files, TODAY)).toMatchObject({ ok: false, code: 'cycle' });
    files = changed(files, 'k3f9-2.md', (text) => text.replace('\n  - k3f9-3', ''));
    files = changed(files, 'task-4.md', (text) => `${text}Now it has text.\n`);
    const done = joined(files);
    expect([done.edited, done.added, done.left]).toEqual([2, 0, []]);
    expect(done.base).toBe(HEADER + BODY);
    expect(done.text).toBe(
      (HEADER + BODY)
        .replace(
          '- [/] Build the index [risk:: high] [mine:: kept] #search 🆔 k3f9-2 ⛔ k3f9-1 ⏫ 📅 2026-11-28 ^k3f9-2',
          '- [x] Build a *new* index [risk:: low] [mine:: kept] [owner:: me] 🆔 k3f9-2 ⛔ k3f9-1 🔺 ✅ 2026-11-21 ^k3f9-2',
        )
        .replace('- [ ] no id yet\n', '- [ ] no id yet\n\tNow it has text.\n'),
    );
  });

  test('[EXP10] front matter that another program wrote anew means the same', () => {
    const files = changed(filesOf(BODY), 'k3f9-2.md', (text) => {
      return text
        .replace('id: "k3f9-2"', "id: 'k3f9-2'")
        .replace('dependsOn:\n  - "k3f9-1"', 'dependsOn: [k3f9-1]')
        .replace('phase: "Groundwork"', 'phase: Groundwork')
        .replace('---\nKeep', '---\n\nKeep');
    });
    expect(bodyAfter(files)).toBe(BODY);
    expect(joined(files).edited).toBe(0);
  });

  test('[EXP11] the index says order and place; a note of a person’s own is a new task', () => {
    let files = changed(filesOf(BODY), 'index.md', (text) =>
      text
        .replace('- [[k3f9-1]] %%task k3f9-1 0%%\n', '')
        .replace('The end.', '- [[k3f9-1]] %%task k3f9-1 0%%\nThe very end.'),
    );
    files = [
      ...files,
      { path: 'Ask Ann.md', text: '---\nparent: k3f9-2\npriority: low\n---\nShe knows.\n' },
    ];
    const done = joined(files);
    expect([done.edited, done.added]).toEqual([0, 1]);
    const { tasks } = parseNote('p.md', done.text).board;
    expect(tasks.map(({ id, title, parent }) => [id, title, parent])).toEqual([
      ['k3f9-2', 'Build the index #search', null],
      ['k3f9-3', 'Segment text', 'k3f9-2'],
      ['k3f9-20', 'Ask Ann', 'k3f9-2'],
      [null, 'no id yet', null],
      ['k3f9-1', 'Choose the tokeniser', null],
    ]);
    expect(tasks[2]).toMatchObject({ priority: 'low', body: ['She knows.'] });
    expect(done.text).toContain('The very end.');
    const moved = changed(filesOf(BODY), 'k3f9-3.md', (text) =>
      text.replace('parent: "k3f9-2"', 'parent: "k3f9-1"'),
    );
    expect(joined(moved)).toMatchObject({
      text: HEADER + BODY,
      left: [
        [
          '"parent" in k3f9-3.md is not read: a task belongs to the one under which index.md has its line.',
          { key: 'importLoss.parentNotRead', values: { name: 'k3f9-3' } },
        ],
      ],
    });
  });

  test('[EXP12] where anything is missing or can’t be read, nothing is made of it', () => {
    const files = filesOf(BODY);
    const refused = (list: readonly LayoutFile[], message: string): void => {
      const done = joinNotes(list, TODAY);
      expect(done).toMatchObject({ ok: false });
      expect(!done.ok && done.message).toContain(message);
    };
    refused(files.slice(1), 'no index.md');
    refused(files.slice(0, -1), 'task-4.md, which is not there or not whole');
    refused(
      changed(files, 'index.md', (text) => text.replace(/.*k3f9-2 1%%\n/, '')),
      'k3f9-2.md has no place in index.md',
    );
    refused(
      changed(files, 'index.md', (text) => `${text}- %%task k3f9-1 0%%\n`),
      'names k3f9-1 again',
    );
    refused(
      changed(files, 'k3f9-1.md', (text) => text.replace('status: completed', 'status: cooking')),
      '"cooking" is not a status',
    );
    refused(
      changed(files, 'k3f9-1.md', (text) => text.replace(/asWritten:\n.*/, 'asWritten: gone')),
      '"asWritten" in k3f9-1.md was changed',
    );
    refused(
      changed(files, 'k3f9-1.md', (text) => text.replace('\n---\n', '\n')),
      'k3f9-1.md can',
    );
    refused(
      changed(files, 'k3f9-2.md', (text) => `${text}- [ ] a task?\n`),
      'k3f9-2.md: The body of',
    );
  });
});
