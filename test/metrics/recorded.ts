import type { AuditRecord } from '../../src/core/permission/audit/audit-entry';
import { MetricsReader } from '../../src/core/metrics/metrics';
import type { UsageLine } from '../../src/core/metrics/turn-usage';
import { intent, outcome } from '../permission/audit-folder';
import type { MemoryStore } from '../store/memory-store';

export const STATE = '.opencode/agent-task-boards';

/** Days are UTC here, so that tests don't depend on the time zone. */
export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const read = (store: MemoryStore, zone = 'UTC') =>
  new MetricsReader(store, utcDay, undefined, () => zone).read();

export function turn(more: Partial<UsageLine> = {}): UsageLine {
  return {
    ...{ v: 1, session: 's1', agent: 'build', engine: 'opencode', model: 'p/m' },
    ...{ start: Date.parse('2026-11-20T10:00:00Z'), end: Date.parse('2026-11-20T10:01:00Z') },
    ...{ reason: 'completed', tokens: { in: 100, out: 10, cached: 5 }, cost: 0.25 },
    ...{ waited: { person: 20_000, model: 30_000 }, calls: 3, failures: 1 },
    ...more,
  };
}

const HASH = 'a'.repeat(64);

/** A line of an audit; its hash chain is not tested here. */
export function intentAt(
  callId: string,
  at: number,
  more: Parameters<typeof intent>[1] = {},
): AuditRecord {
  return { ...intent(callId, more), v: 1, n: 1, prev: '', at, hash: HASH };
}

export function outcomeAt(
  callId: string,
  at: number,
  more: Parameters<typeof outcome>[1] = {},
): AuditRecord {
  const end = { ...outcome(callId, more), v: 1, n: 2, prev: HASH, at, hash: HASH };
  return end as AuditRecord;
}

export const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

export async function put(store: MemoryStore, path: string, text: string): Promise<void> {
  await store.update(`${STATE}/${path}`, () => text);
}
