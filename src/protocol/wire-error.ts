import './jitless';
import * as z from 'zod/mini';
import { lazy } from '../core/lazy';

/** The only error class of protocol and sessions; requests are rejected with it. */
export class WireError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    /** whether a repeated attempt may succeed */
    readonly retryable = false,
  ) {
    super(message);
    this.name = 'WireError';
  }
}

/** All error codes of the protocol. */
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
