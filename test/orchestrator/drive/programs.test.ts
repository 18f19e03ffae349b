import { expect, it } from 'vitest';
import { StoreError, type NoteStore } from '../../../src/core/ports';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { flushPromises } from '../../wire/manual-clock';
import { runOptions } from '../run-fixture';
import { DyingStore } from './dying-store';
import { PausedAgents } from './paused-agents';
import { Machine, type Program } from './program';
import { obedientAgent, kindOf } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
  ],
};
const FOLDER = '.opencode/agent-task-boards/runs';

/** A disk that may be too full for the files of runs. */
class FullStore extends DyingStore {
  full = false;

  constructor(store: NoteStore) {
    super(store, 0, 'before', () => undefined);
  }

  override update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    if (!this.full || !path.startsWith(FOLDER)) return super.update(path, edit);
    return Promise.reject(new StoreError('disk_full', 'The disk is full. Make room.'));
  }
}

async function begin(program: Program, approve = true): Promise<string> {
  const run = await program.runs.start(runOptions({ approve }));
  if (!run.ok) throw new Error(run.message);
  return run.value;
}

it('[RUN36] a run of another program is shown, and what the person wants is done there, once and in order', async () => {
  const machine = new Machine(PLAN);
  const obsidian = machine.program('obsidian');
  const cli = machine.program('cli');
  const changes: string[] = [];
  cli.runs.onChange((id) => changes.push(id));
  const id = await begin(obsidian);
  await machine.clock.advance(3_000);
  expect(cli.runs.get(id)).toMatchObject({
    by: 'elsewhere',
    state: { kind: 'going', stage: { kind: 'approving' } },
    plan: { kind: 'plan' },
  });
  expect(cli.runs.program(id)).toBe('obsidian');
  expect(changes).toContain(id);

  const paused = cli.runs.act(id, { type: 'pause' });
  const approved = cli.runs.act(id, { type: 'approve' });
  await machine.clock.advance(3_000);
  expect(await paused).toEqual({ ok: true, value: undefined });
  expect(await approved).toEqual({ ok: true, value: undefined });
  expect(obsidian.runs.get(id)?.state).toMatchObject({
    kind: 'paused',
    stage: { kind: 'executing' },
  });
  const resumed = cli.runs.act(id, { type: 'resume' });
  await machine.clock.advance(3_000);
  expect((await resumed).ok).toBe(true);
  expect((await obsidian.advanceUntilRest(id)).state.kind).toBe('completed');
  await machine.clock.advance(12_000);
  expect(cli.runs.get(id)).toMatchObject({ by: 'nobody', state: { kind: 'completed' } });
  expect([...machine.store.files.keys()].filter((path) => path.includes('/inbox/'))).toEqual([]);
});

it('[RUN115] a second pause is refused, here and where another program carries the run out', async () => {
  const machine = new Machine(PLAN);
  const obsidian = machine.program('obsidian');
  const cli = machine.program('cli');
  const id = await begin(obsidian);
  await cli.runs.scan();
  const paused = cli.runs.act(id, { type: 'pause' });
  await machine.clock.advance(3_000);
  expect((await paused).ok).toBe(true);
  // The result is known here without reading the disk again.
  expect(cli.runs.get(id)?.state.kind).toBe('paused');
  for (const { runs } of [obsidian, cli]) {
    expect(await runs.act(id, { type: 'pause' })).toEqual({
      ...{ ok: false, message: 'The run is paused already.' },
    });
  }
});

it('[RUN36] an action is not done twice where the program died between storing it and taking its file away', async () => {
  const machine = new Machine(PLAN);
  const first = machine.program();
  const id = await begin(first);
  await machine.clock.advance(500);
  const cli = machine.program('cli');
  const acted = cli.runs.act(id, { type: 'more', more: { turns: 20 } });
  await flushPromises();
  const [path = ''] = [...machine.store.files.keys()].filter((one) => one.includes('/inbox/'));
  const text = machine.store.files.get(path)?.text ?? '';
  await machine.clock.advance(3_000);
  expect((await acted).ok).toBe(true);
  machine.store.put(path, text);
  await first.die();
  const second = machine.program();
  await second.runs.scan();
  expect((await second.runs.takeUp(id)).ok).toBe(true);
  await machine.clock.advance(3_000);
  expect(second.runs.get(id)?.state).toMatchObject({ run: { wish: { limits: { turns: 60 } } } });
  expect(machine.store.files.has(path)).toBe(false);
});

