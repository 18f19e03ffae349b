// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, expect, test } from 'vitest';
import type { Catalog } from '../../src/core/session/bridge-runtime';
import type { SessionHost } from '../../src/core/session/session-host';
import { agentChoices } from '../../src/obsidian/config/agent-rows';
import { startHosts } from '../../src/obsidian/session/start-choices';
import { StartSessionForm, type SessionOptions } from '../../src/obsidian/session/session-actions';

const root = document.body.appendChild(document.createElement('div'));
afterEach(() => void act(() => render(null, root)));

const CATALOGS: Readonly<Record<string, Catalog>> = {
  b1: {
    agents: [
      { name: 'build' },
      { name: 'plan', description: 'Plans, edits nothing.' },
      { name: 'explore', mode: 'subagent' },
    ],
    models: [{ id: 'lab/one', name: 'One' }],
  },
  b2: {
    agents: [{ name: 'build' }],
    models: [{ id: 'ollama/qwen3', name: 'qwen3' }],
    model: 'ollama/qwen3',
  },
  b3: { agents: [{ name: 'acceptEdits', title: 'Accept edits' }], models: [] },
};

const HOSTS: Readonly<Record<string, SessionHost>> = {
  b1: { engine: { name: 'opencode', version: '1' }, features: new Set() },
  b2: { engine: { name: 'model', version: '1', title: 'Ollama' }, features: new Set() },
  b3: { engine: { name: 'acp', version: '1', title: 'Claude Code' }, features: new Set() },
};

async function open(enterSends = true, bridges = ['b1'], agent = '') {
  const done: (SessionOptions | undefined)[] = [];
  const parts = {
    connection: { starters: bridges.map((id) => ({ id, host: HOSTS[id] })) },
    runtime: { catalog: (_: undefined, id: string) => Promise.resolve(CATALOGS[id]) },
  } as unknown as Parameters<typeof startHosts>[0];
  const found = startHosts(parts);
  const hosts = () => found;
  await found;
  await act(async () => {
    render(
      <StartSessionForm
        {...{ hosts, enterSends, agent }}
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

test('[ACP32] modes of an agent are offered by the names that it gives them', async () => {
  await open(true, ['b3']);
  const [agents] = [...root.querySelectorAll('select')];
  const offered = [...(agents?.options ?? [])].map(({ value, text }) => [value, text]);
  expect(offered.at(-1)).toEqual(['acceptEdits', 'Accept edits · Claude Code']);
  const config = { read: () => Promise.resolve(undefined) };
  expect(await agentChoices(CATALOGS['b3']?.agents ?? [], config)).toEqual([
    { text: 'Accept edits', value: 'acceptEdits', color: undefined },
  ]);
});

test('[PLUGIN63] a session is started with words, an agent and a model; subagents are not offered', async () => {
  const done = await open();
  const [agents, models] = [...root.querySelectorAll('select')];
  if (agents === undefined || models === undefined) throw new Error('There are no choices.');
  expect([...agents.options].map(({ value }) => value)).toEqual(['', 'build', 'plan']);
  await change(agents, 'plan', 'change');
  await change(models, 'lab/one', 'change');
  await press({});
  expect(done).toEqual([]); // the prompt is still empty
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

test('[PLUGIN90] where several programs start sessions, each agent is offered with its program and its model', async () => {
  const done = await open(true, ['b1', 'b2'], 'build');
  const [agents, models] = [...root.querySelectorAll('select')];
  if (agents === undefined || models === undefined) throw new Error('There are no choices.');
  expect([...agents.options].map(({ text }) => text)).toEqual([
    ...['OpenCode’s choice', 'build · OpenCode', 'plan · OpenCode', 'build · qwen3 · Ollama'],
  ]);
  expect(agents.value).toBe('b1/build');
  await change(agents, 'b2/build', 'change');
  expect([...models.options].map(({ text }) => text)).toEqual(['Ollama’s choice', 'qwen3']);
  await change(field(), 'Go', 'input');
  await press({});
  expect(done).toEqual([{ text: 'Go', agent: 'build', bridge: 'b2' }]);
});

test('[PLUGIN90] a model that the chosen program does not have is not taken along', async () => {
  const done = await open(true, ['b1', 'b2']);
  const [agents, models] = [...root.querySelectorAll('select')];
  if (agents === undefined || models === undefined) throw new Error('There are no choices.');
  await change(models, 'lab/one', 'change');
  await change(agents, 'b2/build', 'change');
  await change(field(), 'Go', 'input');
  await press({});
  expect(done).toEqual([{ text: 'Go', agent: 'build', bridge: 'b2' }]);
});

test('[PLUGIN90] what the chosen agent is for stands below it', async () => {
  await open();
  const [agents] = [...root.querySelectorAll('select')];
  if (agents === undefined) throw new Error('There are no choices.');
  expect(root.textContent).not.toContain('Plans, edits nothing.');
  await change(agents, 'plan', 'change');
  expect(root.querySelector('.atb-form-words')?.textContent).toBe('Plans, edits nothing.');
  await change(agents, 'build', 'change');
  expect(root.querySelector('.atb-form-words')).toBeNull();
});

test('[PLUGIN90] of the one program that is connected, an agent stays the chosen one though OpenCode comes meanwhile', async () => {
  const done = await open(true, ['b2'], 'build');
  await change(field(), 'Go', 'input');
  await press({});
  expect(done).toEqual([{ text: 'Go', agent: 'build', bridge: 'b2' }]);
});
