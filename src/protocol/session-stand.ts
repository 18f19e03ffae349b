import './jitless';
import * as z from 'zod/mini';
import { payload } from './envelope';
import { id, text } from './fields';
import { sessionStatus } from './snapshot';

/** The newest answer of a session. */
const answer = z.object({
  messageId: id,
  text: text.check(
    z.describe('Of its last part that is text; of a text that is too long, the end.'),
  ),
  end: z
    .enum(['completed', 'interrupted', 'error', 'open'])
    .check(z.describe('`open`: it was not written to its end, or wanted to go on after a tool.')),
  error: text.check(z.describe('For a person, with `error`; else empty.')),
  key: z.optional(id.check(z.describe('Of the prompt that it answers, where that had one.'))),
});

/** How a session stands. */
export const sessionStand = payload({
  status: sessionStatus,
  answer: z.optional(answer.check(z.describe('The newest, to whichever prompt.'))),
});
