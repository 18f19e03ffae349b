import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ContinueWorld, SESSION } from './continue-world';

let world: ContinueWorld;
beforeEach(() => (world = new ContinueWorld()));
afterEach(() => world.close());

const READY = ['[x] Read', '[ ] Write'];

describe('a session that a run goes on with', () => {
  test('[AUTO10] never goes on by itself, however its turns end', () => {
    world.plan(READY);
    world.auto.switch(SESSION, true);
    world.held.add(SESSION);
    world.turn();
    expect(world.shown).toBe('stopped: run');
    world.prompt();
    world.turn();
    world.clock.advance(60_000);
    expect([world.sent, world.shown]).toEqual([[], 'stopped: run']);
    expect(world.auto.canContinue(SESSION)).toBe(false);
    world.auto.continueNow(SESSION);
    expect(world.sent).toEqual([]);
  });

  test('[AUTO10] ends its countdown, also where the board changes meanwhile', () => {
    for (const meanwhile of [() => undefined, () => world.plan(['[x] Read', '[ ] Print'])]) {
      world.close();
      world = new ContinueWorld();
      world.plan(READY);
      world.auto.switch(SESSION, true);
      world.turn();
      expect(world.shown).toBe('at 10000: Write');
      world.held.add(SESSION);
      meanwhile();
      world.clock.advance(10_000);
      expect([world.sent, world.shown]).toEqual([[], 'stopped: run']);
    }
  });

  test('[AUTO10] goes on again after the run at the person’s word, and others always', () => {
    world.plan(READY);
    world.auto.switch(SESSION, true);
    world.held.add('ses_other');
    world.turn();
    world.clock.advance(10_000);
    expect(world.sent).toHaveLength(1);
    world.held.add(SESSION);
    world.turn();
    world.held.delete(SESSION);
    world.auto.continueNow(SESSION);
    expect(world.sent).toHaveLength(2);
  });
});
