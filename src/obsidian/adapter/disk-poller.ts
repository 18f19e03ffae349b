import type { Clock, Undo } from '../../core/ports';
import type { Plugin, TAbstractFile } from 'obsidian';

/** Interval of disk scans, ms: while one of our views is visible, and while none is. */
export const SCAN_INTERVAL_VISIBLE = 2_000;

export const SCAN_INTERVAL_HIDDEN = 30_000;

/** Delay from the first hint to the scan, ms, to collect further hints. */
const HINT_DELAY = 120;

interface DiskPollerDeps {
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
export class DiskPoller {
  private stopTimer: Undo | undefined;
  private scanning = false;
  private rescanNeeded = false;
  private closed = false;

  constructor(private readonly deps: DiskPollerDeps) {}

  start(): void {
    this.hint();
  }

  /** Something may have changed on disk: scans soon. */
  hint(): void {
    this.scheduleScan(HINT_DELAY);
  }

  /** The window came to the front, or a view was shown: scans at once. */
  focus(): void {
    this.scheduleScan(0);
  }

  close(): void {
    this.closed = true;
    this.stopTimer?.();
  }

  private scheduleScan(ms: number): void {
    if (this.closed) return;
    if (this.scanning) {
      this.rescanNeeded = this.rescanNeeded || ms < SCAN_INTERVAL_VISIBLE;
      return;
    }
    this.stopTimer?.();
    this.stopTimer = this.deps.clock.after(ms, () => void this.runScan());
  }

  private async runScan(): Promise<void> {
    if (this.closed || !this.deps.windowVisible()) return;
    this.scanning = true;
    try {
      await this.deps.scan();
    } catch (error) {
      this.deps.onFault(error);
    }
    this.scanning = false;
    const soon = this.rescanNeeded;
    this.rescanNeeded = false;
    this.scheduleScan(
      soon ? HINT_DELAY : this.deps.viewVisible() ? SCAN_INTERVAL_VISIBLE : SCAN_INTERVAL_HIDDEN,
    );
  }
}

/** Calls `follow` with each window of the app: now, and for later ones when they open. */
export function followWindows(plugin: Plugin, follow: (win: Window) => void): void {
  const { workspace } = plugin.app;
  const open = new Set<Window>([window]);
  workspace.iterateAllLeaves(({ view }) => void open.add(view.containerEl.win));
  for (const win of open) follow(win);
  plugin.registerEvent(workspace.on('window-open', (_, win) => follow(win)));
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
