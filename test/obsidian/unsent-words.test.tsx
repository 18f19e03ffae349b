// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import { makeAsk } from './ask-fixture';
import { button, click, dialog, needOf, renderDialog, type, useDialog, wait } from './ask-form-rig';

useDialog();

const field = (): string | undefined => dialog.root.querySelector('textarea')?.value;
const close = (): void => void act(() => render(null, dialog.root));

test('[ASK18] words that a closed dialog left are there again, and go with the no', () => {
  renderDialog(makeAsk('r1'), { step: 'deny' });
  type('Not this folder');
  close();
  renderDialog(makeAsk('r2'), { step: 'deny' });
  expect(field()).toBe('');
  close();
  renderDialog(makeAsk('r1'), { step: 'deny' });
  expect(field()).toBe('Not this folder');
  wait();
  click(button('reject'));
  expect(dialog.answers).toEqual([{ reply: 'reject', message: 'Not this folder' }]);
});

test('[ASK18] what takes the place of a request has its words; what is over has none', () => {
  dialog.unsent.keep('r1', 'Not this folder');
  dialog.unsent.keep('r3', 'Later');
  dialog.unsent.sync([needOf(makeAsk('r2', { replaces: 'r1' }))]);
  expect(['r1', 'r2', 'r3'].map((id) => dialog.unsent.of(id))).toEqual(['', 'Not this folder', '']);
});
