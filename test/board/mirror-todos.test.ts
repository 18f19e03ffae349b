import { describe, expect, test } from 'vitest';
import {
  mirrorTodos,
  MAX_TODOS,
  NOTHING_MIRRORED,
  readTodos,
} from '../../src/core/board/mirror/todo-mirror';
import { parseNote } from '../../src/core/board/note/parse-note';
import { Mirror, path, today, todo } from './mirror-fixture';

describe('a list of todowrite on the board', () => {
  test('[MIRROR1] stands under the heading Todos, in its order, with status and priority', () => {
    const mirror = new Mirror();
    mirror.list(
      todo('Read', 'completed', 'high'),
      todo('Write', 'in_progress'),
      todo('Rest', 'cancelled', 'low'),
      todo('Later', 'whatever', 'whenever'),
    );
    expect(mirror.text.slice(mirror.text.indexOf('# T'))).toBe(
      [
        '# T',
        '',
        '## Todos',
        '',
        '- [x] Read 🆔 k3f9-1 ⏫ ✅ 2026-11-21 ^k3f9-1',
        '- [/] Write 🆔 k3f9-2 🔼 ^k3f9-2',
        '- [-] Rest 🆔 k3f9-3 🔽 ❌ 2026-11-21 ^k3f9-3',
        '- [ ] Later 🆔 k3f9-4 ^k3f9-4',
        '',
      ].join('\n'),
    );
  });

  test('[MIRROR1] a text that is no title is made one; an empty one is left out; 200 are taken', () => {
    const mirror = new Mirror();
    mirror.list('two\nlines', '  ', '- [x] 🆔 k3f9-7', 'x'.repeat(600));
    expect(mirror.tasks.map(({ title }) => title)).toEqual([
      'two lines',
      '- [x] 🆔 k3f9-7',
      'x'.repeat(500),
    ]);
    expect(readTodos(Array.from({ length: 999 }, (_, i) => todo(`t${i}`)))).toHaveLength(MAX_TODOS);
  });

  test('[MIRROR2] an entry is the task of its text, also where the list is in another order', () => {
    const mirror = new Mirror();
    mirror.list('A', 'B', 'C');
    mirror.list(todo('C', 'completed'), 'A', todo('B', 'in_progress'));
    expect(mirror.lines).toEqual(['- [ ] A 🔼', '- [/] B 🔼', '- [x] C 🔼 ✅ 2026-11-21']);
  });

  test('[MIRROR2] an entry whose text is new is the task at its place, if that text is gone', () => {
    const mirror = new Mirror();
    mirror.list('A', 'B', 'C');
    mirror.list('A', 'B, but better', 'C');
    expect(mirror.tasks.map(({ n, title }) => [n, title])).toEqual([
      [1, 'A'],
      [2, 'B, but better'],
      [3, 'C'],
    ]);
  });

  test('[MIRROR2] two entries of one text are two tasks', () => {
    const mirror = new Mirror();
    mirror.list('Same', 'Same');
    mirror.list(todo('Same', 'completed'), 'Same');
    expect(mirror.tasks.map(({ status }) => status)).toEqual(['completed', 'pending']);
  });

  test('[MIRROR2] a task that a person wrote with this text is the entry, and gets an id', () => {
    const mirror = new Mirror();
    mirror.editAsPerson((text) => `${text}\n## Mine\n\n- [ ] Write the guide\n- [ ] Other\n`);
    mirror.list(todo('Write the guide', 'in_progress'), 'New');
    expect(mirror.text).toContain(
      '## Mine\n\n- [/] Write the guide 🆔 k3f9-1 🔼 ^k3f9-1\n- [ ] Other\n',
    );
    expect(mirror.tasks).toHaveLength(3);
  });

  test('[MIRROR3] what vanishes is cancelled and not deleted; a completed task stays completed', () => {
    const mirror = new Mirror();
    mirror.list(todo('Done', 'completed'), 'Dropped', 'Kept');
    mirror.list('Kept');
    expect(mirror.lines).toEqual([
      '- [x] Done 🔼 ✅ 2026-11-21',
      '- [-] Dropped 🔼 ❌ 2026-11-21',
      '- [ ] Kept 🔼',
    ]);
    mirror.list('Kept', 'Dropped');
    expect(mirror.tasks.map(({ title, status }) => `${title} ${status}`)).toEqual([
      'Done completed',
      'Dropped pending',
      'Kept pending',
    ]);
  });

  test('[MIRROR3] an empty list cancels all that is open', () => {
    const mirror = new Mirror();
    mirror.list('A', todo('B', 'in_progress'));
    mirror.list();
    expect(mirror.tasks.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  test('[MIRROR4] a field that the person changed stays, the others follow the list', () => {
    const mirror = new Mirror();
    mirror.list('A', 'B', 'C');
    mirror.editAsPerson((text) =>
      text
        .replace('[ ] A', '[x] A')
        .replace('[ ] B', '[ ] B, as I say')
        .replace(/(C .*) 🔼/, '$1 ⏫'),
    );
    mirror.list(
      todo('A', 'in_progress', 'high'),
      todo('B', 'in_progress'),
      todo('C', 'completed', 'low'),
    );
    expect(mirror.lines).toEqual([
      '- [x] A ⏫',
      '- [/] B, as I say 🔼',
      '- [x] C ⏫ ✅ 2026-11-21',
    ]);
    mirror.list(todo('A', 'completed'), todo('B', 'completed'));
    expect(mirror.lines[0]).toBe('- [x] A 🔼');
    expect(mirror.lines[1]).toBe('- [x] B, as I say 🔼 ✅ 2026-11-21');
  });

  test('[MIRROR4] a status that the person set survives that the entry vanishes', () => {
    const mirror = new Mirror();
    mirror.list('A');
    mirror.editAsPerson((text) => text.replace('[ ] A', '[>] A'));
    mirror.list();
    expect(mirror.lines).toEqual(['- [>] A 🔼']);
  });

  test('[MIRROR4] a value that the person put back follows the list again', () => {
    const mirror = new Mirror();
    mirror.list('A');
    mirror.editAsPerson((text) => text.replace('[ ] A', '[>] A'));
    mirror.list(todo('A', 'in_progress'));
    mirror.editAsPerson((text) => text.replace('[>] A', '[ ] A'));
    mirror.list(todo('A', 'in_progress'));
    expect(mirror.lines).toEqual(['- [/] A 🔼']);
  });

  test('[MIRROR4] a task that the person took away is not added again', () => {
    const mirror = new Mirror();
    mirror.list('A', 'B');
    mirror.editAsPerson((text) => text.replace(/- \[ \] A.*\n/, ''));
    mirror.list(todo('A', 'in_progress'), 'B', 'C');
    expect(mirror.lines).toEqual(['- [ ] B 🔼', '- [ ] C 🔼']);
  });

  test('[MIRROR4] what a person writes around the tasks, and a task that was moved, stay', () => {
    const mirror = new Mirror();
    mirror.list('A', 'B');
    mirror.editAsPerson((text) => {
      const line = /- \[ \] A.*\n/.exec(text)?.[0] ?? '';
      return `${text.replace(line, '')}\n\tmy note on B\n\n## Next\n\n${line}\nText.\n`;
    });
    const before = mirror.text;
    mirror.list(todo('A', 'completed'), 'B');
    const edit = before.replace('[ ] A', '[x] A').replace(/(A .*🔼)/, '$1 ✅ 2026-11-21');
    expect(mirror.text).toBe(edit);
  });

  test('[MIRROR5] new entries stand in the order of the list, first, between and last', () => {
    const mirror = new Mirror();
    mirror.list('B', 'D');
    mirror.list('A', 'B', 'C', 'D', 'E');
    expect(mirror.tasks.map(({ title }) => title)).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(mirror.tasks.every(({ phase }) => phase === 'Todos')).toBe(true);
  });

  test('[MIRROR5] a note without a last line end keeps it so when an entry goes first', () => {
    const mirror = new Mirror();
    mirror.list('B');
    mirror.editAsPerson((text) => text.trimEnd());
    mirror.list('B', 'A');
    const appended = mirror.text;
    mirror.list('0', 'B', 'A');
    expect(mirror.tasks.map(({ title }) => title)).toEqual(['0', 'B', 'A']);
    expect([appended.endsWith('\n'), mirror.text.endsWith('\n')]).toEqual([false, false]);
  });

  test('[MIRROR6] the same list again writes nothing', () => {
    const mirror = new Mirror();
    const list = ['A', todo('B', 'completed', 'high'), todo('C', 'cancelled')];
    mirror.list(...list);
    const before = mirror.text;
    mirror.list(...list);
    expect(mirror.text).toBe(before);
  });

  test('[MIRROR6] a line that cannot be edited is left as it is, and named', () => {
    const mirror = new Mirror();
    mirror.list('A', 'B');
    mirror.editAsPerson((text) => text.replace(/(A 🆔 k3f9-1)/, '$1 and more'));
    const { left } = mirror.list(todo('A', 'completed'), todo('B', 'completed'));
    expect(left.join()).toContain('k3f9-1');
    expect(mirror.text).toContain('- [ ] A 🆔 k3f9-1 and more');
    expect(mirror.tasks[1]?.status).toBe('completed');
  });

  test('[MIRROR6] a broken note is refused', () => {
    const done = mirrorTodos(parseNote(path, '# nothing'), [], NOTHING_MIRRORED, {
      today,
      again: false,
    });
    expect(done).toMatchObject({ ok: false, code: 'broken_note' });
  });
});
