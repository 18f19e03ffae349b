import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { auditedCalls, type AuditedCall } from '../../src/core/permission/audit/explain-call';

const FOLDER = '.opencode/agent-task-boards/audit';

/**
 * All calls in the audit of a vault, of all writers, in order.
 * @throws Error if a call does not have exactly one intent and at most one outcome
 */
export async function auditOf(vault: string): Promise<readonly AuditedCall[]> {
  const folder = join(vault, FOLDER);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
  const { calls, odd } = auditedCalls(lines.flatMap((line) => parseRecord(line) ?? []));
  if (odd.length > 0) throw new Error(`Not one intent and one outcome: ${odd.join(', ')}`);
  return [...calls.values()];
}
