// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ContinueState } from '../../src/core/session/auto-continue/continue-state';
import { ContinueLine } from '../../src/obsidian/part/continue-line';
import { stateLine } from '../../src/obsidian/sidebar/state-line';
import { session, SidebarFixture } from './sidebar-fixture';

let sidebar: SidebarFixture;
beforeEach(() => (sidebar = new SidebarFixture()));
afterEach(() => sidebar.close());

const PLAN = [
  { type: 'add', title: 'Draft' },
  { type: 'add', title: 'Sign', owner: 'me' },
  { type: 'add', title: 'Send', owner: 'me', dependsOn: ['2'] },
];

const lane = () => sidebar.root.querySelector('.atb-needs');
const nameOf = (element: Element | null) =>
  element?.querySelector(`#${element.getAttribute('aria-labelledby')}`)?.textContent;
const cards = () => [...(lane()?.querySelectorAll('.atb-card') ?? [])].map(nameOf);

function press(words: string): Promise<void> {
  const buttons = [...sidebar.root.querySelectorAll('button')];
  const button = buttons.find((one) => one.textContent === words);
  if (button === undefined) throw new Error(`no button ${words}`);
  return sidebar.do(() => button.click());
}

describe('what waits for the person', () => {
  test('[AUTO22] own tasks that are ready stand under Needs you with their session; done there, the next one comes', async () => {
    sidebar.sessions = [session('ses_1')];
    await sidebar.loaded();
    await sidebar.agent('ses_1', ...PLAN);
    expect(nameOf(lane())).toBe('Needs you, 1');
    expect(cards()).toEqual(['Your task Sign']);
    expect(lane()?.textContent).toContain('Session ses_1');
    await press('Mark done');
    expect(sidebar.board().tasks.map(({ status }) => status)).toEqual([
      ...['pending', 'completed', 'pending'],
    ]);
    expect(cards()).toEqual(['Your task Send']);
  });

  test('[AUTO22] what waits for approval stands there when no turn runs, and is approved there', async () => {
    sidebar.sessions = [session('ses_1', { state: { kind: 'busy' } })];
    await sidebar.loaded();
    await sidebar.agent('ses_1', { type: 'add', title: 'Draft' });
    const path = '.opencode/todos/ses_1/build-tasks.md';
    const text = sidebar.store.files.get(path)?.text ?? '';
    sidebar.store.put(path, text.replace('Draft', 'Draft [approve:: me]'));
    await sidebar.do(() => sidebar.manager.scan());
    await sidebar.agent('ses_1', { type: 'complete', id: 1 });
    expect(sidebar.board().tasks[0]).toMatchObject({ status: 'in_progress', approve: 'me' });
    expect(lane()).toBe(null);
    sidebar.sessions = [session('ses_1')];
    await sidebar.do(() => sidebar.overview.sessionsChanged());
    expect(cards()).toEqual(['Approve what was done? Draft']);
    await press('Approve');
    expect(sidebar.board().tasks[0]?.status).toBe('completed');
    expect(lane()).toBe(null);
  });

  test('[AUTO22] beyond five they are counted', async () => {
    await sidebar.loaded();
    const own = [1, 2, 3, 4, 5, 6, 7].map((n) => ({ type: 'add', title: `T${n}`, owner: 'me' }));
    await sidebar.agent('ses_1', ...own);
    expect(nameOf(lane())).toBe('Needs you, 7');
    expect(cards()).toHaveLength(5);
    expect(lane()?.textContent).toContain('and 2 more tasks of yours');
  });

  test('[AUTO23] a session that counts down says with what, and can be sent on or stopped', async () => {
    sidebar.sessions = [session('ses_1')];
    await sidebar.loaded();
    await sidebar.agent('ses_1', { type: 'add', title: 'Write' });
    const waiting: ContinueState = { kind: 'waiting', until: Date.now(), taskTitle: 'Write' };
    await sidebar.do(() => sidebar.overview.continueIs('ses_1', waiting));
    expect(sidebar.root.textContent).toContain('Continues in 0 s with Write.');
    await press('Continue now');
    await press('Stop');
    expect(sidebar.asked).toEqual(['continue ses_1', 'stop continuing ses_1']);
    const stopped: ContinueState = { kind: 'stopped', reason: 'no_progress' };
    await sidebar.do(() => sidebar.overview.continueIs('ses_1', stopped));
    expect(sidebar.root.textContent).toContain(
      'Does not go on by itself: three turns changed no task.',
    );
  });

  test('[AUTO23] the line of a session names the task that it waits for; offline it says Offline', () => {
    const needs: ContinueState = { kind: 'needs_me', taskTitle: 'Sign' };
    const around = { today: '2026-11-21', continues: needs };
    const line = stateLine(session('a'), [], { ...around, online: true });
    expect(line).toMatchObject({ text: 'Needs you', detail: 'Sign', tone: 'needs' });
    expect(stateLine(session('a'), [], { ...around, online: false }).text).toBe('Offline');
    const busy = session('a', { state: { kind: 'busy' } });
    expect(stateLine(busy, [], { ...around, online: true }).text).toBe('Working');
  });

  test('[AUTO23] the line is a group named by the task', () => {
    const root = document.createElement('div');
    const state = { kind: 'waiting', until: 0, taskTitle: '<b>Bold</b>' } as const;
    const nothing = () => undefined;
    void act(() =>
      render(<ContinueLine state={state} onContinue={nothing} onStop={nothing} />, root),
    );
    expect(nameOf(root.querySelector('[role=group]'))).toBe('Continues with <b>Bold</b>');
    expect(root.querySelector('b')).toBe(null);
    void act(() => render(null, root));
  });
});
