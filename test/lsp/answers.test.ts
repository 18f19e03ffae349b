import { describe, expect, it } from 'vitest';
import type { Range } from 'vscode-languageserver-protocol';
import { actions } from '../../src/lsp/actions';
import { completions } from '../../src/lsp/completions';
import { noteDiagnostics } from '../../src/lsp/diagnostics';
import { definition, references } from '../../src/lsp/go-to';
import { readNoteContext, type NoteVault } from '../../src/lsp/note-context';
import { declaresBoard, type OpenNote } from '../../src/lsp/open-notes';
import { foldings, hover, inlayHints, symbols } from '../../src/lsp/outline';
import { personEdits, renameTask, titleAt } from '../../src/lsp/person-edits';
import {
  ARCHIVE,
  applyEdits,
  HEADER,
  newLines,
  openNote,
  positionOf,
  SAMPLE,
  TODAY,
} from './sample';

const note = openNote(SAMPLE, { archive: ARCHIVE });
const at = (words: string, behind = 0) => positionOf(SAMPLE, words, behind);
const all = (open: OpenNote): Range => open.range(0, open.text.length);
const inText = (open: OpenNote, { start, end }: Range): string =>
  open.text.slice(open.offsetAt(start), open.offsetAt(end));

describe('which documents are boards', () => {
  it.each([
    [SAMPLE, true],
    [SAMPLE.replaceAll('\n', '\r\n'), true],
    [`\uFEFF${SAMPLE}`, true],
    ['---\nboard: 1\nagent: build\nno end', true],
    ['---\n<<<<<<< ours\nboard: 1\nagent: a\n=======\n', true],
    ['---\nboard: Miro\n---\n', false],
    ['---\ntitle: x\n---\nboard: 1\nagent: a\n', false],
    ['# A note\n\n- [ ] a task 🆔 k3f9-1\n', false],
    ['', false],
  ])('[LSP2] %j: %j', (text, is) => {
    expect(declaresBoard(text)).toBe(is);
    const open = openNote(text, undefined, 'file:///v/note.md');
    expect(open.isBoard).toBe(is);
    if (is) return;
    const [start] = [{ line: 0, character: 0 }];
    expect([
      noteDiagnostics(open),
      symbols(open),
      foldings(open),
      actions(open, all(open)),
    ]).toEqual([[], [], [], []]);
    expect(hover(open, start)).toBeNull();
  });

  it('[LSP2] a note that stands where boards do is one, whatever is left of its header', () => {
    expect(noteDiagnostics(openNote('# Gone\n', {}))).toMatchObject([{ code: 'broken-note' }]);
  });

  it('[LSP3] one that is too large has one diagnostic, and nothing else is answered', () => {
    const open = openNote(SAMPLE + 'ä'.repeat(8 * 1024 * 1024), {});
    expect(noteDiagnostics(open)).toMatchObject([{ code: 'too-large', severity: 1 }]);
    expect([symbols(open), hover(open, at('Build'))]).toEqual([[], null]);
  });
});

describe('[LSP2] which board a document is', () => {
  const root = '.opencode/todos';
  const vault = {
    ...{ folder: '/v', root, agents: () => Promise.resolve([]) },
    store: { plainPath: (at: string) => at, fileOf: (at: string) => at, read: () => undefined },
    manager: { pathOf: (session: string, agent: string) => `${root}/${session}/${agent}-tasks.md` },
  };
  it.each([
    ['s2/plan-tasks.md', 's2/plan-tasks.md', true],
    ['s1/build-tasks (conflicted copy 1).md', 's1/build-tasks (conflicted copy 1).md', false],
    ['s1/build-tasks 2.md', 's1/build-tasks 2.md', false],
    ['Search/Search - build.md', 's1/build-tasks.md', true],
  ])('%s is %s', async (file, path, isBoard) => {
    const uri = `file:///v/${root}/${encodeURI(file)}`;
    const found = await readNoteContext(uri, SAMPLE, async () => vault as unknown as NoteVault);
    expect(found).toMatchObject({ path: `${root}/${path}`, isBoard });
  });
});

const line = (text: string) => HEADER + text;

