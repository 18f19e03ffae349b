import { VaultTarget } from '../permission/vault-target';
import { askPerson, type Answer, type Asked } from './ask-person';
import {
  cancelled,
  denied,
  deniedBy,
  failedCall,
  unreachable,
  type CallRun,
  type CallEnd,
  type NoteDeps,
  type ToolHostDeps,
} from './call-run';
import { NOT_CONNECTED, type ChangePlan, type ToolCall } from './tool';
import { changeText } from './note/change-text';
import { utf8Length } from '../../protocol/frame-limits';
import { STRICTNESS, type Decision, type AccessRequest } from '../permission/decide';
import type { AccessKind } from '../permission/rule';

/** How often a change that needs no answer is made anew, since the note was written meanwhile. */
const MAX_TRIES = 5;

/** A call that makes or changes a note, from its path to its outcome. */
export async function runChange(
  deps: ToolHostDeps,
  run: CallRun,
  plan: ChangePlan,
): Promise<CallEnd> {
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

  async run(): Promise<CallEnd> {
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

  private async preview(draft: NoteDraft): Promise<CallEnd> {
    const refused = changeRefusal(draft, this.plan) ?? (await this.moved());
    if (refused !== undefined) return refused;
    this.call.approved = draft.decision.verdict === 'allow';
    return (await this.unchanged(draft)) ?? changePreview(this.target, draft);
  }

  /** Until the change that is written is one that was allowed, made for the text that is there. */
  private async write(first: NoteDraft): Promise<CallEnd> {
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
      if ((tries += 1) === MAX_TRIES) return failedCall(RESTLESS);
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
  private async effect(draft: NoteDraft): Promise<CallEnd | undefined> {
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
  private async unchanged(draft: NoteDraft): Promise<CallEnd | undefined> {
    if (!isNoChange(draft)) return undefined;
    this.call.approved = draft.decision.verdict === 'allow';
    const hash = await this.notes.digest(draft.before ?? '');
    return nothingToChange(this.target, this.plan.dryRun, hash);
  }

  private async moved(): Promise<CallEnd | undefined> {
    const moved = await this.notes.resolver.stillThere(this.target);
    return moved === undefined ? undefined : unreachable(moved);
  }
}

const RESTLESS = {
  code: 'busy',
  message:
    'Nothing was done: the note is being written all the time. Read it and try again in a while.',
};

/** Hashes of a note's texts, as the audit has them. */
interface ChangeHashes {
  readonly before?: string;
  readonly after: string;
}

/** Why a change can't be made; undefined where it can, or where only the person may be told. */
function changeRefusal(
  { decision, changed, readable }: NoteDraft,
  { path, byText = false }: ChangePlan,
): CallEnd | undefined {
  if (decision.verdict === 'deny') {
    const size = !readable && decision.rule.kind === 'scope';
    return size ? denied(TOO_LARGE, decision.why) : deniedBy(decision);
  }
  if (!readable) return byText && decision.verdict === 'allow' ? unfit(path) : undefined;
  return changed.ok ? undefined : failedCall(changed);
}

const TOO_LARGE =
  'Nothing was done. Not allowed: the note, or what would be written, is larger than its scope takes.';

/** Of a note that the agent may not read: in what way it doesn't fit would tell what is in it. */
function unfit(path: string): CallEnd {
  const message = `Nothing was done: the call does not fit ${path} as it is. You may not read that note; append to it, or ask the person.`;
  return failedCall({ code: 'unfit', message });
}

/** What would be written, to an agent that may read the note. */
function changePreview({ path }: VaultTarget, draft: NoteDraft): CallEnd {
  const { changed, readable, request, decision } = draft;
  const asks = decision.verdict === 'ask' ? ' The person is asked first.' : '';
  const next = `Nothing is written yet. Send the same with dryRun false to write it.${asks}`;
  if (!readable || !changed.ok) {
    const output = `You may not read ${path}, so the change is not shown. ${next}`;
    return preview(path, output, { dryRun: true });
  }
  const diff = changeText(path, draft.before, changed.after);
  const { operation } = request;
  return preview(path, `${diff}\n\n${next}`, { operation, dryRun: true, diff });
}

function changeDone(
  { path }: VaultTarget,
  { before, changed, readable, request }: NoteDraft,
  hashes: ChangeHashes,
): CallEnd {
  const words = changed.ok ? changed.words : '';
  const told = readable ? `${words}: ${path}.` : `Done: ${path}.`;
  const { operation } = request;
  const shown = readable &&
    changed.ok && { operation, diff: changeText(path, before, changed.after) };
  const metadata = { path, dryRun: false, ...shown };
  const outcome = { ok: true, title: path, output: told, metadata } as const;
  return { outcome, result: 'done', more: { title: words, ...hashes } };
}

/** @param hash of the note as it is */
function nothingToChange({ path }: VaultTarget, dryRun: boolean, hash: string): CallEnd {
  const output = `Nothing to change: ${path} holds that already.`;
  const metadata = { path, dryRun, operation: 'update', diff: '' };
  const outcome = { ok: true, title: path, output, metadata } as const;
  if (dryRun) return { outcome, result: 'preview' };
  return { outcome, result: 'done', more: { before: hash, after: hash } };
}

/** @param metadata all but the path */
function preview(
  path: string,
  output: string,
  metadata: Readonly<Record<string, unknown>>,
): CallEnd {
  const outcome = { ok: true, title: path, output, metadata: { path, ...metadata } } as const;
  return { outcome, result: 'preview' };
}

/** What a change would make of the note that is there, and what the rules say of it. */
interface NoteDraft {
  readonly request: AccessRequest;
  readonly decision: Decision;
  /** undefined where there is no note, and where it wasn't looked at since all is denied */
  readonly before: string | undefined;
  readonly changed: ReturnType<ChangePlan['change']>;
  /** whether the agent may read the note; if not, nothing of it may be told, not even why a change fails */
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
  const unseen = (decision: Decision): NoteDraft => {
    const changed = { ok: false, code: 'denied', message: decision.why } as const;
    return { request: request('update'), decision, before: undefined, changed, readable };
  };
  if (update.verdict === 'deny' && create.verdict === 'deny') return unseen(update);
  // Whether there is a note, and how large, is not to be seen in a preview: nothing is looked at.
  if (plan.dryRun && !readable) return unseen(laxer(update, create));
  const size = (await store.stat(target.real))?.size;
  if (size !== undefined) {
    const decision = permitting.decide(request('update', size));
    if (decision.verdict === 'deny') return unseen(decision);
  }
  const before = await store.read(target.real);
  const changed = plan.change(before);
  const bytes = changed.ok ? utf8Length(changed.after) : undefined;
  const asked = request(before === undefined ? 'create' : 'update', bytes);
  return { request: asked, decision: permitting.decide(asked), before, changed, readable };
}

function laxer(one: Decision, other: Decision): Decision {
  return STRICTNESS[other.verdict] < STRICTNESS[one.verdict] ? other : one;
}

/** What a readable note holds already needs nobody's answer. */
function isNoChange({ before, changed, readable }: NoteDraft): boolean {
  return readable && changed.ok && changed.after === before;
}

/** Whether it is the very same change of the very same text. */
function isSameDraft(one: NoteDraft, other: NoteDraft): boolean {
  return (
    one.before === other.before &&
    one.request.operation === other.request.operation &&
    one.readable === other.readable &&
    afterOf(one) === afterOf(other)
  );
}

function afterOf({ changed }: NoteDraft): string | undefined {
  return changed.ok ? changed.after : undefined;
}
