import type { Command } from 'obsidian';

/** A command that is not listed in the palette while it can't be used. */
export function when(id: string, name: string, can: () => boolean, run: () => unknown): Command {
  return {
    id,
    name,
    checkCallback: (checking) => {
      if (!can()) return false;
      if (!checking) void run();
      return true;
    },
  };
}
