import { describe, expect, test } from 'vitest';
import {
  createNoteTool,
  editNote,
  updateNoteTool,
  type NoteEdit,
} from '../../src/core/tool/note/write-note';
import { fc } from '../seeded';
import { change, planOf } from './run-plan';

const create = createNoteTool();
const update = updateNoteTool();

describe('obsidian.create_note', () => {
  const args = { path: 'A.md', content: 'a\r\nb' };

  test('[VAULT20] the note says just what was sent; one that is there is replaced only where that was said', () => {
    expect(change(create, args, undefined)).toEqual({
      ok: true,
      after: 'a\r\nb',
      words: 'New note, 2 lines',
    });
    expect(change(create, args, 'old')).toMatchObject({ ok: false, code: 'exists' });
    expect(change(create, args, '')).toMatchObject({ ok: false, code: 'exists' });
    const over = change(create, { ...args, overwrite: true }, 'old');
    expect(over).toMatchObject({
      ok: true,
      after: 'a\r\nb',
      words: 'Replaced all of it with 2 lines',
    });
  });

  test('[VAULT21] writes only show what they would do, unless told otherwise', () => {
    expect(planOf(create, args)).toMatchObject({ kind: 'change', path: 'A.md', dryRun: true });
    expect(planOf(create, { ...args, dryRun: null })).toMatchObject({ dryRun: true });
    expect(planOf(create, { ...args, dryRun: false })).toMatchObject({ dryRun: false });
    expect(planOf(create, { ...args, dryRun: 'false' })).toMatchObject({ code: 'bad_arguments' });
    const edit = { path: 'A.md', mode: 'append', content: 'x' };
    expect(planOf(update, edit)).toMatchObject({ kind: 'change', dryRun: true });
    expect(planOf(update, { ...edit, dryRun: false })).toMatchObject({ dryRun: false });
  });

  test('[VAULT20] text that has no UTF-8 form is refused', () => {
    expect(planOf(create, { ...args, content: '\ud800' })).toMatchObject({ code: 'bad_arguments' });
  });
});

const edited = (before: string, edit: NoteEdit, content: string): string => {
  const result = editNote(before, edit, content);
  return result.ok ? result.after : result.message;
};

