import { beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/core/session/session';
import type { AttentionItem } from '../../src/obsidian/model/attention';
import { SessionNotices } from '../../src/obsidian/session/session-notices';
import type { OverviewState } from '../../src/obsidian/model/overview';
import { boardOf } from '../board/note-sample';
import { turnEnd } from '../session/events';
import { CONNECTED, session } from './sidebar-fixture';

const SESSION = 'ses_1';
const completed = turnEnd(SESSION, { messageId: 'm1', reason: 'completed' });

let told: string[];
let state: OverviewState;
let shown: boolean;
let held: string | undefined;
let focused: boolean;
/** whether the system shows notices */
let allowed: boolean;
let settings: { notices: boolean; systemNotices: boolean };
let notices: SessionNotices;
let buttons: (() => void)[];
/** keys of the notices currently shown by the system */
let open: Set<string>;

function plan(body: string, sessions: readonly Session[] = [session(SESSION)]): void {
  state = { ...state, boards: [boardOf(body)], sessions };
}

beforeEach(() => {
  told = [];
  buttons = [];
  open = new Set();
  held = undefined;
  [shown, focused, settings] = [false, true, { notices: true, systemNotices: false }];
  allowed = true;
  state = {
    ...{ loaded: true, boards: [], sessions: [], connection: CONNECTED, bridge: 'current' },
    ...{
      changes: new Map(),
      continues: new Map(),
      runs: [],
      planners: [],
      refusals: new Map(),
      findings: [],
      works: new Map(),
      asks: [],
    },
  };
  plan('- [x] Read\n- [ ] Write\n');
  notices = new SessionNotices({
    state: () => state,
    settings: () => settings,
    isShown: () => shown,
    isRunControlled: (sessionId) => sessionId === held,
    focused: () => focused,
    notify: (text, button) => {
      told.push(`${text} [${button?.label ?? ''}]`);
      if (button !== undefined) buttons.push(button.onClick);
    },
    system: {
      show: ({ key, text }) => {
        if (!allowed) return false;
        told.push(`system: ${text}`);
        open.add(key);
        return true;
      },
      keep: (waiting) => open.forEach((key) => waiting.has(key) || open.delete(key)),
      close: () => open.clear(),
    },
    review: (requestId) => void told.push(`review ${requestId}`),
    openSession: (sessionId) => void told.push(`open ${sessionId}`),
    openTask: ({ task, why }) => void told.push(`${why}: ${task.title}, line ${task.line}`),
  });
});

function permission(): AttentionItem {
  const request = {
    ...{ requestId: 'r1', permission: 'edit', patterns: ['a.md'], always: [], metadata: {} },
  };
  return { kind: 'permission', session: session(SESSION), request };
}

describe('notices of sessions that are not shown', () => {
  test('[AUTO20] a request whose dialog does not open by itself is told, with a way to it', () => {
    notices.notifyRequest(permission(), true);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^Session ses_1 needs you: [A-Z].*\. \[Review\]$/);
    buttons[0]?.();
    expect(told.at(-1)).toBe('review r1');
    notices.notifyRequest(permission(), false);
    expect(told).toHaveLength(2);
  });

  test('[AUTO20] a task of the person is told when it becomes theirs to do, once; not what waited at the start', () => {
    plan(
      '- [ ] Sign [owner:: me] 🆔 k3f9-1\n- [ ] Send [owner:: me] 🆔 k3f9-2 ⛔ k3f9-3\n- [ ] X 🆔 k3f9-3\n',
    );
    notices.update();
    expect(told).toEqual([]);
    plan(
      '- [ ] Sign [owner:: me] 🆔 k3f9-1\n- [ ] Send [owner:: me] 🆔 k3f9-2 ⛔ k3f9-3\n- [x] X 🆔 k3f9-3\n',
    );
    notices.update();
    notices.update();
    expect(told).toEqual(['Session ses_1 needs you: Send. [Open]']);
    plan('- [x] Sign\n- [x] Read\n- [x] Other\n- [ ] Send it [owner:: me] 🆔 k3f9-2\n');
    buttons[0]?.();
    expect(told.at(-1)).toMatch(/^own: Send it, line \d+$/);
    const line = Number(/\d+$/.exec(told.at(-1) ?? '')?.[0]);
    expect(state.boards[0]?.tasks.find((task) => task.line === line)?.title).toBe('Send it');
    told = [];
    plan('- [x] Send it [owner:: me] 🆔 k3f9-2\n');
    buttons[0]?.();
    expect(told).toEqual([]);
  });

  test('[AUTO20] a task without an id is told once, wherever its line goes, and a long title is cut', () => {
    notices.update();
    plan(`- [ ] Sign ${'x'.repeat(300)} [owner:: me]\n`);
    notices.update();
    plan(`- [ ] Read\n- [ ] Sign ${'x'.repeat(300)} [owner:: me]\n`);
    notices.update();
    expect(told).toEqual([`Session ses_1 needs you: Sign ${'x'.repeat(74)}…. [Open]`]);
  });

  test('[AUTO20] the end of a turn is told once, with how far the plan is; an interrupt is not', () => {
    notices.onEvent(completed);
    notices.onEvent(completed);
    expect(told).toEqual(['Session ses_1 finished. 1 of 2 tasks are done. [Open]']);
    notices.onEvent(turnEnd(SESSION, { messageId: 'm2', reason: 'interrupted' }));
    expect(told).toHaveLength(1);
    notices.onEvent(turnEnd(SESSION, { messageId: 'm3', reason: 'error' }));
    expect(told.at(-1)).toBe('Session ses_1 was stopped by an error. [Open]');
  });

  test('[AUTO21] nothing is told of what is shown, of subagents, of a session that goes on or that a run works with, or where it is turned off', () => {
    shown = true;
    notices.onEvent(completed);
    shown = false;
    plan('', [session(SESSION, { parentId: 'top' })]);
    notices.onEvent(turnEnd(SESSION, { messageId: 'm2', reason: 'completed' }));
    plan('', [session(SESSION)]);
    state = {
      ...state,
      continues: new Map([[SESSION, { kind: 'waiting', until: 1, taskTitle: 'Write' }]]),
    };
    notices.onEvent(turnEnd(SESSION, { messageId: 'm3', reason: 'completed' }));
    state = { ...state, continues: new Map() };
    held = SESSION;
    notices.onEvent(turnEnd(SESSION, { messageId: 'm5', reason: 'completed' }));
    held = undefined;
    settings = { notices: false, systemNotices: true };
    focused = false;
    notices.onEvent(turnEnd(SESSION, { messageId: 'm4', reason: 'completed' }));
    expect(told).toEqual([]);
  });

  test('[AUTO21] the system tells it only where that is turned on and the window has not the focus', () => {
    focused = false;
    notices.notifyRequest(permission(), true);
    expect(told[0]).toMatch(/^Session/);
    settings = { notices: true, systemNotices: true };
    notices.notifyRequest(permission(), false);
    expect(told[1]).toMatch(/^system: Session ses_1 needs you/);
    focused = true;
    notices.onEvent(completed);
    expect(told[2]).toMatch(/^Session ses_1 finished/);
  });

  test('[AUTO27] where the system refuses, as on a phone with the settings of the desktop, Obsidian tells it', () => {
    [allowed, focused, settings] = [false, false, { notices: true, systemNotices: true }];
    notices.onEvent(completed);
    expect(told).toEqual(['Session ses_1 finished. 1 of 2 tasks are done. [Open]']);
  });

  test('[AUTO27] the system says of a run nothing that an agent or a program wrote', () => {
    [focused, settings] = [false, { notices: true, systemNotices: true }];
    const button = { label: 'Open', onClick: () => undefined };
    const notice = { text: 'Ship waits: bash: curl -H token', brief: 'Ship waits', waits: true };
    notices.run('run1', { ...notice, button }, false);
    expect(told).toEqual(['system: Ship waits']);
  });

  test('[AUTO27] a notice of the system is closed once its task, its request or its run waits no more, wherever it was answered', () => {
    [focused, settings] = [false, { notices: true, systemNotices: true }];
    let needs: AttentionItem[] = [permission()];
    let changed = (): void => undefined;
    const source = {
      needs: () => needs,
      onChange: (listener: () => void) => ((changed = listener), () => undefined),
    };
    notices.follow({ onChange: () => () => undefined }, { onAll: () => () => undefined }, source);
    notices.update();
    notices.notifyRequest(permission(), true);
    plan('- [ ] Sign [owner:: me] 🆔 k3f9-1\n');
    notices.update();
    expect(open.size).toBe(2);
    needs = [];
    changed();
    expect([...open]).toEqual([expect.stringMatching(/^task .*k3f9-1/)]);
    plan('- [x] Sign [owner:: me] 🆔 k3f9-1\n');
    notices.update();
    expect(open.size).toBe(0);
  });
});
