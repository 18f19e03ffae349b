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

/** Lets the countdown end, then OpenCode shows the prompt and begins its turn. */
function goes(): void {
  world.clock.advance(10_000);
  world.prompt();
  world.beginTurn();
}

describe('a session that goes on by itself', () => {
  test('[AUTO1] a turn ends, 10 s go by, and one prompt names the next ready task', () => {
    switchOn();
    world.turn();
    expect(world.shown).toBe('at 10000: Write');
    world.clock.advance(9_999);
    expect(world.sent).toEqual([]);
    world.clock.advance(1);
    expect(world.sent).toEqual([goOn('#2 "Write"')]);
    expect(world.shown).toBe('on');
    world.clock.advance(60_000);
    expect(world.sent).toHaveLength(1);
  });

  test('[AUTO1] switched off, as all are at first, nothing is counted or sent', () => {
    world.setBoard(READY);
    world.turn();
    world.clock.advance(60_000);
    expect([world.shown, world.sent]).toEqual(['off', []]);
  });

  test('[AUTO1] the prompt names what is ready when it is sent; nothing is sent where that went away', () => {
    switchOn();
    world.turn();
    world.clock.advance(4_000);
    world.setBoard(['[x] Read', '[x] Write', '[ ] Print ⛔ k3f9-2'], 'person');
    expect(world.shown).toBe('at 10000: Print');
    world.setBoard(['[x] Read', '[x] Write', '[-] Print ⛔ k3f9-2'], 'person');
    expect(world.shown).toBe('nothing_ready');
    world.clock.advance(60_000);
    expect(world.sent).toEqual([]);
  });

  test('[AUTO1] switching off ends the countdown', () => {
    switchOn();
    world.turn();
    world.auto.switch(SESSION, false);
    world.clock.advance(60_000);
    expect([world.shown, world.sent]).toEqual(['off', []]);
  });

  test('[AUTO2] waiting tasks and tasks of the person are not gone on with', () => {
    switchOn(['[/] Read', '[ ] Print ⛔ k3f9-1', '[ ] Sign [owner:: me]']);
    world.turn();
    expect(world.shown).toBe('needs me: Sign');
    switchOn(['[/] Read', '[ ] Print ⛔ k3f9-1', '[!] Sign']);
    world.turn();
    expect(world.shown).toBe('nothing_ready');
    world.clock.advance(60_000);
    expect(world.sent).toEqual([]);
  });

  test('[AUTO3] three turns without a status change stop it, and the reason is told', () => {
    switchOn();
    world.prompt();
    world.turn();
    goes();
    world.endTurn();
    expect(world.shown).toBe('at 20000: Write');
    goes();
    world.endTurn();
    expect(world.shown).toBe('stopped: no_progress');
    expect(world.sent).toHaveLength(2);
  });

  test('[AUTO3] a status that changes begins the count anew; to and fro is no change', () => {
    switchOn();
    world.turn();
    goes();
    world.setBoard(['[x] Read', '[/] Write', '[ ] Other']);
    world.endTurn();
    expect(world.shown).toBe('at 20000: Other');
    for (const write of ['[ ] Write', '[/] Write']) {
      goes();
      world.setBoard(['[x] Read', write, '[ ] Other']);
      world.endTurn();
      expect(world.shown).toMatch(/^at/);
    }
    goes();
    world.setBoard(['[x] Read', '[ ] Write', '[ ] Other', '[ ] Added, which is no status']);
    world.endTurn();
    expect(world.shown).toBe('stopped: no_progress');
  });

  test('[AUTO3] what a subagent does on its own board counts', () => {
    switchOn();
    world.emit({ ...created('child'), payload: { title: '', directory: '/', parentId: SESSION } });
    world.turn();
    for (const mark of ['[/]', '[x]', '[!]', '[>]']) {
      goes();
      world.setBoard([`${mark} Part`], 'agent', 'child');
      world.endTurn();
    }
    expect(world.shown).toMatch(/^at/);
  });

  test('[AUTO3] our own prompt, told twice, is no word of the person; theirs begins anew', () => {
    switchOn();
    world.turn();
    for (let turns = 0; turns < 2; turns += 1) {
      world.clock.advance(10_000);
      const prompt = world.prompt();
      world.turn();
      world.emit(prompt);
    }
    expect(world.shown).toBe('stopped: no_progress');
    world.prompt();
    expect(world.shown).toBe('on');
    world.turn();
    expect(world.shown).toMatch(/^at/);
  });

  test.each([
    ['interrupted', 'stopped: interrupted'],
    ['error', 'stopped: failed'],
  ] as const)(
    '[AUTO4] a turn that ends %s stops it until the person has a say',
    (reason, shown) => {
      switchOn();
      world.beginTurn();
      world.endTurn(reason);
      expect(world.shown).toBe(shown);
      world.turn();
      expect(world.shown).toBe(shown);
      world.clock.advance(60_000);
      expect(world.sent).toEqual([]);
      world.prompt();
      world.turn();
      expect(world.shown).toMatch(/^at/);
    },
  );

  test('[AUTO4] Stop ends the countdown, and holds for a turn that runs', () => {
    switchOn();
    world.turn();
    world.auto.stop(SESSION);
    world.clock.advance(60_000);
    world.turn();
    expect([world.shown, world.sent]).toEqual(['stopped: stopped', []]);
  });

  test('[AUTO4] a prompt that is not taken stops it and is told', async () => {
    switchOn();
    world.refusal = new Error('busy');
    world.turn();
    world.clock.advance(10_000);
    await Promise.resolve();
    await Promise.resolve();
    expect(world.shown).toBe('stopped: failed');
    expect(world.failures).toEqual([`${SESSION}: Error: busy`]);
  });

  test('[AUTO5] a request, of a subagent too, stops the countdown; after the answer a turn that ends counts again', () => {
    world.emit({ ...created('child'), payload: { title: '', directory: '/', parentId: SESSION } });
    switchOn();
    world.turn();
    world.ask('child');
    expect(world.shown).toBe('stopped: asked');
    world.turn();
    expect(world.shown).toBe('stopped: asked');
    const payload = { requestId: 'r', reply: 'once' as const };
    world.emit({ type: 'permission.resolved', sessionId: 'child', ts: 2, payload });
    world.clock.advance(60_000);
    expect(world.sent).toEqual([]);
    world.setBoard(['[x] Read', '[/] Write', '[ ] Other']);
    world.turn();
    expect(world.shown).toMatch(/^at/);
  });

  test('[AUTO5] a lost connection stops it', () => {
    switchOn();
    world.turn();
    world.online = false;
    world.auto.connectionChanged();
    expect(world.shown).toBe('stopped: offline');
    world.online = true;
    world.auto.connectionChanged();
    world.clock.advance(60_000);
    expect(world.sent).toEqual([]);
  });

  test('[AUTO5] while the person writes to it nothing is sent, also not when a turn ends meanwhile', () => {
    switchOn();
    world.turn();
    world.auto.setTyping(SESSION, true);
    expect(world.shown).toBe('stopped: typing');
    world.turn();
    expect(world.shown).toBe('stopped: typing');
    world.auto.setTyping(SESSION, false);
    world.clock.advance(60_000);
    expect(world.sent).toEqual([]);
    world.setBoard(['[x] Read', '[/] Write', '[ ] Other']);
    world.turn();
    expect(world.shown).toMatch(/^at/);
  });

  test('[AUTO5] a turn that begins elsewhere ends the countdown', () => {
    switchOn();
    world.turn();
    world.beginTurn();
    world.clock.advance(60_000);
    expect([world.shown, world.sent]).toEqual(['on', []]);
  });
});
