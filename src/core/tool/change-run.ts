import { VaultTarget } from '../permission/vault-target';
import { askPerson } from './ask-person';
import {
  cancelled,
  denied,
  deniedBy,
  failedCall,
  unreachableTarget,
  type EarlierRequest,
  type CallRun,
  type CallEnd,
  type NoteDeps,
  type ToolHostDeps,
} from './call-run';
import type { ChangePlan, ToolCall, ToolOutcome } from './tool';
import { changeText } from './note/change-text';
import { utf8Length } from '../../protocol/frame-limits';
import { STRICTNESS, type Decision, type AccessRequest } from '../permission/decide';
import type { AccessKind } from '../permission/rule';

/**
 * How often a change is tried again because the note was written to in the meantime. Changes that
 * wait for an answer don't count.
 */
const MAX_TRIES = 5;

/** Runs a call that creates or changes a note, from its path to its outcome. */
export async function runChange(
  deps: ToolHostDeps,
  run: CallRun,
  plan: ChangePlan,
): Promise<CallEnd> {
  const { notes } = deps;
  const { path, dryRun } = plan;
  run.knownIntent = { operation: 'update', path, dryRun };
  const target = await notes.resolver.resolve(path);
  if (!(target instanceof VaultTarget)) return run.refusePlace(target);
  let draft = await draftNote(deps, notes, run.call, target, plan);
  const { request, decision } = draft;
  const about = { path: target.path, real: target.real, dryRun, decision };
  const unwritten = await run.writeIntent({ operation: request.operation, ...about });
  if (unwritten !== undefined) return unwritten;
  let granted: NoteDraft | undefined;
  let replaces: EarlierRequest | undefined;
  // Repeats until the change is allowed and the note still has the text that it is based on.
  for (let tries = 0; tries < MAX_TRIES;) {
    // Checked after reading: the path may have led elsewhere by then.
    const refused = changeRefusal(draft, plan) ?? (await movedEnd(notes, target));
    if (refused !== undefined) return refused;
    const asks = draft.decision.verdict === 'ask';
    if (dryRun || isNoChange(draft)) run.approved = !asks;
    // A note that already has this text is not written again, and nobody is asked about it.
    if (isNoChange(draft)) {
      return nothingToChange(target, dryRun, await notes.digest(draft.before ?? ''));
    }
    if (dryRun) return changePreview(target, draft);
    if (asks && !(granted && isSameDraft(granted, draft))) {
      const answer = await askPerson(deps, run, { ...questionOf(draft, target), replaces });
      if (answer.kind === 'ended') return answer.ended;
      if (answer.kind === 'allowed') granted = draft;
      replaces = answer.asked;
    } else {
      const done = await applyChange(notes, run, target, draft);
      if (done !== undefined) return done;
      tries += 1;
    }
    draft = await draftNote(deps, notes, run.call, target, plan);
  }
  return failedCall(KEEPS_CHANGING);
}

function questionOf(
  { request, decision, before, changed, readable }: NoteDraft,
  target: VaultTarget,
) {
  const change =
    readable && changed.ok ? { before, after: changed.after } : ('restricted' as const);
  return { request, decision, change, note: { target, before } };
}

/**
 * Writes the change.
 * @returns undefined if the note's text has changed, so that nothing was written
 */
async function applyChange(
  notes: NoteDeps,
  run: CallRun,
  target: VaultTarget,
  draft: NoteDraft,
): Promise<CallEnd | undefined> {
  const { before, changed } = draft;
  if (!changed.ok) return mismatchFailure(target.path);
  // Stored first: a change is not made if its texts can't be stored.
  const hash = (text: string): Promise<string> => notes.keep?.(text) ?? notes.digest(text);
  const hashes = {
    ...(before !== undefined && { before: await hash(before) }),
    after: await hash(changed.after),
  };
  const elsewhere = await movedEnd(notes, target);
  if (elsewhere !== undefined) return elsewhere;
  if (run.isCancelled()) return cancelled();
  run.approved = true;
  const found = { same: false };
  await notes.store.update(target.real, (now) => {
    found.same = now === before;
    return found.same ? changed.after : undefined;
  });
  return found.same ? changeDone(target, draft, hashes) : undefined;
}

async function movedEnd(notes: NoteDeps, target: VaultTarget): Promise<CallEnd | undefined> {
  const fault = await notes.resolver.movedFault(target);
  return fault && unreachableTarget(fault);
}

const KEEPS_CHANGING = {
  code: 'busy',
  message: 'Nothing was done: the note keeps being written. Read it and try again in a while.',
};

/**
 * Returns why a change can't be made; undefined if it can, or if only the person may know why not.
 */
function changeRefusal(
  { decision, changed, readable }: NoteDraft,
  { path, byText = false }: ChangePlan,
): CallEnd | undefined {
  if (decision.verdict === 'deny') {
    const size = !readable && decision.rule.kind === 'scope';
    return size ? denied(TOO_LARGE, decision.why) : deniedBy(decision);
  }
  if (!readable) return byText && decision.verdict === 'allow' ? mismatchFailure(path) : undefined;
  return changed.ok ? undefined : failedCall(changed);
}

const TOO_LARGE =
  'Nothing was done. Not allowed: the note, or what would be written, is larger than its limit allows.';

