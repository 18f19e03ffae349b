import { describe, expect, test } from 'vitest';
import { SummaryHooks, type PromptMessage } from '../../src/bridge/opencode/summary-hooks';

function message(id: string, role: string, sessionID = 'ses_1'): PromptMessage {
  return { info: { id, role, sessionID, agent: 'build' }, parts: [{ type: 'text', text: id }] };
}

function setup() {
  const asked: string[] = [];
  const hooks = new SummaryHooks(({ sessionId, agent }) => {
    asked.push(`${sessionId} ${agent}`);
    return Promise.resolve(sessionId === 'ses_none' ? undefined : `board ${asked.length}`);
  });
  return { hooks, asked };
}

function texts(messages: readonly PromptMessage[]): unknown[] {
  return messages.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')));
}

describe('the summary before the model', () => {
  test('[BRIDGE50] it is the last part of the newest user message; what OpenCode holds stays as it was', async () => {
    const { hooks } = setup();
    const prompt = message('u2', 'user');
    const messages = [
      message('u1', 'user'),
      message('a1', 'assistant'),
      prompt,
      message('a2', 'assistant'),
    ];
    await hooks.transform(messages);
    expect(texts(messages)).toEqual([['u1'], ['a1'], ['u2', 'board 1'], ['a2']]);
    expect(prompt.parts).toHaveLength(1);
  });

  test('[BRIDGE50] it stays the same for all steps of a turn, and is read anew for the next prompt', async () => {
    const { hooks } = setup();
    const steps = [[message('u1', 'user')], [message('u1', 'user')], [message('u2', 'user')]];
    for (const messages of steps) await hooks.transform(messages);
    expect(steps.map(texts)).toEqual([
      [['u1', 'board 1']],
      [['u1', 'board 1']],
      [['u2', 'board 2']],
    ]);
  });

  test('[BRIDGE50] a session without a board gets nothing', async () => {
    const { hooks } = setup();
    const messages = [message('u1', 'user', 'ses_none')];
    await hooks.transform(messages);
    expect(texts(messages)).toEqual([['u1']]);
    const nothing: PromptMessage[] = [];
    await hooks.transform(nothing);
    expect(nothing).toEqual([]);
  });

  test('[BRIDGE51] a compaction has it once, of the agent that worked last; the prompt after it again', async () => {
    const { hooks, asked } = setup();
    await hooks.transform([message('u1', 'user')]);
    const context: string[] = [];
    await hooks.compact('ses_1', context);
    const other = [message('x', 'user', 'ses_2')];
    await hooks.transform(other);
    const compacted = [message('u1', 'user')];
    await hooks.transform(compacted);
    expect(context).toEqual(['board 2']);
    expect(texts(compacted)).toEqual([['u1']]);
    expect(texts(other)).toEqual([['x', 'board 3']]);
    const next = [message('u2', 'user')];
    await hooks.transform(next);
    expect(texts(next)).toEqual([['u2', 'board 4']]);
    expect(asked[1]).toBe('ses_1 build');
  });

  test('[BRIDGE51] a compaction of an empty conversation takes nothing from the next prompt', async () => {
    const { hooks } = setup();
    await hooks.compact('ses_1', []);
    await hooks.transform([]);
    const next = [message('u1', 'user')];
    await hooks.transform(next);
    expect(texts(next)).toEqual([['u1', 'board 2']]);
  });
});