describe('[LSP4] what is wrong is told where it stands', () => {
  it.each([
    ['nothing', SAMPLE, []],
    ['a header that is not closed', '---\nboard: 1\nagent: b\n', [['broken-note', 1, 'agent: b']]],
    [
      'conflict markers',
      line('<<<<<<< ours\n- [ ] a\n=======\n- [ ] b\n>>>>>>> theirs\n'),
      [['broken-note', 1, '<<<<<<< ours']],
    ],
    [
      'a number twice',
      line('- [ ] a 🆔 k3f9-1\n- [ ] b 🆔 k3f9-1\n'),
      [['duplicate-id', 2, '- [ ] b 🆔 k3f9-1']],
    ],
    [
      'tasks that wait for each other',
      line('- [ ] a 🆔 k3f9-1 ⛔ k3f9-2\n- [ ] b 🆔 k3f9-2 ⛔ k3f9-1\n'),
      [['cycle', 2, '- [ ] a 🆔 k3f9-1 ⛔ k3f9-2']],
    ],
    [
      'an id that no task has',
      line('- [ ] a 🆔 k3f9-1 ⛔ k3f9-2,k3f9-9\n- [ ] b 🆔 k3f9-2\n'),
      [['unknown-id', 2, 'k3f9-9']],
    ],
    [
      'text behind an id',
      line('- [ ] a 🆔 k3f9-1 and more\n'),
      [['unclear-line', 2, '- [ ] a 🆔 k3f9-1 and more']],
    ],
    [
      'a line that a merge kept',
      line('- [ ] a 🆔 k3f9-1\n\t- [ ] b [conflict:: theirs]\n'),
      [['two-versions', 2, '- [ ] b [conflict:: theirs]']],
    ],
  ])('%s', (_, text, expected) => {
    for (const written of [text, text.replaceAll('\n', '\r\n')]) {
      const open = openNote(written);
      const found = noteDiagnostics(open).map(({ code, severity, range, source }) => {
        expect(source).toBe('agent-boards');
        return [code, severity, inText(open, range)];
      });
      expect(found).toEqual(expected);
    }
  });

  it('what is in the archive is known', () => {
    const text = SAMPLE.replace('archived: 7\n', '');
    expect(noteDiagnostics(openNote(text, {}))).toMatchObject([{ code: 'unknown-id' }]);
    expect(noteDiagnostics(openNote(text, { archive: ARCHIVE }))).toEqual([]);
  });
});

describe('[LSP5] hover says what a task is, why it waits and what it frees', () => {
  const said = (words: string, behind = 0, open = note) =>
    (hover(open, at(words, behind))?.contents as { value: string } | undefined)?.value.split('\n');

  it('by its line', () => {
    expect(said('Write the guide')).toEqual([
      '#5 Write the guide: pending',
      'Waits for #2 Build the index (in_progress), #3 Segment 🎌 text (pending).',
      'When it is done, these no longer wait: #6 Publish.',
      'On the critical path.',
      'phase: Groundwork',
    ]);
    expect(said('Build the index')).toEqual([
      '#2 Build the index: in progress',
      '0 of 1 subtasks are done.',
      'On the critical path.',
      'phase: Groundwork',
      'priority: high',
      'owner: explore',
      'Result: half of it.',
    ]);
  });

  it.each([
    ['⛔ k3f9-1', 3, '#1 Choose the tokeniser: completed'],
    ['#2 and', 1, '#2 Build the index: in progress'],
    ['#^k3f9-3', 4, '#3 Segment 🎌 text: pending'],
    [', k3f9-7', 4, '#7 Sign it: completed'],
  ])('by the id in %s', (words, behind, expected) => {
    expect(said(words, behind)?.[0]).toBe(expected);
  });

  it('as plain text, whatever a title holds, and nothing beside tasks', () => {
    const open = openNote(line('- [ ] ![x](http://a.example/b) 🆔 k3f9-1\n'));
    const range = { line: 10, character: 8 };
    expect(hover(open, range)?.contents).toMatchObject({ kind: 'plaintext' });
    expect(said('# Search')).toBeUndefined();
  });
});

