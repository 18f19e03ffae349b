import type { Undo } from '../../core/ports';
import { readOwnSettings, type OwnSettings } from './own-settings';

/** Where the plugin's own data stands. */
export interface DataFile {
  loadData(): Promise<unknown>;
  saveData(data: unknown): Promise<void>;
}

/** The plugin's own settings: read once, saved at each change. */
export class SettingsStore {
  private readonly listeners = new Set<() => void>();

  private constructor(
    private readonly file: DataFile,
    private now: OwnSettings,
  ) {}

  static async load(file: DataFile): Promise<SettingsStore> {
    return new SettingsStore(file, readOwnSettings(await file.loadData()));
  }

  get current(): OwnSettings {
    return this.now;
  }

  async change(part: Partial<OwnSettings>): Promise<void> {
    this.now = { ...this.now, ...part };
    await this.file.saveData(this.now);
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
