import { Modal, type App } from 'obsidian';

const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓ Home End Page Up Page Down', 'Move'],
  ['← →', 'Fold, unfold'],
  ['Space', 'Tick or untick'],
  ['Enter', 'Open in its note; with Ctrl in a new tab'],
  ['F2', 'Rename'],
  ['S', 'Change status'],
  ['A / Shift A', 'Add a task after this one, or under it'],
  ['Alt ↑ ↓', 'Move up or down'],
  ['Alt → ←', 'Move under the task above, or out'],
  ['M', 'Pick up; arrows move it, Enter drops, Esc puts back'],
  ['D / Shift D', 'Add or remove a dependency'],
  ['Delete', 'Remove'],
  ['C', 'Mark changes as seen'],
  ['Ctrl Z / Ctrl Shift Z', 'Undo or redo your last change'],
  ['/', 'Filter'],
  ['Shift F10', 'Menu'],
  ['Esc', 'Leave a field or the filter'],
];

/** The keys of the task sidebar. */
export function showKeys(app: App): void {
  const modal = new Modal(app);
  modal.modalEl.addClass('atb-dialog');
  modal.setTitle('Keys of the task sidebar');
  const list = modal.contentEl.createEl('dl', { cls: 'atb-keys' });
  for (const [key, meaning] of KEYS) {
    list.createEl('dt', { text: key });
    list.createEl('dd', { text: meaning });
  }
  modal.open();
}
