import { analysisJson, analysisLines } from './answer/analysis';
import { apply } from './apply';
import { fault, type Conflict, type Fault } from '../fault';
import { findTask, quoted, shortened, nameWithTitle } from './find-task';
import { nameOfActor } from './history/actor';
import { undoStacks, historyEntries } from './history/histories';
import { undoRecord } from './history/undo-record';
import { bumpRev, countsWrites } from './note/edit-header';
import type { Note } from './note/note';
import { parseNote } from './note/parse-note';
import { checkTitle } from './note/title';
import { isChange, type Operation, type OperationOf, type Reference } from './op';
import { closedFault, type OperationOutcome, type Effects } from './outcome';
import { getTask, readyTasks } from './read-board';
import { READS, type CallConditions } from './tasks-schema';
import { reviewFault, type ApplyContext } from './policy';

export interface Batch {
  /** undefined: there is no note, neither before nor after */
  readonly note: Note | undefined;
  /** one per operation, in their order */
  readonly outcomes: readonly OperationOutcome[];
  readonly effects: Effects;
  /** descriptions of the changes for the history, a line each */
  readonly said: readonly string[];
}

/**
 * Applies operations to one board in order, each to the result of those before it. A failed one
 * changes nothing and does not stop the others. `rev` rises by one if anything changed. Pure.
 */
export function applyBatch(
  note: Note | undefined,
  operations: readonly Operation[],
  context: ApplyContext,
  terms: CallConditions = { atomic: false, rev: undefined },
): Batch {
  const stale = staleRevFault(note, terms.rev);
  const writes = operations.filter(({ type }) => !READS.has(type)).length;
  let now = note;
  let effects: Effects = {};
  const said: string[] = [];
  const outcomes = operations.map((operation): OperationOutcome => {
    const read = READS.has(operation.type);
    const refused =
      (read ? undefined : stale) ?? (writes > 1 ? undoNotAloneFault(operation) : undefined);
    const outcome = refused ?? applyOperation(now, operation, context);
    if (!outcome.ok) return outcome;
    now = outcome.note;
    effects = mergeEffects(effects, outcome.effects);
    if (!read) said.push(`${operation.type}: ${outcome.said}`);
    return outcome;
  });
  const first = outcomes.findIndex(({ ok }) => !ok);
  if (!terms.atomic || first < 0)
    return { note: withRaisedRev(note, now), outcomes, effects, said };
  const why = `operation ${first + 1} on this board failed`;
  const none = outcomes.map((one) => (one.ok ? notAppliedFault(why) : one));
  return { note, outcomes: none, effects: {}, said: [] };
}

/** Fault of an operation that an atomic call did not apply, because another one failed. */
export function notAppliedFault(why: string): Fault {
  return fault('not_applied', `Not done: the call is atomic, and ${why}.`);
}

/** Refuses `undo` together with other changes: the resulting change could not be undone itself. */
function undoNotAloneFault({ type }: Operation): Fault | undefined {
  if (type !== 'undo') return undefined;
  return fault('goes_alone', 'undo goes alone: send it in a call that changes nothing else.');
}

function mergeEffects(a: Effects, b: Effects | undefined): Effects {
  if (b === undefined) return a;
  return {
    ...a,
    ...b,
    archived: [...(a.archived ?? []), ...(b.archived ?? [])],
    restored: [...(a.restored ?? []), ...(b.restored ?? [])],
  };
}

function staleRevFault(note: Note | undefined, rev: number | undefined): Fault | undefined {
  const now = note?.board.rev ?? 0;
  const counted = note === undefined || countsWrites(note);
  if (rev === undefined || (rev === now && counted)) return undefined;
  const message = counted
    ? `The board is at rev ${now}, not ${rev}: it changed since you looked. Look at it below, and send what you still want with rev ${now}.`
    : "The header of this board has no number as its rev, so a rev can't be compared. Send the call without rev, after a look at the board below.";
  const conflict: Conflict = {
    ...{ id: null, field: 'rev', rev: now },
    ...{ yours: String(rev), theirs: String(now) },
  };
  return { ...fault('conflict', message), conflicts: [conflict] };
}

function withRaisedRev(before: Note | undefined, after: Note | undefined): Note | undefined {
  return after === undefined || after.text === before?.text ? before : bumpRev(after);
}

/**
 * Applies one operation of the tool to a board's note (undefined: there is none yet). Pure: a
 * failed operation leaves the note unchanged.
 */
export function applyOperation(
  note: Note | undefined,
  operation: Operation,
  context: ApplyContext,
): OperationOutcome {
  if (note === undefined) return applyWithoutNote(operation, context);
  const { broken, continued } = note.board;
  if (broken !== null) {
    const message = `This board's note can't be read and stays unchanged until it is repaired. ${broken.reason}`;
    return fault('broken_note', message);
  }
  if (continued !== undefined) return closedFault(continued);
  const applied = applyTo(note, operation, context);
  if (!applied.ok) return applied;
  return {
    ...applied,
    said: applied.said + describeInexactMatches(context.told(note), operation, context),
  };
}

