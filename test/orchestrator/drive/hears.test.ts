import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { RunFiles } from '../../../src/core/orchestrator/drive/run-files';
import type { SessionEvent } from '../../../src/core/session/session-event-bus';
import { runOptions } from '../run-fixture';
import { PausedAgents } from './paused-agents';
import { Machine, type Program } from './program';
import { obedientAgent } from './scripted-agent';

const PLAN = { operations: [{ type: 'add', title: 'Read it' }] };

async function working(): Promise<{
  machine: Machine;
  program: Program;
  held: PausedAgents;
  id: string;
  worker: string;
}> {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const program = machine.program();
  const run = await program.runs.start(runOptions({ approve: false }));
  if (!run.ok) throw new Error(run.message);
  await machine.clock.advance(500);
  const worker = machine.code.prompts.at(-1)?.session.id ?? '';
  return { machine, program, held, id: run.value, worker };
}

function asks(sessionId: string, requestId: string): Omit<SessionEvent, 'ts'> {
  const payload = { requestId, permission: 'bash', patterns: ['ls'], always: [], metadata: {} };
  return { type: 'permission.request', sessionId, payload };
}

function answers(sessionId: string, requestId: string): Omit<SessionEvent, 'ts'> {
  const payload = { requestId, reply: 'once' };
  return { type: 'permission.resolved', sessionId, payload };
}

it('[RUN42] what a subagent asks and uses is its session’s', async () => {
  const { machine, program, id, worker } = await working();
  const child = machine.code.add('child', worker);
  const other = machine.code.add('other', null);
  machine.code.emit(asks(other.id, 'p0'));
  machine.code.emit(asks(child.id, 'p1'));
  machine.code.emit({
    type: 'progress.update',
    sessionId: child.id,
    payload: { kind: 'tokens', messageId: 'm', input: 5, output: 6, reasoning: 7 },
  });
  await machine.clock.advance(100);
  expect(program.runs.get(id)?.state).toMatchObject({
    kind: 'waiting',
    why: [{ kind: 'asked', session: worker }],
    run: { used: { tokens: 18 } },
  });
  machine.code.emit(answers(child.id, 'p1'));
  await machine.clock.advance(100);
  expect(program.runs.get(id)?.state.kind).toBe('going');
  expect(program.runs.usesSession(worker)).toBe(true);
  expect(program.runs.usesSession(other.id)).toBe(false);
});

it.each([true, false])(
  '[RUN125] no access spends no attempt, heard (%s) or learnt when the connection is back',
  async (isHeard) => {
    const { machine, program, held, id, worker } = await working();
    machine.code.turnError = { code: 'auth', message: 'The key is refused.' };
    if (!isHeard) machine.code.setConnected(false);
    held.resumeAll();
    await machine.clock.advance(1_000);
    if (!isHeard) machine.code.setConnected(true);
    await machine.clock.advance(60_000);
    const session = machine.code.sessions.get(worker);
    expect(session?.prompts).toHaveLength(1);
    expect(program.runs.get(id)?.state).toMatchObject({
      kind: 'waiting',
      why: [{ kind: 'held', message: expect.stringContaining('The key is refused.') as unknown }],
    });
  },
);

it('[RUN42] a request of our own tools is waited for; one that nobody answered stops the step', async () => {
  const { machine, program, held, id, worker } = await working();
  const ask = { sessionId: worker, requestId: 'own' };
  program.asks.ask(ask);
  await machine.clock.advance(100);
  expect(program.runs.get(id)?.state).toMatchObject({ why: [{ kind: 'asked' }] });
  program.asks.end(ask, true);
  machine.code.play = () => Promise.resolve('');
  await machine.clock.advance(100);
  await program.runs.act(id, { type: 'interrupt', task: null });
  held.resumeAll();
  await machine.clock.advance(1_000);
  expect(program.runs.get(id)?.state).toMatchObject({ kind: 'waiting', why: [{ kind: 'held' }] });
});

