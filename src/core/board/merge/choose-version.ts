import type { Fault } from '../../fault';
import { refuseChange } from '../change-faults';
import { applySplices } from '../note/edit-result';
import type { Note } from '../note/note';
import { CONFLICT_MARK } from '../note/parse-note';
import type { ChangeOperationOf } from '../op';
import type { KeptLine } from '../task';
import { idRemovalSplices, mergeLine, taskLineParts } from './merge-line';
import { textLines } from './text-edits';

/**
 * Keeps one of the two versions of a task's line that a merge left in the note, and removes the
 * other line. Returns a fault if one of them has changed since the person saw it.
 */
export function chooseVersion(
  note: Note | undefined,
  { text: theirs, beside }: KeptLine,
  side: 'mine' | 'theirs',
): readonly ChangeOperationOf<'replace'>[] | Fault {
  const now = note?.board.conflicts?.find(
    (one) => one.text === theirs && one.beside !== undefined && one.beside.text === beside?.text,
  );
  if (note === undefined || now === undefined) {
    return refuseChange('conflict', 'linesChanged');
  }
  const lines = textLines(note.text).map(({ text, end }, at) => {
    if (at + 1 === now.line) return '';
    const own = at + 1 === now.beside?.line && side === 'theirs';
    return (own ? theirsWithOurId(now) : text) + end;
  });
  return [{ type: 'replace', text: lines.join('') }];
}

/** Their version of a task's line, with our id. */
export function theirsWithOurId({ text, beside }: KeptLine): string {
  const theirs = text.replace(` ${CONFLICT_MARK}`, '').replace(CONFLICT_MARK, '');
  const mine = beside?.text ?? '';
  const parts = taskLineParts(mine);
  if (parts === undefined) return theirs;
  const base = applySplices(mine, idRemovalSplices(mine, parts));
  return mergeLine({ base, mine, theirs }, 'theirs').text;
}
