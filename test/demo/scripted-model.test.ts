import { afterEach, describe, expect, test } from 'vitest';
import { Cleanup } from '../../workbench/demo/cleanup';
import { Faults } from '../../workbench/demo/faults';
import { unwatchedPace } from '../../workbench/demo/prepare';
import { startScriptedModel, type ScriptedModel } from '../../workbench/demo/scripted-model';
import { playWithoutWindow } from '../../workbench/demo/without-window';

const models: ScriptedModel[] = [];
afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
});

async function start(
  beforeAnswer?: (id: string, answered: number) => Promise<void>,
): Promise<ScriptedModel> {
  const model = await startScriptedModel({
    defaultDelayMs: 0,
    ...(beforeAnswer && { beforeAnswer }),
  });
  models.push(model);
  return model;
}

interface Reply {
  readonly status: number;
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish: string | undefined;
}

const OURS = { function: { name: 'tasks' } };

async function ask(
  model: ScriptedModel,
  session: string,
  parent?: string,
  said: { readonly messages: readonly object[]; readonly tools?: readonly object[] } = {
    messages: [],
  },
): Promise<Reply> {
  const response = await fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { 'x-session-id': session, ...(parent && { 'x-parent-session-id': parent }) },
    body: JSON.stringify({ tools: [OURS], ...said }),
  });
  const frames = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Frame);
  const deltas = frames.map((frame) => frame.choices[0].delta);
  return {
    status: response.status,
    thinking: deltas.map((delta) => delta.reasoning_content ?? '').join(''),
    text: deltas.map((delta) => delta.content ?? '').join(''),
    calls: deltas.flatMap((delta) => delta.tool_calls ?? []).map((call) => call.function),
    finish: frames.at(-1)?.choices[0].finish_reason ?? undefined,
  };
}

interface Frame {
  readonly choices: readonly [
    {
      readonly delta: {
        readonly content?: string;
        readonly reasoning_content?: string;
        readonly tool_calls?: readonly { readonly function: { name: string; arguments: string } }[];
      };
      readonly finish_reason: string | null;
    },
  ];
}

describe('the scripted model', () => {
  test('[DEMO10] gives one turn for each request, then a short empty answer', async () => {
    const model = await start();
    const text = 'Wörter und 👩‍🚀🚀 in mehr als zwölf Zeichen';
    model.play('s', [
      { thinking: 'hm', text, tools: [{ name: 'tasks', args: { operations: [] } }] },
      { text: 'end' },
    ]);
    expect(await ask(model, 's')).toEqual({
      status: 200,
      thinking: 'hm',
      text,
      calls: [{ name: 'tasks', arguments: '{"operations":[]}' }],
      finish: 'tool_calls',
    });
    expect((await ask(model, 's')).text).toBe('end');
    expect(await ask(model, 's')).toEqual({
      ...{ status: 200, thinking: '', text: '', calls: [] },
      finish: 'stop',
    });
  });

  test('[DEMO10] a turn in the middle that calls no tool does not end the prompt', async () => {
    const model = await start();
    model.play('s', [{ text: 'a' }, { text: 'b' }]);
    expect((await ask(model, 's')).finish).toBe('tool_calls');
    expect((await ask(model, 's')).finish).toBe('stop');
  });

  test('[DEMO11] tells sessions apart; a subagent and a stranger use up no turn', async () => {
    const model = await start();
    model.play('a', [{ text: 'for a' }]);
    model.play('b', [{ text: 'for b' }]);
    expect((await ask(model, 'stranger')).calls).toEqual([
      { name: 'tasks', arguments: '{"operations":[{"type":"list"}]}' },
    ]);
    expect((await ask(model, 'b', 'a')).text).toContain('scripted model');
    expect((await ask(model, 'b')).text).toBe('for b');
    expect((await ask(model, 'a')).text).toBe('for a');
  });

  test('[DEMO41] without a window, a prompt that no entry of the script names is an error that names it', async () => {
    const faults = new Faults();
    const model = await startScriptedModel(unwatchedPace(faults));
    models.push(model);
    model.play('a', [{ text: 'for a' }]);
    const asked = (content: string) => ({ messages: [{ role: 'user', content }] });
    const run = { faults, cleanup: new Cleanup() } as Parameters<typeof playWithoutWindow>[0];
    const play = async () => {
      await ask(model, 'a', undefined, asked('Known'));
      await ask(model, 'b', 'a', asked('A subagent'));
      await ask(model, 'b', undefined, { ...asked('A title'), tools: [] });
      const own = await ask(model, 'b', undefined, asked('Paint\nthe fence'));
      expect(own.calls).toHaveLength(1);
      return {};
    };
    const error =
      'The script has no entry for the prompt "Paint the fence": its model answered with words of its own.';
    expect(await playWithoutWindow(run, play, {})).toEqual({ ok: false, errors: [error] });
  });

  test('[DEMO12] a status is answered as that HTTP error, and the next turn follows it', async () => {
    const model = await start();
    model.play('s', [{ status: 400 }, { text: 'again' }]);
    expect((await ask(model, 's')).status).toBe(400);
    expect((await ask(model, 's')).text).toBe('again');
  });

  test('[DEMO13] before each answer it says how many were given', async () => {
    const seen: string[] = [];
    const model = await start((id, answered) => {
      seen.push(`${id} ${answered}`);
      return Promise.resolve();
    });
    model.play('s', [{ text: 'one' }, { text: 'two' }]);
    for (let count = 0; count < 3; count += 1) await ask(model, 's');
    expect(seen).toEqual(['s 0', 's 1', 's 2']);
  });
});
