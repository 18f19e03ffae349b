import type { TFile } from 'obsidian-test-mocks/obsidian';
import { FuzzySuggestModal } from '../obsidian/fuzzy-suggest-modal';
import type { App } from '../obsidian/app';

/** Finds visible notes by name; hidden ones are not in the index, so they are not here. */
export class QuickSwitcher extends FuzzySuggestModal<TFile> {
  constructor(app: App) {
    super(app);
    this.setPlaceholder('Find a note…');
    this.emptyStateText = 'No notes found.';
    this.setInstructions([
      { command: '↑↓', purpose: 'to navigate' },
      { command: '↵', purpose: 'to open' },
      { command: 'esc', purpose: 'to dismiss' },
    ]);
  }

  getItems(): TFile[] {
    return this.app.vault.getMarkdownFiles();
  }

  getItemText(file: TFile): string {
    return file.path.replace(/\.md$/, '');
  }

  onChooseItem(file: TFile, event: MouseEvent | KeyboardEvent): void {
    const newLeaf = event.ctrlKey || event.metaKey ? 'tab' : false;
    void this.app.workspace.getLeaf(newLeaf).openFile(file);
  }
}
