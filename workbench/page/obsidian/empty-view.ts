import { ItemView } from './item-view';

/** What a new tab shows. */
export class EmptyView extends ItemView {
  override icon = 'file';

  getViewType(): string {
    return 'empty';
  }

  getDisplayText(): string {
    return 'New tab';
  }

  protected override onOpen(): Promise<void> {
    const state = this.contentEl.createDiv({ cls: 'empty-state' });
    const container = state.createDiv({ cls: 'empty-state-container' });
    const list = container.createDiv({ cls: 'empty-state-action-list' });
    this.#action(list, 'Go to file (Ctrl + O)', () => this.app.commands.run('switcher:open'));
    this.#action(list, 'Open command palette (Ctrl + P)', () => {
      this.app.commands.run('command-palette:open');
    });
    this.#action(list, 'Close', () => this.leaf.detach());
    return Promise.resolve();
  }

  #action(parent: HTMLElement, text: string, run: () => void): void {
    const action = parent.createEl('button', { cls: 'empty-state-action', text });
    action.addEventListener('click', run);
  }
}
