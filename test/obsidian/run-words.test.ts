import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/orchestrator/limits';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import type { RunView } from '../../src/core/orchestrator/runs';
import { attentionReasons, reasonCard } from '../../src/obsidian/run/reason-card';
import { estimateWords, usageFigures, compactTokens } from '../../src/obsidian/run/run-head';
import { checkPlan } from '../../src/obsidian/run/task-sections';
import { canInterrupt, activeRunChoices } from '../../src/obsidian/run/run-actions';
import { runNotice } from '../../src/obsidian/run/run-words';
import { runSummaries } from '../../src/obsidian/run/run-services';
import { readOptions, startValues } from '../../src/obsidian/run/start-form';
import { timelineEntryWords } from '../../src/obsidian/run/timeline-section';
import { stateLine } from '../../src/obsidian/session/state-line';
import type { Session } from '../../src/core/session/session';
import { personTasks } from '../../src/obsidian/model/attention';
import { board, task } from '../orchestrator/plan-board';
import { ManualRun, runOptions } from '../orchestrator/run-fixture';

function viewOf(led: ManualRun, id = 'r1'): RunView {
  const look = planSnapshotOf(board(led.tasks));
  return {
    id,
    state: led.state,
    plan: look,
    board: 'p.md',
    note: undefined,
    by: 'here',
    fault: null,
  };
}

const session = {
  ...{ id: 'planner', title: 'Plan', parentId: null, agent: 'build', lastActive: 0 },
  ...{ state: { kind: 'idle' }, permissions: [], questions: [] },
} as unknown as Session;

