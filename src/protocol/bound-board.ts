import './jitless';
import * as z from 'zod/mini';
import { id, name } from './fields';

/** The board of another session that a session works on. It may read all of it. */
export const boundBoard = z.object({
  session: id,
  agent: name,
  task: z.optional(id.check(z.describe('The one task it may change, by id; without, none.'))),
});
export type BoundBoard = z.infer<typeof boundBoard>;
