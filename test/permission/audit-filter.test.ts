import { describe, expect, test } from 'vitest';
import {
  filterChoices,
  filterRows,
  type AuditRow,
  type CallRow,
} from '../../src/core/permission/audit/audit-rows';
import { AuditReader } from '../../src/core/permission/audit/audit-reader';
import { firstKeptMonth } from '../../src/core/permission/audit/audit-log';
import { AuditFolder, intent, outcome } from './audit-folder';

const NEVER = () => false;

describe('what the audit is narrowed to', () => {
  test('[AUD16] by words, session, agent, tool, task and outcome, alone and together', async () => {
    const folder = new AuditFolder();
    const log = folder.log();
    await log.append(intent('a', { path: 'Índice/Format.md', task: 't1' }));
    await log.append(outcome('a'));
    await log.append(intent('b', { agent: 'writer', sessionId: 's2', tool: 'tasks' }));
    await log.append(outcome('b', { result: 'denied' }));
    await log.append(intent('c', { dryRun: true }));
    const { rows } = await new AuditReader(folder.store).refresh();
    const words = (row: AuditRow) => (row.kind === 'call' ? (row.intent.path ?? '') : row.text);
    const found = (filter: object, waits: (call: CallRow) => boolean = NEVER) =>
      filterRows(rows, filter, words, waits).map((row) =>
        row.kind === 'call' ? row.intent.callId : '',
      );
    expect(found({})).toEqual(['c', 'b', 'a']);
    expect(found({ text: 'FORMAT i\u0301ndice' })).toEqual(['a']);
    expect(found({ text: 'format nothing' })).toEqual([]);
    expect(found({ agent: 'writer' })).toEqual(['b']);
    expect(found({ session: 's' })).toEqual(['c', 'a']);
    expect(found({ tool: 'tasks', session: 's' })).toEqual([]);
    expect(found({ task: 't1' })).toEqual(['a']);
    expect(found({ ending: 'denied' })).toEqual(['b']);
    expect(found({ ending: 'open' })).toEqual(['c']);
    expect(found({ ending: 'waiting' })).toEqual([]);
    expect(found({ ending: 'waiting' }, ({ intent: { callId } }) => callId === 'c')).toEqual(['c']);
    expect(filterChoices(rows)).toEqual({
      sessions: ['s', 's2'],
      agents: ['build', 'writer'],
      tools: ['obsidian_update_note', 'tasks'],
      tasks: [{ task: 't1', sessionId: 's', agent: 'build' }],
    });
  });
});

describe('how long it is kept', () => {
  test.each([
    ['2026-11-22', 12, '2025-12'],
    ['2026-11-22', 1, '2026-11'],
    ['2026-01-31', 2, '2025-12'],
    ['2026-12-01', 12, '2026-01'],
    ['2026-03-01', 27, '2024-01'],
    ['2026-03-01', 0, undefined],
  ])('[AUD5] on %s, %i months go back to %s', (today, months, first) => {
    expect(firstKeptMonth(today, months)).toBe(first);
  });
});
