import './jitless';
import * as z from 'zod/mini';

/** The closed list of what can be wrong on the wire. */
export const errorCode = z.enum([
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
  'internal',
]);
export type ErrorCode = z.infer<typeof errorCode>;
