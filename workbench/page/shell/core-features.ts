import { BaseFileView } from '../obsidian/bases';
import type { App } from '../obsidian/app';
import { MarkdownView } from '../obsidian/markdown-view';
import { Notice } from '../obsidian/notice';
import { BacklinksView } from './backlinks-view';
import { CommandPalette } from './command-palette';
import { FileExplorerView } from './file-explorer-view';
import { OutlineView } from './outline-view';
import { QuickSwitcher } from './quick-switcher';
import { SettingsWindow } from './settings-window';

/** The app's built-in features: views, commands with their keys, ribbon icons. */
export async function addCoreFeatures(app: App): Promise<void> {
  app.views.register('markdown', (leaf) => new MarkdownView(leaf));
  app.views.register('bases', (leaf) => new BaseFileView(leaf));
  app.views.register('file-explorer', (leaf) => new FileExplorerView(leaf));
  app.views.register('outline', (leaf) => new OutlineView(leaf));
  app.views.register('backlink', (leaf) => new BacklinksView(leaf));
  addCommands(app);
  addRibbonIcons(app);
  await app.workspace.leftSplit.group.add().setViewState({ type: 'file-explorer' });
  await app.workspace.rightSplit.group.add().setViewState({ type: 'backlink' });
  await app.workspace.rightSplit.group.add().setViewState({ type: 'outline' });
  app.workspace.setActiveLeaf(app.workspace.rootSplit.group.add());
}

function addCommands(app: App): void {
  const { commands, scope, workspace } = app;
  const add = (id: string, name: string, callback: () => unknown, key?: string) => {
    commands.add({ id, name, callback });
    if (key === undefined) return;
    scope.register(['Mod'], key, () => {
      commands.run(id);
      return false;
    });
  };
  add('command-palette:open', 'Open command palette', () => new CommandPalette(app).open(), 'p');
  add('switcher:open', 'Open quick switcher', () => new QuickSwitcher(app).open(), 'o');
  add('app:open-settings', 'Open settings', () => new SettingsWindow(app).open(), ',');
  add('app:toggle-left-sidebar', 'Toggle left sidebar', () => workspace.leftSplit.toggle());
  add('app:toggle-right-sidebar', 'Toggle right sidebar', () => workspace.rightSplit.toggle());
  add('workspace:close', 'Close current tab', () => workspace.activeLeaf?.detach());
  add('workspace:new-tab', 'New tab', () => workspace.setActiveLeaf(workspace.getLeaf('tab')));
}

function addRibbonIcons(app: App): void {
  const { frame, commands } = app;
  const absent = (name: string) => () => new Notice(`The workbench has no ${name}.`);
  frame.addRibbonIcon('file-search', 'Open quick switcher', () => commands.run('switcher:open'));
  frame.addRibbonIcon('git-fork', 'Open graph view', absent('graph view'));
  frame.addRibbonIcon('layout-dashboard', 'Create new canvas', absent('canvas'));
  frame.addRibbonIcon('calendar', "Open today's daily note", absent('daily notes'));
  frame.addRibbonIcon('terminal', 'Open command palette', () => {
    commands.run('command-palette:open');
  });
}
