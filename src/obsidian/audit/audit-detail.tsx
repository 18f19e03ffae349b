import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ToolPermissionRequest } from '../../core/permission/ask';
import type { AuditRow, CallRow, AuditStatus } from '../../core/permission/audit/audit-rows';
import { visibleText } from '../../core/permission/audit/redact';
import { Button, IconButton } from '../ui/icon';
import type { AuditViewDeps, ChangeInspection } from './note-changes';
import { dayWords, shortDuration, timeWithSeconds } from '../ui/text';
import {
  damageWords,
  detailTitle,
  sessionWord,
  toolWord,
  visibleNoteName,
  whyParts,
} from './audit-words';
import { hasChangedNote, type ChangeTexts } from '../../core/permission/audit/undo-change';
import { DiffLines } from '../ui/diff-view';
import { textDiff } from '../ui/text-diff';
import { errorText, faultText, t } from '../language/text';

interface DetailProps {
  readonly row: AuditRow;
  readonly ending: AuditStatus;
  readonly deps: AuditViewDeps;
  readonly now: number;
  /** the detail takes the whole view, as on a phone */
  readonly page: boolean;
  readonly onClose: () => void;
}

/** One entry in full: facts, the reason, what it changed, and how to undo that. */
export function AuditDetail(props: DetailProps) {
  const { row, now, page, onClose } = props;
  const frame = useRef<HTMLElement>(null);
  const title = row.kind === 'call' ? detailTitle(row) : t('audit.damagedEntry');
  useLayoutEffect(() => {
    if (page) frame.current?.querySelector('button')?.focus();
  }, [page]);
  const ms = row.kind === 'call' ? row.outcome?.ms : undefined;
  return (
    <aside
      class={`atb-audit-detail${page ? ' is-page' : ''}`}
      role="region"
      aria-labelledby="atb-audit-title"
      ref={frame}
    >
      <div class="atb-audit-detail-head">
        {page && (
          <IconButton icon="arrow-left" label={t('audit.backToTheList')} onClick={onClose} />
        )}
        <h3 id="atb-audit-title">{title}</h3>
        {!page && <IconButton icon="x" label={t('common.close')} onClick={onClose} />}
      </div>
      <p class="atb-audit-when">
        {dayWords(row.at, now)} {timeWithSeconds(row.at)}
        {ms !== undefined && ` · ${shortDuration(ms)}`}
      </p>
      {row.kind === 'call' ? <CallDetail {...props} row={row} /> : <DamageDetail row={row} />}
    </aside>
  );
}

interface CallProps {
  readonly row: CallRow;
  readonly deps: AuditViewDeps;
}

function CallDetail({ row, ending, deps, now }: DetailProps & CallProps) {
  const ask = pendingAskOf(row, deps.asks.all());
  return (
    <>
      <Facts row={row} deps={deps} />
      <DetailSection title={t('audit.why')}>
        <p>{whyParts(row, ending, now)}</p>
        {ending === 'waiting' && ask !== undefined && (
          <div class="atb-buttons">
            <Button
              kind="cta"
              words={t('audit.review')}
              onClick={() => deps.review(ask.requestId)}
            />
          </div>
        )}
      </DetailSection>
      <ChangePart key={row.key} row={row} deps={deps} />
      <details class="atb-audit-sent">
        <summary>{t('audit.whatWasSent')}</summary>
        <pre>{visibleLines(JSON.stringify(row.intent.args, undefined, 2))}</pre>
      </details>
    </>
  );
}

/** The request that a call has pending, if any. */
export function pendingAskOf(
  { intent }: CallRow,
  asks: readonly ToolPermissionRequest[],
): ToolPermissionRequest | undefined {
  const { sent, sessionId } = intent;
  if (sent === undefined) return undefined;
  return asks.find((one) => one.callId === sent && one.sessionId === sessionId);
}

function Facts({ row, deps }: CallProps) {
  const { intent } = row;
  const { agent, path, task, operation, tool, dryRun } = intent;
  const taskName = task === undefined ? undefined : deps.names.task(task);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t('common.session'), sessionWord(intent, deps.names)],
    [t('common.agent'), agent],
    [t('audit.task'), taskName ?? task],
    [operation === 'tasks' ? t('common.board') : t('audit.note'), path],
    [t('audit.tool'), dryRun ? t('audit.previewOf', { tool: toolWord(tool) }) : toolWord(tool)],
  ];
  return (
    <dl class="atb-audit-facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{visibleText(value)}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function DamageDetail({ row }: { readonly row: AuditRow & { kind: 'damage' } }) {
  return (
    <>
      <p>{t('audit.callMayBeDone', { what: damageWords(row) })}</p>
      <DetailSection title={t('audit.whatIsLeftOfIt')}>
        <pre>{visibleText(row.text)}</pre>
      </DetailSection>
    </>
  );
}

