import type { App } from './app';
import { setIcon } from './icons';
import { Scope } from './scope';

/** Opens over the window and stays open until it is closed by Escape, the cross, the backdrop or code. */
export class Modal {
  readonly scope: Scope;
  readonly containerEl: HTMLElement;
  readonly modalEl: HTMLElement;
  readonly titleEl: HTMLElement;
  readonly contentEl: HTMLElement;
  shouldRestoreSelection = true;
  #focusBefore: Element | null = null;
  #closeCallback: (() => unknown) | undefined;

  constructor(readonly app: App) {
    this.scope = new Scope();
    this.scope.register([], 'Escape', () => {
      this.close();
      return false;
    });
    this.containerEl = createDiv({ cls: 'modal-container mod-dim' });
    const backdrop = this.containerEl.createDiv({ cls: 'modal-bg' });
    backdrop.addEventListener('click', () => this.close());
    this.modalEl = this.containerEl.createDiv({ cls: 'modal' });
    const cross = this.modalEl.createEl('button', {
      cls: 'modal-close-button mod-raised clickable-icon',
      attr: { 'aria-label': 'Close' },
    });
    setIcon(cross, 'x');
    cross.addEventListener('click', () => this.close());
    const header = this.modalEl.createDiv({ cls: 'modal-header' });
    this.titleEl = header.createDiv({ cls: 'modal-title' });
    this.contentEl = this.modalEl.createDiv({ cls: 'modal-content' });
  }

  open(): void {
    if (this.containerEl.isConnected) return;
    this.#focusBefore = document.activeElement;
    this.app.keymap.pushScope(this.scope);
    this.app.modals.add(this);
    document.body.append(this.containerEl);
    this.modalEl.tabIndex = -1;
    this.modalEl.focus();
    const opened: unknown = this.onOpen();
    if (opened instanceof Promise) opened.catch(reportError);
  }

  close(): void {
    if (!this.containerEl.isConnected) return;
    this.app.keymap.popScope(this.scope);
    this.app.modals.delete(this);
    this.containerEl.remove();
    this.onClose();
    this.#closeCallback?.();
    if (this.shouldRestoreSelection && this.#focusBefore instanceof HTMLElement) {
      this.#focusBefore.focus();
    }
  }

  onOpen(): Promise<void> | void {}

  onClose(): void {}

  setTitle(title: string): this {
    this.titleEl.setText(title);
    return this;
  }

  setContent(content: string | DocumentFragment): this {
    this.contentEl.replaceChildren(content);
    return this;
  }

  setCloseCallback(callback: () => unknown): this {
    this.#closeCallback = callback;
    return this;
  }
}
