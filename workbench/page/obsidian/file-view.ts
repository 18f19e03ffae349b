import type { TFile } from 'obsidian-test-mocks/obsidian';
import { ItemView } from './item-view';
import type { ViewStateResult } from './view';

/** A view of one visible file, which its state names; it is cleared when the file is deleted. */
export abstract class FileView extends ItemView {
  allowNoFile = false;
  file: TFile | null = null;
  override navigation = true;

  override onload(): void {
    const { vault } = this.app;
    this.registerEvent(
      vault.on('rename', (file) => {
        if (this.file !== null && file === this.file) void this.onRename(this.file);
      }),
    );
    this.registerEvent(
      vault.on('delete', (file) => {
        if (file === this.file) this.leaf.detach();
      }),
    );
  }

  getDisplayText(): string {
    return this.file?.basename ?? 'No file';
  }

  override getState(): Record<string, unknown> {
    return this.file === null ? {} : { file: this.file.path };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const path = (state as { file?: unknown } | null)?.file;
    if (typeof path !== 'string' || path === this.file?.path) return;
    if (this.file) await this.onUnloadFile(this.file);
    this.file = this.app.vault.getFileByPath(path);
    if (this.file) await this.onLoadFile(this.file);
  }

  canAcceptExtension(extension: string): boolean {
    return extension === 'md';
  }

  async onLoadFile(_file: TFile): Promise<void> {}

  async onUnloadFile(_file: TFile): Promise<void> {}

  onRename(_file: TFile): Promise<void> {
    this.leaf.updateHeader();
    return Promise.resolve();
  }
}

export abstract class EditableFileView extends FileView {}

/** A file view over text; the subclass displays it. */
export abstract class TextFileView extends EditableFileView {
  data = '';
  readonly requestSave = (): void => void this.save();

  abstract getViewData(): string;
  abstract setViewData(data: string, clear: boolean): void;
  abstract clear(): void;

  override onload(): void {
    super.onload();
    this.registerEvent(
      this.app.vault.on('modify', (file) => {
        if (this.file !== null && file === this.file) void this.#load(this.file, false);
      }),
    );
  }

  override onLoadFile(file: TFile): Promise<void> {
    return this.#load(file, true);
  }

  override onUnloadFile(): Promise<void> {
    this.clear();
    return Promise.resolve();
  }

  async save(clear = false): Promise<void> {
    if (this.file) await this.app.vault.modify(this.file, this.getViewData());
    if (clear) this.clear();
  }

  async #load(file: TFile, clear: boolean): Promise<void> {
    this.data = await this.app.vault.read(file);
    this.setViewData(this.data, clear);
  }
}
