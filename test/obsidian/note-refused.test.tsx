// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { Overview } from '../../src/obsidian/model/overview';
import { NoteBar } from '../../src/obsidian/note/note-head';
import { boardOf } from '../board/note-sample';
import { created } from '../session/events';
import { CONNECTED, session } from './sidebar-fixture';

test('[VIEW11] the bar of a note says what was refused of an agent’s edit, until its next one', () => {
  const bus = new SessionEventBus();
  const board = { ...boardOf('- [ ] Sign'), session: 's' };
  const sessions = [session('s'), session('sub', { parentId: 's' }), session('other')];
  const overview = new Overview({
    ...{ bus, boards: () => [board], sessions: () => sessions },
    connection: () => CONNECTED,
  });
  const root = document.body.appendChild(document.createElement('div'));
  const bar = (): string => {
    const { state } = overview;
    const opens = { onBoard: () => undefined, onGraph: () => undefined };
    void act(() => render(<NoteBar {...{ board, state, ...opens }} today="2026-11-22" />, root));
    return root.querySelector('[role=status]')?.textContent ?? '';
  };
  const call = (sessionId: string, more: object): void => {
    const payload = { callId: 'c', tool: 'tasks', status: 'completed', ...more };
    bus.emit({ type: 'tool.update', sessionId, ts: 1, payload } as SessionEvent);
  };
  for (const id of ['s', 'sub', 'other']) bus.emit(created(id));
  expect(bar()).toBe('');
  const refusals = { done: 1, refused: 1, reason: 'update: The person renamed it.' };
  call('other', { refusals });
  expect(bar()).toBe('');
  call('s', { refusals });
  expect(bar()).toBe('build: 1 done, 1 refused. update: The person renamed it.');
  call('s', { status: 'running' });
  call('s', { tool: 'bash' });
  expect(bar()).not.toBe('');
  call('s', {});
  expect(bar()).toBe('');
  call('sub', { refusals });
  expect(bar()).toContain('1 done, 1 refused');
});
