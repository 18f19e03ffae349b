import type { Board } from '../task';

/** A file that is no board, as whoever can see it found it. Paths are relative to the vault. */
export type FoundFile =
  | { readonly kind: 'archive'; readonly path: string; readonly board: Board }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string }
  | { readonly kind: 'sync-copy'; readonly path: string }
  | {
      readonly kind: 'stale-lock' | 'leftover-file' | 'leftover-journal';
      readonly path: string;
      /** what it is and whose, one sentence */
      readonly text: string;
      /** whether nothing is lost if it goes */
      readonly removable: boolean;
    };
