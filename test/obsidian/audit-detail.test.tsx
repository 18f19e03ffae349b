// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { intent, outcome } from '../permission/audit-folder';
import {
  at,
  AuditFixture,
  writeSampleCalls,
  NOTE,
  makeUndoable,
  addPendingAsk,
} from './audit-fixture';

let view: AuditFixture;

beforeEach(() => {
  view = new AuditFixture();
});

afterEach(() => view.close());

describe('an entry in full', () => {
  test('[AUD43] an entry tells who, what, why by which rule, and what was sent', async () => {
    await writeSampleCalls(view);
    makeUndoable(view);
    await view.open();
    await view.perform(() => view.rows[1]?.click());
    const facts = [...(view.detail?.querySelectorAll('dl > div') ?? [])].map(
      (one) => one.textContent,
    );
    expect(facts).toEqual([
      'SessionOffline search',
      'Agentbuild',
      'TaskRead the notes',
      `Note${NOTE}`,
      'ToolUpdate note',
    ]);
    const text = view.detail?.textContent ?? '';
    expect(text).toContain('Today 14:08:12 · 38 ms');
    expect(text).toContain(
      'You allowed it once at 14:08:14. Rule 3, write Projects/**, is set to ask.',
    );
    expect(view.detail?.querySelector('code')?.textContent).toBe('write Projects/**');
    expect(view.detail?.querySelector('pre')?.textContent).toBe(`{\n  "path": "${NOTE}"\n}`);
  });

  test('[AUD43] one that waits can be answered from there', async () => {
    await writeSampleCalls(view);
    addPendingAsk(view);
    await view.open();
    await view.perform(() => view.rows[0]?.click());
    expect(view.detail?.textContent).toContain('It waits for your answer.');
    await view.click('Review');
    expect(view.asked).toEqual(['review r1']);
  });

  test('[AUD44] its change is shown and undone; where the note changed, both versions are compared', async () => {
    await writeSampleCalls(view);
    makeUndoable(view);
    await view.open();
    await view.perform(() => view.rows[1]?.click());
    const change = view.detail?.querySelector('.atb-diff');
    expect(change?.textContent).toContain('removed: one');
    expect(change?.textContent).toContain('added: two');
    expect(view.detail?.textContent).toContain(
      'The note has not changed since, so this can be undone.',
    );
    await view.click('Undo this change');
    expect(view.asked).toEqual(['notice Undone: Index format.']);
    const message =
      "The note changed at 14:40, so this can't be undone. Compare the two versions instead.";
    const said = { key: 'noteUndoFault.changed', values: { time: '14:40' } };
    view.look = { undo: { ok: false, code: 'changed', message, said }, texts: undefined };
    await view.touch(NOTE);
    expect(view.detail?.textContent).toContain(message);
    expect(view.detail?.textContent).not.toContain('Undo this change');
    await view.click('Compare');
    await view.click('Open note');
    expect(view.asked.slice(1)).toEqual(['compare', `open ${NOTE}`]);
  });

  test('[AUD49] an entry of tasks leads to its board, at the task that it was about', async () => {
    const path = '.opencode/todos/s/build-tasks.md';
    const tasks = { tool: 'tasks', operation: 'tasks', path, task: 't1', args: {} } as const;
    await view.write(at(14, 30), intent('d', tasks));
    await view.write(at(14, 30), outcome('d', { ms: 3 }));
    await view.open();
    await view.perform(() => view.rows[0]?.click());
    expect(view.detail?.textContent).not.toContain('Open note');
    await view.click('Open board');
    expect(view.asked).toEqual([`board ${path} t1`]);
  });

  test('[AUD44] an undo that is refused says why', async () => {
    await writeSampleCalls(view);
    makeUndoable(view);
    const said = { key: 'noteUndoFault.gone', values: {} };
    view.undone = { ok: false, code: 'gone', message: '', said };
    await view.open();
    await view.perform(() => view.rows[1]?.click());
    await view.click('Undo this change');
    expect(view.asked).toEqual(["notice The note is no longer there, so this can't be undone."]);
  });
});