describe('[LSP6] completion', () => {
  const labels = async (text: string, behind = ''): Promise<readonly string[]> => {
    const whole = `${SAMPLE}${text}`;
    const open = openNote(whole + behind, {});
    const items = await completions(open, open.range(whole.length, whole.length).end, TODAY);
    return items.map(({ label, textEdit }) => `${label} → ${textEdit?.newText}`);
  };

  it.each([
    ['ids by title behind ⛔', '- [ ] New ⛔ gui', ['Write the guide → k3f9-5']],
    ['ids behind a comma', '- [ ] New ⛔ k3f9-1, pub', ['Publish → k3f9-6']],
    ['numbers in text', 'as in #choose', ['Choose the tokeniser → #1']],
    ['values of a field', '- [ ] New [impact:: ', ['isolated', 'component', 'phase', 'project']],
    ['agents', '- [ ] New [owner:: ', ['me', 'build', 'plan', 'explore']],
    ['nothing for another field', '- [ ] New [colour:: ', []],
    ['nothing in text', 'words ', []],
  ])('%s', async (_, text, expected) => {
    const shown = expected.map((one) => (one.includes('→') ? one : `${one} → ${one}]`));
    expect(await labels(text)).toEqual(shown);
  });

  it('a value closes its field only where nothing does', async () => {
    expect(await labels('- [ ] New [risk:: hi', ']')).toContain('high → high');
  });

  it('fields, and those that an emoji begins', async () => {
    const found = await labels('- [ ] New [');
    expect(found).toEqual(
      expect.arrayContaining(['owner → [owner:: ', 'due → 📅 ', 'high → ⏫', 'dependsOn → ⛔ ']),
    );
  });

  it('a status with the date that it sets', async () => {
    const items = await completions(note, at('] Publish'), TODAY);
    expect(items.map(({ label }) => label)).toEqual([
      ...['pending', 'in progress', 'completed', 'cancelled', 'failed', 'deferred'],
    ]);
    const [, , done] = items;
    if (!done?.textEdit || !('range' in done.textEdit)) throw new Error('No edit.');
    const edits = [done.textEdit, ...(done.additionalTextEdits ?? [])];
    expect(newLines(SAMPLE, applyEdits(SAMPLE, edits))).toEqual([
      'rev: 5',
      '- [x] Publish 🆔 k3f9-6 ⛔ k3f9-5, k3f9-7 ✅ 2026-11-27 ^k3f9-6',
    ]);
    expect(await labels('- [')).toContain('completed → x] ');
  });
});

describe('[LSP7] ids', () => {
  it('lead to their task, on the board or in its archive', () => {
    const found = definition(note, at('⛔ k3f9-2', 4));
    expect(found && inText(note, found.range)).toBe('k3f9-2');
    expect(found?.range.start.line).toBe(at('Build the index').line);
    expect(definition(note, at('#^k3f9-3', 3))?.range.start.line).toBe(at('Segment').line);
    expect(definition(note, at(', k3f9-7', 3))).toMatchObject({
      uri: ARCHIVE.uri,
      range: { start: { line: 12 } },
    });
    expect(definition(note, at('Publish'))).toBeUndefined();
  });

  it('are found wherever they stand', () => {
    const lines = (own: boolean, words: string) =>
      references(note, at(words, 1), own).map(({ range }) => range.start.line + 1);
    expect(lines(false, 'k3f9-7')).toEqual([24]);
    expect(lines(false, 'Segment')).toEqual([20, 25]);
    expect(lines(true, 'Segment')).toEqual([19, 19, 20, 25]);
    expect(lines(false, 'Build')).toEqual([20, 25]);
    expect(lines(false, '# Search')).toEqual([]);
  });
});

