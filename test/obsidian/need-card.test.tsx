// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ARM_AFTER } from '../../src/obsidian/ui/armed';
import type { AttentionItem } from '../../src/obsidian/model/attention';
import { AttentionCard } from '../../src/obsidian/sidebar/needs-you';
import type { QuestionRequest } from '../../src/protocol/snapshot';
import { session } from './sidebar-fixture';

let root: HTMLElement;
let asked: string[];

beforeEach(() => {
  vi.useFakeTimers();
  root = document.body.appendChild(document.createElement('div'));
  asked = [];
});

afterEach(() => {
  void act(() => render(null, root));
  root.remove();
  vi.useRealTimers();
});

function permission(requestId: string, command: string): AttentionItem {
  const request = { requestId, permission: 'bash', patterns: [command], always: [], metadata: {} };
  return { kind: 'permission', session: session('a'), request };
}

function show(need: AttentionItem, place = 0): void {
  const intents = {
    review: (id: string, step?: string) => void asked.push(`review ${id} ${step ?? 'ask'}`),
    allowOnce: (id: string) => void asked.push(`allow ${id}`),
    choose: (id: string, label: string) => void asked.push(`choose ${id} ${label}`),
  };
  void act(() => render(<AttentionCard {...{ need, place, intents }} />, root));
}

function button(words: string): HTMLButtonElement | undefined {
  return [...root.querySelectorAll('button')].find((one) => one.textContent === words);
}

function wait(ms: number): void {
  void act(() => void vi.advanceTimersByTime(ms));
}

describe('a card under Needs you', () => {
  test('[SIDE24] shows the whole command, and allows it once half a second later', () => {
    show(permission('r1', 'rm -r build'));
    expect(root.querySelector('code')?.textContent).toBe('rm -r build');
    wait(ARM_AFTER - 1);
    button('Allow once')?.click();
    expect(asked).toEqual([]);
    wait(1);
    button('Allow once')?.click();
    expect(asked).toEqual(['allow r1']);
  });

  test('[SIDE24] a card that moved, and another one in its place, wait half a second anew', () => {
    show(permission('r1', 'ls'), 1);
    wait(ARM_AFTER);
    show(permission('r1', 'ls'), 0);
    expect(button('Allow once')?.disabled).toBe(true);
    wait(ARM_AFTER);
    show(permission('r2', 'rm -r /'), 0);
    expect(button('Allow once')?.disabled).toBe(true);
  });

  test.each(['x'.repeat(161), 'one\ntwo'])('[SIDE24] %j is reviewed first', (command) => {
    show(permission('r1', command));
    wait(ARM_AFTER);
    expect(button('Allow once')).toBeUndefined();
    button('Review')?.click();
    expect(asked).toEqual(['review r1 ask']);
  });

  test.each([
    ['', false],
    ['@@ -1 +1 @@\n-old\n+new\n', true],
    [`@@ -0,0 +1,9 @@\n${'+new\n'.repeat(9)}`, false],
  ])('[ASK13] an edit by OpenCode is allowed there only with its change: %j', (diff, there) => {
    const request = {
      ...{ requestId: 'r1', permission: 'edit', patterns: ['A.md'], always: [] },
      metadata: { filepath: 'A.md', diff },
    };
    show({ kind: 'permission', session: session('a'), request });
    wait(ARM_AFTER);
    expect(button('Allow once') !== undefined).toBe(there);
    expect(root.textContent.includes('added: new')).toBe(there);
  });

  test('[SIDE24] no is said in the dialog, where words go with it', () => {
    show(permission('r1', 'ls'));
    button('Deny…')?.click();
    expect(asked).toEqual(['review r1 deny']);
  });

  test('[SIDE69] a question with few short options is answered there, half a second later; others in the dialog', () => {
    const ask = (...questions: QuestionRequest['questions']): void =>
      show({ kind: 'question', session: session('a'), request: { requestId: 'q1', questions } });
    const options = [{ label: 'Everyone', description: 'Whoever comes' }, { label: 'Authors' }];
    ask({ question: 'Who is it for?', options });
    expect(root.textContent).toContain('Whoever comes');
    button('Authors')?.click();
    expect(asked).toEqual([]);
    wait(ARM_AFTER);
    button('Authors')?.click();
    button('Answer…')?.click();
    expect(asked).toEqual(['choose q1 Authors', 'review q1 ask']);
    const unfit = [
      [{ question: 'Which?', options, multiple: true }],
      [
        { question: 'Which?', options },
        { question: 'When?', options },
      ],
      [{ question: 'Which?', options: [{ label: 'x'.repeat(41) }] }],
      [{ question: 'Which?', options: [{ label: 'a' }, { label: 'a' }] }],
      [{ question: 'Which?', options: [...'abcde'].map((label) => ({ label })) }],
    ];
    for (const questions of unfit) {
      ask(...questions);
      expect([...root.querySelectorAll('button')].map((one) => one.textContent)).toEqual([
        'Answer',
      ]);
    }
  });
});