/**
 * The refusal for a note that the agent may not read. It doesn't say what doesn't fit, since that
 * would reveal text of the note.
 */
function mismatchFailure(path: string): CallEnd {
  const message = `Nothing was done: the call does not fit ${path} as it is. You may not read that note; append to it, or ask the person.`;
  return failedCall({ code: 'unfit', message });
}

/** Shows the change, if the agent may read the note. */
function changePreview({ path }: VaultTarget, draft: NoteDraft): CallEnd {
  const { changed, readable, request, decision, before } = draft;
  const asks = decision.verdict === 'ask' ? ' The person is asked first.' : '';
  const next = `Nothing is written yet. Send the same with dryRun false to write it.${asks}`;
  if (!readable || !changed.ok) {
    const output = `You may not read ${path}, so the change is not shown. ${next}`;
    return { outcome: changeOutcome(path, output, { dryRun: true }), result: 'preview' };
  }
  const { operation } = request;
  const diff = changeText(path, before, changed.after);
  const outcome = changeOutcome(path, `${diff}\n\n${next}`, { operation, dryRun: true, diff });
  return { outcome, result: 'preview' };
}

/** @param hashes of the note's texts, for the audit */
function changeDone(
  { path }: VaultTarget,
  { before, changed, readable, request: { operation } }: NoteDraft,
  hashes: { readonly before?: string; readonly after: string },
): CallEnd {
  const title = changed.ok ? changed.words : '';
  const shown = readable &&
    changed.ok && { operation, diff: changeText(path, before, changed.after) };
  const output = readable ? `${title}: ${path}.` : `Done: ${path}.`;
  const outcome = changeOutcome(path, output, { dryRun: false, ...shown });
  return { outcome, result: 'done', more: { title, ...hashes } };
}

/** @param hash of the note's current text */
function nothingToChange({ path }: VaultTarget, dryRun: boolean, hash: string): CallEnd {
  const output = `Nothing to change: ${path} holds that already.`;
  const outcome = changeOutcome(path, output, { dryRun, operation: 'update', diff: '' });
  if (dryRun) return { outcome, result: 'preview' };
  return { outcome, result: 'done', more: { before: hash, after: hash } };
}

/** @param metadata everything except the path */
function changeOutcome(path: string, output: string, metadata: object): ToolOutcome {
  return { ok: true, title: path, output, metadata: { path, ...metadata } };
}

/** The result of a change on the note's current text, and the decision about it. */
interface NoteDraft {
  readonly request: AccessRequest;
  readonly decision: Decision;
  /** undefined if there is no note, or if it was not read because everything is denied */
  readonly before: string | undefined;
  readonly changed: ReturnType<ChangePlan['change']>;
  /**
   * whether the agent may read the note; if not, it learns nothing about it, not even why a change
   * fails
   */
  readonly readable: boolean;
}

async function draftNote(
  { permitting, clock }: Pick<ToolHostDeps, 'permitting' | 'clock'>,
  { store }: NoteDeps,
  { sessionId, agent }: ToolCall,
  target: VaultTarget,
  plan: ChangePlan,
): Promise<NoteDraft> {
  const request = (operation: AccessKind, bytes?: number): AccessRequest => {
    return { sessionId, agent, operation, target, kind: 'file', bytes, now: clock.now() };
  };
  const [update, create, read] = (['update', 'create', 'read'] as const).map((operation) =>
    permitting.decide(request(operation)),
  ) as [Decision, Decision, Decision];
  const readable = read.verdict === 'allow';
  const withoutReading = (decision: Decision): NoteDraft => {
    const changed = { ok: false, code: 'denied', message: decision.why } as const;
    return { request: request('update'), decision, before: undefined, changed, readable };
  };
  if (update.verdict === 'deny' && create.verdict === 'deny') return withoutReading(update);
  // The preview must not reveal whether the note exists or how large it is, so nothing is read.
  if (plan.dryRun && !readable) {
    return withoutReading(
      STRICTNESS[create.verdict] < STRICTNESS[update.verdict] ? create : update,
    );
  }
  const size = (await store.stat(target.real))?.size;
  if (size !== undefined) {
    const decision = permitting.decide(request('update', size));
    if (decision.verdict === 'deny') return withoutReading(decision);
  }
  const before = await store.read(target.real);
  const changed = plan.change(before);
  const bytes = changed.ok ? utf8Length(changed.after) : undefined;
  const finalRequest = request(before === undefined ? 'create' : 'update', bytes);
  return {
    request: finalRequest,
    decision: permitting.decide(finalRequest),
    before,
    changed,
    readable,
  };
}

/** Whether a readable note already has the text. Then nobody needs to be asked. */
function isNoChange({ before, changed, readable }: NoteDraft): boolean {
  return readable && changed.ok && changed.after === before;
}

/** Whether both drafts make the same change to the same text. */
function isSameDraft(one: NoteDraft, other: NoteDraft): boolean {
  const after = ({ changed }: NoteDraft) => (changed.ok ? changed.after : undefined);
  return (
    one.before === other.before &&
    one.request.operation === other.request.operation &&
    one.readable === other.readable &&
    after(one) === after(other)
  );
}
