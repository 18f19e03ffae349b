import { Modal, setIcon, type App } from 'obsidian';
import { render, type ComponentChildren } from 'preact';
import { IconDrawer } from '../../part/icon';

/** Opens a form in a dialog, on a phone a page; resolves undefined where it was closed otherwise. */
export function openForm<T>(
  app: App,
  title: string,
  draw: (done: (value: T | undefined) => void) => ComponentChildren,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const modal = new FormModal(app, title, (done) => draw(done));
    modal.closed = (value) => resolve(value as T | undefined);
    modal.open();
  });
}

class FormModal extends Modal {
  closed: (value: unknown) => void = () => undefined;
  private value: unknown;

  constructor(
    app: App,
    title: string,
    private readonly draw: (done: (value: unknown) => void) => ComponentChildren,
  ) {
    super(app);
    this.setTitle(title);
    this.modalEl.addClasses(['atb-dialog', 'atb-form-dialog']);
  }

  override onOpen(): void {
    const done = (value: unknown) => {
      this.value = value;
      this.close();
    };
    render(
      <IconDrawer.Provider value={setIcon}>{this.draw(done)}</IconDrawer.Provider>,
      this.contentEl,
    );
    this.contentEl.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }

  override onClose(): void {
    render(null, this.contentEl);
    this.closed(this.value);
  }
}
