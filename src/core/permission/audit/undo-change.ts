import {
  sentence,
  type SaidSentence,
  type Sentence,
  type SentenceValues,
} from '../../fault/sentence';
import { StoreError, type Ids, type NoteStore } from '../../ports';
import type { PathResolver } from '../path-resolver';
import type { ProtectedPlaces } from '../protected-places';
import { VaultTarget } from '../vault-target';
import type { Digest } from './audit-chain';
import type { AuditEntry, AuditIntent } from './audit-entry';
import type { AuditedCall } from './explain-call';
import type { NoteTextStore } from './note-text-store';
import type { BrokenChain } from './verify-audit';
import type { CallRow } from './audit-rows';

export interface UndoDeps {
  readonly store: Pick<NoteStore, 'read' | 'update' | 'stat'>;
  readonly kept: Pick<NoteTextStore, 'read' | 'keep'>;
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly resolver: PathResolver;
  /** the current protected places */
  readonly places: () => ProtectedPlaces;
  readonly digest: Digest;
  readonly ids: Ids;
  /** moves a note to the person's trash */
  readonly trash: (path: string) => Promise<void>;
  /** formats ms since the epoch for the person: "14:40" */
  readonly timeWords: (at: number) => string;
}

/** A change that can be undone, with the note's text now and after the undo. */
export interface UndoableChange {
  readonly ok: true;
  readonly target: VaultTarget;
  /** undefined if there is no note */
  readonly now: string | undefined;
  /** undefined if the note goes to the trash */
  readonly then: string | undefined;
}

/** Whether a call changed a note, so that there is a change to show and to undo. */
export function hasChangedNote({ intent, outcome }: AuditedCall): boolean {
  if (outcome?.result !== 'done' || intent.dryRun || intent.operation === 'tasks') return false;
  return intent.path !== undefined && outcome.before !== outcome.after;
}

/**
 * Whether a change can be undone: only while the note still has the text that the change made, and the text
 * before it is stored. Writes nothing.
 */
export async function checkUndo(
  call: AuditedCall,
  deps: Omit<UndoDeps, 'audit' | 'ids' | 'trash'>,
): Promise<UndoableChange | UndoFault> {
  const { outcome } = call;
  if (outcome === undefined || !hasChangedNote(call)) return undoFault('no_change');
  const target = await resolveTarget(call.intent, deps);
  if (!(target instanceof VaultTarget)) return target;
  const now = await deps.store.read(target.real);
  const hash = now === undefined ? undefined : await deps.digest(now);
  if (hash !== outcome.after) {
    if (hash === outcome.before) return undoFault('undone');
    return hash === undefined ? undoFault('gone') : changedFault(target, deps);
  }
  if (outcome.before === undefined) return { ok: true, target, now, then: undefined };
  const then = await deps.kept.read(outcome.before);
  if (then !== undefined) return { ok: true, target, now, then };
  return undoFault('not_kept');
}

export interface UndoSuccess {
  readonly ok: true;
  /** why the outcome could not be recorded; the intent is in the audit */
  readonly unrecorded?: Error;
}

/**
 * Undoes a change as an action of the person: it is recorded in the audit like a call, and can itself be
 * undone. Does nothing if it can't be recorded.
 */
export async function undoChange(
  call: AuditedCall,
  deps: UndoDeps,
): Promise<UndoSuccess | UndoFault> {
  const can = await checkUndo(call, deps);
  if (!can.ok) return can;
  const callId = deps.ids.unique();
  try {
    await deps.audit.append(intentOf(call.intent, can, callId));
  } catch (error) {
    return undoFault('not_recorded', { why: errorSentence(error) });
  }
  let fault: UndoFault | undefined;
  try {
    fault = await apply(can, deps);
  } catch (error) {
    fault = undoFault('failed', { why: errorSentence(error) });
  }
  try {
    await deps.audit.append(outcomeOf(callId, call, can, fault));
  } catch (error) {
    if (fault === undefined) return { ok: true, unrecorded: asError(error) };
  }
  return fault ?? { ok: true };
}

/**
 * Checks again, right before writing, that the path leads to the same note and the note has the
 * same text.
 */
async function apply(
  { target, now, then }: UndoableChange,
  deps: UndoDeps,
): Promise<UndoFault | undefined> {
  const moved = await deps.resolver.movedFault(target);
  if (moved !== undefined) return undoFault('place', { why: moved.message });
  // The current text is stored as well, so that the undo can be undone.
  if (now !== undefined) await deps.kept.keep(now);
  const found = { same: false };
  await deps.store.update(target.real, (text) => {
    found.same = text === now;
    return found.same ? then : undefined;
  });
  if (!found.same) return changedFault(target, deps);
  if (then === undefined) await deps.trash(target.real);
  return undefined;
}

