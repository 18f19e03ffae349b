import type { Actor } from '../core/board/history/actor';

/** Who did something, in a line of output: the agent's name, `a person`, or what was imported. */
export function actorWords(actor: Actor): string {
  return actor.kind === 'person' ? 'a person' : actor.name;
}
