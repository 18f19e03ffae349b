import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Ending } from '../../core/permission/audit/audit-filter';
import type { AuditRow, CallRow } from '../../core/permission/audit/audit-row';
import { visibleText } from '../../core/permission/audit/visible-text';
import { IconButton } from '../part/icon';
import type { AuditDeps } from './audit-deps';
import { dayWords, howLong, timeOfDay } from './audit-times';
import { damageWords, detailTitle, sessionWord, toolWord } from './audit-words';
import { ChangePart } from './change-part';
import { whyParts } from './why-parts';

export interface DetailProps {
  readonly row: AuditRow;
  readonly ending: Ending;
  readonly deps: AuditDeps;
  readonly now: number;
  /** fills the view, as on a phone */
  readonly page: boolean;
  readonly onClose: () => void;
}

/** One entry in full: facts, why, what it changed, and how to take that back. */
export function AuditDetail(props: DetailProps) {
  const { row, now, page, onClose } = props;
  const frame = useRef<HTMLElement>(null);
  const title = row.kind === 'call' ? detailTitle(row) : 'Damaged entry';
  useLayoutEffect(() => {
    if (page) frame.current?.querySelector('button')?.focus();
  }, [page]);
  const ms = row.kind === 'call' ? row.outcome?.ms : undefined;
  const took = ms === undefined ? '' : ` · ${howLong(ms)}`;
  return (
    <aside
      class={`atb-audit-detail${page ? ' is-page' : ''}`}
      role="region"
      aria-labelledby="atb-audit-title"
      ref={frame}
    >
      <div class="atb-audit-detail-head">
        {page && <IconButton icon="arrow-left" label="Back to the list" onClick={onClose} />}
        <h3 id="atb-audit-title">{title}</h3>
        {!page && <IconButton icon="x" label="Close" onClick={onClose} />}
      </div>
      <p class="atb-audit-when">
        {dayWords(row.at, now)} {timeOfDay(row.at)}
        {took}
      </p>
      {row.kind === 'call' ? <CallDetail {...props} row={row} /> : <DamageDetail row={row} />}
    </aside>
  );
}

function CallDetail({ row, ending, deps, now }: DetailProps & { readonly row: CallRow }) {
  return (
    <>
      <Facts row={row} deps={deps} />
      <Section title="Why">
        <p>
          {whyParts(row, ending, now).map(({ kind, text }, at) =>
            kind === 'code' ? <code key={at}>{text}</code> : text,
          )}
        </p>
        {ending === 'waiting' && <Review row={row} deps={deps} />}
      </Section>
      <ChangePart key={row.key} row={row} deps={deps} />
      <details class="atb-audit-sent">
        <summary>What was sent</summary>
        <pre>{visibleLines(JSON.stringify(row.intent.args, undefined, 2))}</pre>
      </details>
    </>
  );
}

function Facts({ row, deps }: { readonly row: CallRow; readonly deps: AuditDeps }) {
  const { intent } = row;
  const { agent, path, sessionId, task, operation, tool, dryRun } = intent;
  const taskName = task === undefined ? undefined : deps.names.task(sessionId, agent, task);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Session', sessionWord(intent, deps.names)],
    ['Agent', agent],
    ['Task', taskName ?? task],
    [operation === 'tasks' ? 'Board' : 'Note', path],
    ['Tool', `${toolWord(tool)}${dryRun ? ', preview' : ''}`],
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

function Review({ row, deps }: { readonly row: CallRow; readonly deps: AuditDeps }) {
  const { sent, sessionId } = row.intent;
  const ask = deps.asks.all().find((one) => one.callId === sent && one.sessionId === sessionId);
  if (ask === undefined) return null;
  return (
    <div class="atb-buttons">
      <button type="button" class="mod-cta" onClick={() => deps.review(ask.requestId)}>
        Review
      </button>
    </div>
  );
}

function DamageDetail({ row }: { readonly row: AuditRow & { kind: 'damage' } }) {
  const words = damageWords(row);
  return (
    <>
      <p>
        {words.charAt(0).toUpperCase() + words.slice(1)}. The call it was of may have been done:
        look at the notes.
      </p>
      <Section title="What is left of it">
        <pre>{visibleText(row.text)}</pre>
      </Section>
    </>
  );
}

export function Section(props: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="atb-audit-section">
      <h4>{props.title}</h4>
      {props.children}
    </section>
  );
}

/** JSON has no line ends but its own. */
function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n');
}
