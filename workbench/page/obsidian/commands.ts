import type { Command } from 'obsidian';
import type { App } from './app';

/** All commands by full id, `<plugin>:<command>`; names include the plugin's name. */
export class Commands {
  readonly #commands = new Map<string, Command>();

  constructor(readonly app: App) {}

  add(command: Command): void {
    this.#commands.set(command.id, command);
  }

  remove(id: string): void {
    this.#commands.delete(id);
  }

  /** The commands that can run now, as listed in the palette. */
  available(): Command[] {
    return [...this.#commands.values()].filter((command) => this.#try(command, true));
  }

  /** All commands, as listed in the app's hotkey settings. */
  all(): Command[] {
    return [...this.#commands.values()];
  }

  has(id: string): boolean {
    return this.#commands.has(id);
  }

  /** Runs the command. Returns false if it can't run. */
  run(id: string): boolean {
    const command = this.#commands.get(id);
    if (command === undefined || !this.#try(command, true)) return false;
    this.#try(command, false);
    return true;
  }

  #try(command: Command, checking: boolean): boolean {
    if (command.checkCallback) return command.checkCallback(checking) === true || !checking;
    if (command.callback && !checking) {
      const result: unknown = command.callback();
      if (result instanceof Promise) result.catch(reportError);
    }
    return command.callback !== undefined; // editor commands need an editor, which the workbench lacks
  }
}
