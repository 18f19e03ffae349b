// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { ARM_AFTER } from '../../src/obsidian/ui/armed';
import { makeAsk, BEFORE } from './ask-fixture';
import {
  button,
  choose,
  click,
  dialog,
  press,
  renderDialog,
  type,
  useDialog,
  wait,
} from './ask-form-rig';

useDialog();

describe('the answers to what our own tools ask', () => {
  test('[ASK7] "always" begins with the least, and shows letter for letter what it records', () => {
    renderDialog(makeAsk('r1'));
    wait();
    click(button('always'));
    expect(dialog.answers).toEqual([]);
    expect(dialog.root.querySelector('.atb-ask-note code')?.textContent).toBe(
      'update Projects/Offline search/Index format.md, allow (build, session ses_1)',
    );
    wait();
    click(button('always'));
    expect(dialog.answers).toEqual([
      {
        reply: 'always',
        rule: {
          permission: 'update',
          pattern: 'Projects/Offline search/Index format.md',
          action: 'allow',
          agent: 'build',
          session: 'ses_1',
        },
      },
    ]);
  });

  test('[ASK7] a wider pattern, for more, and an end are recorded as they are chosen', () => {
    renderDialog(makeAsk('r1'));
    wait();
    click(button('always'));
    choose('What is allowed', 'Projects/Offline search/**');
    choose('Applies to', 'everyone');
    choose('Until', '1 hour from now');
    expect(dialog.root.textContent).toContain(
      'update Projects/Offline search/**, allow until 13:00',
    );
    choose('Until', 'the end of today');
    expect(dialog.root.textContent).toContain('until midnight');
    wait();
    click(button('always'));
    const until = new Date(2026, 10, 23).getTime();
    const pattern = 'Projects/Offline search/**';
    expect(dialog.answers).toEqual([
      { reply: 'always', rule: { permission: 'update', pattern, action: 'allow', until } },
    ]);
  });

  test('[ASK7] where nothing can be recorded it is not offered, wherever the dialog begins', () => {
    renderDialog(makeAsk('r1', { always: undefined }), { step: 'always' });
    wait();
    expect(dialog.root.querySelector('button[data-reply=always]')).toBeNull();
    expect(button('once').disabled).toBe(false);
  });

  test.each([
    [' use another note ', { reply: 'reject', message: 'use another note' }],
    ['  ', { reply: 'reject' }],
  ])('[ASK8] the words %j go with a no', (words, answer) => {
    renderDialog(makeAsk('r1'), { step: 'deny' });
    type(words);
    wait();
    click(button('reject'));
    expect(dialog.answers).toEqual([answer]);
  });

  test('[ASK9] a step that is shown again takes its 500 ms again', () => {
    renderDialog(makeAsk('r1'));
    wait();
    click(button('always'));
    const back = [...dialog.root.querySelectorAll('button')].find(
      (one) => one.textContent === 'Back',
    );
    click(back ?? dialog.root);
    expect(button('once').disabled).toBe(true);
    wait();
    expect(button('once').disabled).toBe(false);
  });

  test('[ASK9] a click or Ctrl Enter answers nothing in the first 500 ms of what is shown', () => {
    renderDialog(makeAsk('r1'));
    wait(ARM_AFTER - 1);
    click(button('once'));
    press('Enter');
    expect(dialog.answers).toEqual([]);
    wait(1);
    press('Enter');
    expect(dialog.answers).toEqual([{ reply: 'once' }]);
    renderDialog(makeAsk('r2'));
    click(button('once'));
    press('Enter');
    expect(dialog.answers).toHaveLength(1);
    wait();
    click(button('reject'));
    click(button('reject'));
    expect(dialog.answers).toHaveLength(1);
  });

  test.each([
    ['always', 'always'],
    ['deny', 'reject'],
  ] as const)(
    '[ASK15] Ctrl Enter answers the step %s as its button, 500 ms later',
    (step, reply) => {
      renderDialog(makeAsk('r1'), { step });
      wait(ARM_AFTER - 1);
      press('Enter');
      expect(dialog.answers).toEqual([]);
      wait(1);
      press('Enter', { repeat: true });
      expect(dialog.answers).toEqual([]);
      press('Enter');
      expect(dialog.answers.map((answer) => answer.reply)).toEqual([reply]);
    },
  );

  test('[ASK15] Ctrl Enter sends the words of a no, and saves nothing while the note changes', () => {
    renderDialog(makeAsk('r1'), { step: 'deny' });
    type('not now');
    wait();
    press('Enter');
    expect(dialog.answers).toEqual([{ reply: 'reject', message: 'not now' }]);
    renderDialog(makeAsk('r2'), { step: 'always', stale: true, formKey: 'r2' });
    wait();
    press('Enter');
    expect(dialog.answers).toHaveLength(1);
  });

  test('[ASK10] while the new change is on its way nothing is answered; that waits 500 ms anew', () => {
    renderDialog(makeAsk('r1'), { step: 'deny' });
    wait();
    type('not yet');
    renderDialog(makeAsk('r1'), { step: 'deny', stale: true });
    expect(dialog.root.textContent).toContain('The new change is on its way.');
    click(button('reject'));
    expect(dialog.answers).toEqual([]);
    const change = { before: `${BEFORE}More.\n`, after: 'all new\n' };
    renderDialog(makeAsk('r2', { replaces: 'r1', change }), { step: 'deny', formKey: 'r1' });
    expect(dialog.root.textContent).toContain(
      'The note changed since this was asked. This is the new change.',
    );
    expect(dialog.root.querySelector('textarea')?.value).toBe('not yet');
    expect(dialog.root.querySelector('.atb-diff')?.textContent).toContain('all new');
    click(button('reject'));
    expect(dialog.answers).toEqual([]);
    wait();
    click(button('reject'));
    expect(dialog.answers).toEqual([{ reply: 'reject', message: 'not yet' }]);
  });

  test('[ASK12] without a connection it says that the answer counts at once', () => {
    renderDialog(makeAsk('r1'), { connected: false });
    expect(dialog.root.querySelector('[role=status]')?.textContent).toBe(
      'Not connected. Your answer counts at once; the agent is told when it is back.',
    );
    wait();
    click(button('once'));
    expect(dialog.answers).toEqual([{ reply: 'once' }]);
  });

  test('[ASK15] the keyboard begins on the dialog; the answers follow the change and the queue', () => {
    renderDialog(makeAsk('r1'), { total: 3, index: 1 });
    wait();
    expect(document.activeElement).toBe(dialog.root.querySelector('[role=alertdialog]'));
    const stops = [...dialog.root.querySelectorAll<HTMLElement>('[tabindex="0"], button')].map(
      (one) => one.getAttribute('aria-label') ?? (one.textContent.slice(0, 13) || one.className),
    );
    expect(stops).toEqual([
      'Change to Ind',
      'Earlier request',
      'Later request',
      'Deny…',
      'Always allow…',
      'Allow once',
    ]);
  });
});
