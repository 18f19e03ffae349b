import type { AuditIntent, AuditOutcome, AuditRecord } from './audit-entry';
import { visibleText } from './redact';

/** The audit entries of one call. */
export interface AuditedCall {
  readonly intent: AuditIntent;
  /** undefined while the call runs, and if the process died during it */
  readonly outcome: AuditOutcome | undefined;
}

/**
 * Groups entries into calls, in the order of their intents, and lists violations of R9's "one
 * intent and one outcome each".
 */
export function auditedCalls(records: Iterable<AuditRecord>): {
  readonly calls: ReadonlyMap<string, AuditedCall>;
  /** ids of calls with a second intent or outcome, or with an outcome but no intent */
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

/**
 * Explains why a call was allowed, asked about or denied, and how it ended. For a view or a
 * terminal.
 */
export function explainCall({ intent, outcome }: AuditedCall): string {
  const { agent, tool, operation, path, sessionId } = intent;
  const from = sessionId === undefined ? '' : ` in session ${sessionId}`;
  const asked =
    intent.by === 'person'
      ? `You took back a change${from}: ${operation}${objectWords(path)}.`
      : `${agent}${from} called ${tool}${purposeWords(intent)}.`;
  const why = whyWords(intent, outcome);
  const reply = outcome?.reply === undefined ? [] : [REPLIES[outcome.reply]];
  return visibleText([asked, why, ...reply, outcomeWords(intent, outcome)].join(' '));
}

/** The purpose of the call; empty if its arguments were never accepted. */
function purposeWords({ tool, operation, path, dryRun }: AuditIntent): string {
  if (operation === 'tasks') return ` on its board${path === undefined ? '' : `, ${path}`}`;
  if (operation === 'run') return '';
  // Whether this creates or updates a note was only found out when the rules were evaluated.
  const verb = tool.endsWith('update_note') ? 'change' : operation;
  return ` to ${dryRun ? `preview: ${verb}` : verb}${objectWords(path)}`;
}

function objectWords(path: string | undefined): string {
  if (path === undefined) return '';
  return path === '' ? ' the vault' : ` ${path}`;
}

/**
 * Rewords "You are asked" unless the person answered: the verdict "ask" doesn't mean that anybody
 * was asked, as in a preview.
 */
function whyWords({ why }: AuditIntent, outcome: AuditOutcome | undefined): string {
  if (outcome?.reply !== undefined) return why.replace(/^You are asked\b/, 'You were asked');
  return why
    .replace(/^You are asked, because no rule matches\./, 'No rule matches, so it asks.')
    .replace(/^You are asked\./, 'A rule asks.');
}

const REPLIES: Readonly<Record<NonNullable<AuditOutcome['reply']>, string>> = {
  once: 'You allowed it once.',
  always: 'You allowed it from then on.',
  reject: 'You denied it.',
  expired: 'Nobody answered in time, so it was denied.',
};

function outcomeWords(
  { operation, dryRun }: AuditIntent,
  outcome: AuditOutcome | undefined,
): string {
  if (outcome === undefined) {
    const open = 'It has not ended, or how it ended was not recorded';
    if (dryRun || operation === 'read' || operation === 'run') return `${open}.`;
    return `${open}: look at the ${operation === 'tasks' ? 'board' : 'note'}.`;
  }
  const { result, message } = outcome;
  const more = message === undefined ? '' : ` ${message}`;
  if (outcome.refusals !== undefined) {
    const { done, refused } = outcome.refusals;
    return `${done} of its operations ${done === 1 ? 'was' : 'were'} done, ${refused} refused.${more}`;
  }
  if (result === 'done') {
    const same = outcome.before !== undefined && outcome.before === outcome.after;
    return same ? 'It changed nothing.' : 'It was done.';
  }
  return `${OUTCOME_TEXTS[result]}${more}`;
}

const OUTCOME_TEXTS: Readonly<Record<Exclude<AuditOutcome['result'], 'done'>, string>> = {
  preview: 'The change was shown but not made.',
  denied: 'It was not done.',
  failed: 'It failed.',
  cancelled: 'It was stopped before it took effect.',
};
