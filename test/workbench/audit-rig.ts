import type { Page } from 'playwright-core';
import type { AuditIntent, AuditOutcome } from '../../src/core/permission/audit/audit-entry';
import type { AuditHarness } from './audit-stand';
import type { Rig } from './workbench-rig';
import { startHarness } from './harness-rig';

declare global {
  interface Window {
    auditStand: AuditHarness;
  }
}

/** Opens pages with the audit view, over a vault with these notes. */
export function startAuditRig(files: Readonly<Record<string, string>>): Promise<Rig> {
  return startHarness('test/workbench/audit-stand.ts', files);
}

/** A recorded call. */
export interface RecordedCall {
  /** local time of today, "14:08:16", or ms since the epoch */
  readonly at: string | number;
  readonly intent: Partial<AuditIntent> & { readonly callId: string };
  /** absent while the call is open */
  readonly outcome?: Partial<AuditOutcome>;
  readonly writer?: string;
}

export function write(page: Page, calls: readonly RecordedCall[]): Promise<void> {
  return page.evaluate(async (all) => {
    const { auditStand: stand } = window;
    const now = stand.time;
    // Each gets its time at once; the writes happen together.
    const written: Promise<void>[] = [];
    for (const { at, intent, outcome, writer } of all) {
      const today = new Date(now);
      const [hours = 0, minutes = 0, seconds = 0] =
        typeof at === 'string' ? at.split(':').map(Number) : [];
      stand.time = typeof at === 'number' ? at : today.setHours(hours, minutes, seconds, 0);
      const { callId } = intent;
      const rest = { tool: 'obsidian.update_note', operation: 'update', path: 'Index format.md' };
      const begun = stand.write(
        {
          ...{ kind: 'intent', sessionId: 'ses_1', agent: 'build', dryRun: false, args: {} },
          ...{ ...rest, verdict: 'allow', why: 'Allowed. Rule 1 decides: read **, allow.' },
          decider: { kind: 'rule', number: 1, words: 'read **, allow' },
          ...intent,
        },
        writer,
      );
      written.push(begun);
      if (outcome === undefined) continue;
      const end = { kind: 'outcome', callId, result: 'done', ms: 38, ...outcome } as const;
      written.push(stand.write(end, writer));
    }
    stand.time = now;
    await Promise.all(written);
  }, calls);
}
