import './jitless';
import * as z from 'zod/mini';
import { lazy } from '../core/lazy';

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

/** The closed list of what can be wrong on the wire. */
export const errorCode = lazy(() =>
  z.enum([
    'bad_json',
    'bad_message',
    'unknown_type',
    'unknown_session',
    'too_large',
    'unauthorized',
    'version',
    'busy',
    'timeout',
    'cancelled',
    'duplicate',
    'conflict',
    'unsupported',
    'internal',
  ]),
);

export type ErrorCode = z.infer<ReturnType<typeof errorCode>>;
