import type { AuditIntent, AuditOutcome, AuditRecord } from './audit-entry';
import { visibleText } from './visible-text';

/** What the audit has of one call. */
export interface AuditedCall {
  readonly intent: AuditIntent;
  /** undefined while it runs, and where the process died meanwhile */
  readonly outcome: AuditOutcome | undefined;
}

/** Calls in the order of their intents, and what of R9's "one intent and one outcome each" doesn't hold. */
export function auditedCalls(records: Iterable<AuditRecord>): {
  readonly calls: ReadonlyMap<string, AuditedCall>;
  /** ids of calls with a second intent or outcome, or with an outcome only */
  readonly odd: readonly string[];
} {
  const calls = new Map<string, AuditedCall>();
  const odd: string[] = [];
  for (const record of records) {
    if (record.kind === 'repair') continue;
    const call = calls.get(record.callId);
    if (record.kind === 'intent') {
      if (call === undefined) calls.set(record.callId, { intent: record, outcome: undefined });
      else odd.push(record.callId);
    } else if (call === undefined || call.outcome !== undefined) odd.push(record.callId);
    else calls.set(record.callId, { ...call, outcome: record });
  }
  return { calls, odd };
}

/** Why a call was allowed, asked or denied, and what came of it; for a view or a terminal. */
export function explainCall({ intent, outcome }: AuditedCall): string {
  const { agent, tool, operation, path, sessionId, dryRun, why } = intent;
  const where = path === undefined ? '' : ` ${path}`;
  const from = sessionId === undefined ? '' : ` in session ${sessionId}`;
  const did = dryRun ? `preview: ${operation}` : operation;
  const asked =
    intent.by === 'person'
      ? `You took back a change${from}: ${operation}${where}.`
      : `${agent}${from} called ${tool} to ${did}${where}.`;
  return visibleText([asked, why, ...replyWords(outcome), ended(outcome)].join(' '));
}

function replyWords(outcome: AuditOutcome | undefined): string[] {
  return outcome?.reply === undefined ? [] : [REPLIES[outcome.reply]];
}

const REPLIES: Readonly<Record<NonNullable<AuditOutcome['reply']>, string>> = {
  once: 'You allowed it once.',
  always: 'You allowed it from then on.',
  reject: 'You denied it.',
  expired: 'Nobody answered in time, so it was denied.',
};

function ended(outcome: AuditOutcome | undefined): string {
  if (outcome === undefined) return 'How it ended is not recorded: look at the note.';
  const { result, message } = outcome;
  const more = message === undefined ? '' : ` ${message}`;
  if (result === 'done') {
    const same = outcome.before !== undefined && outcome.before === outcome.after;
    return same ? 'It changed nothing.' : 'It was done.';
  }
  return `${ENDS[result]}${more}`;
}

const ENDS: Readonly<Record<Exclude<AuditOutcome['result'], 'done'>, string>> = {
  preview: 'The change was shown, and not made.',
  denied: 'It was not done.',
  failed: 'It failed.',
  cancelled: 'It was stopped before its effect.',
};
