import type { App } from 'obsidian';
import type { LeftDraft } from '../../core/board/merge/note-draft';

const HEADER_SEEN = 'agent-task-boards-header-seen';

/**
 * Texts that a window could not save any more before it went, in the app's local storage: the one
 * place that can be written while a window closes. Kept until they are merged into their notes. Each
 * view has its own: another one may leave a text of the same note.
 */
export class LeftDrafts {
  /** notes whose left text came from this view, or went into it */
  private readonly own = new Set<string>();

  constructor(private readonly app: App) {}

  /** @param draft undefined: there is nothing to leave */
  put(path: string, draft: LeftDraft | undefined): void {
    if (draft === undefined) return;
    this.own.add(path);
    this.app.saveLocalStorage(keyOf(path), draft);
  }

  /** What this view left or took is saved. */
  forget(path: string): void {
    if (this.own.delete(path)) this.app.saveLocalStorage(keyOf(path), null);
  }

  /** It stays until it is saved. */
  take(path: string): LeftDraft | undefined {
    const left: unknown = this.app.loadLocalStorage(keyOf(path));
    if (typeof left !== 'object' || left === null) return undefined;
    const { base, mine } = left as Partial<LeftDraft>;
    if (typeof base !== 'string' || typeof mine !== 'string') return undefined;
    this.own.add(path);
    return { base, mine };
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
