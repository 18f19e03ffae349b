import { afterAll, beforeAll, expect, test } from 'vitest';
import { PersonInPage } from '../../workbench/demo/person-in-page';
import { PersonOnNotes } from '../../workbench/demo/person-on-notes';
import type { ModelRequest } from '../../workbench/demo/scripted-model';
import type { Turn } from '../../workbench/demo/script';
import type { World } from '../../workbench/demo/world';
import { openTestApp, type TestApp } from './test-app';

let theatre: TestApp;
let world: World;
beforeAll(async () => {
  theatre = await openTestApp();
  world = await theatre.startOpencode();
  await theatre.wire.welcomed();
  await theatre.plugin.command('open-sidebar');
});
afterAll(() => theatre.close());

const tasks = (...operations: readonly object[]): Turn => ({
  tools: [{ name: 'tasks', args: { operations } }],
});

function texts(request: ModelRequest | undefined, role: string): readonly string[] {
  const messages = (request?.messages ?? []) as readonly { role: string; content: unknown }[];
  return messages.filter((one) => one.role === role).map((one) => JSON.stringify(one.content));
}

/** Plays these answers of the model in a session. @returns what the model was asked meanwhile */
async function prompt(session: string, turns: readonly Turn[]): Promise<readonly ModelRequest[]> {
  const { model, wire, plugin } = theatre;
  const before = model.requests.length;
  model.play(session, turns);
  const ended = [wire.nextTurnEnd(session), world.turns.next(session)];
  await plugin.send(session, 'Go on');
  await Promise.all(ended);
  return model.requests.slice(before);
}

test("[DEMO28] a person's change reaches the agent: with the next prompt and with the next answer of the tool", async () => {
  const { plugin, page, vault } = theatre;
  const session = await plugin.startSession('Told');
  await prompt(session, [
    tasks({ type: 'add', title: 'Paint the fence' }, { type: 'add', title: 'Rest' }),
  ]);

  const notes = new PersonOnNotes(world.manager, vault);
  const person = new PersonInPage(page, world.manager, notes);
  const tick = { after: 0, do: 'tick', task: 'Paint the fence' } as const;
  expect(await person.act(session, tick)).toEqual({ kind: 'done' });

  const [first, second] = await prompt(session, [tasks({ type: 'list' })]);
  expect(texts(first, 'user').at(-1)).toContain('Rest');
  expect(texts(first, 'system').join()).not.toContain('Paint the fence');
  const told = texts(second, 'tool').at(-1) ?? '';
  expect(told).toMatch(/person.*Paint the fence|Paint the fence.*person/is);
  expect(world.calls.ended).toBe(2);
});

test('[KEEP25] [KEEP26] a plan is handed over to another agent, which reads it by the summary and goes on with it', async () => {
  const { plugin, page, model } = theatre;
  const session = await plugin.startSession('Harvest');
  await prompt(session, [
    tasks(
      { type: 'init', title: 'Harvest' },
      { type: 'add', title: 'Pick the apples', body: 'Forty kilograms.' },
      { type: 'add', title: 'Press the juice', dependsOn: ['Pick the apples'] },
    ),
    tasks({ type: 'complete', id: 1 }),
  ]);
  const { length } = model.requests;
  await page.locator('.atb-session', { hasText: 'Harvest' }).click({ button: 'right' });
  await page.locator('.menu-item', { hasText: 'Hand over plan of build…' }).click();
  const dialog = page.locator('.modal.atb-dialog');
  const agents = dialog.getByRole('combobox', { name: 'Agent' });
  await agents.locator('option', { hasText: 'plan' }).waitFor({ state: 'attached' });
  await agents.selectOption('plan');
  await dialog.getByRole('button', { name: 'Hand over', exact: true }).click();

  // Without a script the model looks at the plan.
  const asked = () => model.requests.slice(length).filter(({ tools }) => tools.includes('tasks'));
  await expect.poll(() => asked().length, { timeout: 60_000 }).toBe(2);
  const [first, second] = asked();
  expect(texts(first, 'user').join()).toContain('#2 Press the juice');
  expect(texts(first, 'user').join()).toContain('Forty kilograms.');
  expect(texts(second, 'tool').join()).toContain('Press the juice');
  expect(texts(second, 'tool').join()).not.toContain('Pick the apples');
  const heir = first?.sessionId ?? '';
  await page.locator('.notice', { hasText: 'Handed over to plan, with 1 task.' }).waitFor();

  await prompt(heir, [tasks({ type: 'complete', id: 2 })]);
  await world.manager.scan();
  const boards = world.manager.boards().filter((board) => board.title === 'Harvest');
  const told = boards.map(({ session: of, agent, tasks: all }) => ({
    ...{ of, agent },
    tasks: all.map(({ title, status }) => `${status} ${title}`),
  }));
  expect(told).toContainEqual({ of: heir, agent: 'plan', tasks: ['completed Press the juice'] });
  expect(told).toContainEqual({
    of: session,
    agent: 'build',
    tasks: ['completed Pick the apples'],
  });
});
