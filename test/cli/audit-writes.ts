import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import { AuditLog } from '../../src/core/permission/audit/audit-log';
import { Redactor } from '../../src/core/permission/audit/redact';
import { AuditFiles, auditFolder, auditMark } from '../../src/node/audit/audit-folder';
import { sha256 } from '../../src/node/audit/open-audit';
import { intent, outcome } from '../permission/audit-folder';

/** The audit of a vault with several writers. */
export interface AuditWrites {
  readonly folder: () => string;
  /** Writes entries of one writer, a minute apart; the plugin keeps its mark elsewhere. */
  readonly write: (writer: string, entries: readonly AuditEntry[], from?: string) => Promise<void>;
  /** Writes calls of two writers. */
  readonly writeSample: () => Promise<void>;
}

export function auditWrites(cli: { readonly vault: string }): AuditWrites {
  const folder = (): string => join(cli.vault, AUDIT_FOLDER);
  /** Writes entries of one writer, a minute apart, from 22 November on. */
  async function write(
    writer: string,
    entries: readonly AuditEntry[],
    from = '2026-11-22T10:00:00',
  ): Promise<void> {
    await fs.mkdir(join(folder(), 'writers'), { recursive: true });
    let time = new Date(from).getTime() - 60_000;
    const clock = {
      now: () => (time += 60_000),
      today: () => from.slice(0, 10),
      after: () => () => undefined,
    };
    const kept = auditMark(new AuditFiles(cli.vault), writer);
    const mark =
      writer === 'plugin' ? { load: kept.load.bind(kept), save: () => Promise.resolve() } : kept;
    const store = auditFolder(new AuditFiles(cli.vault));
    const log = new AuditLog({
      store,
      mark,
      digest: sha256,
      clock,
      redactor: new Redactor(),
      writer,
    });
    for (const entry of entries) await log.append(entry);
  }

  async function filled(): Promise<void> {
    await write('plugin', [
      ...auditedCall('call-one'),
      ...auditedCall('call-two', { agent: 'plan' }),
    ]);
    await write(
      'bridge-1',
      [
        intent('call-three', {
          tool: 'tasks',
          operation: 'tasks',
          path: 'Boards/x.md',
          task: 'k3f9-2',
        }),
        outcome('call-three', { result: 'denied', message: 'No.' }),
        intent('call-four', { sent: 'call_0', sessionId: 't' }),
      ],
      '2026-11-22T10:30:00',
    );
  }

  return { folder, write, writeSample: filled };
}

/** A call and its outcome. */
export const auditedCall = (id: string, more: Parameters<typeof intent>[1] = {}): AuditEntry[] => [
  intent(id, more),
  outcome(id),
];
