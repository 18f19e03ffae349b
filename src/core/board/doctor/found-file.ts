import type { Board } from '../task';

/** A file that is no board, as whoever can see it found it. Paths are relative to the vault. */
export type FoundFile =
  | { readonly kind: 'archive'; readonly path: string; readonly board: Board }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string }
  | { readonly kind: 'sync-copy'; readonly path: string }
  | {
      readonly kind: 'stale-lock' | 'leftover-file' | 'leftover-journal' | 'kept-text';
      readonly path: string;
      /** what it is and what to do, for a person */
      readonly text: string;
      /** what a program can do without a loss */
      readonly fix?: 'remove' | 'finish';
    };
