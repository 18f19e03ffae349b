import type { VaultTarget } from '../permission/vault-target';
import { denied, deniedBy, failed, type Ended } from './ended';
import { changeText } from './note/change-text';
import type { NoteDraft } from './note-draft';
import type { ChangePlan } from './tool-plan';

/** Hashes of a note's texts, as the audit has them. */
export interface ChangeHashes {
  readonly before?: string;
  readonly after: string;
}

/** Why a change can't be made; undefined where it can, or where only the person may be told. */
export function changeRefusal(
  { decision, changed, readable }: NoteDraft,
  { path, byText = false }: ChangePlan,
): Ended | undefined {
  if (decision.verdict === 'deny') {
    const size = !readable && decision.rule.kind === 'scope';
    return size ? denied(TOO_LARGE, decision.why) : deniedBy(decision);
  }
  if (!readable) return byText && decision.verdict === 'allow' ? unfit(path) : undefined;
  return changed.ok ? undefined : failed(changed);
}

const TOO_LARGE =
  'Nothing was done. Not allowed: the note, or what would be written, is larger than its scope takes.';

/** Of a note that the agent may not read: in what way it doesn't fit would tell what is in it. */
export function unfit(path: string): Ended {
  const message = `Nothing was done: the call does not fit ${path} as it is. You may not read that note; append to it, or ask the person.`;
  return failed({ code: 'unfit', message });
}

/** What would be written, to an agent that may read the note. */
export function changePreview({ path }: VaultTarget, draft: NoteDraft): Ended {
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

export function changeDone(
  { path }: VaultTarget,
  { before, changed, readable, request }: NoteDraft,
  hashes: ChangeHashes,
): Ended {
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
export function nothingToChange({ path }: VaultTarget, dryRun: boolean, hash: string): Ended {
  const output = `Nothing to change: ${path} holds that already.`;
  const metadata = { path, dryRun, operation: 'update', diff: '' };
  const outcome = { ok: true, title: path, output, metadata } as const;
  if (dryRun) return { outcome, result: 'preview' };
  return { outcome, result: 'done', more: { before: hash, after: hash } };
}

/** @param metadata all but the path */
function preview(path: string, output: string, metadata: Readonly<Record<string, unknown>>): Ended {
  const outcome = { ok: true, title: path, output, metadata: { path, ...metadata } } as const;
  return { outcome, result: 'preview' };
}
