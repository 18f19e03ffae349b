import type { ErrorCode } from './error-code';

/** The one error class of protocol and session: what a request is rejected with. */
export class WireError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    /** whether the same again may succeed later */
    readonly retryable = false,
  ) {
    super(message);
    this.name = 'WireError';
  }
}
