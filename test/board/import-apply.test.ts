import { describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/core/exchange/apply-plan';
import { parseNote } from '../../src/core/board/note/parse-note';
import { noteOf } from './note-sample';
import { applyToBoard, plan } from './plan-fixture';

function bodyOf(text: string): string {
  return text.slice(text.indexOf('\n---\n') + 5);
}

describe('an imported plan on a board', () => {
  test('[IMP16] a new board: the source’s name as heading, phases below it, fields in their places', () => {
    const done = applyToBoard(
      undefined,
      plan([
        { ref: '1', title: 'One', status: 'done', closed: '2026-11-20', created: '2026-11-01' },
        { ref: '2', title: 'Two', dependsOn: ['1'], priority: 'high', owner: 'me', phase: 'Later' },
        { ref: '2.1', title: 'Part', parent: '2', body: ['why', '', '  deeper'], risk: 'low' },
        { title: 'Loose', due: '2026-12-24', estimate: '2h' },
      ]),
    );
    expect([done.added, done.there, done.left]).toEqual([4, 0, []]);
    expect(bodyOf(done.text)).toBe(
      [
        '',
        '# Plan',
        '',
        '## Elsewhere',
        '',
        '- [x] One [source:: task-master/Elsewhere/1] 🆔 k3f9-1 ➕ 2026-11-01 ✅ 2026-11-20 ^k3f9-1',
        '- [ ] Loose [estimate:: 2h] 🆔 k3f9-4 📅 2026-12-24 ^k3f9-4',
        '',
        '### Later',
        '',
        '- [ ] Two [owner:: me] [source:: task-master/Elsewhere/2] 🆔 k3f9-2 ⛔ k3f9-1 ⏫ ^k3f9-2',
        '\t- [ ] Part [risk:: low] [source:: task-master/Elsewhere/2.1] 🆔 k3f9-3 ^k3f9-3',
        '\t\twhy',
        '',
        '\t\t  deeper',
        '',
      ].join('\n'),
    );
    expect(done.text).toContain('\nnext: 5\n');
  });

  test('[IMP16] a board that exists gets a heading of its own at its end', () => {
    const before = noteOf('# Offline search\n\n- [ ] Mine 🆔 k3f9-1 ^k3f9-1\n\nThe end.').text;
    const { text } = applyToBoard(before, plan([{ ref: '1', title: 'One', dependsOn: [] }]));
    expect(text).toBe(
      `${before.replace('next: 20', 'next: 21')}\n\n## Elsewhere\n\n- [ ] One [source:: task-master/Elsewhere/1] 🆔 k3f9-20 ^k3f9-20`,
    );
  });

  test('[IMP17] again: nothing is doubled, nothing that a person changed is touched, new tasks join', () => {
    const first = applyToBoard(
      undefined,
      plan([
        { ref: '1', title: 'One', phase: 'Now' },
        { title: 'Same', phase: 'Now' },
        { title: 'Same', phase: 'Now' },
      ]),
    );
    const touched = first.text
      .replace('- [ ] One', '- [x] One, renamed')
      .replace('# Plan', '# Plan\n\n- [ ] Same\n');
    const second = plan([
      { ref: '1', title: 'One', phase: 'Now' },
      { ref: '1.1', title: 'Part', parent: '1' },
      { title: 'Same', phase: 'Now' },
      { title: 'Same', phase: 'Now' },
      { title: 'Same', phase: 'Now' },
      { title: 'Same' },
    ]);
    const again = applyToBoard(touched, second);
    expect([again.added, again.there]).toEqual([3, 3]);
    const [head = '', ...more] = bodyOf(again.text).split('## Elsewhere');
    expect(head).toBe('\n# Plan\n\n- [ ] Same\n\n\n');
    expect(more.join('')).toBe(
      [
        '',
        '',
        '- [ ] Same 🆔 k3f9-6 ^k3f9-6',
        '',
        '### Now',
        '',
        '- [x] One, renamed [source:: task-master/Elsewhere/1] 🆔 k3f9-1 ^k3f9-1',
        '\t- [ ] Part [source:: task-master/Elsewhere/1.1] 🆔 k3f9-4 ^k3f9-4',
        '- [ ] Same 🆔 k3f9-2 ^k3f9-2',
        '- [ ] Same 🆔 k3f9-3 ^k3f9-3',
        '- [ ] Same 🆔 k3f9-5 ^k3f9-5',
        '',
      ].join('\n'),
    );
    expect(applyToBoard(again.text, second)).toMatchObject({
      added: 0,
      there: 6,
      text: again.text,
    });
  });

  test('[IMP17] the same number of another source is another task', () => {
    const first = applyToBoard(undefined, plan([{ ref: '1', title: 'One' }], 'a'));
    const other = applyToBoard(first.text, plan([{ ref: '1', title: 'One' }], 'b'));
    expect([other.added, other.there]).toEqual([1, 0]);
  });

  test('[IMP15] a new task does not wait for what waits for it on the board', () => {
    const first = applyToBoard(
      undefined,
      plan([
        { ref: '1', title: 'One' },
        { ref: '2', title: 'Two' },
      ]),
    );
    const waits = first.text.replace('🆔 k3f9-2 ', '🆔 k3f9-2 ⛔ k3f9-1 ');
    const more = plan([
      { ref: '1', title: 'One' },
      { ref: '2', title: 'Two' },
      { ref: '1.1', title: 'Part', parent: '1', dependsOn: ['2'] },
    ]);
    const done = applyToBoard(waits, more);
    expect(done.left).toMatchObject([
      { what: 'k3f9-3 waits for k3f9-2', why: 'It would close a circle on the board.' },
    ]);
    expect(done.text).toContain('/1.1] 🆔 k3f9-3 ^k3f9-3');
  });

  test('[IMP19] a text stays text: checkboxes are escaped, what opens a block is quoted, a long one is cut', () => {
    const body = (...lines: string[]): string => {
      const { text, left } = applyToBoard(
        undefined,
        plan([{ title: 'T', body: lines }, { title: 'U' }]),
      );
      const { tasks } = parseNote('p.md', text).board;
      expect(tasks.map(({ title }) => title)).toEqual(['T', 'U']);
      const why = left.map((one) => one.why).join('');
      return [...(tasks[0]?.body ?? []).map((line) => line.slice(0, 40)), why].join('|');
    };
    expect(body('- [ ] a', '  1. [x] b')).toBe(
      '- \\[ ] a|  1. \\[x] b|Its checkboxes are text now.',
    );
    expect(body('```', '- [ ] code', '```')).toBe('```|- [ ] code|```|');
    expect(body('```', '- [ ] code')).toMatch(/^> ```\|> - \\?\[ \] code\|It opens a block/);
    expect(body('%% note')).toMatch(/^> %% note\|It opens/);
    expect(body('<style>')).toMatch(/^> <style>\|It opens/);
    expect(body('<div>', 'x')).toMatch(/^> <div>\|> x\|It opens/);
    expect(body('a\0b\rc\u2028d')).toBe('a\ufffdb|c|d|');
    expect(body('x'.repeat(30_000))).toMatch(/^x{40}\|It has over 20000/);
    expect(body('# Heading', '---', '> quote', '| a |')).toBe('# Heading|---|> quote|| a ||');
  });

  test('[IMP20] a title that is no line is made one, and stands whole in the text', () => {
    const given = `${'long '.repeat(120)}end\nof it`;
    const { text } = applyToBoard(undefined, plan([{ title: given, tags: ['a b', '7', '#c'] }]));
    const [task] = parseNote('p.md', text).board.tasks;
    expect([...(task?.title ?? '')].length).toBeLessThanOrEqual(500);
    expect(task?.body).toEqual([`${'long '.repeat(120)}end`, 'of it']);
    const tagged = applyToBoard(undefined, plan([{ title: 'Short #c', tags: ['a b', '7', '#c'] }]));
    expect(parseNote('p.md', tagged.text).board.tasks[0]?.title).toBe('Short #c #a-b');
  });

  test('[IMP16] a broken board is left as it is', () => {
    const note = parseNote('p.md', 'no header');
    const done = applyPlan(note, plan([{ title: 'T' }]), { path: 'p.md', fresh: undefined });
    expect(done).toMatchObject({ ok: false, code: 'broken_note' });
  });
});
