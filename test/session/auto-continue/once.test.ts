import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ContinueWorld, SESSION } from './continue-world';

let world: ContinueWorld;
beforeEach(() => (world = new ContinueWorld()));
afterEach(() => world.close());

const READY = ['[x] Read', '[ ] Write', '[ ] Print ⛔ k3f9-2'];
const SENT = `${SESSION}: Go on with the plan. The next ready task is #2 "Write".`;

describe('going on by itself where clocks, clicks and connections are not as they should be', () => {
  test('[AUTO1] a clock that is set back makes the countdown longer, and does not end it', () => {
    world.setBoard(READY);
    world.auto.switch(SESSION, true);
    world.turn();
    world.clock.advance(4_000);
    world.clock.set(-3_000);
    world.clock.advance(6_000);
    expect([world.sent, world.shown]).toEqual([[], 'at 10000: Write']);
    world.clock.advance(3_000);
    expect(world.sent).toEqual([SENT]);
  });

  test('[AUTO7] Continue that is pressed twice sends one prompt, switched on or off', () => {
    for (const on of [false, true]) {
      world.close();
      world = new ContinueWorld();
      world.setBoard(READY);
      world.auto.switch(SESSION, on);
      world.auto.continueNow(SESSION);
      world.auto.continueNow(SESSION);
      expect(world.sent).toEqual([SENT]);
      world.turn();
      world.auto.continueNow(SESSION);
      expect(world.sent).toHaveLength(2);
    }
  });

  test('[AUTO7] a prompt whose turn was not heard to end holds nothing back after a lost connection', () => {
    world.setBoard(READY);
    world.auto.continueNow(SESSION);
    world.online = false;
    world.auto.connectionChanged();
    world.online = true;
    world.auto.connectionChanged();
    world.auto.continueNow(SESSION);
    expect(world.sent).toHaveLength(2);
  });
});