function applyTo(note: Note, operation: Operation, context: ApplyContext): OperationOutcome {
  if (isChange(operation)) return apply(note, operation, context);
  switch (operation.type) {
    case 'undo':
      return applyUndo(note, context);
    case 'history':
      return listHistory(note, context);
    case 'list': {
      const { length } = note.board.tasks;
      const said = length === 1 ? '1 task.' : `${length} tasks.`;
      return { ok: true, note, said, result: { tasks: length } };
    }
    case 'analyze':
      return analyse(note, operation, context);
    case 'get':
      return getTask(note, operation, context);
    case 'ready':
      return readyTasks(note, context);
  }
}

function applyWithoutNote(operation: Operation, context: ApplyContext): OperationOutcome {
  const { type } = operation;
  if (type === 'list' || type === 'analyze') {
    const said = 'there is no board yet; init or add makes one.';
    return { ok: true, note: undefined, said, result: { tasks: 0 } };
  }
  if (type === 'add') {
    return apply(parseNote(context.path, context.fresh(undefined)), operation, context);
  }
  if (type !== 'init') {
    const message = 'There is no such board in this session yet. Make it with init or add.';
    return fault('no_board', message);
  }
  const checked = checkTitle(operation.title);
  if (!checked.ok) return checked;
  const note = parseNote(context.path, context.fresh(checked.title));
  const { title } = note.board;
  const said = `the board ${quoted(title)} is made.`;
  return { ok: true, note, said, result: { title, made: true } };
}

/** Says which task is meant by a title that differs from its own: ` "choose" is #1 Choose.` */
function describeInexactMatches(
  { board }: Note,
  operation: Operation,
  { seen }: Pick<ApplyContext, 'seen'>,
): string {
  const loose = referencesOf(operation).flatMap((reference) => {
    const found = findTask(board, reference, seen);
    const text = String(reference).trim();
    if (!found.ok || found.task.title === text || found.task.id === text) return [];
    return /^#?\d+$/.test(text) ? [] : [` ${quoted(text)} is ${nameWithTitle(found.task)}.`];
  });
  return [...new Set(loose)].join('');
}

function referencesOf(operation: Operation): readonly Reference[] {
  const one = (name: 'id' | 'parent' | 'after'): readonly Reference[] => {
    const given = (operation as Partial<Record<typeof name, Reference>>)[name];
    return given === undefined ? [] : [given];
  };
  const many = 'dependsOn' in operation ? (operation.dependsOn ?? []) : [];
  return [...one('id'), ...one('parent'), ...one('after'), ...many];
}

/** Number of changes that `history` lists. */
const MAX_ENTRIES = 20;

/** `undo`: undoes the calling agent's last change of this board that is not undone yet. */
function applyUndo(
  note: Note,
  { caller, records = [], archive, archiveFault }: ApplyContext,
): OperationOutcome {
  const last = undoStacks(records, { kind: 'agent', name: caller }).done.at(-1);
  if (last === undefined) {
    const message = `There is no change of yours (${caller}) on this board that could be undone. {"type": "history"} lists what was done.`;
    return fault('nothing_to_undo', message);
  }
  const later = records.slice(records.indexOf(last) + 1);
  const undone = undoRecord(note, last, later, archive);
  if (!undone.ok) return undone;
  const review = reviewFault(note.board, undone.note.board);
  if (review !== undefined) return review;
  const { archived, restored } = undone;
  if (archiveFault !== undefined && archived.length > 0) return archiveFault;
  const said = `taken back: ${shortened(last.said.join(' · '), 200)}`;
  const effects = { archived, restored, undoes: last.change };
  return { ok: true, note: undone.note, said, result: { undone: last.said }, effects };
}

/** `history`: the last changes of the board, newest first. */
function listHistory(note: Note, { records = [], caller }: ApplyContext): OperationOutcome {
  const history = historyEntries(records, MAX_ENTRIES);
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
  return { ok: true, note, said, result: { history }, details };
}

/**
 * `analyze`: analyses the plan as a graph; with `id`, also the effect of completing that task.
 * Changes nothing.
 */
function analyse(
  note: Note,
  { id }: OperationOf<'analyze'>,
  { seen, told }: ApplyContext,
): OperationOutcome {
  const { board } = told(note);
  const found = id === undefined ? undefined : findTask(board, id, seen);
  if (found?.ok === false) return found;
  const analysis = analysisJson(board, found?.task);
  const { open } = analysis;
  const { length } = board.tasks;
  const said = open === 0 ? 'nothing is left to do.' : `${open} open of ${length}.`;
  const details = analysisLines(board, analysis);
  return { ok: true, note, said, details, result: { tasks: length, analysis } };
}
