import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, vi } from 'vitest';
import type { ToolPermissionRequest, ToolPermissionReply } from '../../src/core/permission/ask';
import { UnsentMessages, type PromptAnswer } from '../../src/obsidian/ask/ask-steps';
import { ARM_AFTER } from '../../src/obsidian/ui/armed';
import { AskDialog, type AskDialogProps } from '../../src/obsidian/ask/ask-modal';
import type { AttentionItem } from '../../src/obsidian/model/attention';
import { session } from './sidebar-fixture';

/** Local noon. */
export const NOON = new Date(2026, 10, 22, 12).getTime();
const SESSION = session('ses_1', { title: 'Offline search for the vault', agent: 'build' });

/** The dialog of a request in a page; each test begins with a new one. */
export const dialog = {
  root: document.body,
  answers: [] as ToolPermissionReply[],
  unsent: new UnsentMessages(),
};

export function needOf(ask: ToolPermissionRequest): AttentionItem {
  return { kind: 'ask', session: SESSION, request: ask };
}

/** To be called once per file. */
export function useDialog(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    dialog.root = document.body.appendChild(document.createElement('div'));
    dialog.answers = [];
    dialog.unsent = new UnsentMessages();
  });
  afterEach(() => {
    void act(() => render(null, dialog.root));
    dialog.root.remove();
    vi.useRealTimers();
  });
}

export function renderDialog(ask: ToolPermissionRequest, more: Partial<AskDialogProps> = {}): void {
  const onAnswer = (_: AttentionItem, answer: PromptAnswer) =>
    answer.kind === 'ask' ? void dialog.answers.push(answer.answer) : undefined;
  void act(() =>
    render(
      <AskDialog
        {...{ need: needOf(ask), formKey: ask.requestId, index: 0, total: 1 }}
        {...{ connected: true, stale: false, step: 'ask', now: () => NOON, onAnswer }}
        task="Keep the index across restarts"
        onMove={() => undefined}
        unsent={dialog.unsent}
        {...more}
      />,
      dialog.root,
    ),
  );
}

export function textsOf(selector: string): readonly string[] {
  return [...dialog.root.querySelectorAll(selector)].map((one) => one.textContent);
}

export function button(reply: string): HTMLButtonElement {
  const found = dialog.root.querySelector<HTMLButtonElement>(`button[data-reply="${reply}"]`);
  if (found === null) throw new Error(`no button ${reply}`);
  return found;
}

export function wait(ms = ARM_AFTER): void {
  void act(() => void vi.advanceTimersByTime(ms));
}

export function click(element: HTMLElement): void {
  void act(() => element.click());
}

export function press(key: string, more: KeyboardEventInit = {}): void {
  const event = new KeyboardEvent('keydown', { key, ctrlKey: true, bubbles: true, ...more });
  void act(() => void dialog.root.querySelector('.atb-permission')?.dispatchEvent(event));
}

export function choose(name: string, words: string): void {
  const select = dialog.root.querySelector<HTMLSelectElement>(`select[aria-label="${name}"]`);
  const at = [...(select?.options ?? [])].findIndex((option) => option.text === words);
  if (select === null || at < 0) throw new Error(`no ${words} in ${name}`);
  void act(() => {
    select.selectedIndex = at;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
}

export function type(words: string): void {
  const field = dialog.root.querySelector('textarea');
  if (field === null) throw new Error('no field');
  void act(() => {
    field.value = words;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
}
