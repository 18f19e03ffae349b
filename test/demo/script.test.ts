import { describe, expect, test } from 'vitest';
import defaultScript from '../../workbench/demo/default-script.json';
import { readScript } from '../../workbench/demo/script';

function messageOf(value: unknown): string {
  const read = readScript(JSON.stringify(value));
  return read.ok ? 'fine' : read.message;
}

const session = (prompt: object, title = 'A') => ({ title, prompts: [{ text: 'go', ...prompt }] });

describe('a script', () => {
  test('[DEMO1] all fields of a turn are optional, and those of a prompt but its text', () => {
    const turns = [{}, { thinking: 't', text: 'x', tools: [{ name: 'tasks', args: { a: 1 } }] }];
    const read = readScript(JSON.stringify({ sessions: [session({ turns })] }));
    expect(read).toEqual({
      ok: true,
      script: {
        sessions: [{ title: 'A', prompts: [{ text: 'go', turns, person: [], answers: [] }] }],
      },
    });
  });

  test('[DEMO1] arguments of a tool call are handed on, whatever they are', () => {
    for (const args of ['text', 7, null, [], { operations: 'many' }]) {
      const turns = [{ tools: [{ name: 'tasks', args }] }];
      const read = readScript(JSON.stringify({ sessions: [session({ turns })] }));
      expect(read.ok && read.script.sessions[0]?.prompts[0]?.turns).toEqual(turns);
    }
  });

  test('[DEMO2] what is wrong is named by its path', () => {
    expect(messageOf({})).toBe('The script is not right: sessions: is missing.');
    expect(messageOf({ sessions: [{ title: 'A', prompts: [{}] }] })).toContain(
      'sessions[0].prompts[0].text: is missing',
    );
    expect(messageOf({ sessions: [session({ turns: [{ delayMs: 'x' }] })] })).toContain(
      'sessions[0].prompts[0].turns[0].delayMs',
    );
    expect(messageOf({ sessions: [session({ turns: [{ txt: 'x' }] })] })).toContain('txt');
    expect(
      messageOf({ sessions: [session({ person: [{ after: 0, do: 'dance', task: 'x' }] })] }),
    ).toContain('person[0].do: must be tick, status, rename, add or edit');
    expect(
      messageOf({
        sessions: [session({ person: [{ after: 0, do: 'status', task: 'x', value: 'blue' }] })],
      }),
    ).toContain('person[0].value: is no status');
  });

  test('[DEMO2] a text that is no JSON is refused with the reason', () => {
    const read = readScript('{"sessions": [');
    expect(read.ok ? '' : read.message).toMatch(/^The script is no JSON: /);
  });

  test('[DEMO3] two sessions can not have one title', () => {
    expect(messageOf({ sessions: [session({}), session({}, 'B'), session({})] })).toBe(
      'The script is not right: sessions[2].title: is the title of an earlier session too; titles must be unique.',
    );
  });

  test('[DEMO4] a status may be its name or the word a person sees', () => {
    for (const value of ['in_progress', 'In progress', 'Done', 'waiting', 'Ready', 'cancelled']) {
      const person = [{ after: 0, do: 'status', task: 'x', value }];
      expect(messageOf({ sessions: [session({ person })] })).toBe('fine');
    }
  });

  test('[DEMO38] a date may be given as days from today, also over the end of a year', () => {
    const text = JSON.stringify({
      sessions: [session({ text: 'due {{+0d}} or {{+3d}}, not {{3d}}' })],
    });
    const read = readScript(text, new Date(2026, 11, 30, 23, 59));
    expect(read.ok && read.script.sessions[0]?.prompts[0]?.text).toBe(
      'due 2026-12-30 or 2027-01-02, not {{3d}}',
    );
  });

  test('[DEMO5] the default script is a right one: two sessions, dependencies, subtasks, due dates, a failure, a tick', () => {
    const read = readScript(JSON.stringify(defaultScript));
    if (!read.ok) throw new Error(read.message);
    const { sessions } = read.script;
    expect(sessions).toHaveLength(2);
    const text = JSON.stringify(sessions);
    for (const part of [
      '"dependsOn"',
      '"parent"',
      '"phase"',
      '"thinking"',
      '"tick"',
      '"permission"',
      '"due"',
      '"failed"',
      '"reason"',
      '"deferred"',
      '"owner"',
    ]) {
      expect(text).toContain(part);
    }
  });
});
