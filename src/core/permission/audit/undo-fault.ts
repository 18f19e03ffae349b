/** Why a change can't be undone; the message is for the person. */
export interface UndoFault {
  readonly ok: false;
  readonly code:
    | 'no_change'
    | 'untrusted'
    | 'place'
    | 'changed'
    | 'gone'
    | 'undone'
    | 'not_kept'
    | 'not_recorded'
    | 'failed';
  readonly message: string;
}

export function undoFault(code: UndoFault['code'], message: string): UndoFault {
  return { ok: false, code, message };
}