it('[RUN34] requests that were answered while nobody listened are waited for no more', async () => {
  const { machine, program, held, id, worker } = await working();
  machine.code.emit(asks(worker, 'p1'));
  await machine.clock.advance(100);
  expect(program.runs.get(id)?.state.kind).toBe('waiting');
  await program.runs.close();
  const second = machine.program();
  await second.runs.scan();
  await second.runs.takeUp(id);
  await machine.clock.advance(100);
  expect(second.runs.get(id)?.state.kind).toBe('going');
  held.resumeAll();
  expect((await second.advanceUntilRest(id)).state.kind).toBe('completed');
});

it('[RUN34] an end that nobody heard is asked for: after a connection, or a long silence', async () => {
  const { machine, program, held, id } = await working();
  machine.code.buses.clear();
  held.resumeAll();
  await machine.clock.advance(10_000);
  expect(program.runs.get(id)?.state.kind).toBe('going');
  await machine.clock.advance(70_000);
  expect(program.runs.get(id)?.state).toMatchObject({
    kind: 'completed',
    run: { used: { turns: 2 }, done: [{ attempts: 1 }] },
  });
  const { state } = program.runs.get(id) ?? {};
  const results = state === undefined || !('run' in state) ? [] : state.run.done;
  expect(results[0]?.result).toContain('Result of');
});

it('[RUN34] a session that is gone is worked on in a new one', async () => {
  const { machine, program, held, id, worker } = await working();
  machine.code.buses.clear();
  machine.code.delete(worker);
  machine.code.addListener(program.bus);
  machine.code.setConnected(false);
  machine.code.setConnected(true);
  await machine.clock.advance(3_000);
  expect(held.count).toBe(2);
  held.resumeAll();
  expect((await program.advanceUntilRest(id)).state.kind).toBe('completed');
  const sessions = [...machine.code.sessions.values()].filter(({ title }) =>
    title.startsWith('Read it'),
  );
  expect(sessions).toHaveLength(2);
});

it('[RUN41] what keeps a run from being begun is said', async () => {
  const machine = new Machine(PLAN);
  const program = machine.program();
  const start = async (goal: string, on?: { session: string }): Promise<string> => {
    const begun = await program.runs.start(runOptions({ goal }), on);
    return begun.ok ? 'begun' : begun.message;
  };
  expect(await start('  \n')).toBe('The goal is empty. Say what the run should achieve.');
  expect(await start('x'.repeat(20_001))).toContain('20,001 characters');
  expect(await start('Search \ud83d')).toContain('half a character');
  program.knowsKeys = false;
  expect(await start('Search')).toContain('too old for runs');
  program.knowsKeys = true;
  machine.code.setConnected(false);
  expect(await start('Search')).toContain('No program is connected');
  machine.code.setConnected(true);
  expect(await start('Search', { session: 'ses_9' })).toContain('no longer there');
  expect(program.runs.all()).toEqual([]);
  expect([...machine.store.files.keys()].filter((path) => path.includes('/runs/'))).toEqual([]);

  machine.code.add('ses_8', null);
  expect(await start('Search', { session: 'ses_8' })).toBe('begun');
  await machine.clock.advance(500);
  expect(await start('Search', { session: 'ses_8' })).toContain('Another run goes on');
});

it('[RUN44] a log of which events are gone says so; one in several segments is played again whole', async () => {
  const { machine, program, held, id } = await working();
  for (let n = 0; n < 450; n += 1) {
    await program.runs.act(id, { type: 'more', more: { turns: 1 } });
  }
  held.resumeAll();
  await program.advanceUntilRest(id);
  const files = new RunFiles(machine.store);
  const segments = await files.segments(id);
  expect(segments.length).toBeGreaterThan(2);
  const whole = await replayRun(machine.store, id);
  expect(whole).toMatchObject({ ok: true, value: { same: true } });
  const name = [...machine.store.files.keys()].find((path) => path.endsWith('/00000001.jsonl'));
  machine.store.files.delete(name ?? '');
  expect(await replayRun(machine.store, id)).toEqual({
    ok: false,
    message: `The log has no events from 1 to ${(segments[1] ?? 0) - 1}: they are gone.`,
  });
  expect(await replayRun(machine.store, 'nope')).toEqual({
    ok: false,
    message: 'There is no run nope.',
  });
});
