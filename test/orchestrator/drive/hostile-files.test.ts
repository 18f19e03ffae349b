import { expect, it } from 'vitest';
import { StoreError } from '../../../src/core/ports';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { changedByPerson } from '../../../src/core/orchestrator/drive/run-board';
import { runOptions } from '../run-fixture';
import { PausedAgents } from './paused-agents';
import { Machine, type Program } from './program';
import { obedientAgent } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
  ],
};
const FOLDER = '.opencode/agent-task-boards/runs';

async function begin(program: Program, approve = true): Promise<string> {
  const run = await program.runs.start(runOptions({ approve }));
  if (!run.ok) throw new Error(run.message);
  return run.value;
}

it('[RUN101] a copy of a run’s files is a fault, and is carried out by nobody', async () => {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const first = machine.program();
  const id = await begin(first, false);
  await machine.clock.advance(3_000);
  await first.die();
  for (const [path, { text }] of [...machine.store.files]) {
    if (path.startsWith(`${FOLDER}/${id}/`)) machine.store.put(path.replace(id, 'rcopy'), text);
  }
  const second = machine.program();
  await second.runs.scan();
  const said = `This is a copy of run ${id}, and is not carried out. Move its folder away.`;
  expect(second.runs.get('rcopy')?.fault).toBe(said);
  expect(await second.runs.takeUp('rcopy')).toEqual({ ok: false, message: said });
  expect(await second.runs.act('rcopy', { type: 'cancel' })).toEqual({ ok: false, message: said });
  await second.runs.takeUp(id);
  held.resumeAll();
  await machine.clock.advance(3_000);
  held.resumeAll();
  expect((await second.advanceUntilRest(id)).state.kind).toBe('completed');
});

it.each([
  ['is cut', (text: string) => text.split('\n').slice(0, 1).join('\n')],
  ['is emptied', () => ''],
])(
  '[RUN102] a run goes on where its log %s behind its back, and the rest is known to be gone',
  async (_, change) => {
    const machine = new Machine(PLAN);
    const program = machine.program();
    const id = await begin(program);
    await machine.clock.advance(3_000);
    const log = `${FOLDER}/${id}/log/00000001.jsonl`;
    machine.store.put(log, change(machine.store.files.get(log)?.text ?? ''));
    expect(await program.runs.act(id, { type: 'approve' })).toEqual({ ok: true, value: undefined });
    const end = await program.advanceUntilRest(id);
    expect(end).toMatchObject({ fault: null, state: { kind: 'completed' } });
    expect(await replayRun(machine.store, id)).toMatchObject({ ok: false });
  },
);

it('[RUN103] what another program put down and nobody can read keeps nothing behind it waiting', async () => {
  const machine = new Machine(PLAN);
  const program = machine.program();
  const id = await begin(program);
  await machine.clock.advance(3_000);
  const inbox = `${FOLDER}/${id}/inbox`;
  const read = machine.store.read.bind(machine.store);
  machine.store.read = (path) =>
    path.includes('/0-bytes')
      ? Promise.reject(new StoreError('not_utf8', `${path} is no text.`))
      : read(path);
  machine.store.put(`${inbox}/0-bytes.json`, '?');
  machine.store.put(`${inbox}/1-none.json`, '{"type": "delete_all"}');
  machine.store.put(
    `${inbox}/2-huge.json`,
    JSON.stringify({ type: 'replan', words: 'a'.repeat(200_000) }),
  );
  machine.store.put(`${inbox}/3-cancel.json`, '{"type": "cancel"}');
  await machine.clock.advance(10_000);
  expect(program.runs.get(id)?.state.kind).toBe('cancelled');
  const left = [...machine.store.files.keys()].filter((path) => path.startsWith(inbox));
  expect(left).toEqual([`${inbox}/0-bytes.json`]);
  expect(program.logged.filter((one) => one.includes('0-bytes'))).toHaveLength(1);
});

it('[RUN37] a task whose id begins another’s is not taken for it', async () => {
  const machine = new Machine({});
  const program = machine.program();
  const titles = Array.from({ length: 10 }, (_, at) => ({ type: 'add', title: `Task ${at + 1}` }));
  const context = { sessionId: 'ses_1', agent: 'build', sessionTitle: 'A session' };
  await machine.tools.call(context, { operations: titles });
  const { path } = await machine.tools.place('ses_1', 'build');
  const tasks = (await machine.tools.load(path))?.tasks ?? [];
  const [first, last] = [tasks[0]?.id ?? '', tasks[9]?.id ?? ''];
  expect(last.startsWith(first)).toBe(true);
  await machine.tools.call(context, {
    operations: [
      { type: 'move', id: last, after: 'Task 1' },
      { type: 'move', id: first, after: last },
    ],
  });
  const rev = (await machine.tools.load(path))?.rev ?? 0;
  await machine.tools.call(context, {
    operations: [
      { type: 'update', id: last, status: 'in_progress' },
      { type: 'complete', id: first },
    ],
  });
  const now = await program.manager.load(path);
  if (now === undefined) throw new Error('no board');
  const before = {
    rev,
    status: new Map([
      [first, 'pending'],
      [last, 'pending'],
    ]),
  };
  const goes = (): Promise<boolean> => Promise.resolve(true);
  expect(await changedByPerson(program.manager, before, now, [first, last], goes)).toEqual([]);
});
