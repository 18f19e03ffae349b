import type { OpenViewState, ViewState } from 'obsidian';
import { Events, type TFile } from 'obsidian-test-mocks/obsidian';
import type { App } from './app';
import { EmptyView } from './empty-view';
import { ItemView } from './item-view';
import type { TabGroup } from './tab-group';
import type { View } from './view';

let count = 0;

/** A container for a view. `setViewState` builds the view, opens it and passes it its state. */
export class WorkspaceLeaf extends Events {
  readonly id = `leaf-${(count += 1)}`;
  readonly containerEl: HTMLElement = createDiv({ cls: 'workspace-leaf' });
  readonly isDeferred = false;
  hoverPopover = null;
  parent: TabGroup;
  view: View;
  #pinned = false;
  #group: string | null = null;
  readonly #back: ViewState[] = [];
  readonly #forward: ViewState[] = [];

  constructor(
    readonly app: App,
    parent: TabGroup,
  ) {
    super();
    this.parent = parent;
    this.view = new EmptyView(this);
    void this.view.openIn(this.containerEl);
    this.containerEl.addEventListener('pointerdown', () => this.#activate(), { capture: true });
    this.containerEl.addEventListener('focusin', () => this.#activate());
  }

  getViewState(): ViewState {
    return { type: this.view.getViewType(), state: this.view.getState(), pinned: this.#pinned };
  }

  async setViewState(viewState: ViewState, ephemeral?: unknown): Promise<void> {
    if (this.view.navigation) this.#back.push(this.getViewState());
    this.#forward.length = 0;
    await this.#show(viewState, ephemeral);
  }

  async open(view: View): Promise<View> {
    const before = this.view;
    this.view = view;
    await before.closeView();
    await view.openIn(this.containerEl);
    this.updateHeader();
    return view;
  }

  async openFile(file: TFile, openState?: OpenViewState): Promise<void> {
    const state = { ...openState?.state, file: file.path };
    const active = openState?.active ?? true;
    const type = file.extension === 'base' ? 'bases' : 'markdown';
    await this.setViewState({ type, state, active }, openState?.eState);
    this.app.workspace.trigger('file-open', file);
  }

  async goBack(): Promise<void> {
    await this.#navigate(this.#back, this.#forward);
  }

  async goForward(): Promise<void> {
    await this.#navigate(this.#forward, this.#back);
  }

  detach(): void {
    this.parent.remove(this);
    void this.view.closeView();
    this.app.workspace.onLeafDetached(this);
  }

  /** Redraws tab and title. */
  updateHeader(): void {
    if (this.view instanceof ItemView) this.view.titleEl.setText(this.getDisplayText());
    this.parent.drawTabs();
  }

  getDisplayText(): string {
    return this.view.getDisplayText();
  }

  getIcon(): string {
    return this.view.getIcon();
  }

  getEphemeralState(): Record<string, unknown> {
    return this.view.getEphemeralState();
  }

  setEphemeralState(state: unknown): void {
    this.view.setEphemeralState(state);
  }

  getRoot(): unknown {
    return this.parent.area;
  }

  getContainer(): unknown {
    return this.app.workspace.rootSplit;
  }

  setPinned(pinned: boolean): void {
    this.#pinned = pinned;
    this.trigger('pinned-change', pinned);
  }

  togglePinned(): void {
    this.setPinned(!this.#pinned);
  }

  setGroup(group: string): void {
    this.#group = group;
  }

  setGroupMember(other: WorkspaceLeaf): void {
    this.#group = other.group();
  }

  /** Whether another view may replace this one. */
  canNavigate(): boolean {
    return !this.#pinned && this.view.navigation;
  }

  group(): string | null {
    return this.#group;
  }

  onResize(): void {
    this.view.onResize();
  }

  async loadIfDeferred(): Promise<void> {}

  async #navigate(from: ViewState[], to: ViewState[]): Promise<void> {
    const target = from.pop();
    if (target === undefined) return;
    to.push(this.getViewState());
    await this.#show({ ...target, active: true });
  }

  async #show(viewState: ViewState, ephemeral?: unknown): Promise<void> {
    const { workspace } = this.app;
    if (this.view.getViewType() !== viewState.type) {
      await this.open(this.app.views.create(viewState.type, this));
    }
    await this.view.setState(viewState.state ?? {}, { history: false });
    if (ephemeral !== undefined) this.view.setEphemeralState(ephemeral);
    this.updateHeader();
    if (viewState.active) workspace.setActiveLeaf(this, { focus: true });
    this.trigger('view-state-change');
    workspace.trigger('layout-change');
  }

  #activate(): void {
    this.app.workspace.setActiveLeaf(this);
  }
}
