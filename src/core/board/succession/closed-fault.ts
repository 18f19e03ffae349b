import type { Fault } from '../operation/read-operation';

/** A change of a board whose plan goes on in another session. */
export function closedFault(session: string): Fault {
  const message = `This board is history: its plan goes on in session ${session}. Make the change there; to write here again, take "continued" out of the note's header.`;
  return { ok: false, code: 'read_only', message };
}
