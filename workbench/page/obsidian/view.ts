import { Component } from 'obsidian-test-mocks/obsidian';
import type { App } from './app';
import type { Menu } from './menu';
import type { Scope } from './scope';
import type { WorkspaceLeaf } from './workspace-leaf';

export interface ViewStateResult {
  history: boolean;
}

export abstract class View extends Component {
  readonly app: App;
  icon = 'file-text';
  navigation = true;
  leaf: WorkspaceLeaf;
  containerEl: HTMLElement;
  scope: Scope | null = null;

  constructor(leaf: WorkspaceLeaf) {
    super();
    this.app = leaf.app;
    this.leaf = leaf;
    this.containerEl = createDiv({ cls: 'workspace-leaf-content' });
  }

  abstract getViewType(): string;
  abstract getDisplayText(): string;

  getIcon(): string {
    return this.icon;
  }

  getState(): Record<string, unknown> {
    return {};
  }

  setState(_state: unknown, _result: ViewStateResult): Promise<void> {
    return Promise.resolve();
  }

  getEphemeralState(): Record<string, unknown> {
    return {};
  }

  setEphemeralState(_state: unknown): void {}

  onResize(): void {}

  onPaneMenu(_menu: Menu, _source: string): void {}

  protected onOpen(): Promise<void> {
    return Promise.resolve();
  }

  protected onClose(): Promise<void> {
    return Promise.resolve();
  }

  /** Puts the view into its leaf, loads it and opens it. */
  async openIn(parent: HTMLElement): Promise<void> {
    this.containerEl.dataset.type = this.getViewType();
    parent.append(this.containerEl);
    this.load();
    await this.onOpen();
  }

  async closeView(): Promise<void> {
    await this.onClose();
    this.unload();
    this.containerEl.remove();
  }
}
