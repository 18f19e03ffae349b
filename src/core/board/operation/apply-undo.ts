import { changeStack } from '../history/change-stack';
import { historyEntries } from '../history/history-entry';
import { nameOfActor } from '../history/actor';
import { undoRecord } from '../history/undo-record';
import type { Note } from '../note/note';
import { shortened } from './find-task';
import { failed, fault, type Applied, type OperationContext } from './outcome';

/** Changes that `history` lists. */
const MOST_ENTRIES = 20;

/** `undo`: takes back the calling agent's own last change of this board that stands. */
export function applyUndo(
  note: Note,
  { caller, records = [], archive, archiveFault }: OperationContext,
): Applied {
  const last = changeStack(records, { kind: 'agent', name: caller }).done.at(-1);
  if (last === undefined) {
    const message = `There is no change of yours (${caller}) on this board that could be undone. {"type": "history"} lists what was done.`;
    return failed(note, fault('nothing_to_undo', message));
  }
  const later = records.slice(records.indexOf(last) + 1);
  const undone = undoRecord(note, last, later, archive);
  if (!undone.ok) return failed(note, undone);
  if (archiveFault !== undefined && undone.archived.length > 0) return failed(note, archiveFault);
  const said = `taken back: ${shortened(last.said.join(' · '), 200)}`;
  return {
    note: undone.note,
    outcome: { ok: true, said, result: { undone: last.said } },
    effects: { archived: undone.archived, restored: undone.restored, undoes: last.change },
  };
}

/** `history`: the last changes of the board, newest first. */
export function listHistory(note: Note, { records = [], caller }: OperationContext): Applied {
  const history = historyEntries(records, MOST_ENTRIES);
  const details = history.map(({ by, at, said, rev, undone }) => {
    const own = by.kind === 'agent' && by.name === caller;
    const who = own ? 'you' : by.kind === 'person' ? 'the person' : nameOfActor(by);
    const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
    return `${when} ${who}: ${said.join(' · ')} (rev ${rev}${undone ? ', undone' : ''})`;
  });
  const said =
    history.length === 0
      ? 'nothing is recorded yet.'
      : `the last ${history.length} changes, newest first.`;
  return { note, outcome: { ok: true, said, result: { history }, details } };
}
