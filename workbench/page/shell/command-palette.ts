import type { Command } from 'obsidian';
import { FuzzySuggestModal } from '../obsidian/fuzzy-suggest-modal';
import type { App } from '../obsidian/app';

/** Recently run commands, latest first. */
const recent: string[] = [];

export class CommandPalette extends FuzzySuggestModal<Command> {
  constructor(app: App) {
    super(app);
    this.setPlaceholder('Select a command…');
    this.emptyStateText = 'No commands found.';
    this.setInstructions([
      { command: '↑↓', purpose: 'to navigate' },
      { command: '↵', purpose: 'to use' },
      { command: 'esc', purpose: 'to dismiss' },
    ]);
  }

  getItems(): Command[] {
    const commands = this.app.commands.available();
    const rank = ({ id }: Command) => {
      const at = recent.indexOf(id);
      return at === -1 ? recent.length : at;
    };
    return commands.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  }

  getItemText(command: Command): string {
    return command.name;
  }

  onChooseItem({ id }: Command): void {
    const at = recent.indexOf(id);
    if (at !== -1) recent.splice(at, 1);
    recent.unshift(id);
    this.app.commands.run(id);
  }
}
