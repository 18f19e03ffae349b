// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AUDIT_POLL_INTERVAL } from '../../src/obsidian/audit/audit-source';
import { intent, outcome } from '../permission/audit-folder';
import { at, AuditFixture, writeSampleCalls, RULE, addPendingAsk } from './audit-fixture';

let view: AuditFixture;

beforeEach(() => {
  view = new AuditFixture();
});

afterEach(() => view.close());

describe('the audit view', () => {
  test('[AUD62] a call of which a part was refused says so, is found among the failed, and why', async () => {
    const refusals = { done: 1, refused: 1 };
    const message = 'complete: There is no task 9.';
    await view.write(at(14, 2), intent('c9', { tool: 'tasks', operation: 'tasks' }));
    await view.write(
      at(14, 2, 1),
      outcome('c9', { title: '#1 added, 1 refused', refusals, message }),
    );
    await view.open({ ending: 'failed' });
    expect(view.names).toHaveLength(1);
    expect(view.names[0]).toContain('1 done, 1 refused');
    await view.perform(() => view.rows[0]?.click());
    expect(view.root.querySelector('.atb-audit-detail')?.textContent).toContain(
      '1 done, 1 refused: complete: There is no task 9.',
    );
  });

  test('[AUD40] says that nothing is recorded yet', async () => {
    await view.open();
    expect(view.root.querySelector('.atb-audit-nothing')?.textContent).toBe(
      'Nothing recorded yet. Each tool call will be listed here with the rule that decided it.',
    );
    expect(view.root.textContent).toContain('Intact, 0 entries');
  });

  test('[AUD40] lists each call with who, what, what came of it and why; its name is a sentence', async () => {
    await writeSampleCalls(view);
    addPendingAsk(view);
    await view.open();
    expect(view.names).toEqual([
      '14:26, build, Update note Index format, Waiting, Rule 3, asked',
      '14:08, build, Update note Index format, Done, You allowed once',
      '14:02, writer, Update note 2026-11-20, Denied by rule 2',
    ]);
    expect(
      view.rows.map((row) =>
        [...row.querySelectorAll('[role=cell]')].map((cell) => cell.textContent),
      ),
    ).toEqual([
      [
        '14:26:41',
        'build',
        'Offline search',
        'Update note',
        'Index format',
        'Waiting',
        'Rule 3, asked',
      ],
      [
        '14:08:12',
        'build',
        'Offline search',
        'Update note',
        'Index format',
        'Done',
        'You allowed once',
      ],
      [
        '14:02:00',
        'writer',
        'Release notes',
        'Update note',
        '2026-11-20',
        'Denied',
        'Rule 2, denied',
      ],
    ]);
    const table = view.root.querySelector('[role=table]');
    expect(table?.querySelector('[aria-sort=descending]')?.textContent).toBe('Today');
    expect(view.root.textContent).toContain('Intact, 5 entries');
  });

  test('[AUD40] a call that the preset decided says so', async () => {
    const preset = { kind: 'preset', words: 'write **, deny' } as const;
    const why = 'Not allowed. The preset decides: write **, deny.';
    const rule = { target: 'write **', agent: 'build' };
    const denied = { verdict: 'deny', decider: preset, rule, why, path: 'a.md' } as const;
    await view.write(at(13, 0), intent('p', { ...denied, tool: 'obsidian.update_note' }));
    await view.write(at(13, 0), { kind: 'outcome', callId: 'p', result: 'denied', code: 'denied' });
    await view.open();
    expect(view.names).toEqual(['13:00, build, Update note a, Denied by the preset']);
    await view.perform(() => view.rows[0]?.click());
    expect(view.root.querySelector('.atb-audit-detail')?.textContent).toContain(
      'The preset, write ** for build, is set to deny.',
    );
  });

  test('[AUD43] an entry of an earlier version shows its rule as it was written down', async () => {
    const decider = { kind: 'rule', number: 2, words: 'write **, deny (build)' } as const;
    await view.write(at(13, 0), intent('p', { verdict: 'deny', decider, path: 'a.md' }));
    await view.open();
    await view.perform(() => view.rows[0]?.click());
    expect(view.root.querySelector('.atb-audit-detail')?.textContent).toContain(
      'Rule 2, write **, deny (build).',
    );
  });

  test('[AUD40] new entries and answers appear by themselves, and what ended stops waiting', async () => {
    await writeSampleCalls(view);
    addPendingAsk(view);
    await view.open();
    view.asks.end('r1', { reply: 'cancelled' });
    await view.waitForDraw();
    expect(view.names[0]).toContain('Not recorded');
    await view.write(
      at(14, 27),
      outcome('c', { reply: 'reject', result: 'denied', message: 'No' }),
    );
    await view.write(at(14, 27), intent('d'));
    await view.perform(() => view.clock.advance(AUDIT_POLL_INTERVAL));
    expect(view.names).toHaveLength(4);
    expect(view.names[1]).toBe('14:26, build, Update note Index format, Denied, You denied');
    expect(view.root.textContent).toContain('Intact, 7 entries');
  });

  test('[AUD41] words and choices narrow the list, and how many are left is told', async () => {
    await writeSampleCalls(view);
    await view.open();
    await view.type('INDEX format');
    expect(view.names).toHaveLength(2);
    expect(view.root.querySelector('[role=status]')?.textContent).toBe('2 of 3');
    await view.choose('Outcome', 'done');
    expect(view.names).toHaveLength(1);
    await view.type('nothing like it');
    expect(view.root.textContent).toContain('No entry matches. Clear the filter.');
    await view.click('Clear');
    expect(view.names).toHaveLength(3);
    await view.choose('Agent', 'writer');
    await view.choose('Session', 's2');
    expect(view.names).toHaveLength(1);
    expect(view.choicesOf('Task')).toEqual(['All']);
    await view.choose('Session', '');
    await view.choose('Agent', '');
    expect(view.choicesOf('Task')).toEqual(['All', 'Read the notes']);
    await view.choose('Task', 't1');
    expect(view.names).toHaveLength(1);
    await view.choose('Task', '');
    expect(view.names).toHaveLength(3);
    await view.perform(() => view.handle?.show({ task: 't1' }));
    expect(view.names).toHaveLength(1);
  });

  test('[AUD42] keys go through the rows, open one and close it', async () => {
    await writeSampleCalls(view);
    await view.open();
    expect(view.rows.map((row) => row.tabIndex)).toEqual([0, -1, -1]);
    view.rows[0]?.focus();
    await view.key('ArrowDown');
    expect(document.activeElement).toBe(view.rows[0]);
    await view.key('ArrowDown');
    expect(document.activeElement).toBe(view.rows[1]);
    expect(view.detail).toBeNull();
    await view.key('Enter');
    expect(view.detail?.querySelector('h3')?.textContent).toBe('Updated Index format');
    await view.key('End');
    expect(view.detail?.querySelector('h3')?.textContent).toBe('Update note: 2026-11-20');
    await view.key('Escape');
    expect(view.detail).toBeNull();
    expect(document.activeElement).toBe(view.rows[2]);
    await view.key('Home');
    expect(document.activeElement).toBe(view.rows[0]);
    await view.key('/');
    expect(document.activeElement?.getAttribute('type')).toBe('search');
  });

  test('[AUD42] Ctrl C takes along what happened and the entries themselves', async () => {
    await writeSampleCalls(view);
    await view.open();
    view.rows[0]?.focus();
    await view.key('End');
    await view.key('c', { ctrlKey: true });
    expect(view.asked[0]).toMatch(
      /^copy Today 14:02:00: writer in session s2 called obsidian\.update_note to change Journal\/2026-11-20\.md\. Not allowed\. .*\n\{"v":1,"n":1,.*"kind":"intent",.*\n\{"v":1,"n":2,.*"kind":"outcome",.*\}$/,
    );
  });

  test('[AUD45] a broken chain is told, shown and copied', async () => {
    await writeSampleCalls(view);
    const lines = await view.folder.lines();
    await view.folder.put(lines.map((line, n) => (n === 3 ? line.replace('once', 'twice') : line)));
    await view.open();
    const banner = view.root.querySelector('.atb-banner');
    expect(banner?.textContent).toContain(
      "Entry 4 was changed or removed after it was written. Later entries can't be trusted.",
    );
    await view.click('Copy report');
    expect(view.asked[0]).toContain('copy Audit, 3 entries as they were written\nplugin: Entry 4');
    await view.click('Show entry 4');
    expect(view.detail?.querySelector('h3')?.textContent).toBe('Damaged entry');
  });

  test('[AUD46] a month back is read when it is asked for', async () => {
    view.folder.date = '2026-10-20';
    await view.write(at(9, 0, 0, -11), intent('old'));
    view.folder.date = '2026-11-22';
    await writeSampleCalls(view);
    await view.open();
    expect(view.names).toHaveLength(3);
    await view.click('Load October');
    expect(view.names).toHaveLength(4);
    expect(view.root.textContent).not.toContain('Load October');
    expect(view.root.querySelector('.is-day')?.textContent).toBe('20 October');
  });

  test('[AUD47] of 100,000 entries only those in sight are drawn', async () => {
    const { store } = view.folder;
    const lines: string[] = [];
    for (let n = 1; n <= 100_000; n += 1) {
      const entry = intent(`c${n}`, { decider: RULE });
      lines.push(
        JSON.stringify({
          v: 1,
          n,
          prev: n === 1 ? '' : 'a'.repeat(64),
          at: at(9) + n,
          ...entry,
          hash: 'a'.repeat(64),
        }),
      );
    }
    await store.replace('2026-11.plugin.jsonl', `${lines.join('\n')}\n`);
    await view.open();
    expect(view.root.querySelector('[role=table]')?.getAttribute('aria-rowcount')).toBe('100001');
    expect(view.rows.length).toBeGreaterThan(5);
    expect(view.rows.length).toBeLessThan(60);
    view.rows[0]?.focus();
    await view.key('End');
    expect(view.names.at(-1)).toContain('09:00');
    expect(document.activeElement?.getAttribute('aria-rowindex')).toBe('100001');
    await view.type('no such words');
    expect(view.rows).toHaveLength(0);
  });

  test('[AUD48] hostile words are text wherever they stand', async () => {
    const bad = '<img src=x onerror="window.hit=1">\u202e[x](javascript:alert(1))';
    await view.write(
      at(14),
      intent('a', {
        ...{ agent: bad, sessionId: bad, sessionTitle: bad, tool: bad, path: `${bad}.md` },
        ...{ task: bad, why: bad, args: { [bad]: bad }, decider: { ...RULE, words: bad } },
      }),
    );
    await view.write(at(14), outcome('a', { result: 'failed', message: bad, title: bad }));
    await view.write(at(14), { kind: 'repair', lost: bad });
    await view.open();
    await view.perform(() => view.rows[1]?.click());
    expect(view.detail).not.toBeNull();
    await view.perform(() => view.rows[0]?.click());
    for (const tag of ['img', 'a', 'script', 'iframe']) {
      expect(view.root.querySelector(tag)).toBeNull();
    }
    expect(view.root.textContent).not.toContain('\u202e');
    expect(view.root.textContent).toContain('<U+202E>');
  });
});
