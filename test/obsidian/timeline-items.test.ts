import { describe, expect, it } from 'vitest';
import type { ChangeRecord } from '../../src/core/board/history/change-record';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import type { Block } from '../../src/core/session/transcript/transcript';
import { timelineItems, type TimelineSources } from '../../src/obsidian/timeline/items';
import { board as plan, task } from '../orchestrator/plan-board';
import { ManualRun } from '../orchestrator/run-fixture';

const BOARD = { ...plan([task(1), task(2)]), session: 'ses_1', agent: 'build' };

function itemsOf(given: Partial<TimelineSources>) {
  const none = { records: [], checkpoints: [], runs: [], rows: [], blocks: [] };
  return timelineItems({ board: BOARD, ...none, ...given });
}

const typed = (at: number): Block => ({
  ...{ kind: 'board', id: `b${at}`, at, path: BOARD.path, by: 'disk' },
  changes: [{ key: 'k3f9-1', title: 'Sign it', what: 'status', status: 'completed' }],
});

describe('the entries of a timeline', () => {
  it('[TIME3] what was asked in the session and how its turns ended is there; what the agent wrote is not', () => {
    const blocks: Block[] = [
      { kind: 'prompt', id: 'p1', messageId: 'm1', at: 1, text: 'Plan the\nrelease' },
      { kind: 'text', id: 't1', messageId: 'm2', at: 2, text: 'I will.', live: false },
      { kind: 'turn', id: 'e1', at: 3, reason: 'completed', changedTasks: 2 },
      {
        ...{ kind: 'turn', id: 'e2', at: 4, reason: 'error', changedTasks: 0 },
        error: { code: 'x', message: 'The model is overloaded.' },
      },
    ];
    const told = itemsOf({ blocks }).map(({ who, title, text }) => [who, title, text]);
    expect(told).toEqual([
      ['build', 'Turn ended with an error', 'The model is overloaded.'],
      ['build', 'Turn ended', '2 tasks changed'],
      ['You', 'Plan the release', ''],
    ]);
  });

  it('[TIME3] a run tells what it did, with its checkpoint once, and what the person decided', () => {
    const led = new ManualRun();
    led.startPlanned([task(1), task(2)]);
    const snapshot = planSnapshotOf(plan(led.tasks));
    const run = { id: 'r1', state: led.state, plan: snapshot, board: BOARD.path, note: undefined };
    const runs = [{ ...run, by: 'here', fault: null }] as const;
    const told = itemsOf({ runs }).map(({ who, title }) => `${who}: ${title}`);
    expect(told).toContain('Run: The plan is ready');
    expect(told).toContain('You: You approved the plan');
    expect(told.at(-1)).toBe('Run: The run began');
  });

  it('[TIME7] what another program wrote is one entry, though it is noticed in the note as well', () => {
    const record: ChangeRecord = {
      ...{ change: 'ses_1/build-tasks.md#u1', at: 100_000, by: { kind: 'agent', name: 'codex' } },
      ...{ said: ['complete: #1 Sign it'], rev: 2, tasks: ['k3f9-1'] },
      hunks: [
        {
          was: ['- [ ] Sign it 🆔 k3f9-1 ^k3f9-1\n'],
          is: ['- [x] Sign it 🆔 k3f9-1 ^k3f9-1\n'],
          ...{ above: [], below: [], task: 'k3f9-1' },
        },
      ],
    };
    const board = { ...BOARD, prefix: 'k3f9' };
    const whoOf = (blocks: readonly Block[]) =>
      itemsOf({ board, records: [record], blocks }).map(({ who, text }) => `${who}: ${text}`);
    expect(whoOf([typed(101_000)])).toEqual(['codex: Done']);
    expect(whoOf([typed(900_000)])).toEqual(['You: Done, in the note', 'codex: Done']);
  });
});
