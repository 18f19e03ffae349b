// @vitest-environment happy-dom
import { history, undo } from '@codemirror/commands';
import { EditorState, Transaction, type TransactionSpec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { describe, expect, test } from 'vitest';
import { NoteDraft } from '../../src/core/board/merge/note-draft';
import { parseNote } from '../../src/core/board/note/parse-note';
import { matchingTasks, idQuery } from '../../src/core/board/find-task';
import { NoteNews, readViewState } from '../../src/obsidian/note/note-view';
import { addConflicts, conflictOffset, conflicts } from '../../src/obsidian/note/source-conflicts';
import { inFence, lineMarks, regionsField } from '../../src/obsidian/note/source-editor';
import { ManualClock } from '../wire/manual-clock';
import { SourceSaver, touchedLines, typingLine } from '../../src/obsidian/note/source-saver';

const NOTE = `---
board: 1
session: s
agent: build
title: A book
prefix: k3f9
next: 5
rev: 1
---
- [ ] Read 🆔 k3f9-1 ^k3f9-1
- [ ] Write the guide 🆔 k3f9-2 ⛔ k3f9-1 ^k3f9-2
- [ ] Review the guide 🆔 k3f9-3 ^k3f9-3
`;
const { board } = parseNote('p', NOTE);

describe('how a line looks', () => {
  const looks = (text: string) =>
    lineMarks(text).map(({ from, to, style: look }) => [look, text.slice(from, to)]);

  test('[SRC12] a task: mark, fields and tail stand out or back; every character stays', () => {
    expect(looks('- [/] Write [owner:: me] 🆔 k3f9-2 ⛔ k3f9-1 ⏫ ^k3f9-2')).toEqual([
      ['dim', '- '],
      ['box', '[/]'],
      ['tail', '[owner:: me]'],
      ['emoji', '🆔'],
      ['tail', ' k3f9-2 '],
      ['emoji', '⛔'],
      ['tail', ' k3f9-1 '],
      ['emoji', '⏫'],
      ['tail', ' ^k3f9-2'],
    ]);
  });

  test('[SRC12] a heading is strong; prose, and a task whose tail cannot be read, are as they are', () => {
    expect(looks('## Release')).toEqual([
      ['dim', '## '],
      ['strong', 'Release'],
    ]);
    expect(looks('prose [x] 🆔 k3f9-2')).toEqual([]);
    expect(looks('- [ ] Write 🆔 k3f9-2 and more')).toEqual([]);
  });

  test('[SRC12] [SRC16] header and fences are no prose', () => {
    const doc = '---\na: 1\n---\n```md\n- [ ] x\n```\n~~~\nopen';
    const state = EditorState.create({ doc, extensions: [regionsField] });
    expect(state.field(regionsField).header).toBe(3);
    expect([3, 4, 5, 6, 7, 8].map((line) => inFence(state, line))).toEqual([
      ...[false, true, true, true, true, true],
    ]);
    const inner = EditorState.create({
      doc: 'x\n```\n```js\n# x\n```\n# y',
      extensions: [regionsField],
    });
    expect(inner.field(regionsField).fences).toEqual([[2, 5]]);
    const plain = EditorState.create({ doc: 'a\n---\nb', extensions: [regionsField] });
    expect(plain.field(regionsField)).toEqual({ header: 0, fences: [] });
  });
});

describe('completing ids', () => {
  test.each([
    ['- [ ] Sell ⛔ wri', 'wri', 'id'],
    ['- [ ] Sell ⛔ k3f9-1, #2', '2', 'id'],
    ['- [ ] Sell ⛔ ', '', 'id'],
    ['see #gui', 'gui', 'number'],
    ['#', '', 'number'],
  ])('[SRC8] %j asks for %j as %s', (before, words, form) => {
    expect(idQuery(before)).toMatchObject({ words, form });
  });

  test.each(['- [ ] Sell', 'C#', '## Head', '- [ ] Sell ⛔ k3f9-1 📅 2026', 'see #2 now'])(
    '[SRC8] %j asks for nothing',
    (before) => expect(idQuery(before)).toBeUndefined(),
  );

  test('[SRC8] tasks that begin with the words or the number come first; the line’s own is left out', () => {
    const found = (words: string, not: string | null = null) =>
      matchingTasks(board.tasks, { from: 0, words, form: 'id' }, not).map(({ n }) => n);
    expect(found('re')).toEqual([1, 3]);
    expect(found('guide')).toEqual([2, 3]);
    expect(found('guide', 'k3f9-3')).toEqual([2]);
    expect(found('3')).toEqual([3]);
    expect(found('nothing')).toEqual([]);
  });
});

describe('the text while others write', () => {
  test('[SRC11] is merged also while its view closes, and nothing is left to be merged again', async () => {
    let note = NOTE;
    const write = (change: (text: string | undefined) => { ok: boolean; text?: string }) => {
      note = change(note).text ?? note;
      return Promise.resolve({ ok: true as const });
    };
    const opened = await NoteDraft.open(
      { read: () => Promise.resolve(note), write: write, keep: () => Promise.resolve() },
      undefined,
    );
    if (opened === undefined) throw new Error('no note');
    const view = new EditorView({
      state: EditorState.create({
        doc: opened.text,
        extensions: [typingLine, conflicts, touchedLines],
      }),
    });
    const saver = new SourceSaver({
      ...{ view, draft: opened.draft, clock: new ManualClock() },
      ...{ onFault: () => undefined, onSaved: () => undefined },
    });
    view.dispatch({ changes: { from: view.state.doc.length, insert: 'typed\n' } });
    note = note.replace('- [ ] Read', '- [x] Read');
    await saver.flush();
    await saver.sync();
    expect(note).toContain('- [x] Read');
    expect([view.state.doc.toString(), saver.unsaved]).toEqual([note, false]);
    saver.close();
    view.destroy();
  });

  const remote = (spec: TransactionSpec): TransactionSpec => ({
    ...spec,
    annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
  });
  const start = () =>
    EditorState.create({
      doc: '- [ ] one 🆔 k3f9-1\n- [ ] two 🆔 k3f9-2\n',
      selection: { anchor: 9 },
      extensions: [history(), typingLine, conflicts],
    });

  test('[SRC3] what was typed in a line counts from the moment the cursor came to it, less what others did there', () => {
    let state = start();
    state = state.update({ changes: { from: 9, insert: ' more' } }).state;
    expect(state.field(typingLine)).toEqual({ from: 0, before: '- [ ] one 🆔 k3f9-1' });
    state = state.update(remote({ changes: { from: 3, to: 4, insert: 'x' } })).state;
    expect(state.field(typingLine).before).toBe('- [x] one 🆔 k3f9-1');
    state = state.update({ selection: { anchor: state.doc.line(2).from } }).state;
    expect(state.field(typingLine).before).toBe('- [ ] two 🆔 k3f9-2');
  });

  test('[SRC6] undo takes back own edits only', () => {
    let state = start();
    state = state.update({ changes: { from: 9, insert: ' more' } }).state;
    state = state.update(remote({ changes: { from: 3, to: 4, insert: 'x' } })).state;
    undo({ state, dispatch: (transaction) => (state = transaction.state) });
    expect(state.doc.line(1).text).toBe('- [x] one 🆔 k3f9-1');
  });

  test('[SRC7] a card stays at its line; another version of the same line takes its place', () => {
    const version = { id: 'k3f9-2', title: 'two', base: 'b', yours: 'y', theirs: 't' };
    let state = start();
    const at = conflictOffset(state, version);
    expect(at).toBe(state.doc.line(2).from);
    state = state.update({ effects: addConflicts.of([{ version, at }]) }).state;
    state = state.update({ changes: { from: 0, insert: 'new\n' } }).state;
    expect(state.field(conflicts)).toEqual([{ version, at: at + 4 }]);
    const other = { ...version, theirs: 'u' };
    state = state.update({ effects: addConflicts.of([{ version: other, at: at + 4 }]) }).state;
    expect(state.field(conflicts)).toEqual([{ version: other, at: at + 4 }]);
    const gone = { ...version, id: 'k3f9-9' };
    expect(conflictOffset(state, gone)).toBe(state.doc.line(state.doc.lines).from);
  });
});

describe('around the note', () => {
  test('[SRC13] the bar says what another party changed, for a while, and nothing of what stood at first', () => {
    const timers: (() => void)[] = [];
    let over = 0;
    const clock = {
      now: () => 0,
      today: () => '2026-11-21',
      after: (_: number, task: () => void) => {
        timers.push(task);
        return () => undefined;
      },
    };
    const news = new NoteNews(clock, () => (over += 1));
    news.update(board, new Map([['k3f9-1', 3]]));
    expect(news.text).toBeUndefined();
    news.update(board, new Map([['k3f9-1', 4]]));
    expect(news.text).toBe('build changed Read');
    const both = new Map([
      ['k3f9-1', 5],
      ['k3f9-2', 1],
    ]);
    news.update(board, both);
    expect(news.text).toBe('build changed 2 tasks');
    timers.at(-1)?.();
    expect([news.text, over]).toEqual([undefined, 1]);
  });

  test('[SRC14] a view comes back with its note and mode; whatever else a state holds means nothing', () => {
    expect(readViewState({ path: 'p', mode: 'source', key: 'k', other: 1 })).toEqual({
      path: 'p',
      mode: 'source',
      key: 'k',
    });
    expect(readViewState({ path: 3, mode: 'live', line: 0 })).toEqual({});
    expect(readViewState({ line: 6 })).toEqual({ line: 6, mode: 'source' });
    expect(readViewState(null)).toEqual({});
  });
});
