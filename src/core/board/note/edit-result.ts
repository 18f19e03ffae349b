/** Why an edit was refused. The text of the note is then unchanged. */
type EditCode =
  | 'broken_note'
  | 'malformed_tail'
  | 'bad_title'
  | 'bad_id'
  | 'bad_phase'
  | 'bad_reason'
  | 'bad_value'
  | 'bad_body'
  | 'bad_place'
  | 'unknown_task'
  | 'has_children'
  | 'has_body'
  | 'no_place';

/** `message` is written for the caller: what was wrong, and where. */
export interface EditRefusal {
  readonly ok: false;
  readonly code: EditCode;
  readonly message: string;
}

/** The whole text of the note after the edit, with what else the edit answers. */
export type EditResult<Extra = unknown> =
  ({ readonly ok: true; readonly text: string } & Extra) | EditRefusal;

export function refuse(code: EditCode, message: string): EditRefusal {
  return { ok: false, code, message };
}

/** Replaces the text from `from` to `to`. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies splices that don't overlap, in any order; those at one place in the order given. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, text: put } of splices.toSorted(
    (a, b) => a.from - b.from || a.to - b.to,
  )) {
    result += text.slice(at, from) + put;
    at = to;
  }
  return result + text.slice(at);
}
