import type { Clock, Undo } from '../../core/ports';
import type { Plugin, TAbstractFile } from 'obsidian';

/** Interval of disk scans, ms: while one of our views is visible, and while none is. */
export const LOOK_SEEN = 2_000;

export const LOOK_UNSEEN = 30_000;

/** Delay from the first hint to the scan, ms, to collect further hints. */
const GATHER = 120;

interface WatchSurroundings {
  readonly clock: Clock;
  /** Scans the boards on disk once. */
  readonly scan: () => Promise<void>;
  /** Whether one of our views is visible. */
  readonly viewVisible: () => boolean;
  /** Whether the app's window is visible. */
  readonly windowVisible: () => boolean;
  /** Called when a scan fails. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Schedules scans of the disk: at intervals, soon after a hint, never while the window is hidden.
 */
export class Watch {
  private stopTimer: Undo | undefined;
  private scanning = false;
  private again = false;
  private closed = false;

  constructor(private readonly around: WatchSurroundings) {}

  start(): void {
    this.hint();
  }

  /** Something may have changed on disk: scans soon. */
  hint(): void {
    this.plan(GATHER);
  }

  /** The window came to the front, or a view was shown: scans at once. */
  focus(): void {
    this.plan(0);
  }

  close(): void {
    this.closed = true;
    this.stopTimer?.();
  }

  private plan(ms: number): void {
    if (this.closed) return;
    if (this.scanning) {
      this.again = this.again || ms < LOOK_SEEN;
      return;
    }
    this.stopTimer?.();
    this.stopTimer = this.around.clock.after(ms, () => void this.look());
  }

  private async look(): Promise<void> {
    if (this.closed || !this.around.windowVisible()) return;
    this.scanning = true;
    try {
      await this.around.scan();
    } catch (error) {
      this.around.onFault(error);
    }
    this.scanning = false;
    const soon = this.again;
    this.again = false;
    this.plan(soon ? GATHER : this.around.viewVisible() ? LOOK_SEEN : LOOK_UNSEEN);
  }
}

/** Forwards the app's events about visible files. The app reports none about hidden files here. */
export function registerVaultHints(
  plugin: Plugin,
  touched: (path: string) => void,
  renamed: (file: TAbstractFile, before: string) => void,
): void {
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
