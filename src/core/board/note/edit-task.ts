import type { Status } from '../task';
import { markOf } from './build-task';
import {
  editLine,
  findLine,
  insertWords,
  removeField,
  removePart,
  tailEnd,
  type FoundLine,
} from './edit-line';
import { refuse, type EditResult } from './edit-result';
import { escapeFieldValue, escapeText } from './escape';
import { ANY_ID } from './ids';
import type { Note } from './note';
import type { Splice } from './splice';
import { fieldsOf } from './task-line';
import { checkTitle } from './title';
import { writtenField } from './written-field';

const DATE_OF = { completed: ['done', '✅'], cancelled: ['cancelled', '❌'] } as const;

/** `✅ 2026-11-20` or `❌ 2026-11-20` for a status that sets one, else undefined. */
export function statusDate(status: Status, today: string): string | undefined {
  if (status !== 'completed' && status !== 'cancelled') return undefined;
  return `${DATE_OF[status][1]} ${today}`;
}

/**
 * Sets a task's mark, the date of ✅ / ❌ (`today`, `YYYY-MM-DD`), and `reason` where one is given.
 * A task that has the status already keeps its mark and dates.
 */
export function setTaskStatus(
  note: Note,
  key: string,
  status: Status,
  opts: { readonly today: string; readonly reason?: string },
): EditResult {
  const found = findLine(note, key);
  if (!found.ok) return found;
  const { block, task } = found;
  const splices: Splice[] = [];
  let dates = {};
  if (task.status !== status) {
    splices.push({ from: block.box + 1, to: block.after - 1, text: markOf(status) });
    splices.push(...dateSplices(note.text, found, status, opts.today));
    const on = (kept: Status): string | null => (status === kept ? opts.today : null);
    dates = { done: on('completed'), cancelled: on('cancelled') };
  }
  if (opts.reason === undefined) return editLine(note, found, splices, dates);
  const checked = checkTitle(opts.reason, 'reason');
  if (!checked.ok) return { ...checked, code: 'bad_reason' };
  if (checked.title !== task.reason) splices.push(reasonSplice(note.text, found, checked.title));
  return editLine(note, found, splices, { ...dates, reason: checked.title });
}

/** Replaces a task's title (tags included); its fields stay. */
export function setTaskTitle(note: Note, key: string, title: string): EditResult {
  const found = findLine(note, key);
  if (!found.ok) return found;
  const checked = checkTitle(title);
  if (!checked.ok) return checked;
  if (checked.title === found.task.title) return { ok: true, text: note.text };
  const { line } = found;
  const written = escapeText(checked.title);
  const first = line.pieces.find((piece) => piece.start < line.tail.start);
  const splices = line.pieces
    .filter((piece) => piece !== first)
    .map((piece) => removePart(note.text, found, piece.start, piece.end));
  if (first) splices.push({ from: first.start, to: first.end, text: written });
  else splices.push(insertWords(note.text, found, line.from, written));
  return editLine(note, found, splices, { title: checked.title });
}

/** Replaces all of `⛔`, in the order given, without doubles; an empty list removes it. Cycles are the caller's to refuse. */
export function setTaskDependsOn(note: Note, key: string, ids: readonly string[]): EditResult {
  const found = findLine(note, key);
  if (!found.ok) return found;
  const bad = ids.find((id) => !ANY_ID.test(id));
  if (bad !== undefined) return refuse('bad_id', `"${bad}" can't be the id of a task.`);
  const { line, task } = found;
  const wanted = [...new Set(ids)].join(',');
  if (wanted === task.dependsOn.join(',')) return { ok: true, text: note.text };
  const [last, ...others] = fieldsOf(line, 'dependsOn');
  const [id] = fieldsOf(line, 'id');
  const splices = others.map((field) => removeField(note.text, found, field));
  if (last && wanted === '') splices.push(removeField(note.text, found, last));
  else if (last) splices.push({ from: last.from, to: last.to, text: wanted });
  else {
    const words = writtenField(line, 'dependsOn', wanted);
    splices.push(insertWords(note.text, found, id?.end ?? line.headEnd, words));
  }
  return editLine(note, found, splices, { dependsOn: [...new Set(ids)] });
}

function dateSplices(
  text: string,
  found: FoundLine,
  status: Status,
  today: string,
): readonly Splice[] {
  const kind = status === 'completed' || status === 'cancelled' ? DATE_OF[status][0] : undefined;
  const dates = fieldsOf(found.line, 'done', 'cancelled');
  const kept = dates.find((field) => field.kind === kind);
  const splices = dates
    .filter((field) => field !== kept)
    .map((field) => removeField(text, found, field));
  if (kept) splices.push({ from: kept.from, to: kept.to, text: today });
  else if (kind !== undefined) {
    const words = writtenField(found.line, kind, today);
    splices.push(insertWords(text, found, tailEnd(text, found), words));
  }
  return splices;
}

function reasonSplice(text: string, found: FoundLine, reason: string): Splice {
  const written = escapeFieldValue(reason);
  const old = found.line.fields.find((field) => field.key === 'reason');
  if (old) return { from: old.from, to: old.to, text: written };
  return insertWords(text, found, found.line.headEnd, `[reason:: ${written}]`);
}
