import { Component, TFile } from 'obsidian-test-mocks/obsidian';
import { fillEmbeds } from './embeds';
import { renderSection } from './markdown-renderer';
import { TextFileView } from './file-view';

/** The app's note tab, reading view only: links open, task boxes write, changes show at once. */
export class MarkdownView extends TextFileView {
  override icon = 'file-text';
  readonly previewEl: HTMLElement;
  readonly previewMode = { rerender: (_full?: boolean) => void this.#render() };
  #rendered = new Component();

  constructor(...args: ConstructorParameters<typeof TextFileView>) {
    super(...args);
    this.previewEl = this.contentEl.createDiv({
      cls: 'markdown-preview-view markdown-rendered node-insert-event is-readable-line-width',
    });
    this.previewEl.addEventListener('click', (event) => void this.#clicked(event));
  }

  getViewType(): string {
    return 'markdown';
  }

  getMode(): 'preview' {
    return 'preview';
  }

  getViewData(): string {
    return this.data;
  }

  setViewData(data: string): void {
    this.data = data;
    void this.#render();
  }

  clear(): void {
    this.previewEl.empty();
  }

  async #render(): Promise<void> {
    const { app, file } = this;
    if (file === null) return;
    this.removeChild(this.#rendered);
    this.#rendered = this.addChild(new Component());
    const sizer = createDiv({ cls: 'markdown-preview-sizer markdown-preview-section' });
    sizer.createDiv({ cls: 'inline-title', text: file.basename });
    const markdown = this.data;
    await renderSection(app, {
      ...{ markdown, el: sizer, sourcePath: file.path, component: this.#rendered },
      section: { text: markdown, lineStart: 0, lineEnd: markdown.split('\n').length - 1 },
    });
    await fillEmbeds(app, sizer, file.path, this.#rendered);
    const { scrollTop } = this.previewEl;
    this.previewEl.replaceChildren(sizer);
    this.previewEl.scrollTop = scrollTop;
  }

  async #clicked(event: MouseEvent): Promise<void> {
    const target = event.target as Element;
    const link = target.closest<HTMLElement>('a.internal-link');
    if (link !== null) {
      event.preventDefault();
      const newLeaf = event.ctrlKey || event.metaKey ? 'tab' : false;
      const to = link.dataset.href ?? '';
      await this.app.workspace.openLinkText(to, this.file?.path ?? '', newLeaf);
    }
    const box = target.closest<HTMLInputElement>('input.task-list-item-checkbox');
    const own = box?.closest('.internal-embed') === null;
    if (box !== null && own && this.file instanceof TFile) await this.#tick(this.file, box);
  }

  async #tick(file: TFile, box: HTMLInputElement): Promise<void> {
    const line = Number(box.dataset.line);
    await this.app.vault.process(file, (text) => {
      const lines = text.split('\n');
      const mark = box.checked ? 'x' : ' ';
      lines[line] = lines[line]?.replace(/\[.\]/u, `[${mark}]`) ?? '';
      return lines.join('\n');
    });
  }
}