describe('[LSP8] edits are what the person’s change writes', () => {
  it('a title is renamed, with the fields that are typed', () => {
    expect(titleAt(note, at('Publish', 3))?.written).toBe('Publish');
    const made = renameTask(note, at('Publish'), 'Ship it 📅 2026-12-01', TODAY);
    if (!made.ok) throw new Error(made.message);
    expect(newLines(SAMPLE, applyEdits(SAMPLE, made.edits))).toEqual([
      'rev: 5',
      '- [ ] Ship it 🆔 k3f9-6 ⛔ k3f9-5, k3f9-7 📅 2026-12-01 ^k3f9-6',
    ]);
    // Only the title, the date and the number in the header.
    expect(made.edits.map(({ newText }) => newText.trim())).toEqual([
      ...['5', 'Ship it', '📅 2026-12-01'],
    ]);
  });

  it.each([
    ['', 'title'],
    ['two\nlines', 'line'],
    ['x 🆔 k3f9-9', 'numbers its tasks'],
  ])('a title %j is refused in words', (title, words) => {
    expect(renameTask(note, at('Publish'), title, TODAY)).toMatchObject({
      ok: false,
      message: expect.stringContaining(words) as string,
    });
  });

  it('there is nothing to rename beside a title', () => {
    expect(titleAt(note, at('⛔ k3f9-2', 4))).toBeUndefined();
    expect(titleAt(note, at('## Release', 4))).toBeUndefined();
    expect(renameTask(note, at('## Release'), 'x', TODAY)).toMatchObject({ code: 'no_title' });
  });

  it('with CR and LF every edit stands at a place that an editor has', () => {
    const text = SAMPLE.replaceAll('\n', '\r\n');
    const open = openNote(text);
    for (const action of actions(open, all(open))) {
      if ('text' in action.does) throw new Error('A repair of text.');
      const made = personEdits(open, action.does, TODAY);
      if (!made.ok) throw new Error(made.message);
      expect(applyEdits(text, made.edits).replace(/\r\n/g, '')).not.toMatch(/[\r\n]/);
    }
  });
});

describe('[LSP9] actions', () => {
  /** The new lines of a board after the action with this title. */
  function act(text: string, words: string, title: string): readonly string[] {
    const open = openNote(text);
    const place = positionOf(text, words);
    const action = actions(open, { start: place, end: place }).find((one) => one.title === title);
    if (action === undefined) {
      const titles = actions(open, { start: place, end: place }).map((one) => one.title);
      throw new Error(`No action "${title}" in ${titles.join(', ')}.`);
    }
    const { does } = action;
    const made = 'text' in does ? undefined : personEdits(open, does, TODAY);
    if (made?.ok === false) throw new Error(made.message);
    const edits = made?.edits ?? ('text' in does ? open.editsTo(does.text) : []);
    return newLines(text, applyEdits(text, edits)).filter((one) => !/^(rev|next):/.test(one));
  }

  it.each([
    ['Publish', 'Set "Publish" to completed', 'k3f9-5, k3f9-7 ✅ 2026-11-27 ^k3f9-6'],
    ['Publish', 'Set "Publish" to in progress', '- [/] Publish'],
    [
      'Choose',
      'Set "Choose the tokeniser" to pending',
      '- [ ] Choose the tokeniser 🆔 k3f9-1 ^k3f9-1',
    ],
    ['Publish', 'Add a subtask to "Publish"', '\t- [ ] New task 🆔 k3f9-8 ^k3f9-8'],
    ['no id', 'Give "no id yet, see #2 and [[build-tasks#^k3…" an id', '🆔 k3f9-8 ^k3f9-8'],
  ])('at %s: %s', (words, title, expected) => {
    expect(act(SAMPLE, words, title).join('\n')).toContain(expected);
  });

  it('of several lines set all their tasks', () => {
    const range = { start: at('Write'), end: at('- [ ] Publish', 2) };
    const found = actions(note, range).map(({ title }) => title);
    expect(found).toContain('Set 2 tasks to completed');
    expect(found.join()).not.toContain('subtask');
  });

  const DOUBLE = line('- [ ] a 🆔 k3f9-1\n- [ ] b 🆔 k3f9-1 ^k3f9-1\n');
  const ROUND = line('- [ ] a 🆔 k3f9-1 ⛔ k3f9-2\n- [ ] b 🆔 k3f9-2 ⛔ k3f9-1\n');
  const KEPT = line('- [ ] a 🆔 k3f9-1\n- [ ] b [conflict:: theirs]\n');
  const MARKS = line('<<<<<<< ours\n- [ ] a\n=======\n- [ ] b\n>>>>>>> theirs\n- [ ] c\n');
  it.each([
    [DOUBLE, '] b', 'Give the second task an id of its own', ['- [ ] b 🆔 k3f9-8 ^k3f9-8']],
    [ROUND, '] a', 'Do not wait for k3f9-2', ['- [ ] a 🆔 k3f9-1']],
    [
      line('- [ ] a 🆔 k3f9-1 ⛔ k3f9-2,k3f9-9\n- [ ] b 🆔 k3f9-2\n'),
      ...['] a', 'Do not wait for k3f9-9', ['- [ ] a 🆔 k3f9-1 ⛔ k3f9-2']],
    ],
    [
      line('- [ ] a 🆔 k3f9-1 and more 📅 2026-12-01\n'),
      ...['] a', 'Move the text before the id', ['- [ ] a and more 🆔 k3f9-1 📅 2026-12-01']],
    ],
    [
      line('- [ ] a 🆔 k3f9-1 ^k3f9-2\n'),
      ...['] a', 'Make it ^k3f9-1', ['- [ ] a 🆔 k3f9-1 ^k3f9-1']],
    ],
    [
      line('- [ ] a [review:: 2026-11-01] 🆔 k3f9-1\n'),
      ...['] a', 'Remove the review', ['- [ ] a 🆔 k3f9-1']],
    ],
    [KEPT, '] b', 'Keep the line above', []],
    [KEPT, '] b', 'Keep this version', ['- [ ] b 🆔 k3f9-1']],
    [MARKS, '<<<', 'Keep the first version', []],
    [MARKS, '<<<', 'Keep the second version', []],
    [
      '---\nboard: 1\nsession: s\nagent: b\nprefix: k3f9\n# Title\n',
      ...['prefix', 'Close the header with ---', []],
    ],
  ] as [string, string, string, string[]][])('repair %# at %s: %s', (text, words, title, lines) => {
    expect(act(text, words, title)).toEqual(lines);
  });

  it('a header is closed with the line end of its note', () => {
    const open = openNote(
      '---\r\nboard: 1\r\nsession: s\r\nagent: b\r\nprefix: k3f9\r\n# Title\r\n',
    );
    expect(actions(open, all(open))).toMatchObject([
      { does: { text: expect.stringContaining('k3f9\r\n---\r\n# Title\r\n') as string } },
    ]);
  });

  it('of an archive are repairs alone, since its ids are those of its board', () => {
    const { note: of, uri } = ARCHIVE;
    const offered = (text: string): readonly string[] => {
      const open = openNote(text, undefined, uri);
      return actions(open, all(open)).map(({ title }) => title);
    };
    expect(offered(of.text)).toEqual([]);
    expect(offered(`${of.text}- [x] Sign [conflict:: theirs]\n`)).toEqual([
      'Keep the line above',
      'Keep this version',
    ]);
  });

  it('a repaired conflict of version control has one side, and nothing else is touched', () => {
    const open = openNote(MARKS);
    const [first, second] = actions(open, all(open)).map(({ does }) => 'text' in does && does.text);
    expect([first, second]).toEqual([line('- [ ] a\n- [ ] c\n'), line('- [ ] b\n- [ ] c\n')]);
  });
});

