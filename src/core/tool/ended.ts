import type { AuditOutcome } from '../permission/audit/audit-entry';
import type { Decision } from '../permission/decide';
import type { ToolOutcome } from './tool';
import type { ToolFault } from './tool-plan';

/** How a call ended, for the caller and for the audit. */
export interface Ended {
  readonly outcome: ToolOutcome;
  readonly result: AuditOutcome['result'];
  /** for the audit alone, besides the code of a failure */
  readonly more?: Partial<Pick<AuditOutcome, 'message' | 'title' | 'before' | 'after'>>;
}

/** Of a tool that ran: unless it says what it did, its answer's title is what there is to say. */
export function ranTo({ did, ...outcome }: ToolOutcome & { readonly did?: string }): Ended {
  if (!outcome.ok) return failed(outcome.error);
  return { outcome, result: 'done', more: { title: did ?? outcome.title } };
}

export function failed({ code, message }: ToolFault): Ended {
  return { outcome: refusal(code, message), result: 'failed', more: { message } };
}

/** What the audit says already: why it couldn't be done stands in the intent. */
export function notBegun({ code, message }: ToolFault): Ended {
  return { outcome: refusal(code, message), result: 'failed' };
}

/** Of a place that no call reaches; why stands in the intent. */
export function unreachable({ code, message }: ToolFault): Ended {
  return { outcome: refusal(code, `Nothing was done. ${message}`), result: 'denied' };
}

/** By the rules. */
export function deniedBy({ why }: Decision): Ended {
  return { outcome: refusal('denied', `Nothing was done. ${why}`), result: 'denied' };
}

/** By the person, or since nobody answered. */
export function denied(message: string, said?: string): Ended {
  const more = said === undefined || said === '' ? {} : { message: said };
  return { outcome: refusal('denied', message), result: 'denied', more };
}

export function cancelled(): Ended {
  const message = 'Nothing was done: the call was cancelled before its effect.';
  return { outcome: refusal('cancelled', message), result: 'cancelled' };
}

function refusal(code: string, message: string): ToolOutcome {
  return { ok: false, error: { code, message } };
}
