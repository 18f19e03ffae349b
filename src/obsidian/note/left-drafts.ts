import type { App } from 'obsidian';
import type { LeftDraft } from '../../core/board/merge/note-draft';

const HEADER_SEEN = 'agent-task-boards-header-seen';

/**
 * Texts that a window could not save any more before it went, in the app's local storage: the one
 * place that can be written while a window closes. Kept until they are merged into their notes.
 */
export class LeftDrafts {
  constructor(private readonly app: App) {}

  put(path: string, draft: LeftDraft | undefined): void {
    this.app.saveLocalStorage(keyOf(path), draft ?? null);
  }

  /** It stays until `put` says that it is saved. */
  take(path: string): LeftDraft | undefined {
    const left: unknown = this.app.loadLocalStorage(keyOf(path));
    if (typeof left !== 'object' || left === null) return undefined;
    const { base, mine } = left as Partial<LeftDraft>;
    return typeof base === 'string' && typeof mine === 'string' ? { base, mine } : undefined;
  }

  /** Whether a header was shown on this device before. */
  headerSeen(): boolean {
    const seen: unknown = this.app.loadLocalStorage(HEADER_SEEN);
    this.app.saveLocalStorage(HEADER_SEEN, true);
    return seen === true;
  }
}

function keyOf(path: string): string {
  return `agent-task-boards-left:${path}`;
}
