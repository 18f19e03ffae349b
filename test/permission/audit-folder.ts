import { createHash } from 'node:crypto';
import { AuditLog, type AuditDeps } from '../../src/core/permission/audit/audit-log';
import {
  noteAuditStore,
  type AuditMark,
  type AuditStore,
  type MarkedEnd,
} from '../../src/core/permission/audit/audit-store';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import type { Digest } from '../../src/core/permission/audit/audit-chain';
import { Redactor } from '../../src/core/permission/audit/redact';
import { verifyAudit } from '../../src/core/permission/audit/verify-audit';
import type { Clock } from '../../src/core/ports';
import { MemoryStore } from '../store/memory-store';

export const sha256: Digest = (text) =>
  Promise.resolve(createHash('sha256').update(text, 'utf8').digest('hex'));

/** An audit in the tests' note store, with a calendar that the test sets. */
export class AuditFolder {
  readonly notes = new MemoryStore();
  readonly store: AuditStore = noteAuditStore(this.notes, 'audit');
  marked: MarkedEnd | undefined;
  readonly mark: AuditMark = {
    load: () => Promise.resolve(this.marked),
    save: (end) => Promise.resolve(void (this.marked = end)),
  };
  date = '2026-11-21';
  time = 1_000;
  readonly clock: Clock = {
    now: () => (this.time += 1),
    today: () => this.date,
    after: () => () => undefined,
  };

  log(more: Partial<AuditDeps> = {}): AuditLog {
    const { store, mark, clock } = this;
    const redactor = new Redactor();
    return new AuditLog({
      store,
      mark,
      clock,
      redactor,
      digest: sha256,
      writer: 'plugin',
      ...more,
    });
  }

  verify() {
    return verifyAudit(this.store, 'plugin', sha256, this.marked);
  }

  async lines(name = '2026-11.plugin.jsonl'): Promise<string[]> {
    return ((await this.store.read(name)) ?? '').trimEnd().split('\n');
  }

  async put(lines: readonly string[], name = '2026-11.plugin.jsonl'): Promise<void> {
    await this.store.replace(name, lines.map((line) => `${line}\n`).join(''));
  }
}

export function intent(
  callId: string,
  more: Partial<Extract<AuditEntry, { kind: 'intent' }>> = {},
): AuditEntry {
  return {
    kind: 'intent',
    callId,
    sessionId: 's',
    agent: 'build',
    tool: 'obsidian_update_note',
    operation: 'update',
    path: 'Notes/a.md',
    dryRun: false,
    args: {},
    verdict: 'ask',
    why: 'You are asked. Rule 3 decides: write **, ask.',
    ...more,
  };
}

export function outcome(
  callId: string,
  more: Partial<Extract<AuditEntry, { kind: 'outcome' }>> = {},
): AuditEntry {
  return { kind: 'outcome', callId, result: 'done', reply: 'once', ...more };
}
