/** What a session does as a whole; the kinds of `progress.update` that last. */
export type SessionProgress =
  | { readonly kind: 'busy' }
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'retry';
      readonly attempt: number;
      readonly message: string;
      /** ms since the epoch */
      readonly next: number;
    };

interface Status {
  readonly type: string;
  readonly attempt?: number | undefined;
  readonly message?: string | undefined;
  readonly next?: number | undefined;
}

/** OpenCode's status of a session in our words; one that we don't know counts as busy. */
export function progressOf(status: Status): SessionProgress {
  if (status.type === 'idle') return { kind: 'idle' };
  if (status.type !== 'retry') return { kind: 'busy' };
  return {
    kind: 'retry',
    attempt: Math.max(0, Math.trunc(status.attempt ?? 1)),
    message: status.message ?? '',
    next: status.next ?? 0,
  };
}