it('[RUN36] nobody else takes up a run that is carried out; of a program that died it is taken over', async () => {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const first = machine.program('cli');
  const id = await begin(first, false);
  await machine.clock.advance(500);
  const second = machine.program('obsidian');
  await second.runs.scan();
  expect(await second.runs.takeUp(id)).toMatchObject({ ok: false });
  await first.die();
  held.resumeAll();
  await flushPromises();
  expect((await second.runs.takeUp(id)).ok).toBe(true);
  for (let turn = 0; turn < 4; turn += 1) {
    await machine.clock.advance(1_000);
    held.resumeAll();
  }
  expect((await second.advanceUntilRest(id)).state.kind).toBe('completed');
  expect(machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work')).toHaveLength(2);
});

it('[RUN36] a program that was overtaken while it slept writes nothing more', async () => {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const first = machine.program('cli');
  const id = await begin(first, false);
  await machine.clock.advance(500);
  // It loses its lock but lives on.
  const second = machine.program('obsidian');
  first.loseLocks();
  await second.runs.scan();
  expect((await second.runs.takeUp(id)).ok).toBe(true);
  expect((await first.runs.act(id, { type: 'pause' })).ok).toBe(false);
  for (let turn = 0; turn < 4; turn += 1) {
    await machine.clock.advance(1_000);
    held.resumeAll();
  }
  expect((await second.advanceUntilRest(id)).state.kind).toBe('completed');
  expect(first.runs.get(id)?.by).not.toBe('here');
  expect(machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work')).toHaveLength(2);
  expect(await replayRun(machine.store, id)).toMatchObject({ value: { same: true } });
});

it('[RUN35] a full disk makes the run stand still with a reason; it goes on by itself when there is room', async () => {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const disk = new FullStore(machine.store);
  const program = machine.program('obsidian', disk);
  const id = await begin(program, false);
  await machine.clock.advance(500);
  expect(held.count).toBe(1);
  disk.full = true;
  held.resumeAll();
  await machine.clock.advance(5_000);
  expect(program.runs.get(id)?.fault).toContain('The disk is full. Make room.');
  expect(held.count).toBe(0);
  expect(await program.runs.act(id, { type: 'cancel' })).toMatchObject({ ok: false });
  disk.full = false;
  await machine.clock.advance(40_000);
  expect(program.runs.get(id)).toMatchObject({ fault: null, state: { kind: 'going' } });
  held.resumeAll();
  expect((await program.advanceUntilRest(id)).state.kind).toBe('completed');
  expect(machine.code.prompts).toHaveLength(3);
  expect(await replayRun(machine.store, id)).toMatchObject({ value: { same: true } });
});

it('[RUN43] a run that rests is taken up by who wants something of it, without a connection only to end it', async () => {
  const machine = new Machine(PLAN);
  const first = machine.program();
  const id = await begin(first);
  await machine.clock.advance(500);
  await first.runs.close();
  const second = machine.program('cli');
  await second.runs.scan();
  expect(second.runs.get(id)).toMatchObject({
    by: 'nobody',
    state: { stage: { kind: 'approving' } },
  });
  machine.code.setConnected(false);
  expect(await second.runs.act(id, { type: 'approve' })).toEqual({
    ok: false,
    message:
      'This run is suspended, and its program is not connected. Start it in this vault, then try again.',
  });
  expect((await second.runs.act(id, { type: 'cancel' })).ok).toBe(true);
  await flushPromises();
  expect(second.runs.get(id)?.state.kind).toBe('cancelled');
  expect(await second.runs.act(id, { type: 'approve' })).toEqual({
    ok: false,
    message: 'This run is over.',
  });
  expect(await second.runs.act('nope', { type: 'approve' })).toMatchObject({ ok: false });
});

it('[RUN45] a program that ends asks for nothing more, and its run goes on elsewhere', async () => {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const first = machine.program();
  const id = await begin(first, false);
  await machine.clock.advance(500);
  await first.runs.close();
  expect(machine.locks.held).toEqual([]);
  const heard = machine.code.requests.length;
  held.resumeAll();
  await machine.clock.advance(60_000);
  expect(machine.code.requests).toHaveLength(heard);
  expect(machine.clock.timers).toBe(0);
  const second = machine.program();
  await second.runs.scan();
  await second.runs.takeUp(id);
  for (let turn = 0; turn < 3; turn += 1) {
    await machine.clock.advance(1_000);
    held.resumeAll();
  }
  expect((await second.advanceUntilRest(id)).state.kind).toBe('completed');
});
