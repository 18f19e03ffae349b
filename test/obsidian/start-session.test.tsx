// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, expect, test } from 'vitest';
import { StartSessionForm, type SessionOptions } from '../../src/obsidian/session/session-actions';

const root = document.body.appendChild(document.createElement('div'));
afterEach(() => void act(() => render(null, root)));

const CATALOG = {
  agents: [{ name: 'build' }, { name: 'plan' }, { name: 'explore', mode: 'subagent' }],
  models: [{ id: 'lab/one', name: 'One' }],
};

async function open(enterSends = true): Promise<(SessionOptions | undefined)[]> {
  const done: (SessionOptions | undefined)[] = [];
  const catalog = () => Promise.resolve(CATALOG);
  await act(async () => {
    render(
      <StartSessionForm
        {...{ catalog, enterSends }}
        agent=""
        onDone={(wish) => void done.push(wish)}
      />,
      root,
    );
    await Promise.resolve();
    await Promise.resolve();
  });
  return done;
}

const field = () => root.querySelector('textarea') as HTMLTextAreaElement;
const change = (element: HTMLElement & { value: string }, value: string, type: string) =>
  act(() => {
    element.value = value;
    element.dispatchEvent(new Event(type, { bubbles: true }));
  });
const press = (part: KeyboardEventInit) =>
  act(
    () =>
      void field().dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...part }),
      ),
  );

test('[PLUGIN63] a session is started with words, an agent and a model; sub-agents are not offered', async () => {
  const done = await open();
  const [agents, models] = [...root.querySelectorAll('select')];
  if (agents === undefined || models === undefined) throw new Error('There are no choices.');
  expect([...agents.options].map(({ value }) => value)).toEqual(['', 'build', 'plan']);
  await change(agents, 'plan', 'change');
  await change(models, 'lab/one', 'change');
  await press({});
  expect(done).toEqual([]); // there are no words yet
  await change(field(), ' Plan it ', 'input');
  await press({ shiftKey: true });
  expect(done).toEqual([]);
  await press({});
  expect(done).toEqual([{ text: 'Plan it', agent: 'plan', model: 'lab/one' }]);
});

test('[PLUGIN63] Enter and Shift Enter are swapped by the setting, as in the composer', async () => {
  const done = await open(false);
  await change(field(), 'Go', 'input');
  await press({});
  expect(done).toEqual([]);
  await press({ shiftKey: true });
  expect(done).toEqual([{ text: 'Go' }]);
});
