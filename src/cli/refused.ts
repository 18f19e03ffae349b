import type { Fault } from '../core/board/operation/read-operation';
import { printed, type Exit } from './exit';

/** What a run ends with that was refused: 3 for a note to repair, 4 for another writer, else 1. */
export function refused({ code, message }: Fault, json: boolean): Exit {
  const exit = code === 'broken_note' ? 3 : code === 'busy' ? 4 : 1;
  if (json) return printed(exit, JSON.stringify({ ok: false, error: { code, message } }));
  return { code: exit, out: '', err: `agent-boards: ${message}\n` };
}
