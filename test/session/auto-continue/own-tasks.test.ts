import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { created } from '../events';
import { ContinueWorld, SESSION } from './continue-world';

let world: ContinueWorld;
beforeEach(() => (world = new ContinueWorld()));
afterEach(() => world.close());

const READY = ['[x] Read', '[ ] Write', '[ ] Print ⛔ k3f9-2'];
const goOn = (task: string) => `${SESSION}: Go on with the plan. The next ready task is ${task}.`;

function switchOn(plan: readonly string[] = READY): void {
  world.setBoard(plan);
  world.auto.switch(SESSION, true);
}

describe('a session and the person', () => {
  test('[AUTO6] what the person does of their own lets a session go on that waits for it', () => {
    const plan = (mark: string) => [`${mark} Sign [owner:: me]`, '[ ] Publish ⛔ k3f9-1'];
    switchOn(plan('[ ]'));
    world.turn();
    expect(world.shown).toBe('needs me: Sign');
    world.setBoard(plan('[x]'), 'person');
    expect(world.shown).toBe('at 10000: Publish');
    world.clock.advance(10_000);
    expect(world.sent).toEqual([
      `${SESSION}: I have done: "Sign". Go on with the plan. The next ready task is #2 "Publish".`,
    ]);
  });

  test('[AUTO6] so does what they approve; an agent’s doing, and other changes, do not', () => {
    const plan = (mark: string) => [`${mark} Draft [approve:: me]`, '[ ] Publish ⛔ k3f9-1'];
    switchOn(plan('[/]'));
    world.turn();
    expect(world.shown).toBe('needs me: Draft');
    world.setBoard([...plan('[/]'), '[ ] More'], 'person');
    expect(world.shown).toBe('needs me: Draft');
    world.setBoard(plan('[x]'), 'agent');
    expect(world.shown).toBe('needs me: Draft');
    world.setBoard(plan('[/]'), 'agent');
    world.setBoard(plan('[x]'), 'disk');
    expect(world.shown).toBe('at 10000: Publish');
  });

  test.each([
    [
      '[x] Draft',
      'I have accepted: "Draft". Go on with the plan. The next ready task is #2 "Print".',
    ],
    [
      '[/] Draft',
      'I have sent back, and said in the list of tasks what is missing: "Draft". Go on with the plan.',
    ],
  ])('[AUTO26] so does the end of a review: %s', (after, said) => {
    const plan = (line: string) => [line, '[ ] Print ⛔ k3f9-1'];
    switchOn(plan('[/] Draft [review:: 2026-11-21]'));
    world.turn();
    expect(world.shown).toBe('needs me: Draft');
    world.setBoard(plan(after), 'person');
    world.clock.advance(10_000);
    expect(world.sent).toEqual([`${SESSION}: ${said}`]);
  });

  test('[AUTO26] a task that an agent completed for review is progress', () => {
    const plan = (line: string) => [line, '[ ] Print'];
    switchOn(plan('[/] Draft'));
    for (let turn = 0; turn < 3; turn += 1) {
      if (turn === 1) world.setBoard(plan('[/] Draft [review:: 2026-11-21]'));
      world.turn();
      world.clock.advance(10_000);
    }
    expect(world.shown).toBe('on');
  });

  test('[AUTO7] the person may go on at once, with the switch or without', () => {
    world.setBoard(READY);
    world.turn();
    expect(world.auto.canContinue(SESSION)).toBe(true);
    world.auto.continueNow(SESSION);
    expect([world.shown, world.sent]).toEqual(['off', [goOn('#2 "Write"')]]);
    world.auto.switch(SESSION, true);
    world.turn();
    world.auto.continueNow(SESSION);
    world.clock.advance(60_000);
    expect(world.sent).toHaveLength(2);
  });

  test('[AUTO7] not while a turn runs, a request waits, OpenCode is away, or nothing is ready', () => {
    world.setBoard(READY);
    const can = () => world.auto.canContinue(SESSION);
    world.beginTurn();
    expect(can()).toBe(false);
    world.endTurn();
    world.online = false;
    expect(can()).toBe(false);
    world.online = true;
    world.setBoard(['[x] Read']);
    expect(can()).toBe(false);
    expect(world.auto.canContinue(SESSION, [{ title: 'Sign', kind: 'did' }])).toBe(true);
    world.setBoard(READY);
    world.ask();
    expect(can()).toBe(false);
    world.auto.continueNow(SESSION);
    expect(world.sent).toEqual([]);
  });

  test('[AUTO9] the setting holds for sessions without a switch of their own, never for subagents', () => {
    world.settings = { on: true, seconds: 3 };
    world.emit(created('other'));
    world.emit({ ...created('child'), payload: { title: '', directory: '/', parentId: SESSION } });
    world.setBoard(['[ ] Part'], 'agent', 'child');
    world.setBoard(['[ ] Else'], 'agent', 'other');
    world.setBoard(READY);
    world.auto.switch('other', false);
    for (const id of ['child', 'other', SESSION]) {
      world.beginTurn(id);
      world.endTurn('completed', id);
    }
    world.clock.advance(3_000);
    expect(world.sent).toEqual([goOn('#2 "Write"')]);
    world.settings = { on: false, seconds: 3 };
    world.auto.settingsChanged();
    world.turn();
    expect(world.shown).toBe('off');
  });
});
