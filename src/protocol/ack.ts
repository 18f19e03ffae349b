import './jitless';
import * as z from 'zod/mini';
import { payload, sessionMessage } from './envelope';
import { count, id, list } from './fields';

/** Said by both ends, in a frame of its own where no other message takes the word along. */
export const ack = sessionMessage(
  'ack',
  'All of the session’s messages up to the envelope’s `ack` have arrived.',
  payload({
    also: z.optional(
      list(z.object({ sessionId: id, ack: count })).check(
        z.describe('The same of other sessions, so that one frame does for all.'),
      ),
    ),
  }),
);
