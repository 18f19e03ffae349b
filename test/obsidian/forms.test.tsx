// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UnsentMessages, type PromptAnswer } from '../../src/obsidian/ask/ask-steps';
import { ARM_AFTER } from '../../src/obsidian/ui/armed';
import { AskDialog } from '../../src/obsidian/ask/ask-modal';
import type { AttentionItem } from '../../src/obsidian/model/attention';

const SESSION = {
  id: 's',
  title: 'Release notes',
  parentId: null,
  agent: 'build',
  state: { kind: 'busy' },
  permissions: [],
  questions: [],
  lastActive: 1,
} as const;

const PERMISSION: AttentionItem = {
  kind: 'permission',
  session: SESSION,
  request: {
    requestId: 'r1',
    permission: 'bash',
    patterns: ['rm <b>x</b>'],
    always: ['rm *'],
    metadata: {},
  },
};

const QUESTION: AttentionItem = {
  kind: 'question',
  session: SESSION,
  request: {
    requestId: 'q1',
    questions: [
      { question: 'Who is it for?', options: [{ label: 'Everyone' }, { label: 'Authors' }] },
      { question: 'Which parts?', multiple: true, options: [{ label: 'A' }, { label: 'B' }] },
    ],
  },
};

let root: HTMLElement;
let answers: PromptAnswer[];
let moves: number[];

function show(
  need: AttentionItem,
  at = { index: 0, total: 1 },
  step: 'ask' | 'deny' = 'ask',
): void {
  void act(() =>
    render(
      <AskDialog
        {...{ need, step, ...at, formKey: need.request.requestId, stale: false }}
        connected
        unsent={new UnsentMessages()}
        now={() => 0}
        onAnswer={(_, answer) => answers.push(answer)}
        onMove={(step) => moves.push(step)}
      />,
      root,
    ),
  );
}

function button(reply: string): HTMLButtonElement {
  const found = root.querySelector<HTMLButtonElement>(`button[data-reply="${reply}"]`);
  if (found === null) throw new Error(`no button ${reply}`);
  return found;
}

function wait(ms: number): void {
  void act(() => void vi.advanceTimersByTime(ms));
}

function click(element: HTMLElement): void {
  void act(() => element.click());
}

beforeEach(() => {
  vi.useFakeTimers();
  root = document.body.appendChild(document.createElement('div'));
  answers = [];
  moves = [];
});

afterEach(() => {
  void act(() => render(null, root));
  root.remove();
  vi.useRealTimers();
});

