import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CallRow } from '../../core/permission/audit/audit-row';
import type { ChangeTexts } from '../../core/permission/audit/change-texts';
import { changedNote } from '../../core/permission/audit/undo-change';
import { DiffLines } from '../ask/diff';
import { textDiff } from '../ask/text-diff';
import { Icon } from '../part/icon';
import type { AuditDeps, ChangeLook } from './audit-deps';
import { Section } from './audit-detail';
import { noteName } from './audit-words';

/** What a call changed in a note, and the way back. */
export function ChangePart({ row, deps }: { readonly row: CallRow; readonly deps: AuditDeps }) {
  const [look, again] = useLook(row, deps);
  const [busy, setBusy] = useState(false);
  const { path, operation, task } = row.intent;
  if (path === undefined) return null;
  if (operation === 'tasks') {
    // Its changes are taken back on the board, task by task.
    const open = () => deps.openBoard(path, task);
    return <QuietButton words="Open board" onClick={open} />;
  }
  if (!changedNote(row)) return <OpenNote path={path} deps={deps} />;
  if (look === undefined) return null;
  if ('problem' in look) return <p class="atb-audit-hint">{look.problem}</p>;
  const undo = async (): Promise<void> => {
    setBusy(true);
    const done = await deps.changes.undo(row);
    setBusy(false);
    if (!done.ok) deps.notify(done.message);
    else if (done.unrecorded === undefined) deps.notify(`Undone: ${noteName(path)}.`);
    else deps.notify(`Undone, but that could not be recorded. ${done.unrecorded}`);
    again();
  };
  return (
    <Section title="Change">
      <ChangeDiff texts={look.texts} name={noteName(path)} />
      <div class="atb-buttons">
        {look.undo.ok && (
          <button
            type="button"
            class="atb-button"
            disabled={busy}
            onClick={() => void undo().catch((error: unknown) => deps.notify(String(error)))}
          >
            <Icon name="undo-2" />
            Undo this change
          </button>
        )}
        {!look.undo.ok && look.undo.code === 'changed' && (
          <button type="button" class="atb-button" onClick={() => void deps.changes.compare(row)}>
            Compare
          </button>
        )}
        <OpenNote path={path} deps={deps} />
      </div>
      <p class="atb-audit-hint" role="status">
        {look.undo.ok ? canWords(look.undo) : look.undo.message}
      </p>
    </Section>
  );
}

function canWords({ then, now }: Extract<ChangeLook['undo'], { ok: true }>): string {
  if (then === undefined)
    return 'The note has not changed since, so this can be undone: it goes to the trash.';
  if (now === undefined) return 'There is no other note in its place, so this can be undone.';
  return 'The note has not changed since, so this can be undone.';
}

function OpenNote({ path, deps }: { readonly path: string; readonly deps: AuditDeps }) {
  return <QuietButton words="Open note" onClick={() => deps.openNote(path)} />;
}

function QuietButton(props: { readonly words: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="atb-button-quiet" onClick={props.onClick}>
      {props.words}
    </button>
  );
}

function ChangeDiff(props: { readonly texts: ChangeTexts | undefined; readonly name: string }) {
  const { texts, name } = props;
  const lines = useMemo(
    () => (texts === undefined ? [] : textDiff(texts.before, texts.after)),
    [texts],
  );
  if (texts === undefined)
    return <p class="atb-audit-hint">The texts of this change are not kept on this device.</p>;
  return <DiffLines lines={lines} name={`Change of ${name}`} />;
}

type Found = ChangeLook | { readonly problem: string };

/** Looked up when the entry is shown, and again when the note was touched. */
function useLook(row: CallRow, deps: AuditDeps): readonly [Found | undefined, () => void] {
  const [found, setFound] = useState<Found>();
  const [turn, setTurn] = useState(0);
  const latest = useRef(0);
  useLayoutEffect(() => {
    if (!changedNote(row)) return;
    const mine = (latest.current += 1);
    const set = (value: Found): void => {
      if (latest.current === mine) setFound(value);
    };
    void deps.changes.look(row).then(set, (error: unknown) => {
      const words = error instanceof Error ? error.message : String(error);
      set({ problem: `What it changed can't be shown. ${words}` });
    });
  }, [row, turn, deps]);
  const { path } = row.intent;
  useLayoutEffect(
    () => deps.changes.onTouched((one) => one === path && setTurn((now) => now + 1)),
    [deps, path],
  );
  return [found, () => setTurn((now) => now + 1)];
}
