import { describe, expect, test } from 'vitest';
import { addTask, removeTask, type NewTask } from '../../src/core/board/note/place-task';
import {
  setTaskBody,
  setTaskDependsOn,
  setTaskFields,
  setTaskStatus,
  setTaskTitle,
} from '../../src/core/board/note/edit-task';
import { bumpRev, setTitle } from '../../src/core/board/note/edit-header';
import { giveId } from '../../src/core/board/note/give-id';
import type { Note } from '../../src/core/board/note/note';
import { parseNote } from '../../src/core/board/note/parse-note';
import { PRIORITIES, STATUSES, type Task } from '../../src/core/board/task';
import { caseCount } from '../in-full';
import { fc } from '../seeded';
import { notes, rawLines } from './note-maker';
import {
  expectOnlyNamedChange,
  expectOnlyNamedLines,
  keyLines,
  type EditOutcome,
} from './note-oracle';
import { titles } from './title-maker';

const today = '2026-11-21';
const RUNS = caseCount(10_000);
const MARKS = {
  pending: ' ',
  in_progress: '/',
  completed: 'x',
  cancelled: '-',
  failed: '!',
  deferred: '>',
} as const;

const edits = fc.record({
  type: fc.constantFrom(
    'status',
    'title',
    'dependsOn',
    'fields',
    'fields',
    'body',
    'add',
    'add',
    'id',
    'remove',
    'board',
    'rev',
  ),
  at: fc.nat(13),
  title: titles,
  status: fc.constantFrom(...STATUSES),
  place: fc.constantFrom('end', 'phase', 'new', 'parent', 'after'),
  ids: fc.uniqueArray(fc.constantFrom('k3f9-1', 'k3f9-2', 'nobody', 'k3f9-77'), { maxLength: 3 }),
  reason: fc.boolean(),
  fields: fc.record(
    {
      owner: fc.option(titles),
      risk: fc.option(fc.constantFrom('high', 'a ] b ` c')),
      scope: fc.constant(null),
      estimate: fc.constantFrom('2h', null),
      reason: fc.option(titles),
      priority: fc.constantFrom(...PRIORITIES),
      due: fc.constantFrom('2026-12-24', null),
    },
    { requiredKeys: [] },
  ),
  body: fc.constantFrom(
    '',
    'one line',
    'two\nlines',
    'Success: it works\n- plain item\n  more',
    '```\n- [ ] code\n```',
    '- [ ] no text',
    '```\nopen',
    '%% open',
  ),
});
type Edit = typeof edits extends fc.Arbitrary<infer T> ? T : never;

describe('a note never loses a byte that no operation named', () => {
  test('[NOTE1] [NOTE50] any edit of any note changes the lines it names and what they say, nothing else', () => {
    const count = { notes: 0, edits: 0, refused: 0 };
    const kinds = new Map<string, number>();
    fc.assert(
      fc.property(notes, fc.array(edits, { minLength: 2, maxLength: 3 }), (text, list) => {
        let note = parseNote('p.md', text);
        expect(note.board.broken).toBeNull();
        expect(note.text).toBe(text);
        count.notes += 1;
        for (const edit of list) {
          const done = apply(note, edit);
          if (!done) {
            count.refused += 1;
            continue;
          }
          const after = parseNote('p.md', done.text);
          expectOnlyNamedLines(note.text, done);
          expectOnlyNamedChange(note, after, done);
          note = after;
          count.edits += 1;
          kinds.set(edit.type, (kinds.get(edit.type) ?? 0) + 1);
        }
      }),
      { numRuns: RUNS },
    );
    expect(count.notes).toBeGreaterThanOrEqual(RUNS);
    expect(count.edits).toBeGreaterThanOrEqual(RUNS);
    expect(count.refused).toBeGreaterThan(RUNS / 100);
    expect([...kinds.keys()].toSorted()).toEqual([
      'add',
      'board',
      'body',
      'dependsOn',
      'fields',
      'id',
      'remove',
      'rev',
      'status',
      'title',
    ]);
    for (const [, times] of kinds) expect(times).toBeGreaterThan(RUNS / 50);
  });
});