describe('what is said of runs outside of their panel', () => {
  it('[RUN73] a notice names the goal: the plan that is ready, why it waits and how many reasons there are, the end', () => {
    const led = new ManualRun();
    led.startPlanned([task(1), task(2)]);
    expect(runNotice(viewOf(led), { kind: 'approve' })).toEqual({
      ...{ text: 'The plan for Make search work is ready.', button: 'Review' },
      brief: 'The plan for Make search work is ready.',
    });
    const why = [
      { kind: 'own', task: { id: 'k3f9-1', title: 'Sign it' } },
      { kind: 'offline' },
    ] as const;
    expect(runNotice(viewOf(led), { kind: 'waits', why: [why[0]] }).text).toBe(
      'Make search work waits for you: Sign it is yours. It is done when you tick it.',
    );
    expect(runNotice(viewOf(led), { kind: 'waits', why: [...why] }).text).toMatch(
      /And 1 more reason\.$/,
    );
    led.set('k3f9-1', { status: 'completed' });
    expect(runNotice(viewOf(led), { kind: 'ended', as: 'completed' }).text).toBe(
      'Make search work is done: 1 of 2 tasks.',
    );
    led.send({ type: 'finish' });
    expect(runNotice(viewOf(led), { kind: 'ended', as: 'failed' }).text).toBe(
      'Make search work ended: 1 of 2 tasks done. You ended it as it stood.',
    );
    expect(runNotice(viewOf(led), { kind: 'ended', as: 'failed' }).brief).toBe(
      'Make search work ended: 1 of 2 tasks done.',
    );
  });

  it('[RUN74] the session whose board is the plan tells of the run that goes on; what it asks itself comes first', () => {
    const led = new ManualRun();
    led.startPlanned([task(1)], { approve: false });
    const [run] = runSummaries([viewOf(led)]);
    expect(run).toMatchObject({ session: 'planner', board: 'p.md', goal: 'Make search work' });
    const around = { online: true, today: '2026-11-22' };
    expect(stateLine(session, [], { ...around, run })).toEqual({
      ...{ icon: 'goal', text: 'Run', detail: 'Running', tone: 'plain' },
    });
    led.send({ type: 'cancel' });
    expect(runSummaries([viewOf(led)])).toEqual([]);
    const other = new ManualRun();
    other.send({ type: 'start', run: 'r2', wish: { ...wishOf(led) }, session: 'planner' });
    expect(runSummaries([viewOf(other, 'r2'), viewOf(led)])).toMatchObject([
      { id: 'r2', session: 'planner', words: 'Planning', waits: false, needs: [] },
    ]);
  });

  it('[RUN120] a run that waits says what for, once: what has a card of another kind is left to that', () => {
    const led = new ManualRun();
    const needs = () =>
      runSummaries([viewOf(led)]).flatMap((run) => run.needs.map(({ title }) => title));
    led.send({ type: 'start', run: 'r1', wish: runOptions(), session: null });
    led.reportOpened('planner');
    led.reportDone('prompt');
    led.tasks = [task(1), task(2, { owner: 'me' })];
    led.reportTurnEnded('planner', 'm1');
    expect(needs()).toEqual(['The plan for Make search work is ready']);
    led.send({ type: 'approve' });
    led.startTask('w1');
    expect(needs()).toEqual([]);
    led.send({ type: 'asked', sessionId: 'w1', request: 'p1', what: 'bash: ls' });
    expect(runSummaries([viewOf(led)])).toMatchObject([{ waits: true, needs: [] }]);
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(needs()).toEqual(['Task 1 was stopped']);
    led.send({ type: 'linked', up: false });
    expect(needs()).toEqual(['Task 1 was stopped']);
  });

  it('[RUN120] a task that the person approves is theirs once its turn is over, also while the planning session works', () => {
    const led = new ManualRun();
    led.startPlanned([task(1, { approve: 'me' })], { approve: false });
    const busy = { ...session, state: { kind: 'busy' } } as Session;
    const mine = () =>
      personTasks({
        boards: [{ ...board(led.tasks), path: 'p.md', session: 'planner' }],
        ...{ sessions: [busy], runs: runSummaries([viewOf(led)]) },
      }).map(({ task: { title } }) => title);
    led.startTask('w1');
    expect(mine()).toEqual([]);
    led.reportTurnEnded('w1', 'm2');
    expect(runSummaries([viewOf(led)])).toMatchObject([{ approvals: ['k3f9-1'], waits: true }]);
    expect(mine()).toEqual(['Task 1']);
  });

  it('[PLUGIN84] a run names the session of each task that it has taken up, with which the task is shown until the run lets go of it', () => {
    const led = new ManualRun();
    led.tasks = [];
    led.startPlanned([task(1), task(2)], { approve: false });
    const workers = () => runSummaries([viewOf(led)]).flatMap((run) => run.workers);
    expect(workers()).toEqual([]);
    led.startTask('w1');
    expect(workers()).toEqual([{ task: 'k3f9-1', session: 'w1' }]);
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(workers()).toEqual([{ task: 'k3f9-1', session: 'w1' }]);
    led.send({ type: 'cancel' });
    expect(workers()).toEqual([]);
  });

  it('[RUN74] at its session in the sidebar a run is paused, gone on with, stopped, skipped, tried again and cancelled', () => {
    const led = new ManualRun();
    const offered = () => activeRunChoices(viewOf(led)).map(({ label }) => label);
    const wish = { goal: 'Dig', agent: 'build', model: null, approve: true, limits: LIMITS };
    led.send({ type: 'start', run: 'r1', wish, session: null });
    led.reportOpened('planner');
    led.reportDone('prompt');
    led.tasks = [task(1)];
    led.reportTurnEnded('planner', 'm1');
    expect(offered()).toEqual([
      ...['Approve plan and run', 'Pause run', 'Ask for another plan…', 'Cancel run…'],
    ]);
    led.send({ type: 'approve' });
    led.startTask('w1');
    expect(offered()).toEqual(['Pause run', 'Skip task…', 'Interrupt turns', 'Cancel run…']);
    led.send({ type: 'interrupt', task: null });
    expect(offered()).toEqual(['Pause run', 'Skip task…', 'Cancel run…']);
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(offered()).toEqual(['Skip task…', 'Pause run', 'Try task again', 'Cancel run…']);
    led.send({ type: 'pause' });
    expect(offered()).toEqual(['Resume run', 'Skip task…', 'Try task again', 'Cancel run…']);
    led.send({ type: 'cancel' });
    expect(offered()).toEqual([]);
  });

  it('[RUN10] a turn that is about to begin can be interrupted as one that runs can', () => {
    const led = new ManualRun();
    const wish = { goal: 'Dig', agent: 'build', model: null, approve: false, limits: LIMITS };
    led.send({ type: 'start', run: 'r1', wish, session: null });
    expect(canInterrupt(viewOf(led))).toBe(true);
    led.send({ type: 'interrupt', task: null });
    expect(led.state.kind).toBe('waiting');
    expect(canInterrupt(viewOf(led))).toBe(false);
  });

  it('[RUN17] while a run waits for the person nothing is said of how long it takes', () => {
    const led = new ManualRun().startPlanned([task(1, { estimate: '10m' })]);
    led.startTask('w1');
    expect(estimateWords(viewOf(led))).toEqual(['About 10 min left', 'from the estimates']);
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(led.state.kind).toBe('waiting');
    expect(estimateWords(viewOf(led))).toEqual([]);
  });

  it('[RUN112] a card says what is asked for; the timeline that a task was tried again, or the board rolled back', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    const asked = { type: 'asked', sessionId: 'w1' } as const;
    led.send({ ...asked, request: 'p1', what: 'bash: rm -rf build' });
    led.send({ ...asked, request: 'p2', what: 'edit: a.md' });
    const card = () => attentionReasons(viewOf(led)).map((why) => reasonCard(viewOf(led), why));
    expect(card()).toMatchObject([
      {
        title: 'Task 1 asks you',
        text: 'bash: rm -rf build. And 1 more. Its turn waits for your answer.',
      },
    ]);
    expect(runNotice(viewOf(led), { kind: 'waits', why: attentionReasons(viewOf(led)) }).text).toBe(
      'Make search work waits for you: Task 1 asks you: bash: rm -rf build, and 1 more.',
    );
    expect(
      runNotice(viewOf(led), { kind: 'waits', why: attentionReasons(viewOf(led)) }).brief,
    ).toBe('Make search work waits for you: look at the run.');
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    led.send({ type: 'retry', task: 'k3f9-1' });
    led.send({ type: 'rolled_back', n: 2 });
    const timeline = 'run' in led.state ? led.state.run.timeline.slice(-2) : [];
    expect(timeline.map(timelineEntryWords)).toMatchObject([
      { icon: 'user-round', title: 'You had Task 1 tried again', text: '' },
      { icon: 'history', title: 'You rolled back to checkpoint 2' },
    ]);
  });

  it('[RUN111] a plan that waits for approval says which task has more criteria than a check can judge', () => {
    const body = Array.from({ length: 201 }, (_, at) => `Success: part ${at + 1}`);
    const tasks = [task(1, { body }), task(2, { body: body.slice(1) })];
    const hints = checkPlan(planSnapshotOf(board(tasks)), board(tasks));
    expect(hints.map(({ text }) => text)).toEqual([
      'Task 1 has 201 “Success:” lines. A check judges 200 at most, so the run will not begin it.',
    ]);
  });

  it('[RUN114] the dialog says at the goal that it holds half of a character', () => {
    const defaults = { agent: 'build', model: null, approve: true, limits: LIMITS };
    const values = startValues(defaults, undefined);
    expect(readOptions({ ...values, goal: 'Dig \ud83d' })).toEqual({
      problems: { goal: 'The goal contains half a character. Retype the text where it was cut.' },
    });
    expect(readOptions({ ...values, goal: 'Dig \u{1f600}' })).toHaveProperty('options');
  });

  it('[RUN61] the panel counts as the board does: failed, skipped and what is left of it', () => {
    const led = new ManualRun().startPlanned([
      ...[task(1, { estimate: '1h' }), task(2, { dependsOn: ['k3f9-1'], estimate: '30m' })],
      ...[task(3, { status: 'failed' }), task(4, { status: 'cancelled' })],
    ]);
    led.startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    const shown = usageFigures(viewOf(led), board(led.tasks), led.at);
    expect(shown).toMatchObject({ done: 0, total: 3 });
    expect(shown?.lines.slice(0, 2)).toEqual([
      { name: 'Tasks', value: '0 of 3' },
      { name: 'Rest', value: '1 failed, 1 skipped, 2 left, 30 min of work' },
    ]);
  });

  it('[RUN61] tokens are said short', () => {
    expect([0, 999, 1_000, 182_400, 999_499, 999_500, 1_240_000].map(compactTokens)).toEqual([
      ...['0', '999', '1k', '182k', '999k', '1M', '1.2M'],
    ]);
  });
});

function wishOf(led: ManualRun) {
  if (led.state.kind === 'idle') throw new Error('no run');
  return led.state.run.wish;
}
