import { afterEach, describe, expect, test } from 'vitest';
import { PersonInPage } from '../../workbench/demo/person-in-page';
import { PersonOnNotes } from '../../workbench/demo/person-on-notes';
import type { ModelRequest } from '../../workbench/demo/scripted-model';
import type { Turn } from '../../workbench/demo/script';
import { openTheatre, type Theatre } from './open-theatre';

let theatre: Theatre | undefined;
afterEach(async () => {
  await theatre?.close();
  theatre = undefined;
});

const tasks = (...operations: readonly object[]): Turn => ({
  tools: [{ name: 'tasks', args: { operations } }],
});

function texts(request: ModelRequest | undefined, role: string): readonly string[] {
  const messages = (request?.messages ?? []) as readonly { role: string; content: unknown }[];
  return messages.filter((one) => one.role === role).map((one) => JSON.stringify(one.content));
}

describe("a person's change", () => {
  test('[DEMO28] reaches the agent: with the next prompt and with the next answer of the tool', async () => {
    theatre = await openTheatre();
    const { plugin, model, wire, page, vault } = theatre;
    const world = await theatre.startOpencode();
    await wire.welcomed();
    await plugin.command('open-sidebar');
    const session = await plugin.startSession('Told');
    const prompt = async (turns: readonly Turn[]): Promise<readonly ModelRequest[]> => {
      const before = model.requests.length;
      model.play(session, turns);
      const ended = [wire.nextTurnEnd(session), world.turns.next(session)];
      await plugin.send(session, 'Go on');
      await Promise.all(ended);
      return model.requests.slice(before);
    };
    await prompt([
      tasks({ type: 'add', title: 'Paint the fence' }, { type: 'add', title: 'Rest' }),
    ]);

    const notes = new PersonOnNotes(world.manager, vault);
    const person = new PersonInPage(page, world.manager, notes);
    const tick = { after: 0, do: 'tick', task: 'Paint the fence' } as const;
    expect(await person.act(session, tick)).toEqual({ kind: 'done' });

    const [first, second] = await prompt([tasks({ type: 'list' })]);
    expect(texts(first, 'user').at(-1)).toContain('Rest');
    expect(texts(first, 'system').join()).not.toContain('Paint the fence');
    const told = texts(second, 'tool').at(-1) ?? '';
    expect(told).toMatch(/person.*Paint the fence|Paint the fence.*person/is);
    expect(world.calls.ended).toBe(2);
  });
});
