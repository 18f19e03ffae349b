// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ToolPermissionRequest } from '../../src/core/permission/ask';
import { ARM_AFTER } from '../../src/obsidian/ui/armed';
import type { AttentionItem } from '../../src/obsidian/model/attention';
import { OwnAskCards } from '../../src/obsidian/conversation/ask-block';
import { AttentionCard } from '../../src/obsidian/sidebar/needs-you';
import { makeAsk } from './ask-fixture';
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

const means = {
  review: (id: string, step?: string) => void asked.push(`review ${id} ${step ?? 'ask'}`),
  allowOnce: (id: string) => void asked.push(`allow ${id}`),
  choose: () => undefined,
  connected: () => true,
};

function draw(where: 'sidebar' | 'conversation', part: Partial<ToolPermissionRequest>): void {
  const need: AttentionItem = {
    kind: 'ask',
    session: session('ses_1'),
    request: makeAsk('r1', part),
  };
  void act(() =>
    render(
      where === 'sidebar' ? (
        <AttentionCard need={need} place={0} intents={means} />
      ) : (
        <OwnAskCards needs={[need]} actions={means} />
      ),
      root,
    ),
  );
  void act(() => void vi.advanceTimersByTime(ARM_AFTER));
}

function button(words: string): HTMLButtonElement | undefined {
  return [...root.querySelectorAll('button')].find((one) => one.textContent === words);
}

const lines = (count: number, text = 'line') => Array(count).fill(`${text}\n`).join('');
const SMALL: Partial<ToolPermissionRequest> = { change: { before: 'a\n', after: 'b\n' } };
const READ: Partial<ToolPermissionRequest> = {
  operation: 'read',
  tool: 'obsidian.read_note',
  path: 'A.md',
  change: undefined,
  args: { path: 'A.md', heading: 'Plan' },
};

describe('a card of what our own tools ask', () => {
  test.each([
    ['sidebar', SMALL, '+added: b'],
    ['conversation', SMALL, '+added: b'],
    ['conversation', { change: { before: undefined, after: lines(90) } }, '+added: line'],
    ['sidebar', READ, 'heading: Plan'],
    ['conversation', READ, 'heading: Plan'],
  ] as const)(
    '[ASK13] in the %s what is shown whole is allowed there: %#',
    (where, part, shown) => {
      draw(where, part);
      expect(root.textContent).toContain(shown);
      button('Allow once')?.click();
      expect(asked).toEqual(['allow r1']);
    },
  );

  test.each([
    ['sidebar', { change: { before: undefined, after: lines(9) } }],
    ['sidebar', { change: { before: undefined, after: lines(1, 'x'.repeat(2_000)) } }],
    ['sidebar', { change: 'restricted' }],
    ['sidebar', { ...READ, args: { path: 'A.md', heading: 'x'.repeat(200) } }],
    ['conversation', { change: { before: undefined, after: lines(101) } }],
    ['conversation', { change: { before: undefined, after: lines(1, 'x'.repeat(20_001)) } }],
    ['conversation', { change: 'restricted' }],
  ] as const)('[ASK13] in the %s what does not fit is reviewed: %#', (where, part) => {
    draw(where, part);
    expect(button('Allow once')).toBeUndefined();
    button('Review')?.click();
    expect(asked).toEqual(['review r1 ask']);
  });

  test('[ASK13] no, and "always" where there is one, are said in the dialog', () => {
    draw('conversation', SMALL);
    button('Always allow…')?.click();
    button('Deny…')?.click();
    draw('conversation', { ...SMALL, always: undefined });
    expect(button('Always allow…')).toBeUndefined();
    draw('sidebar', SMALL);
    button('Deny…')?.click();
    expect(asked).toEqual(['review r1 always', 'review r1 deny', 'review r1 deny']);
  });

  test.each(['sidebar', 'conversation'] as const)(
    '[ASK9] in the %s it takes no answer in the first 500 ms',
    (where) => {
      draw(where, SMALL);
      draw(where, { ...SMALL, requestId: 'r2' });
      void act(() => render(null, root));
      const need: AttentionItem = {
        kind: 'ask',
        session: undefined,
        request: makeAsk('r3', SMALL),
      };
      const card =
        where === 'sidebar' ? (
          <AttentionCard need={need} place={0} intents={means} />
        ) : (
          <OwnAskCards needs={[need]} actions={means} />
        );
      void act(() => render(card, root));
      void act(() => void vi.advanceTimersByTime(ARM_AFTER - 1));
      button('Allow once')?.click();
      expect(asked).toEqual([]);
    },
  );

  test.each(['sidebar', 'conversation'] as const)('[ASK3] in the %s it is text only', (where) => {
    draw(where, {
      ...{ agent: '<b>x</b>', path: 'A/<b>y</b>.md' },
      change: { before: '', after: '<b>z</b>\u202e\n' },
    });
    expect(root.querySelectorAll('b')).toHaveLength(0);
    expect(root.textContent).toContain('<b>z</b>U+202E');
  });
});
