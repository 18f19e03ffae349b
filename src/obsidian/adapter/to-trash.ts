import type { App } from 'obsidian';

/**
 * Takes a file to the trash: where the app knows it, as the person has set it for the vault; a hidden
 * file to the system's trash, or where there is none to the vault's own.
 */
export function toTrash({ vault, fileManager }: App): (path: string) => Promise<void> {
  return async (path) => {
    const file = vault.getFileByPath(path);
    if (file !== null) return fileManager.trashFile(file);
    const { adapter } = vault;
    if (!(await adapter.trashSystem(path))) await adapter.trashLocal(path);
  };
}
