import { ItemView, type Menu, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import { createRef, render, type ComponentChildren } from 'preact';
import type { Undo } from '../../core/ports';
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
}

/**
 * Keeps the titles of a view's head and tab the same as its display text, which the app reads only
 * when the view's state is set.
 */
export function followTitle(
  view: ItemView,
  overview: { readonly onChange: (listener: () => void) => Undo },
): void {
  const update = () => {
    const head = view.containerEl.querySelector('.view-header-title');
    const title = view.getDisplayText();
    // Empty until the app has set the first title.
    if (!head?.textContent || head.textContent === title) return;
    head.setText(title);
    void view.leaf.setViewState(view.leaf.getViewState());
  };
  view.register(overview.onChange(update));
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
