import { describe, expect, test } from 'vitest';
import {
  setTaskDependsOn,
  setTaskFields,
  setTaskStatus,
  setTaskTitle,
} from '../../src/core/board/note/edit-task';
import { bumpRev } from '../../src/core/board/note/edit-header';
import { applySplices, type EditResult, type Splice } from '../../src/core/board/note/edit-result';
import { giveId } from '../../src/core/board/note/give-id';
import type { Note } from '../../src/core/board/note/note';
import { parseNote } from '../../src/core/board/note/parse-note';
import { reparse, ShiftedScan } from '../../src/core/board/note/reparse';
import { STATUSES } from '../../src/core/board/task';
import { fc } from '../seeded';
import { notes } from './note-maker';
import { noteOf } from './note-sample';
import { titles } from './title-maker';

const today = '2026-11-21';
const RUNS = 5_000;

const PIECES =
  'x|/|🎉| |]|[|- [ ] |\t|# |🆔 k3f9-1|🆔 k3f9-44| ^k3f9-50|⛔ k3f9-90| ✅ 2026-11-20|[owner:: me]|[id:: k3f9-3]|(due:: 2026-01-01)|`|\\|%%|```|\n|\r|\n- [ ] new|rev: 5|---|<<<<<<< a'.split(
    '|',
  );
const edits = fc.record({
  type: fc.constantFrom('status', 'title', 'fields', 'waits', 'rev', 'id', 'raw', 'raw', 'raw'),
  at: fc.nat(13),
  title: titles,
  status: fc.constantFrom(...STATUSES),
  ids: fc.uniqueArray(fc.constantFrom('k3f9-1', 'k3f9-77', 'nobody'), { maxLength: 2 }),
  place: fc.nat(400),
  size: fc.nat(3),
  piece: fc.constantFrom('', ...PIECES),
});
type Edit = typeof edits extends fc.Arbitrary<infer T> ? T : never;

/** An edit of a task, of the header, or of any place: also of those that no operation touches. */
function apply(note: Note, edit: Edit): EditResult {
  const { tasks } = note.board;
  const key = tasks[edit.at % Math.max(1, tasks.length)]?.key ?? 'none';
  switch (edit.type) {
    case 'status':
      return setTaskStatus(note, key, edit.status, { today, reason: edit.title });
    case 'title':
      return setTaskTitle(note, key, edit.title);
    case 'fields':
      return setTaskFields(note, key, { owner: edit.title, priority: 'low', due: today });
    case 'waits':
      return setTaskDependsOn(note, key, edit.ids);
    case 'id':
      return giveId(note, key);
    case 'rev':
      return bumpRev(note);
    case 'raw': {
      const block = note.layout?.scan.block(edit.at % Math.max(1, tasks.length));
      const from = Math.min((block?.start ?? 0) + (edit.place % 60), note.text.length);
      const to = Math.min(from + edit.size, note.text.length);
      const splices: readonly Splice[] = [{ from, to, text: edit.piece }];
      return { ok: true, text: applySplices(note.text, splices), splices };
    }
  }
}

/** All that a note holds, with what is worked out when it is asked for. */
function whole({ board, text, layout }: Note) {
  if (layout === null) return { board, text };
  const { header, scan, eol, next } = layout;
  const { blocks, headings, dangling } = scan;
  const one = blocks.map((_, at) => scan.block(at));
  return { board, text, header, blocks, one, headings, dangling, eol, next };
}

describe('a note after an edit', () => {
  test('[NOTE61] is read as it would be from nothing, whatever was edited, edit after edit', () => {
    const count = { quick: 0, whole: 0, chains: 0 };
    fc.assert(
      fc.property(notes, fc.array(edits, { minLength: 2, maxLength: 5 }), (text, list) => {
        let note = parseNote('p.md', text);
        let chain = 0;
        for (const edit of list) {
          const result = apply(note, edit);
          if (!result.ok || result.text === note.text) continue;
          note = reparse(note, result);
          expect(whole(note)).toEqual(whole(parseNote('p.md', result.text)));
          const quick = note.layout?.scan instanceof ShiftedScan;
          chain = quick ? chain + 1 : 0;
          if (quick) count.quick += 1;
          else count.whole += 1;
          if (chain > 1) count.chains += 1;
        }
      }),
      { numRuns: RUNS },
    );
    expect(count.quick + count.whole).toBeGreaterThan(10_000);
    expect(count.quick).toBeGreaterThan(2_000);
    expect(count.whole).toBeGreaterThan(2_000);
    expect(count.chains).toBeGreaterThan(500);
  });

  test('[NOTE61] has the line end that its first line has after the edit', () => {
    const note = noteOf('- [ ] One 🆔 k3f9-1\n').text.replace(/\n/g, '\r\n');
    const splices = [{ from: 3, to: 4, text: '' }];
    const text = applySplices(note, splices);
    expect(reparse(parseNote('p.md', note), { text, splices }).layout?.eol).toBe('\n');
    expect(parseNote('p.md', text).layout?.eol).toBe('\n');
  });

  test('[NOTE61] many edits in a row, in one note', () => {
    const lines = Array.from(
      { length: 9 },
      (_, n) => `- [ ] Task ${n} 🆔 k3f9-${n + 1} ^k3f9-${n + 1}`,
    );
    let note = noteOf(`## Phase\n\n${lines.join('\n')}\n\n## End\n`);
    for (let n = 0; n < 60; n += 1) {
      const status = n % 2 === 0 ? 'completed' : 'failed';
      const key = `k3f9-${1 + (n % 9)}`;
      for (const edit of [() => setTaskStatus(note, key, status, { today }), () => bumpRev(note)]) {
        const result = edit();
        if (!result.ok) throw new Error(result.message);
        note = reparse(note, result);
        expect(note.layout?.scan).toBeInstanceOf(ShiftedScan);
      }
      expect(whole(note)).toEqual(whole(parseNote(note.board.path, note.text)));
    }
    expect(note.board.rev).toBe(77);
  });

  test('[NOTE61] without word of what was replaced, the whole is read', () => {
    const note = noteOf('- [ ] a\n');
    const after = reparse(note, { text: note.text.replace('[ ]', '[x]') });
    expect(after.board.tasks[0]?.status).toBe('completed');
  });
});
