import { ItemView, Scope, setIcon, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import { createRef, render } from 'preact';
import { IconDrawer } from '../part/icon';
import { ConversationApp, type ConversationHandle } from './conversation-app';
import type { ConversationDeps } from './conversation-deps';
import { conversationTitle } from './conversation-title';

export const CONVERSATION_VIEW = 'agent-task-boards-conversation';

/** One session's conversation in a tab of its own; several may be open. */
export class ConversationView extends ItemView {
  override navigation = true;
  private session = '';
  private title = '';
  private readonly handle = createRef<ConversationHandle>();

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: ConversationDeps & { readonly openPlan: (sessionId: string) => void },
  ) {
    super(leaf);
    this.icon = 'messages-square';
    this.scope = new Scope(this.app.scope);
  }

  get sessionId(): string {
    return this.session;
  }

  /** Brings a block into sight, once what was brought back is drawn: in the frame after the next. */
  goTo(blockKey: string): void {
    const frame = (run: () => void) => window.requestAnimationFrame(run);
    frame(() => frame(() => this.handle.current?.goTo(blockKey)));
  }

  override getViewType(): string {
    return CONVERSATION_VIEW;
  }

  override getDisplayText(): string {
    return conversationTitle(this.deps.overview.state, this.session).title;
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
    this.contentEl.addClass('atb-conversation');
    const plan = () => this.deps.openPlan(this.session);
    this.addAction('list-checks', 'Open plan as note', plan);
    this.addAction('search', 'Find in this conversation', () => this.handle.current?.find());
    const key = (name: string, run: (handle: ConversationHandle) => void): void => {
      this.scope?.register(['Mod'], name, () => {
        if (this.handle.current !== null) run(this.handle.current);
        return false;
      });
    };
    key('f', (handle) => handle.find());
    key('.', (handle) => handle.stop());
    this.register(this.deps.overview.onChange(() => this.followTitle()));
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }

  private draw(): void {
    if (this.session === '') return;
    render(
      <IconDrawer.Provider value={setIcon}>
        <ConversationApp
          key={this.session}
          sessionId={this.session}
          deps={this.deps}
          handle={this.handle}
        />
      </IconDrawer.Provider>,
      this.contentEl,
    );
  }

  /** The app writes a tab's title anew when its state is set. */
  private followTitle(): void {
    if (this.session === '' || this.getDisplayText() === this.title) return;
    this.title = this.getDisplayText();
    void this.leaf.setViewState(this.leaf.getViewState());
  }
}
