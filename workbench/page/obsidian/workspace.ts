import type { OpenViewState, PaneType } from 'obsidian';
import { Events, type TFile } from 'obsidian-test-mocks/obsidian';
import type { App } from './app';
import { triggerIsolated } from './isolated-trigger';
import { WorkspaceArea } from './workspace-area';
import type { WorkspaceLeaf } from './workspace-leaf';
import { FileView } from './file-view';

interface SideLeafOptions {
  readonly active?: boolean;
  readonly split?: boolean;
  readonly reveal?: boolean;
  readonly state?: Record<string, unknown>;
}

export class Workspace extends Events {
  readonly containerEl: HTMLElement = createDiv({ cls: 'workspace' });
  readonly leftSplit: WorkspaceArea;
  readonly rootSplit: WorkspaceArea;
  readonly rightSplit: WorkspaceArea;
  readonly leftRibbon: { readonly containerEl: HTMLElement };
  readonly rightRibbon: { readonly containerEl: HTMLElement };
  readonly requestSaveLayout = Object.assign(() => undefined, {
    cancel: () => undefined,
    run: () => undefined,
  });
  activeLeaf: WorkspaceLeaf | null = null;
  activeEditor = null;
  layoutReady = false;
  readonly #readyCallbacks: (() => unknown)[] = [];
  #lastMainLeaf: WorkspaceLeaf | undefined;

  constructor(readonly app: App) {
    super();
    this.leftRibbon = { containerEl: createDiv({ cls: 'workspace-ribbon mod-left' }) };
    this.rightRibbon = { containerEl: createDiv({ cls: 'workspace-ribbon mod-right' }) };
    this.leftSplit = new WorkspaceArea(app, 'left');
    this.rootSplit = new WorkspaceArea(app, 'root');
    this.rightSplit = new WorkspaceArea(app, 'right');
    const areas = [this.leftSplit, this.rootSplit, this.rightSplit];
    this.containerEl.append(this.leftRibbon.containerEl, ...areas.map((one) => one.containerEl));
    this.containerEl.addClasses(['is-left-sidedock-open', 'is-right-sidedock-open']);
    window.addEventListener('resize', () => this.trigger('resize'));
  }

  override trigger(name: string, ...data: unknown[]): void {
    if (name === 'resize') for (const leaf of this.#all()) leaf.onResize();
    triggerIsolated(this, name, data);
  }

  getLeaf(newLeaf?: PaneType | boolean): WorkspaceLeaf {
    if (newLeaf === 'split') return this.rootSplit.addGroup().add();
    if (newLeaf) return this.#mainGroup().add();
    const leaf = this.#mainLeaf();
    return leaf?.canNavigate() ? leaf : this.#mainGroup().add();
  }

  getRightLeaf(_split: boolean): WorkspaceLeaf {
    return this.rightSplit.group.add();
  }

  getLeftLeaf(_split: boolean): WorkspaceLeaf {
    return this.leftSplit.group.add();
  }

  async ensureSideLeaf(
    type: string,
    side: 'left' | 'right',
    { active, reveal, state }: SideLeafOptions = {},
  ): Promise<WorkspaceLeaf> {
    const area = side === 'left' ? this.leftSplit : this.rightSplit;
    const there = area.leaves.find((leaf) => leaf.view.getViewType() === type);
    const leaf = there ?? area.group.add();
    if (!there || state) await leaf.setViewState({ type, ...(state && { state }) });
    if (reveal ?? true) await this.revealLeaf(leaf);
    if (active) this.setActiveLeaf(leaf, { focus: true });
    return leaf;
  }

  splitActiveLeaf(): WorkspaceLeaf {
    return this.getLeaf('split');
  }

  createLeafBySplit(_leaf?: WorkspaceLeaf): WorkspaceLeaf {
    return this.getLeaf('split');
  }

  /** Opens a tab instead: the workbench has one window. */
  openPopoutLeaf(): WorkspaceLeaf {
    return this.getLeaf('tab');
  }

  async duplicateLeaf(leaf: WorkspaceLeaf, paneType?: PaneType | boolean): Promise<WorkspaceLeaf> {
    const copy = this.getLeaf(paneType ?? true);
    await copy.setViewState({ ...leaf.getViewState(), active: true });
    return copy;
  }

  setActiveLeaf(leaf: WorkspaceLeaf, params?: { focus?: boolean } | boolean): void {
    if (leaf.parent.shown !== leaf) leaf.parent.show(leaf);
    this.containerEl.dataset.phoneArea = leaf.parent.area.side;
    const before = this.activeLeaf;
    if (before !== leaf) {
      this.activeLeaf = leaf;
      if (leaf.parent.area.side === 'root') this.#lastMainLeaf = leaf;
      before?.containerEl.removeClass('mod-active');
      leaf.containerEl.addClass('mod-active');
      before?.parent.drawTabs();
      leaf.updateHeader();
      this.trigger('active-leaf-change', leaf);
    }
    const focus = typeof params === 'object' && params.focus;
    if (focus && !leaf.containerEl.contains(document.activeElement)) this.#focus(leaf);
  }

  /** Brings the leaf to the front and unfolds its dock; it becomes the active one. */
  async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
    leaf.parent.area.expand();
    leaf.parent.show(leaf);
    this.setActiveLeaf(leaf);
    await Promise.resolve();
  }