async function resolveTarget(
  { path = '', real = path }: AuditIntent,
  deps: Pick<UndoDeps, 'resolver' | 'places'>,
): Promise<VaultTarget | UndoFault> {
  const target = await deps.resolver.resolve(path);
  if (!(target instanceof VaultTarget)) return undoFault('place', { why: target.message });
  if (deps.places().kindOf(target) !== undefined) return undoFault('place', {}, 'protected');
  return target.real === real.normalize('NFC') ? target : undoFault('place', {}, 'elsewhere');
}

async function changedFault(
  target: VaultTarget,
  { store, timeWords }: Pick<UndoDeps, 'store' | 'timeWords'>,
): Promise<UndoFault> {
  const stat = await store.stat(target.real);
  if (stat === undefined) return undoFault('changed', {}, 'changedSince');
  return undoFault('changed', { time: timeWords(stat.mtime) });
}

function intentOf(intent: AuditIntent, can: UndoableChange, callId: string): AuditEntry {
  const { path, sessionId, sessionTitle, task } = intent;
  const operation = can.now === undefined ? 'create' : can.then === undefined ? 'delete' : 'update';
  return {
    kind: 'intent',
    callId,
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionTitle !== undefined && { sessionTitle }),
    ...(task !== undefined && { task }),
    ...(can.target.real !== path && { real: can.target.real }),
    ...{ agent: 'You', by: 'person', tool: 'undo', operation, path, dryRun: false, args: {} },
    ...{ verdict: 'allow', why: 'You undid it by hand.', undoes: intent.callId },
  };
}

function outcomeOf(
  callId: string,
  { outcome }: AuditedCall,
  { now, then }: UndoableChange,
  fault: UndoFault | undefined,
): AuditEntry {
  if (fault !== undefined) {
    const { code, message } = fault;
    return { kind: 'outcome', callId, result: 'failed', code, message };
  }
  return {
    ...{ kind: 'outcome', callId, result: 'done' },
    ...(now !== undefined && { before: outcome?.after }),
    ...(then !== undefined && { after: outcome?.before }),
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function errorSentence(error: unknown): SaidSentence {
  return [asError(error).message, error instanceof StoreError ? error.said : undefined];
}

/** Why a change of a note can't be undone, by code, and variants of a code. */
export const NOTE_UNDO_FAULTS = {
  no_change: 'This call changed no note.',
  untrusted:
    'From entry {entry} on, the audit is not as it was written, so nothing is undone from this entry.',
  place: 'Nothing is undone here. {why}',
  protected: 'Nothing is undone here: this place is protected.',
  elsewhere:
    'Nothing is undone here: this path leads to another note than the one that was changed. Look at what it links to.',
  changed: "The note changed at {time}, so this can't be undone. Compare the two versions instead.",
  changedSince:
    "The note changed since, so this can't be undone. Compare the two versions instead.",
  gone: "The note is no longer there, so this can't be undone.",
  undone: 'The note is as it was before this change.',
  not_kept:
    "What the note said before is not kept on this device, so this can't be undone here. Look for an older version of the note in your backups.",
  not_recorded: "It was not undone, as it can't be recorded. {why}",
  failed: 'It was not undone. {why}',
} as const;

type UndoCode = Exclude<keyof typeof NOTE_UNDO_FAULTS, 'protected' | 'elsewhere' | 'changedSince'>;

/** Why a change can't be undone; the message is for the person. */
export interface UndoFault {
  readonly ok: false;
  readonly code: UndoCode;
  readonly message: string;
  readonly said: Sentence;
}

function undoFault(
  code: UndoCode,
  values: SentenceValues = {},
  name: keyof typeof NOTE_UNDO_FAULTS = code,
): UndoFault {
  const [message, said] = sentence(['noteUndoFault', NOTE_UNDO_FAULTS], name, values);
  return { ok: false, code, message, said };
}

/** A note's text before and after a call; `''` if there was no note. */
export interface ChangeTexts {
  readonly before: string;
  readonly after: string;
}

/**
 * The texts of a change, from the stored texts and the note; undefined if one of them is no longer
 * known.
 * @param check what `checkUndo` returned
 */
export async function changeTexts(
  call: AuditedCall,
  check: UndoableChange | UndoFault,
  kept: Pick<NoteTextStore, 'read'>,
): Promise<ChangeTexts | undefined> {
  const { outcome } = call;
  if (outcome === undefined || !hasChangedNote(call)) return undefined;
  if (check.ok) return { before: check.then ?? '', after: check.now ?? '' };
  const textOf = (hash: string | undefined) => (hash === undefined ? '' : kept.read(hash));
  const [before, after] = [await textOf(outcome.before), await textOf(outcome.after)];
  return before === undefined || after === undefined ? undefined : { before, after };
}

/**
 * Returns a fault if the call's entries come after a break in the chain, since they may be forged.
 */
export function untrustedFault(
  row: CallRow,
  broken: readonly BrokenChain[],
): UndoFault | undefined {
  const last = row.outcome?.n ?? row.n;
  const one = broken.find(({ writer, entry }) => writer === row.writer && entry <= last);
  if (one === undefined) return undefined;
  return undoFault('untrusted', { entry: one.entry });
}
