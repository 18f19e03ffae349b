// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Task } from '../../src/core/board/task';
import type { ContinueState } from '../../src/core/session/auto-continue/continue-machine';
import { ContinueCard } from '../../src/obsidian/session/auto-continue';
import { waitingCount } from '../../src/obsidian/model/attention';
import type { RunIntent } from '../../src/obsidian/run/run-intent';
import type { ReasonCard } from '../../src/obsidian/run/reason-card';
import type { RunSummary } from '../../src/obsidian/model/overview';
import { stateLine } from '../../src/obsidian/session/state-line';
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
    await sidebar.loadBoards();
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
    await sidebar.loadBoards();
    await sidebar.agent('ses_1', { type: 'add', title: 'Draft' });
    const path = '.opencode/todos/ses_1/build-tasks.md';
    const text = sidebar.store.files.get(path)?.text ?? '';
    sidebar.store.put(path, text.replace('Draft', 'Draft [approve:: me]'));
    await sidebar.do(() => sidebar.manager.scan());
    await sidebar.agent('ses_1', { type: 'update', id: 1, status: 'in_progress' });
    expect(sidebar.board().tasks[0]).toMatchObject({ status: 'in_progress', approve: 'me' });
    expect(lane()).toBe(null);
    sidebar.sessions = [session('ses_1')];
    await sidebar.do(() => sidebar.overview.sessionsChanged());
    expect(cards()).toEqual(['Approve what was done? Draft']);
    await press('Approve');
    expect(sidebar.board().tasks[0]?.status).toBe('completed');
    expect(lane()).toBe(null);
  });

  test('[REVIEW23] what waits for a review stands there also while a turn runs, and is accepted there', async () => {
    sidebar.sessions = [session('ses_1', { state: { kind: 'busy' } })];
    await sidebar.loadBoards();
    await sidebar.agent('ses_1', { type: 'add', title: 'Draft' });
    const { path } = sidebar.board();
    await sidebar.manager.review(path, 'all');
    await sidebar.agent('ses_1', { type: 'complete', id: 1 });
    expect(cards()).toEqual(['Accept what was done? Draft']);
    await press('Send back…');
    expect(sidebar.asked).toEqual(['send back Draft']);
    await press('Accept');
    expect(sidebar.board().tasks[0]?.status).toBe('completed');
    expect(lane()).toBe(null);
  });

  test('[RUN120] [RUN121] a run that waits stands there with what can be done; what waits for a task that it checks is not ready', async () => {
    sidebar.sessions = [session('s1')];
    const waits = { type: 'add', title: 'Write', dependsOn: ['1'] };
    await sidebar.agent('s1', { type: 'add', title: 'Read' }, waits);
    await sidebar.agent('s1', { type: 'update', id: 1, status: 'completed' });
    await sidebar.loadBoards();
    const { path, agent, tasks } = sidebar.board();
    const read = tasks[0]?.id ?? '';
    const retry: RunIntent = { kind: 'act', action: { type: 'retry', task: read } };
    const need: ReasonCard = {
      ...{ key: 'held', icon: 'octagon-alert', tone: 'error', title: 'Read failed' },
      ...{ text: '3 of 3 attempts.', buttons: [{ label: 'Try again', intent: retry }] },
    };
    const run = { id: 'r1', session: 's1', board: path, goal: 'Make it', words: 'Waits for you' };
    const state: RunSummary = {
      ...run,
      agent,
      waits: true,
      needs: [need],
      taken: [read],
      approvals: [],
      workers: [],
    };
    expect(sidebar.lines()).toContain('2 Write');
    expect(sidebar.row('Session s1').querySelector('.atb-left')?.textContent).toBe('1 left');
    await sidebar.do(() => sidebar.overview.setRuns([state]));
    const row = sidebar.row('Session s1');
    expect(row.querySelector('.atb-state')?.textContent).toBe('Run · Waits for you');
    expect(row.querySelector('.atb-count')?.textContent).toBe('0 / 2');
    expect(sidebar.lines()).toContain('2 Write | Waits for Read, not checked yet');
    expect(waitingCount(sidebar.overview.state)).toBe(1);
    const card = sidebar.root.querySelector<HTMLElement>('.atb-needs .atb-card');
    expect(card?.textContent).toContain('Make it · 3 of 3 attempts.');
    const press = (label: string) =>
      sidebar.do(() =>
        [...(card?.querySelectorAll('button') ?? [])]
          .find((one) => one.textContent === label)
          ?.click(),
      );
    await press('Try again');
    await press('Open run panel');
    expect(sidebar.asked).toEqual([`run r1 ${JSON.stringify(retry)}`, 'run r1']);
    await sidebar.do(() => sidebar.overview.setRuns([]));
    expect(sidebar.root.querySelector('.atb-needs')).toBeNull();
    expect(sidebar.row('Session s1').querySelector('.atb-state')?.textContent).toBe('Idle');
  });

  test('[AUTO24] that a task is done only at the word of the person is set and cleared without typing', async () => {
    await sidebar.loadBoards();
    await sidebar.agent('ses_1', { type: 'add', title: 'Draft' });
    const draft = () => sidebar.board().tasks[0] as Task;
    const line = () => {
      const file = sidebar.store.files.get('.opencode/todos/ses_1/build-tasks.md');
      return file?.text.split('\n').find((one) => one.includes('Draft'));
    };
    await sidebar.do(() => sidebar.actions.approve(sidebar.board(), draft(), true));
    expect(draft().approve).toBe('me');
    expect(line()).toContain('[approve:: me]');
    expect(sidebar.notices.at(-1)).toBe('Draft is done only when you approve it.');
    await sidebar.do(() => sidebar.actions.approve(sidebar.board(), draft(), false));
    expect(line()).not.toContain('approve');
  });

  test('[AUTO22] beyond five they are counted', async () => {
    await sidebar.loadBoards();
    const own = [1, 2, 3, 4, 5, 6, 7].map((n) => ({ type: 'add', title: `T${n}`, owner: 'me' }));
    await sidebar.agent('ses_1', ...own);
    expect(nameOf(lane())).toBe('Needs you, 7');
    expect(cards()).toHaveLength(5);
    expect(lane()?.textContent).toContain('and 2 more tasks of yours');
  });

  test('[AUTO23] a session that counts down says with what, and can be sent on or stopped', async () => {
    sidebar.sessions = [session('ses_1')];
    await sidebar.loadBoards();
    await sidebar.agent('ses_1', { type: 'add', title: 'Write' });
    const waiting: ContinueState = { kind: 'waiting', until: Date.now(), taskTitle: 'Write' };
    await sidebar.do(() => sidebar.overview.setContinueState('ses_1', waiting));
    expect(sidebar.root.textContent).toContain('Continues in 0 s with Write.');
    await press('Continue now');
    await press('Stop');
    expect(sidebar.asked).toEqual(['continue ses_1', 'stop continuing ses_1']);
    const stopped: ContinueState = { kind: 'stopped', reason: 'no_progress' };
    await sidebar.do(() => sidebar.overview.setContinueState('ses_1', stopped));
    expect(sidebar.root.textContent).toContain(
      'Does not continue by itself: three turns changed no task.',
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
      render(<ContinueCard state={state} onContinue={nothing} onStop={nothing} />, root),
    );
    expect(nameOf(root.querySelector('[role=group]'))).toBe('Continues with <b>Bold</b>');
    expect(root.querySelector('b')).toBe(null);
    void act(() => render(null, root));
  });
});