describe('obsidian.update_note', () => {
  test('[VAULT22] what is appended begins a line, and the note ends as it did', () => {
    expect(edited('a\n', { mode: 'append' }, 'b')).toBe('a\nb\n');
    expect(edited('a', { mode: 'append' }, 'b')).toBe('a\nb');
    expect(edited('a\r\nb\r\n', { mode: 'append' }, 'c\nd')).toBe('a\r\nb\r\nc\r\nd\r\n');
    expect(edited('', { mode: 'append' }, 'b')).toBe('b');
    expect(edited('\uFEFF', { mode: 'append' }, 'b')).toBe('\uFEFFb');
    expect(edited('a\n', { mode: 'append' }, '')).toBe('Nothing was done: the content is empty.');
  });

  test('[VAULT22] what is prepended stands behind front matter and byte order mark', () => {
    expect(edited('---\na: 1\n---\nText\n', { mode: 'prepend' }, 'new')).toBe(
      '---\na: 1\n---\nnew\nText\n',
    );
    expect(edited('---\na: 1\n---', { mode: 'prepend' }, 'new')).toBe('---\na: 1\n---\nnew');
    expect(edited('\uFEFFText', { mode: 'prepend' }, 'new')).toBe('\uFEFFnew\nText');
    expect(edited('---\nno end\n', { mode: 'prepend' }, 'new')).toBe('new\n---\nno end\n');
  });

  test('[VAULT22] replace puts new text in place of all, with the byte order mark and line ends there were', () => {
    expect(edited('\uFEFFa\r\nb', { mode: 'replace' }, 'c\nd\n')).toBe('\uFEFFc\r\nd\r\n');
    expect(edited('a', { mode: 'replace' }, '')).toBe('');
  });

  test('[VAULT23] insert puts lines where a line begins, or at the end', () => {
    const at = (line: number, text = 'a\nb\n') => edited(text, { mode: 'insert', line }, 'x');
    expect([1, 2, 3].map((line) => at(line))).toEqual(['x\na\nb\n', 'a\nx\nb\n', 'a\nb\nx\n']);
    expect(at(4)).toBe('Nothing was done: line 4 is behind the end. Send at most 3.');
    expect(at(3, 'a\nb')).toBe('a\nb\nx');
    expect(at(1, '\uFEFFa')).toBe('\uFEFFx\na');
    expect(at(1, '')).toBe('x');
  });

  test('[VAULT23] insert goes directly below a heading, or the one line with a marker', () => {
    const text = '# A\nText\n## B\nmarker here\n# A\n```\n# C\n```\n';
    const below = (edit: NoteEdit) => edited(text, edit, 'x');
    expect(below({ mode: 'insert', heading: 'B' })).toBe(text.replace('## B\n', '## B\nx\n'));
    expect(below({ mode: 'insert', marker: 'marker' })).toBe(text.replace('here\n', 'here\nx\n'));
    expect(below({ mode: 'insert', heading: 'A' })).toBe(
      'Nothing was done: the heading "A" stands in the lines 1, 5. Send "line" instead.',
    );
    expect(below({ mode: 'insert', heading: 'C' })).toContain('The note has no heading "C".');
    expect(below({ mode: 'insert', marker: '#' })).toContain('in the lines 1, 3, 5, 7.');
    expect(below({ mode: 'insert', marker: 'none' })).toContain(
      'no line of the note has the marker',
    );
  });

  test.each([
    ['below its blank line', '## H\n\nText\n', 'x', '## H\n\nx\n\nText\n', 3],
    ['a text that ends with a blank line', '## H\n\nText\n', 'x\n\n', '## H\n\nx\n\nText\n', 3],
    ['with CRLF', '## H\r\n\r\nText', 'x', '## H\r\n\r\nx\r\n\r\nText', 3],
    ['before more blank lines', '## H\n \n\nText\n', 'x', '## H\n \nx\n\nText\n', 3],
    ['an empty section', '## H\n\n## I\n', 'x', '## H\n\nx\n\n## I\n', 3],
    ['at the end', '## H\n\n', 'x', '## H\n\nx\n', 3],
    ['a text before a list', '## H\n\n- a\n- b\n', 'x', '## H\n\nx\n\n- a\n- b\n', 3],
    ['an item into the list', '## H\n\n* a\n* b\n', '- x', '## H\n\n* x\n* a\n* b\n', 3],
    [
      'with a task',
      '## H\n\n+ [ ] a\n',
      '- [x] b\n- [ ] c',
      '## H\n\n+ [x] b\n+ [ ] c\n+ [ ] a\n',
      3,
    ],
    ['into one without a blank line', '## H\n  - a\n', '* x', '## H\n  - x\n  - a\n', 2],
    [
      'into one with numbers',
      '## H\n\n3) a\n',
      '- x\n  y\n- z',
      '## H\n\n3) x\n   y\n4) z\n3) a\n',
      3,
    ],
    ['into one behind two blank lines', '## H\n\n\n- a', '- x', '## H\n\n\n- x\n- a', 4],
    ['a list where there is none', '## H\n\nText', '* x', '## H\n\n* x\n\nText', 3],
    ['a list and text', '## H\n\n- a\n', '* x\ntext', '## H\n\n* x\ntext\n\n- a\n', 3],
    ['no list: a rule', '## H\n\n- - -\n', '* x', '## H\n\n* x\n\n- - -\n', 3],
  ])('[VAULT23] insert below a heading: %s', (_, text, content, after, line) => {
    const result = editNote(text, { mode: 'insert', heading: 'H' }, content);
    expect(result).toMatchObject({ ok: true, after });
    expect(result.ok && result.words).toMatch(new RegExp(` as line ${line}$`));
  });

  test('[VAULT23] insert takes exactly one place, the other modes none; a note must be there', () => {
    const args = { path: 'A.md', mode: 'insert', content: 'x' };
    expect(planOf(update, args)).toMatchObject({ code: 'bad_arguments' });
    expect(planOf(update, { ...args, line: 1, marker: 'a' })).toMatchObject({
      code: 'bad_arguments',
    });
    expect(planOf(update, { ...args, line: 0, heading: '', marker: 'a' })).toMatchObject({
      kind: 'change',
    });
    expect(planOf(update, { ...args, marker: 'a\nb' })).toMatchObject({ code: 'bad_arguments' });
    expect(planOf(update, { ...args, mode: 'append', line: 2 })).toMatchObject({
      code: 'bad_arguments',
    });
    expect(change(update, { ...args, line: 1 }, undefined)).toMatchObject({ code: 'not_found' });
  });

  test('[VAULT24] whatever is put in, all other bytes stay as they were', () => {
    const piece = fc.constantFrom(
      'a',
      '# H',
      '---',
      '\uFEFF',
      '```',
      '- x',
      '',
      'marker',
      'ä\u0000',
    );
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const note = fc
      .tuple(fc.array(fc.tuple(piece, end), { maxLength: 12 }), piece)
      .map(([lines, last]) => lines.map((line) => line.join('')).join('') + last);
    const edit = fc.oneof(
      fc.constantFrom<NoteEdit>({ mode: 'append' }, { mode: 'prepend' }),
      fc.constantFrom<NoteEdit>(
        { mode: 'insert', heading: 'H' },
        { mode: 'insert', marker: 'marker' },
      ),
      fc.nat(14).map((line): NoteEdit => ({ mode: 'insert', line: line + 1 })),
    );
    const content = fc.array(fc.tuple(fc.constantFrom('new', 'line'), end), {
      minLength: 1,
      maxLength: 3,
    });
    let done = 0;
    fc.assert(
      fc.property(note, edit, content, fc.boolean(), (before, how, rows, closed) => {
        const text = rows
          .map((row) => row.join(''))
          .join('')
          .slice(0, closed ? undefined : -1);
        const result = editNote(before, how, text);
        if (!result.ok) return;
        done += 1;
        const { after } = result;
        const head = commonHead(before, after);
        const tail = before.length - commonHead(mirrored(before), mirrored(after));
        // The old text is a head and a tail of the new one, with nothing missing between them.
        expect(tail).toBeLessThanOrEqual(head);
        const put = after.length - before.length;
        const added = after.slice(head, head + put).replaceAll(/\r\n|\r|\n/g, '');
        const wanted = text.replaceAll(/\r\n|\r|\n/g, '');
        expect([...added].sort().join('')).toBe([...wanted].sort().join(''));
      }),
      { numRuns: 2_000 },
    );
    expect(done).toBeGreaterThan(500);
  });
});

function commonHead(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function mirrored(text: string): string {
  return text.split('').reverse().join('');
}