function DetailSection(props: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="atb-audit-section">
      <h4>{props.title}</h4>
      {props.children}
    </section>
  );
}

/** Makes each line visible by itself: line ends of the JSON's own formatting stay line ends. */
function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n');
}

/** What a call changed in a note, and the button to undo it. */
function ChangePart({ row, deps }: CallProps) {
  const [look, again] = useInspection(row, deps);
  const [busy, setBusy] = useState(false);
  const { path, operation, task } = row.intent;
  if (path === undefined) return null;
  const opener = (words: string, onClick: () => void) => (
    <Button kind="quiet" {...{ words, onClick }} />
  );
  // Changes to tasks are undone on the board, task by task.
  if (operation === 'tasks') return opener(t('common.openBoard'), () => deps.openBoard(path, task));
  const openNote = opener(t('audit.openNote'), () => deps.openNote(path));
  if (!hasChangedNote(row)) return openNote;
  if (look === undefined) return null;
  if ('problem' in look) return <p class="atb-audit-hint">{look.problem}</p>;
  const undo = async (): Promise<void> => {
    setBusy(true);
    await undoEntry(deps, row, path);
    setBusy(false);
    again();
  };
  const tryUndo = () => void undo().catch((error: unknown) => deps.notify(String(error)));
  return (
    <DetailSection title={t('audit.change')}>
      <ChangeDiff texts={look.texts} name={visibleNoteName(path)} />
      <div class="atb-buttons">
        {look.undo.ok && (
          <Button
            icon="undo-2"
            words={t('audit.undoThisChange')}
            disabled={busy}
            onClick={tryUndo}
          />
        )}
        {!look.undo.ok && look.undo.code === 'changed' && (
          <Button words={t('audit.compare')} onClick={() => void deps.changes.compare(row)} />
        )}
        {openNote}
      </div>
      <p class="atb-audit-hint" role="status">
        {look.undo.ok ? undoableWords(look.undo) : faultText(look.undo)}
      </p>
    </DetailSection>
  );
}

/** Undoes the change of a note, and shows a notice with the result. */
export async function undoEntry(deps: AuditViewDeps, row: CallRow, path: string): Promise<void> {
  const done = await deps.changes.undo(row);
  if (!done.ok) deps.notify(faultText(done));
  else if (done.unrecorded === undefined)
    deps.notify(t('audit.undoneOf', { note: visibleNoteName(path) }));
  else deps.notify(t('audit.undoneUnrecorded', { why: errorText(done.unrecorded) }));
}

function undoableWords({ then, now }: Extract<ChangeInspection['undo'], { ok: true }>): string {
  if (then === undefined) return t('audit.canUndoCreation');
  if (now === undefined) return t('audit.canUndoDeletion');
  return t('audit.canUndo');
}

function ChangeDiff({ texts, name }: { texts: ChangeTexts | undefined; name: string }) {
  const lines = useMemo(() => texts && textDiff(texts.before, texts.after), [texts]);
  if (lines === undefined) return <p class="atb-audit-hint">{t('audit.textsNotKept')}</p>;
  return <DiffLines lines={lines} name={t('ask.changeTo', { note: name })} />;
}

type InspectionResult = ChangeInspection | { readonly problem: string };

/** Computed when the entry is shown, and again when its note was touched. */
function useInspection(
  row: CallRow,
  deps: AuditViewDeps,
): readonly [InspectionResult | undefined, () => void] {
  const [found, setFound] = useState<InspectionResult>();
  const [turn, setTurn] = useState(0);
  const latest = useRef(0);
  useLayoutEffect(() => {
    if (!hasChangedNote(row)) return;
    const requestNumber = (latest.current += 1);
    const set = (value: InspectionResult): void => {
      if (latest.current === requestNumber) setFound(value);
    };
    void deps.changes.look(row).then(set, (error: unknown) => {
      const words = errorText(error);
      set({ problem: t('audit.changeNotShown', { why: words }) });
    });
  }, [row, turn, deps]);
  const { path } = row.intent;
  useLayoutEffect(
    () => deps.changes.onTouched((one) => one === path && setTurn((now) => now + 1)),
    [deps, path],
  );
  return [found, () => setTurn((now) => now + 1)];
}
