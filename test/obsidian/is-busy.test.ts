// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import { isBusy } from '../../src/obsidian/ui/focus';

function dialog(kind: string): HTMLElement {
  const container = document.createElement('div');
  container.className = 'modal-container';
  const modal = document.createElement('div');
  modal.className = `modal ${kind}`;
  container.append(modal);
  document.body.append(container);
  return container;
}

describe('what an agent asks does not come between', () => {
  beforeEach(() => document.body.replaceChildren());

  test('[ASK17] a person who writes, or is in another dialog', () => {
    expect(isBusy(document)).toBe(false);
    const field = document.createElement('input');
    document.body.append(field);
    field.focus();
    expect(isBusy(document)).toBe(true);
    field.remove();
    const other = dialog('atb-dialog');
    expect(isBusy(document)).toBe(true);
    other.remove();
    expect(isBusy(document)).toBe(false);
  });

  test('[ASK17] the dialog that asks is no other one', () => {
    dialog('atb-ask');
    expect(isBusy(document)).toBe(false);
    dialog('atb-dialog');
    expect(isBusy(document)).toBe(true);
  });
});