function apply(note: Note, edit: Edit): EditOutcome | undefined {
  if (edit.type === 'add') return applyAdd(note, edit);
  if (edit.type === 'board') {
    const result = setTitle(note, edit.title);
    if (!result.ok) return undefined;
    const [old, now] = [rawLines(note.text), rawLines(result.text)];
    const shift = now.length - old.length;
    const heading = old.findIndex((line, i) => line.startsWith('# ') && now[i + shift] !== line);
    return {
      text: result.text,
      named: {},
      index: -1,
      lines: new Set([...keyLines(note, 'title'), heading]),
    };
  }
  if (edit.type === 'rev') {
    const result = bumpRev(note);
    return { text: result.text, named: {}, index: -1, lines: new Set(keyLines(note, 'rev')) };
  }
  const index = note.board.tasks.length === 0 ? -1 : edit.at % note.board.tasks.length;
  const task = note.board.tasks[index];
  return task && applyToTask(note, edit, task, index);
}

function applyToTask(note: Note, edit: Edit, task: Task, index: number): EditOutcome | undefined {
  const own = { index, lines: new Set([task.line - 1]) };
  if (edit.type === 'status') {
    const reason = edit.reason ? { reason: edit.title } : {};
    const result = setTaskStatus(note, task.key, edit.status, { today, ...reason });
    if (!result.ok) return undefined;
    const named = {
      ...statusFields(task, edit.status),
      ...(edit.reason && { reason: edit.title.trim() }),
    };
    return { text: result.text, named, ...own };
  }
  if (edit.type === 'title') {
    const result = setTaskTitle(note, task.key, edit.title);
    return result.ok
      ? { text: result.text, named: { title: edit.title.trim() }, ...own }
      : undefined;
  }
  if (edit.type === 'dependsOn') {
    const result = setTaskDependsOn(note, task.key, edit.ids);
    return result.ok ? { text: result.text, named: { dependsOn: edit.ids }, ...own } : undefined;
  }
  if (edit.type === 'fields') {
    const result = setTaskFields(note, task.key, edit.fields);
    return result.ok ? { text: result.text, named: trimmed(edit.fields), ...own } : undefined;
  }
  if (edit.type === 'body') return applyBody(note, edit, task, index);
  if (edit.type === 'id') {
    const result = giveId(note, task.key);
    if (!result.ok) return undefined;
    const named = { id: result.id, n: task.id === null ? Number(result.id.slice(5)) : task.n };
    return {
      text: result.text,
      named,
      index,
      lines: new Set([task.line - 1, ...keyLines(note, 'next')]),
    };
  }
  const result = removeTask(note, task.key);
  return result.ok ? { text: result.text, named: {}, ...own, removed: true } : undefined;
}

function applyAdd(note: Note, edit: Edit): EditOutcome | undefined {
  const { tasks } = note.board;
  const other = tasks[tasks.length === 0 ? -1 : edit.at % tasks.length];
  const place: Partial<NewTask> =
    edit.place === 'phase'
      ? { phase: 'Ground' }
      : edit.place === 'new'
        ? { phase: 'New ' + edit.status }
        : other && edit.place !== 'end'
          ? { [edit.place]: other.key }
          : {};
  const { title, status, ids } = edit;
  const result = addTask(note, { title, status, dependsOn: ids, today, ...place });
  if (!result.ok) return undefined;
  const index = result.board.tasks.findIndex(({ key }) => key === result.id);
  const named: EditOutcome['named'] = {
    title: title.trim(),
    status,
    dependsOn: ids,
    id: result.id,
  };
  if (place.phase !== undefined) named.phase = place.phase;
  return { text: result.text, named, index, added: true, lines: new Set(keyLines(note, 'next')) };
}

function trimmed(fields: Edit['fields']): EditOutcome['named'] {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === null ? null : value.trim() || null,
    ]),
  );
}

function applyBody(note: Note, edit: Edit, task: Task, index: number): EditOutcome | undefined {
  const result = setTaskBody(note, task.key, edit.body);
  if (!result.ok) return undefined;
  const body = edit.body === '' ? [] : edit.body.split('\n');
  const old = new Set(['', ...task.body.map((line) => line.trim())]);
  const named = rawLines(note.text).flatMap((line, at) =>
    at >= task.line && old.has(line.trim()) ? [at] : [],
  );
  return { text: result.text, named: { body }, index, lines: new Set(named), grows: body.length };
}

function statusFields(task: Task, status: Task['status']): EditOutcome['named'] {
  if (task.status === status) return {};
  return {
    status,
    mark: MARKS[status],
    done: status === 'completed' ? today : null,
    cancelled: status === 'cancelled' ? today : null,
  };
}
