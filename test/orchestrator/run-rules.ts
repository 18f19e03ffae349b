import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { readState } from '../../src/core/orchestrator/serialise';
import { stateName, type RunState } from '../../src/core/orchestrator/state';
import type { RunWorld } from './run-world';

type Staged = Extract<RunState, { kind: 'going' | 'paused' | 'waiting' }>;

/** Asserts the invariants after each event, from the world's knowledge, not from the run's. */
export function expectInvariants(before: RunState, after: RunState, world: RunWorld): void {
  const stored = readState(world.stored);
  if (!stored.ok) throw new Error(stored.message);
  expectEqual(stored.value, after);
  if (after.kind === 'idle') return;
  const { run } = after;
  const { limits } = run.wish;
  expect(run.used.turns).toBeLessThanOrEqual(limits.turns);
  expect(world.prompted.size).toBeLessThanOrEqual(run.used.turns);
  expectEvidence(before, after, world);
  if (after.kind === 'completed' && before.kind !== 'completed') {
    expect(world.tasks.every(({ status }) => /completed|cancelled/.test(status))).toBe(true);
  }
  if ('stage' in after) expectStageInvariants(before, after, world);
}

/** Like `toEqual`, but fast for equal values: most of the time went there. */
export function expectEqual(one: unknown, other: unknown): void {
  if (!isDeepStrictEqual(one, other)) expect(one).toEqual(other);
}

/** Asserts that a step that ended as done has evidence. */
function expectEvidence(before: RunState, after: RunState, world: RunWorld): void {
  if (before.kind === 'idle' || after.kind === 'idle') return;
  for (const one of after.run.done) {
    const known = before.run.done.includes(one);
    const task = world.tasks.find(({ id }) => id === one.task);
    if (task === undefined || (known && !('stage' in after))) continue;
    expect(task.status).toBe('completed');
    if (known) continue;
    if (world.byPerson.has(one.task)) continue;
    expect(task.approve).toBe(null);
    if (task.body.length > 0) expect(world.passed.has(one.task)).toBe(true);
  }
}

function expectStageInvariants(before: RunState, after: Staged, world: RunWorld): void {
  if (after.stage.kind !== 'executing') return;
  const { steps } = after.stage;
  const { limits } = after.run.wish;
  const was = 'stage' in before && before.stage.kind === 'executing' ? before.stage.steps : [];
  const known = new Set(was.map(({ task }) => task));
  const taken = new Set(steps.map(({ task }) => task));
  expect(taken.size).toBe(steps.length);
  for (const step of steps) {
    expect(step.attempt).toBeLessThanOrEqual(limits.attempts);
    if (known.has(step.task)) continue;
    const task = world.tasks.find(({ id }) => id === step.task);
    for (const id of task?.dependsOn ?? []) {
      const status = world.tasks.find((one) => one.id === id)?.status;
      expect(status).toMatch(/completed|cancelled/);
      expect(taken.has(id)).toBe(false);
    }
  }
  const active = steps.filter(({ doing }) => doing.kind !== 'held' && doing.kind !== 'approval');
  const fresh = active.filter(({ task }) => !known.has(task));
  if (fresh.length > 0) expect(active.length).toBeLessThanOrEqual(limits.parallel);
}

/** Counts of what was reached: states, transitions, phases of steps, reasons to wait. */
export class Reached {
  readonly states = new Map<string, number>();
  readonly moves = new Map<string, number>();
  readonly details = new Map<string, number>();

  see(before: RunState, after: RunState): void {
    count(this.states, stateName(after));
    const [from, to] = [stateName(before), stateName(after)];
    if (from !== to) count(this.moves, `${from} > ${to}`);
    if (after.kind === 'waiting') {
      for (const why of after.why) {
        const more = why.kind === 'limit' ? why.limit : why.kind === 'held' ? why.why : '';
        count(this.details, `waits: ${why.kind} ${more}`.trim());
      }
    }
    if (!('stage' in after)) return;
    const { stage } = after;
    if (stage.kind === 'planning') count(this.details, `plan: ${stage.doing.kind}`);
    if (stage.kind !== 'executing') return;
    if (stage.naming !== null) count(this.details, 'naming');
    for (const { doing } of stage.steps) {
      const more =
        'turn' in doing ? doing.turn.kind : doing.kind === 'writing' ? doing.write.kind : '';
      count(this.details, `step: ${doing.kind} ${more}`.trim());
      if ('turn' in doing && doing.turn.kind === 'working' && doing.turn.stop !== null) {
        count(this.details, `stop: ${doing.turn.stop.cause.kind}`);
      }
    }
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
