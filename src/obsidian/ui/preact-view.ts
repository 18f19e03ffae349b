import { ItemView, type Menu, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import { createRef, render, type ComponentChildren } from 'preact';
import { keepFocus } from './focus';
import {
  addActionItems,
  type ChosenTask,
  type ViewWithActions,
  type ViewActions,
} from './view-actions';

/** What all views of one kind share. */
interface ViewKind {
  readonly type: string;
  readonly icon: string;
  readonly class?: string;
  /** key in the view's state for the object it shows, if several views can show different ones */
  readonly stateKey?: string;
}

/** A view that Preact draws. */
export abstract class PreactView extends ItemView {
  override navigation = true;
  /** what the view shows, as named in its state; empty until the state is set */
  protected shownId = '';
  private title = '';

  constructor(
    leaf: WorkspaceLeaf,
    private readonly kind: ViewKind,
  ) {
    super(leaf);
    this.icon = kind.icon;
  }

  protected abstract content(): ComponentChildren;

  protected draw(): void {
    render(this.content(), this.contentEl);
  }

  override getViewType(): string {
    return this.kind.type;
  }

  override getState(): Record<string, unknown> {
    const { stateKey } = this.kind;
    return { ...super.getState(), ...(stateKey !== undefined && { [stateKey]: this.shownId }) };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    this.restore(new Map<string, unknown>(Object.entries(state ?? {})));
  }

  protected restore(state: ReadonlyMap<string, unknown>): void {
    const given = state.get(this.kind.stateKey ?? '');
    if (typeof given === 'string') this.shownId = given;
    this.title = this.getDisplayText();
    this.draw();
  }

  override onOpen(): Promise<void> {
    if (this.kind.class !== undefined) this.contentEl.addClass(this.kind.class);
    this.register(keepFocus(this.contentEl));
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }

  /** Updates the tab's title if it changed: the app rewrites it only when the state is set. */
  protected updateTitle(): void {
    if (this.getDisplayText() === this.title) return;
    this.title = this.getDisplayText();
    void this.leaf.setViewState(this.leaf.getViewState());
  }
}

/** A drawn view with actions of its own, which its menu shows too. */
export abstract class PreactViewWithActions<Handle extends ViewWithActions = ViewWithActions>
  extends PreactView
  implements ViewWithActions
{
  protected readonly handle = createRef<Handle>();

  get acts(): ViewActions {
    return this.handle.current?.acts ?? {};
  }

  get chosen(): ChosenTask | undefined {
    return this.handle.current?.chosen;
  }

  override onPaneMenu(menu: Menu, source: string): void {
    super.onPaneMenu(menu, source);
    addActionItems(menu, this.acts, 'view');
  }
}
