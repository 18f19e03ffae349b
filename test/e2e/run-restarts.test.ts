import { afterEach, describe, expect, test, vi } from 'vitest';
import type { AgentAnswer } from '../../workbench/demo/scripted-run-agents';
import { testInFull } from '../in-full';
import { Gate, RunScene } from './run-scene';

vi.setConfig({ testTimeout: 300_000 });

let scene: RunScene | undefined;
let reached: Gate;
let goesOn: Gate;
afterEach(async () => {
  goesOn.open();
  await scene?.close();
  scene = undefined;
});

/** A step whose agent reads it first and that is checked at the end; one that waits for it. */
const PIT = new Map([
  ['Dig', 1],
  ['Fill', 1],
]);
const ONCE = { Dig: [1], Fill: [1] };
const add = (title: string, more: object) => ({ type: 'add', title, ...more });
const SCRIPT = {
  plan: [
    tasks(
      { type: 'init', title: 'A pit' },
      add('Dig', { body: 'Success: It is a metre deep.' }),
      add('Fill', { dependsOn: ['Dig'] }),
    ),
    { text: 'Planned.' },
  ],
  tasks: [{ task: 'Dig', work: [{ turns: [tasks({ type: 'get', id: 'Dig' })] }] }],
};

function tasks(...operations: readonly object[]) {
  return { tools: [{ name: 'tasks', args: { operations } }] };
}

/** Stops the model before its first answer to a task. */
async function stoppedAt(role: string, task: string, index: number): Promise<RunScene> {
  reached = new Gate();
  goesOn = new Gate();
  let once = true;
  const before = async ({ prompt, index: at }: AgentAnswer): Promise<void> => {
    if (!once || prompt.role !== role || prompt.task !== task || at !== index) return;
    once = false;
    reached.open();
    await goesOn.opened;
  };
  scene = await RunScene.open(SCRIPT, before);
  await scene.begin('A pit');
  await reached.opened;
  return scene;
}

describe('OpenCode is killed in a step', () => {
  const again = async (on: RunScene): Promise<void> => {
    const { wire } = on.currentWindow;
    const welcomes = wire.welcomes;
    await on.killOpencode();
    goesOn.open();
    await on.startOpencode();
    await wire.welcomed(welcomes);
  };

  test('[RUN13] before it is done: the turn is made again, and nothing else', async () => {
    const on = await stoppedAt('work', 'Dig', 1);
    await again(on);
    await on.expectCompleted('A pit', PIT);
    expect(on.attemptsByTask()).toEqual({ ...ONCE, Dig: [1, 1] });
  });

  testInFull('[RUN13] after the agent completed it: it is not done again', async () => {
    const on = await stoppedAt('work', 'Dig', 2);
    await again(on);
    await on.expectCompleted('A pit', PIT);
    expect(on.attemptsByTask()).toEqual(ONCE);
  });
});

describe('Obsidian is killed in a step', () => {
  test('[RUN13] the agent ends its turn meanwhile: the run goes on from there, and asks for nothing twice', async () => {
    const on = await stoppedAt('work', 'Dig', 1);
    await on.killObsidian();
    goesOn.open();
    await on.expectCompleted('A pit', PIT);
    expect(on.attemptsByTask()).toEqual(ONCE);
  });

  testInFull(
    '[RUN13] while a step is checked: the verdict counts though nobody heard it',
    async () => {
      const on = await stoppedAt('check', 'Dig', 0);
      await on.killObsidian();
      goesOn.open();
      await on.expectCompleted('A pit', PIT);
      expect(on.attemptsByTask()).toEqual(ONCE);
      expect(on.agents.count('check', 'Dig')).toEqual([1]);
    },
  );
});
