import { ItemView, setIcon, type WorkspaceLeaf } from 'obsidian';
import { render } from 'preact';
import { IconDrawer } from '../part/icon';
import { SidebarApp, type SidebarProps } from './sidebar-app';

export const SIDEBAR_VIEW = 'agent-task-boards-sidebar';

/** The leaf that the sidebar stands in. */
export class SidebarView extends ItemView {
  override navigation = false;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly props: SidebarProps,
    private readonly shown: () => void,
  ) {
    super(leaf);
    this.icon = 'list-checks';
    // Above a dock's view there is no header: there, and only there, the toolbar has this button.
    this.addAction('message-square-plus', 'Start session', () => props.intents.startSession());
  }

  override getViewType(): string {
    return SIDEBAR_VIEW;
  }

  override getDisplayText(): string {
    return 'Agent tasks';
  }

  override onOpen(): Promise<void> {
    render(
      <IconDrawer.Provider value={setIcon}>
        <SidebarApp {...this.props} />
      </IconDrawer.Provider>,
      this.contentEl,
    );
    this.shown();
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }
}
