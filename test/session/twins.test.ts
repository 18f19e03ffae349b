import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/core/session/session';
import { hiddenTwins } from '../../src/core/session/twins';
import { SeveralBridges } from '../wire/several-bridges';
import { flushPromises } from '../wire/manual-clock';
import { session } from '../obsidian/sidebar-fixture';

const ASKS = { requestId: 'r', permission: 'edit', patterns: [], always: [], metadata: {} };

const inside = (part: Partial<Session> = {}) => session('ses_x', part);
const listed = (part: Partial<Session> = {}) =>
  session('over', { twin: { id: 'ses_x', opened: false }, ...part });
const opened = (part: Partial<Session> = {}) =>
  session('over', { twin: { id: 'ses_x', opened: true }, ...part });

describe('a session that several programs list', () => {
  test.each<[string, Session[], Record<string, string>]>([
    ['only listed: the bridge inside the program', [listed(), inside()], { over: 'ses_x' }],
    ['opened there: that one', [inside(), opened()], { ses_x: 'over' }],
    ['the one that works', [inside({ state: { kind: 'busy' } }), opened()], { over: 'ses_x' }],
    ['the one that asks', [inside(), listed({ permissions: [ASKS] })], { ses_x: 'over' }],
    [
      'both, where both work',
      ['busy', 'busy'].map((kind, at) =>
        [inside, opened][at]!({ state: { kind } as Session['state'] }),
      ),
      {},
    ],
    ['the one that can be reached', [inside({ away: true }), listed()], { ses_x: 'over' }],
    [
      'the one that can be reached, not what is kept of it',
      [inside({ state: { kind: 'ended', reason: 'closed' } }), listed()],
      { ses_x: 'over' },
    ],
    ['one that nobody else has', [listed()], {}],
    ['two that two agents call the same', [opened(), { ...opened(), id: 'other' }], {}],
    ...(['one', 'other'] as const).map((name): [string, Session[], Record<string, string>] => [
      `of two bridges of one program, not of two programs: ${name}`,
      [
        session('over', { twin: { id: 'ses_x', opened: true, program: 'one' } }),
        session('listed', { twin: { id: 'ses_x', opened: false, program: name } }),
      ],
      name === 'one' ? { listed: 'over' } : {},
    ]),
    ['others', [inside(), session('y')], {}],
  ])('[TWIN1] is shown once: %s', (_, sessions, hidden) => {
    expect(Object.fromEntries(hiddenTwins(sessions))).toEqual(hidden);
    expect(Object.fromEntries(hiddenTwins([...sessions].reverse()))).toEqual(hidden);
  });

  test('[TWIN1] a bridge says later that it opened one, and that is kept when it says other things', async () => {
    const s = new SeveralBridges();
    const acp = s.add(4001, 'over');
    const twin = { id: 'ses_x', opened: false };
    acp.sessions = [{ id: 'over', title: 'Dig', status: 'idle', twin }];
    s.add(4002, 'ses_x');
    await s.connect();
    await s.clock.advance(2_000);
    const hidden = () => Object.fromEntries(hiddenTwins(s.sessions.all()));
    expect(hidden()).toEqual({ over: 'ses_x' });
    const payload = { kind: 'title', title: 'Dig', twin: { ...twin, opened: true } } as const;
    acp.send({ type: 'progress.update', sessionId: 'over', payload });
    acp.send({
      type: 'progress.update',
      sessionId: 'over',
      payload: { kind: 'title', title: 'On' },
    });
    await flushPromises();
    expect(hidden()).toEqual({ ses_x: 'over' });
    s.remove(4001);
    await flushPromises();
    expect(hidden()).toEqual({ over: 'ses_x' });
  });
});
