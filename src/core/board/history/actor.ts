import '../../json';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';

/** Who made a change of a board, as stored in the history. */
export const actorSchema = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('agent'), name: z.string() }),
    z.object({ kind: z.literal('person') }),
    z.object({ kind: z.literal('import'), name: z.string() }),
  ]),
);
export type Actor = z.infer<ReturnType<typeof actorSchema>>;

export const PERSON: Actor = { kind: 'person' };

export function sameActor(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && nameOfActor(a) === nameOfActor(b);
}

/** For a sentence: the agent's name, `The person`, or what was imported. */
export function nameOfActor(actor: Actor): string {
  return actor.kind === 'person' ? 'The person' : actor.name;
}