describe('outline', () => {
  it('[LSP10] symbols are headings and tasks as they stand in each other', () => {
    const names = (list: ReturnType<typeof symbols>): readonly unknown[] =>
      list.map(({ name, children = [] }) => [name, ...names(children)]);
    expect(names(symbols(note))).toEqual([
      [
        'Search',
        [
          'Groundwork',
          ['Choose the tokeniser'],
          ['Build the index', ['Segment 🎌 text']],
          ['Write the guide'],
        ],
        ['Release', ['Publish'], ['no id yet, see #2 and [[build-tasks#^k3f9-3]]']],
      ],
    ]);
    const [top] = symbols(note);
    expect(top && inText(note, top.selectionRange)).toBe('# Search');
  });

  it('[LSP10] header, sections and tasks with what hangs under them fold', () => {
    const found = foldings(note).map(({ startLine, endLine }) => [startLine + 1, endLine + 1]);
    expect(found).toEqual([
      ...[
        [1, 10],
        [12, 25],
        [14, 20],
        [17, 19],
        [22, 25],
      ],
    ]);
  });

  it('[LSP11] what a task waits for is shown behind it', () => {
    const shown = inlayHints(note, all(note)).map(
      ({ label, position }) => `${position.line + 1}: ${typeof label === 'string' ? label : ''}`,
    );
    expect(shown).toEqual([
      '20: waits for #2 Build the index (in_progress), #3 Segment 🎌 text (pending)',
      '24: waits for #5 Write the guide (pending)',
    ]);
    const { start } = note.lineRange(24);
    expect(inlayHints(note, { start, end: start })).toHaveLength(1);
  });
});
