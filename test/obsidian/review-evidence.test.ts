import { describe, expect, it } from 'vitest';
import type { ChangeRecord } from '../../src/core/board/history/change-record';
import { parseNote } from '../../src/core/board/note/parse-note';
import { AuditReader } from '../../src/core/permission/audit/audit-reader';
import { collectEvidence, monthToRead } from '../../src/obsidian/board/review-evidence';
import { AuditFolder, intent, outcome } from '../permission/audit-folder';

const PATH = '.opencode/todos/s/build-tasks.md';
const BEGUN = '- [/] Build 🆔 k3f9-1 ^k3f9-1';
const { board } = parseNote(
  PATH,
  `---
board: 1
session: s
agent: build
title: T
prefix: k3f9
next: 2
rev: 3
---

- [/] Build [review:: 2026-11-21] 🆔 k3f9-1 ^k3f9-1
	Success: it finds every word
	Result: 10 notes
	Result: 20 notes
	Sent back: umlauts are lost
`,
);
const [task] = board.tasks;

/** The change by which the agent began the task. */
const begun = (at: number): ChangeRecord => ({
  ...{ change: `${PATH}#u1`, at, by: { kind: 'agent', name: 'build' } },
  ...{ said: ['update: #1 Build'], rev: 2, tasks: ['k3f9-1'] },
  hunks: [
    {
      was: ['- [ ] Build 🆔 k3f9-1 ^k3f9-1\n'],
      is: [`${BEGUN}\n`],
      ...{ above: [], below: [], task: 'k3f9-1' },
    },
  ],
});

type Call = Parameters<typeof intent>[1] & { readonly result?: 'denied' };

/** The evidence from these calls, by id; the n-th call is made at n seconds. */
async function found(records: readonly ChangeRecord[], calls: Readonly<Record<string, Call>>) {
  if (task === undefined) throw new Error('no task');
  const folder = new AuditFolder();
  const log = folder.log();
  let at = 0;
  for (const [id, { result, ...more }] of Object.entries(calls)) {
    folder.time = at += 1_000;
    await log.append(intent(id, more));
    await log.append(outcome(id, result === undefined ? HASHES : { result }));
  }
  const { rows } = await new AuditReader(folder.store).refresh();
  const evidence = collectEvidence(board, task, records, rows);
  const ids = (kind: 'changes' | 'calls') => evidence[kind].map((row) => row.intent.callId);
  return { ...evidence, changes: ids('changes'), calls: ids('calls') };
}

const HASHES = { before: '0'.repeat(64), after: '1'.repeat(64) };

describe('what there is to judge a task by', () => {
  it('[REVIEW22] is what its text says, and what its agent did since it was begun, the latest first', async () => {
    const evidence = await found([begun(2_000)], {
      before: {},
      first: {},
      read: { operation: 'read', dryRun: true },
      refused: { result: 'denied' },
      last: { task: 'k3f9-1' },
    });
    expect(evidence).toMatchObject({
      success: ['it finds every word'],
      results: ['10 notes', '20 notes'],
      sentBack: ['umlauts are lost'],
      since: 2_000,
      changes: ['last', 'first'],
      calls: ['refused', 'read'],
    });
  });

  it('[REVIEW22] is nothing of another task, agent or session, of the person, or of the board itself', async () => {
    const { changes, calls } = await found([begun(0)], {
      task: { task: 'k3f9-2' },
      agent: { agent: 'plan' },
      session: { sessionId: 's2' },
      person: { by: 'person' },
      board: { operation: 'tasks', tool: 'tasks' },
      named: { agent: 'plan', sessionId: 's2', task: 'k3f9-1' },
    });
    expect([changes, calls]).toEqual([['named'], []]);
  });

  it('[REVIEW22] is only what names the task where the history does not say when it was begun', async () => {
    const { since, changes } = await found([], { own: {}, named: { task: 'k3f9-1' } });
    expect([since, changes]).toEqual([undefined, ['named']]);
  });

  it('[REVIEW22] has months of the audit read until the one in which the task was begun', () => {
    const since = new Date(2026, 9, 31, 23).getTime();
    const asked = ['2026-11', '2026-10', '2026-09', undefined].map((older) =>
      monthToRead(since, { older }),
    );
    expect(asked).toEqual(['2026-11', '2026-10', undefined, undefined]);
    expect(monthToRead(undefined, { older: '2026-11' })).toBe(undefined);
  });
});
