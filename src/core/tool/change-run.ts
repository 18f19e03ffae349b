import { VaultTarget } from '../permission/vault-target';
import { askPerson, type Answer, type Asked } from './ask-person';
import type { CallRun } from './call-run';
import {
  changeDone,
  changePreview,
  changeRefusal,
  nothingToChange,
  unfit,
  type ChangeHashes,
} from './change-answer';
import { cancelled, failed, unreachable, type Ended } from './ended';
import type { NoteDeps, ToolHostDeps } from './host-deps';
import { NOT_CONNECTED } from './not-connected';
import { draftNote, isNoChange, isSameDraft, type NoteDraft } from './note-draft';
import type { ChangePlan } from './tool-plan';

/** How often a change that needs no answer is made anew, since the note was written meanwhile. */
const MAX_TRIES = 5;

/** A call that makes or changes a note, from its path to its outcome. */
export async function runChange(
  deps: ToolHostDeps,
  run: CallRun,
  plan: ChangePlan,
): Promise<Ended> {
  const { notes } = deps;
  const { path, dryRun } = plan;
  run.about = { operation: 'update', path, dryRun };
  if (notes === undefined) return run.refuse(NOT_CONNECTED);
  const target = await notes.resolver.resolve(path);
  if (target instanceof VaultTarget) return new Changing(deps, notes, run, target, plan).run();
  return run.refusePlace(target);
}

class Changing {
  constructor(
    private readonly deps: ToolHostDeps,
    private readonly notes: NoteDeps,
    private readonly call: CallRun,
    private readonly target: VaultTarget,
    private readonly plan: ChangePlan,
  ) {}

  async run(): Promise<Ended> {
    const draft = await this.draft();
    const { dryRun } = this.plan;
    const { request, decision } = draft;
    const { path, real } = this.target;
    const intended = { operation: request.operation, path, real, dryRun, decision };
    return (
      (await this.call.begin(intended)) ??
      (dryRun ? await this.preview(draft) : await this.write(draft))
    );
  }

  private draft(): Promise<NoteDraft> {
    return draftNote(this.deps, this.notes, this.call.call, this.target, this.plan);
  }

  private async preview(draft: NoteDraft): Promise<Ended> {
    const refused = changeRefusal(draft, this.plan) ?? (await this.moved());
    if (refused !== undefined) return refused;
    this.call.approved = draft.decision.verdict === 'allow';
    return (await this.unchanged(draft)) ?? changePreview(this.target, draft);
  }

  /** Until the change that is written is one that was allowed, made for the text that is there. */
  private async write(first: NoteDraft): Promise<Ended> {
    let granted: NoteDraft | undefined;
    let replaces: Asked | undefined;
    let tries = 0;
    for (let draft = first; ; draft = await this.draft()) {
      // After the text was read: a link may have led to it.
      const ended =
        changeRefusal(draft, this.plan) ?? (await this.moved()) ?? (await this.unchanged(draft));
      if (ended !== undefined) return ended;
      if (draft.decision.verdict === 'ask' && !(granted && isSameDraft(granted, draft))) {
        const answer = await this.ask(draft, replaces);
        if (answer.kind === 'ended') return answer.ended;
        if (answer.kind === 'allowed') granted = draft;
        replaces = answer.asked;
        continue;
      }
      const done = await this.effect(draft);
      if (done !== undefined) return done;
      if ((tries += 1) === MAX_TRIES) return failed(RESTLESS);
    }
  }

  private ask(draft: NoteDraft, replaces: Asked | undefined): Promise<Answer> {
    const { request, decision, before, changed, readable } = draft;
    const { target } = this;
    const change = readable && changed.ok ? { before, after: changed.after } : 'restricted';
    const note = { target, before };
    return askPerson(this.deps, this.call, { request, decision, change, note, replaces });
  }

  /** @returns undefined where the note has another text by now, and nothing was written */
  private async effect(draft: NoteDraft): Promise<Ended | undefined> {
    const { before, changed } = draft;
    if (!changed.ok) return unfit(this.target.path);
    const hashes = await this.hashes(before, changed.after);
    const moved = await this.moved();
    if (moved !== undefined) return moved;
    if (this.call.isCancelled()) return cancelled();
    this.call.approved = true;
    const found = { same: false };
    await this.notes.store.update(this.target.real, (now) => {
      found.same = now === before;
      return found.same ? changed.after : undefined;
    });
    return found.same ? changeDone(this.target, draft, hashes) : undefined;
  }

  /** Kept before the effect: what can't be kept isn't done. */
  private async hashes(before: string | undefined, after: string): Promise<ChangeHashes> {
    const { notes } = this;
    const hash = (text: string): Promise<string> => notes.keep?.(text) ?? notes.digest(text);
    if (before === undefined) return { after: await hash(after) };
    return { before: await hash(before), after: await hash(after) };
  }

  /** What the note holds already is not written again, and nobody is asked about it. */
  private async unchanged(draft: NoteDraft): Promise<Ended | undefined> {
    if (!isNoChange(draft)) return undefined;
    this.call.approved = draft.decision.verdict === 'allow';
    const hash = await this.notes.digest(draft.before ?? '');
    return nothingToChange(this.target, this.plan.dryRun, hash);
  }

  private async moved(): Promise<Ended | undefined> {
    const moved = await this.notes.resolver.stillThere(this.target);
    return moved === undefined ? undefined : unreachable(moved);
  }
}

const RESTLESS = {
  code: 'busy',
  message:
    'Nothing was done: the note is being written all the time. Read it and try again in a while.',
};
