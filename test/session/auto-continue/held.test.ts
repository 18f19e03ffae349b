import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hostOf } from '../../../src/core/session/session-host';
import { ContinueWorld, SESSION } from './continue-world';

let world: ContinueWorld;
beforeEach(() => (world = new ContinueWorld()));
afterEach(() => world.close());

const READY = ['[x] Read', '[ ] Write'];

test('[AUTO25] a session whose bridge takes no prompts never goes on by itself, nor is it offered to', () => {
  for (const features of [['prompt'], ['keys']]) {
    world.close();
    world = new ContinueWorld(hostOf({ engine: { name: 'mcp', version: '1' }, features }));
    world.settings = { on: true, seconds: 10 };
    world.auto.settingsChanged();
    world.setBoard(READY);
    world.turn();
    const can = features.includes('prompt');
    expect([world.auto.isOn(SESSION), world.auto.canContinue(SESSION)]).toEqual([can, can]);
    world.auto.continueNow(SESSION);
    expect(world.sent).toHaveLength(can ? 1 : 0);
  }
});

describe('a session that a run goes on with', () => {
  test('[AUTO10] never goes on by itself, however its turns end', () => {
    world.setBoard(READY);
    world.auto.switch(SESSION, true);
    world.sessionsOfRuns.add(SESSION);
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
    for (const meanwhile of [() => undefined, () => world.setBoard(['[x] Read', '[ ] Print'])]) {
      world.close();
      world = new ContinueWorld();
      world.setBoard(READY);
      world.auto.switch(SESSION, true);
      world.turn();
      expect(world.shown).toBe('at 10000: Write');
      world.sessionsOfRuns.add(SESSION);
      meanwhile();
      world.clock.advance(10_000);
      expect([world.sent, world.shown]).toEqual([[], 'stopped: run']);
    }
  });

  test('[AUTO10] goes on again after the run at the person’s word, and others always', () => {
    world.setBoard(READY);
    world.auto.switch(SESSION, true);
    world.sessionsOfRuns.add('ses_other');
    world.turn();
    world.clock.advance(10_000);
    expect(world.sent).toHaveLength(1);
    world.sessionsOfRuns.add(SESSION);
    world.turn();
    world.sessionsOfRuns.delete(SESSION);
    world.auto.continueNow(SESSION);
    expect(world.sent).toHaveLength(2);
  });
});
