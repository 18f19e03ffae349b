import type { Plugin, TAbstractFile } from 'obsidian';

export interface VaultHints {
  /** A file below the vault was touched. */
  readonly touched: (path: string) => void;
  readonly renamed: (file: TAbstractFile, before: string) => void;
}

/** What the app tells about visible files; about hidden ones it tells nothing here. */
export function registerVaultHints(plugin: Plugin, { touched, renamed }: VaultHints): void {
  const { vault } = plugin.app;
  const tell = (file: TAbstractFile): void => touched(file.path);
  plugin.registerEvent(vault.on('create', tell));
  plugin.registerEvent(vault.on('modify', tell));
  plugin.registerEvent(vault.on('delete', tell));
  plugin.registerEvent(
    vault.on('rename', (file, before) => {
      touched(before);
      touched(file.path);
      renamed(file, before);
    }),
  );
}