  getLeavesOfType(type: string): WorkspaceLeaf[] {
    return this.#all().filter((leaf) => leaf.view.getViewType() === type);
  }

  getActiveViewOfType<T>(type: abstract new (...args: never[]) => T): T | null {
    const view: unknown = this.activeLeaf?.view;
    return view instanceof type ? view : null;
  }

  getLeafById(id: string): WorkspaceLeaf | null {
    return this.#all().find((leaf) => leaf.id === id) ?? null;
  }

  getMostRecentLeaf(): WorkspaceLeaf | null {
    return this.#mainLeaf() ?? null;
  }

  getUnpinnedLeaf(): WorkspaceLeaf {
    return this.getLeaf(false);
  }

  getGroupLeaves(group: string): WorkspaceLeaf[] {
    return this.#all().filter((leaf) => leaf.group() === group);
  }

  getActiveFile(): TFile | null {
    const view = this.#mainLeaf()?.view;
    return view instanceof FileView ? view.file : null;
  }

  getLastOpenFiles(): string[] {
    return [];
  }

  iterateAllLeaves(callback: (leaf: WorkspaceLeaf) => unknown): void {
    for (const leaf of this.#all()) callback(leaf);
  }

  iterateRootLeaves(callback: (leaf: WorkspaceLeaf) => unknown): void {
    for (const leaf of this.rootSplit.leaves) callback(leaf);
  }

  detachLeavesOfType(type: string): void {
    for (const leaf of this.getLeavesOfType(type)) leaf.detach();
  }

  async openLinkText(
    linktext: string,
    sourcePath: string,
    newLeaf?: PaneType | boolean,
    openState?: OpenViewState,
  ): Promise<void> {
    const [linkpath = ''] = linktext.split('#');
    const { metadataCache, vault } = this.app;
    const file = metadataCache.getFirstLinkpathDest(linkpath, sourcePath);
    const target = file ?? (await vault.create(`${linkpath.replace(/\.md$/, '')}.md`, ''));
    await this.getLeaf(newLeaf).openFile(target, openState);
  }

  handleLinkContextMenu(): boolean {
    return false;
  }

  updateOptions(): void {}

  getLayout(): Record<string, unknown> {
    return {};
  }

  onLayoutReady(callback: () => unknown): void {
    if (this.layoutReady) callback();
    else this.#readyCallbacks.push(callback);
  }

  /** Runs the callbacks that wait for the layout; each in isolation. */
  async markReady(): Promise<void> {
    this.layoutReady = true;
    const started = this.#readyCallbacks.splice(0).map(async (callback) => callback());
    for (const result of await Promise.allSettled(started)) {
      if (result.status === 'rejected') reportError(result.reason);
    }
    this.trigger('layout-ready');
  }

  onLeafDetached(leaf: WorkspaceLeaf): void {
    if (this.#lastMainLeaf === leaf) this.#lastMainLeaf = undefined;
    if (this.activeLeaf === leaf) {
      this.activeLeaf = null;
      const next = this.#mainLeaf();
      if (next) this.setActiveLeaf(next);
    }
    this.trigger('layout-change');
  }

  /** On a phone: switches from any view to the files and back. */
  togglePhoneFiles(): void {
    const files = this.containerEl.dataset.phoneArea === 'left';
    const leaf = files ? this.#mainLeaf() : this.leftSplit.group.shown;
    if (leaf) this.setActiveLeaf(leaf);
  }

  #all(): WorkspaceLeaf[] {
    return [this.leftSplit, this.rootSplit, this.rightSplit].flatMap((area) => [...area.leaves]);
  }

  #mainLeaf(): WorkspaceLeaf | undefined {
    return this.#lastMainLeaf ?? this.rootSplit.group.shown;
  }

  #mainGroup() {
    return this.#mainLeaf()?.parent ?? this.rootSplit.group;
  }

  #focus(leaf: WorkspaceLeaf): void {
    const target = leaf.containerEl.querySelector<HTMLElement>('[tabindex="0"]');
    // A focus that scrolls would move the view; whether the app's does is not known.
    (target ?? leaf.containerEl).focus({ preventScroll: true });
  }
}
