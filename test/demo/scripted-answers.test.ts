import { describe, expect, test } from 'vitest';
import { ScriptedAnswers } from '../../workbench/demo/scripted-answers';
import { Faults } from '../../workbench/demo/faults';
import type { Answer } from '../../workbench/demo/script';
import type { PersonRequest, Stage } from '../../workbench/demo/stage';

function start() {
  const given: string[] = [];
  const faults = new Faults();
  const stage: Stage = {
    startSession: () => Promise.resolve('s'),
    prompt: () => Promise.resolve(),
    act: () => Promise.resolve({ kind: 'done' }),
    answer: (asked: PersonRequest, answers: readonly Answer[]) => {
      const id = asked.kind === 'call' ? asked.callId : asked.requestId;
      given.push(`${id} ${answers.map(({ reply }) => String(reply)).join('+')}`);
      return Promise.resolve();
    },
  };
  return { book: new ScriptedAnswers(stage, faults), given, faults };
}

const permission = (id: string, sessionID: string, name: string) =>
  ({ type: 'permission.asked', properties: { id, sessionID, permission: name } }) as const;

describe('the answers of a script', () => {
  test('[DEMO16] each is used once, by name, for the prompt that runs', () => {
    const { book, given, faults } = start();
    book.setAnswers('s', 'Prompt 1', [
      { permission: 'edit', reply: 'reject', message: 'no' },
      { permission: 'bash', reply: 'once' },
      { permission: 'bash', reply: 'always' },
    ]);
    book.handleEvent(permission('p1', 's', 'bash'));
    book.handleEvent(permission('p2', 's', 'bash'));
    book.handleEvent(permission('p3', 's', 'edit'));
    expect(given).toEqual(['p1 once', 'p2 always', 'p3 reject']);
    expect(faults.all).toEqual([]);
  });

  test('[DEMO16] a request of a subagent is answered by its session', () => {
    const { book, given } = start();
    book.setAnswers('root', 'Prompt 1', [{ permission: 'bash', reply: 'once' }]);
    book.handleEvent({
      type: 'session.created',
      properties: { info: { id: 'child', parentID: 'root' } },
    });
    book.handleEvent(permission('p1', 'child', 'bash'));
    expect(given).toEqual(['p1 once']);
  });

  test('[DEMO16] a question is found by its heading or its words; several have an answer each', () => {
    const { book, given } = start();
    book.setAnswers('s', 'Prompt 1', [
      { question: 'Which vault?', reply: ['A', 'B'] },
      { question: 'Size', reply: 'small' },
    ]);
    const questions = [{ question: 'How large?', header: 'Size' }, { question: 'Which vault?' }];
    book.handleEvent({
      type: 'question.asked',
      properties: { id: 'q', sessionID: 's', questions },
    });
    expect(given).toEqual(['q small+A,B']);
  });

  test('[DEMO16] what OpenCode and what the plugin ask for one tool are answered in their order', () => {
    const { book, given, faults } = start();
    const name = 'obsidian_update_note';
    book.setAnswers('s', 'Prompt 1', [
      { permission: name, reply: 'once' },
      { permission: name, reply: 'always' },
    ]);
    const call = { sessionId: 's', callId: 'c', tool: 'obsidian.update_note' };
    book.handleEvent(permission('p1', 's', name));
    book.answerCall(call);
    expect(given).toEqual(['p1 once', 'c always']);
    book.answerCall({ ...call, callId: 'd' });
    expect(given[2]).toBe('d reject');
    expect(faults.all).toEqual([
      `Prompt 1: The plugin asked the permission "${name}", and the script has no answer.`,
    ]);
  });

  test('[DEMO17] a request without an answer is a fault, and is refused so that the turn ends', () => {
    const { book, given, faults } = start();
    book.setAnswers('s', 'Prompt 1', []);
    book.handleEvent(permission('p1', 's', 'webfetch'));
    expect(given).toEqual(['p1 reject']);
    expect(faults.all).toEqual([
      'Prompt 1: OpenCode asked the permission "webfetch", and the script has no answer.',
    ]);
  });
});
