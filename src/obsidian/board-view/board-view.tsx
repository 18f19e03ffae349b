import { ItemView, type App, type Menu, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import { createRef, render } from 'preact';
import { askForText, pick } from '../ui/dialog';
import { keepFocus } from '../ui/focus';
import { addActs, type ActingView, type ViewActs } from '../ui/view-actions';
import { BoardApp } from './board-app';
import type { BoardAppProps } from './board-state';
import { boardsOf, boardTitle } from './shown-boards';
import { columnWord } from './columns';

export const BOARD_VIEW = 'agent-task-boards-board';

export type BoardViewDeps = Omit<
  BoardAppProps,
  'session' | 'onSession' | 'askLimit' | 'pick' | 'handle'
> & {
  readonly shown: () => void;
};

/** A session's plan in columns, or that of all sessions; several may be open. */
export class BoardView extends ItemView implements ActingView {
  override navigation = true;
  private session = '';
  private title = '';
  private readonly handle = createRef<ActingView>();

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: BoardViewDeps,
  ) {
    super(leaf);
    this.icon = 'kanban';
  }

  get acts(): ViewActs {
    return this.handle.current?.acts ?? {};
  }

  override onPaneMenu(menu: Menu, source: string): void {
    super.onPaneMenu(menu, source);
    addActs(menu, this.acts, 'view');
  }

  override getViewType(): string {
    return BOARD_VIEW;
  }

  override getDisplayText(): string {
    return `${boardTitle(this.deps.overview.state, this.session)}, board`;
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), session: this.session };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const given = new Map<string, unknown>(Object.entries(state ?? {})).get('session');
    if (typeof given === 'string') this.session = given;
    this.title = this.getDisplayText();
    this.draw();
  }

  override onOpen(): Promise<void> {
    const { overview, intents } = this.deps;
    this.contentEl.addClass('atb-board-view');
    this.register(keepFocus(this.contentEl));
    const first = () => boardsOf(overview.state.boards, this.session)[0];
    this.addAction('archive', 'Archive finished tasks', () => {
      for (const board of boardsOf(overview.state.boards, this.session)) intents.archive(board);
    });
    this.addAction('list-checks', 'Open plan as note', () => {
      const board = first();
      if (board !== undefined) intents.open(board, undefined, false);
    });
    this.register(overview.onChange(() => this.followTitle()));
    this.deps.shown();
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }

  private draw(): void {
    const { session, deps, handle } = this;
    const { app } = this;
    render(
      <BoardApp
        key={session}
        {...deps}
        {...{ session, handle }}
        onSession={(next) => void this.show(next)}
        {...boardDialogs(app)}
      />,
      this.contentEl,
    );
  }

  private async show(session: string): Promise<void> {
    await this.leaf.setViewState({ type: BOARD_VIEW, active: true, state: { session } });
  }

  /** The app writes a tab's title anew when its state is set. */
  private followTitle(): void {
    if (this.getDisplayText() === this.title) return;
    this.title = this.getDisplayText();
    void this.leaf.setViewState(this.leaf.getViewState());
  }
}

/** What a board asks. */
export function boardDialogs(app: App): Pick<BoardAppProps, 'pick' | 'askLimit'> {
  return {
    pick: (choices, words) => pick(app, choices, words, true),
    askLimit: (status, now) =>
      askForText(app, {
        title: `Limit of ${columnWord(status)}`,
        placeholder: 'The most tasks at a time; empty for none',
        yes: 'Set',
        initial: now === undefined ? '' : String(now),
        optional: true,
        check: (text) =>
          /^[1-9]\d{0,3}$|^$/.test(text.trim()) ? undefined : 'Type a whole number, or nothing.',
      }),
  };
}