describe('the permission dialog', () => {
  test('[PLUGIN15] buttons and keys answer nothing in the first 500 ms', () => {
    show(PERMISSION);
    const enter = () =>
      root
        .querySelector('.atb-permission')
        ?.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }),
        );
    wait(ARM_AFTER - 1);
    click(button('once'));
    void act(() => void enter());
    expect(button('once').disabled).toBe(true);
    expect(answers).toEqual([]);
    wait(1);
    expect(button('once').disabled).toBe(false);
    void act(() => void enter());
    expect(answers).toEqual([{ kind: 'permission', reply: 'once' }]);
  });

  test('[PLUGIN15] another request in the same dialog starts the 500 ms anew', () => {
    show(PERMISSION);
    wait(ARM_AFTER);
    show({ ...PERMISSION, request: { ...PERMISSION.request, requestId: 'r2' } });
    expect(button('once').disabled).toBe(true);
    expect(root.querySelector('[data-request]')?.getAttribute('data-request')).toBe('r2');
  });

  test('[ASK9] the same request with other content starts the 500 ms anew', () => {
    show(PERMISSION);
    wait(ARM_AFTER);
    expect(button('once').disabled).toBe(false);
    show({ ...PERMISSION, request: { ...PERMISSION.request, patterns: ['rm -r /'] } });
    expect(button('once').disabled).toBe(true);
    wait(ARM_AFTER);
    show({ ...PERMISSION, request: { ...PERMISSION.request, patterns: ['rm -r /'] } });
    expect(button('once').disabled).toBe(false);
  });

  test('[PLUGIN26] an edit shows its change line by line, as text, at first 400 of them', () => {
    const more = Array.from({ length: 400 }, (_, at) => `+line ${at}`).join('\n');
    const diff = `--- a\n+++ b\n@@ -3,2 +3,402 @@\n same\n-<b>old</b>\n${more}\n\\ No newline\n`;
    show({ ...PERMISSION, request: { ...PERMISSION.request, metadata: { diff } } });
    const lines = () =>
      [...root.querySelectorAll('.atb-diff-line')].map((line) => line.textContent);
    expect(lines().slice(0, 4)).toEqual([
      'Lines 3 to 404',
      'same',
      '-removed: <b>old</b>',
      '+added: line 0',
    ]);
    expect(lines().length).toBe(400);
    const all = [...root.querySelectorAll('button')].find((one) =>
      one.textContent.startsWith('Show all'),
    );
    expect(all?.textContent).toBe('Show all 403 lines');
    click(all ?? root);
    expect(lines().length).toBe(403);
    expect(root.textContent).toContain('400 lines added, 1 removed');
  });

  test('[PLUGIN16] a dialog that was opened to say no begins at the words for it', () => {
    show(PERMISSION, { index: 0, total: 1 }, 'deny');
    wait(0);
    expect(root.querySelector('textarea')).toBe(document.activeElement);
    expect(button('reject').disabled).toBe(true);
    click([...root.querySelectorAll('button')].find((one) => one.textContent === 'Back') ?? root);
    expect(root.querySelector('.atb-permission')).toBe(document.activeElement);
  });

  test('[PLUGIN16] always shows what it would record, deny takes words; each has a second step', () => {
    show(PERMISSION);
    wait(ARM_AFTER);
    click(button('always'));
    expect(answers).toEqual([]);
    expect(root.textContent).toContain('From now on allow bash for rm *');
    wait(ARM_AFTER);
    click(button('always'));
    expect(answers).toEqual([{ kind: 'permission', reply: 'always' }]);
    show({ ...PERMISSION, request: { ...PERMISSION.request, requestId: 'r3' } });
    wait(ARM_AFTER);
    click(button('reject'));
    wait(ARM_AFTER);
    const words = root.querySelector('textarea');
    void act(() => {
      if (words === null) return;
      words.value = ' use trash ';
      words.dispatchEvent(new Event('input', { bubbles: true }));
    });
    click(button('reject'));
    expect(answers[1]).toEqual({ kind: 'permission', reply: 'reject', message: 'use trash' });
  });

  test('[PLUGIN17] what is asked stands there as text, never as markup', () => {
    show(PERMISSION);
    expect(root.querySelector('.atb-ask-object b')).toBeNull();
    expect(root.querySelector('.atb-ask-object')?.textContent).toBe('rm <b>x</b>');
  });

  test('[PLUGIN18] several requests show their place, and Alt with an arrow moves', () => {
    show(PERMISSION, { index: 0, total: 2 });
    expect(root.querySelector('.atb-ask-queue')?.textContent).toContain('1 of 2');
    const key = { key: 'ArrowRight', altKey: true, bubbles: true };
    void act(
      () =>
        void root
          .querySelector('.atb-permission')
          ?.dispatchEvent(new KeyboardEvent('keydown', key)),
    );
    expect(moves).toEqual([1]);
  });
});

describe('the question dialog', () => {
  test('[PLUGIN19] answers once each question has one, with own words where none fits', () => {
    show(QUESTION);
    wait(ARM_AFTER);
    expect(button('answer').disabled).toBe(true);
    const fields = [...root.querySelectorAll('fieldset')];
    const options = fields.map((field) => [...field.querySelectorAll('input')]);
    const own = options[0]?.[2];
    if (own === undefined) throw new Error('no room for own words');
    click(own);
    const words = fields[0]?.querySelector('textarea');
    void act(() => {
      if (words === null || words === undefined) return;
      words.value = 'Beginners';
      words.dispatchEvent(new Event('input', { bubbles: true }));
    });
    for (const option of options[1]?.slice(0, 2) ?? []) click(option);
    expect(button('answer').disabled).toBe(false);
    click(button('answer'));
    expect(answers).toEqual([{ kind: 'question', answers: [['Beginners'], ['A', 'B']] }]);
  });
});
