import { describe, expect, test } from 'vitest';
import { buildTask, idOf, type TaskBlock } from '../../src/core/board/note/task-block';
import { plainHeader, readYaml } from '../../src/core/board/note/header';
import { PlainLine, plainTask } from '../../src/core/board/note/plain-line';
import { readTaskLine } from '../../src/core/board/note/task-line';
import { notes } from './note-maker';
import { parseNote } from '../../src/core/board/note/parse-note';
import { fc } from '../seeded';

const RUNS = 20_000;

/** A line with its task as the plain reader makes it, undefined where that leaves it alone. */
function plain(text: string, block: TaskBlock) {
  const line = new PlainLine();
  if (!line.read(text, block.after, block.lineEnd)) return undefined;
  const { id } = line;
  const other = line.blockId < 0 ? null : text.slice(line.blockId, line.blockIdEnd);
  const blockId = line.linked ? id : other;
  const around = { key: 'key', id, n: null, parent: null, phase: null };
  return { task: plainTask(text, block, line, around), blockId };
}

/** The same as the close look makes it. */
function close(text: string, block: TaskBlock) {
  const line = readTaskLine(text, block.after, block.lineEnd);
  const { blockId } = line.tail;
  const around = { key: 'key', id: idOf(text, line), n: null, parent: null, phase: null };
  return {
    task: buildTask(text, block, line, around),
    blockId: blockId ? text.slice(blockId.start + 1, blockId.end) : null,
  };
}

function blockOf(line: string): TaskBlock {
  const block = { line: 1, start: 0, marker: 0, box: 2, column: 0, contentColumn: 2, heading: -1 };
  const rest = { parent: -1, depth: 0, body: [], hasText: false };
  return { ...block, ...rest, after: 5, lineEnd: line.length, end: line.length };
}

const PARTS =
  '🆔 ⛔ 📅 ✅ ❌ ⏫ 🔽 🔁 🏁 ➕ 🎉 \ufe0f 日本 k3f9-1 k3f9-2 2026-11-20 2026-1-2 ^k3f9-1 ^a_b ^ #tag word ( ) (due:: [ ] [owner:: me] [risk::high] [x:: y] [reason:: ] [scope:: a,b] [level:: (x)] \\ ` & , :: _'.split(
    ' ',
  );
const FIELDS = [
  'a word',
  '[owner:: me]',
  '[risk:: high]',
  '🆔 k3f9-1',
  '⛔ k3f9-2,x',
  '📅 2026-11-20',
  '✅ 2026-11-20',
  '⏫',
  '^k3f9-1',
];
const lines = fc
  .tuple(fc.subarray(FIELDS), fc.nat(20), fc.constantFrom('', '', '', ...PARTS), fc.boolean())
  .chain(([fields, at, odd, shuffled]) =>
    (shuffled
      ? fc.shuffledSubarray(fields, { minLength: fields.length })
      : fc.constant(fields)
    ).map((some) => some.toSpliced(at % (some.length + 1), 0, odd).join(at % 7 === 0 ? '' : ' ')),
  )
  .map((words) => `- [x] ${words}`);
const hostile = fc
  .array(fc.tuple(fc.constantFrom(...PARTS), fc.constantFrom(' ', ' ', ' ', '', '\t', ', ')), {
    maxLength: 12,
  })
  .map((parts) => `- [x] ${parts.flat().join('')}`);

describe('the quick way to read a note reads what the close look reads', () => {
  test('[NOTE61] each line of a plain shape, in lines of any parts', () => {
    let quick = 0;
    fc.assert(
      fc.property(fc.oneof(lines, hostile), (line) => {
        const read = plain(line, blockOf(line));
        if (read === undefined) return;
        expect(read).toEqual(close(line, blockOf(line)));
        if (line.length > 20) quick += 1;
      }),
      { numRuns: RUNS },
    );
    expect(quick).toBeGreaterThan(RUNS / 20);
  });

  test('[NOTE61] each line of a plain shape, in whole notes', () => {
    let quick = 0;
    let others = 0;
    fc.assert(
      fc.property(notes, (text) => {
        for (const block of parseNote('p', text).layout?.scan.blocks ?? []) {
          const read = plain(text, block);
          if (read) expect(read).toEqual(close(text, block));
          if (read) quick += 1;
          else others += 1;
        }
      }),
      { numRuns: 2000 },
    );
    expect(quick).toBeGreaterThan(200);
    expect(others).toBeGreaterThan(1000);
  });

  test.each([
    'Build part 7 of the index [risk:: high] 🆔 k3f9-7 ⛔ k3f9-4, k3f9-5 ⏫ 📅 2026-11-28 ^k3f9-7',
    'Build (most of) it #now [owner:: me] [scope:: broad] ✅ 2026-11-20  ',
    '日本語の題名 ⏬ ^x',
    '',
  ])('[NOTE61] the common shapes are read so: %s', (words) => {
    const line = `- [ ] ${words}`;
    expect(plain(line, blockOf(line))).toEqual(close(line, blockOf(line)));
    expect(plain(line, blockOf(line))).toBeDefined();
  });

  test('[NOTE61] a header that programs write is read as YAML reads it', () => {
    const keys = fc.constantFrom('board', 'title', 'rev', 'a_b', 'y', 'null', '1', 'tags');
    const values = fc.oneof(
      fc.constantFrom('1', 'ses_1', 'a b', 'yes', '~', '0x1F', '1e3', 'a: b', 'a #b', '- x', ''),
      fc.constantFrom('"q"', "it's", '>-', '|', '*a', '&a', '!t', '{a}', '[a]', 'a ', '2026-11-20'),
      fc.string({ unit: fc.constantFrom(...'aZ09 ._/()-:#,\'"é\t'), maxLength: 6 }),
    );
    const rows = fc
      .tuple(
        keys,
        fc.constantFrom(': ', ': ', ':  ', ':', ' : '),
        values,
        fc.constantFrom('\n', '\r\n'),
      )
      .map((parts) => parts.join(''));
    const odd = fc.constantFrom(
      '  more\n',
      '# comment\n',
      '\n',
      '---\n',
      '...\n',
      '\tx\n',
      '- x\n',
    );
    let quick = 0;
    const row = fc.oneof({ weight: 12, arbitrary: rows }, { weight: 1, arbitrary: odd });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (all) => {
        const yaml = all.join('');
        const values = plainHeader(yaml, 4);
        if (values === undefined) return;
        expect(readYaml(yaml, 4)).toEqual({ ok: true, values });
        quick += 1;
      }),
      { numRuns: RUNS },
    );
    expect(quick).toBeGreaterThan(RUNS / 50);
  });
});
