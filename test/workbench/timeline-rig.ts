import { createHash } from 'node:crypto';
import { PERSON } from '../../src/core/board/history/actor';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import { AuditLog } from '../../src/core/permission/audit/audit-log';
import { noteAuditStore } from '../../src/core/permission/audit/audit-store';
import { NoteTextStore, TEXTS_FOLDER } from '../../src/core/permission/audit/note-text-store';
import { Redactor } from '../../src/core/permission/audit/redact';
import { boardPathOf, ManagerFixture } from '../board/manager-fixture';
import { MemoryStore } from '../store/memory-store';

export const TIMELINE_PATH = boardPathOf('build');
export const NOTE = 'Index format.md';
export const [BEFORE, AFTER] = [
  '# Index format\n\nOne by one.\n',
  '# Index format\n\nIn batches.\n',
];
const MINUTE = 60_000;

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** Board, history, checkpoints and audit of an hour of work, written by the real core. */
export async function storedHistory(): Promise<Record<string, string>> {
  const store = new MemoryStore();
  const start = Date.now() - 60 * MINUTE;
  let now = start;
  // The day of `now`: the sidebar folds sessions that are older than a week.
  const today = () => new Date(now).toLocaleDateString('sv');
  const clock = { now: () => now, today, after: () => () => {} };
  const { manager } = new ManagerFixture(store, { clock });
  const call = (...operations: unknown[]) =>
    manager.call({ sessionId: 'ses_1', agent: 'build', sessionTitle: 'Search' }, { operations });
  await call(
    { type: 'init', title: 'Offline search' },
    { type: 'add', title: 'Choose the tokeniser' },
    { type: 'add', title: 'Build the index', dependsOn: [1], estimate: '2h' },
    { type: 'add', title: 'Write the guide', dependsOn: [2], estimate: '30m' },
  );
  now = start + 5 * MINUTE;
  await call({ type: 'update', id: 1, status: 'in_progress' });
  now = start + 25 * MINUTE;
  await call({ type: 'complete', id: 1 });
  now = start + 30 * MINUTE;
  await manager.checkpoints.add(TIMELINE_PATH, { by: 'user', label: 'before the index' });
  const guide = (await manager.load(TIMELINE_PATH))?.tasks[2];
  if (guide === undefined) throw new Error('no task');
  now = start + 31 * MINUTE;
  await manager.commit(TIMELINE_PATH, PERSON, [
    { type: 'update', id: guide, title: 'Write the user guide' },
  ]);
  now = start + 40 * MINUTE;
  await call({ type: 'update', id: 2, status: 'in_progress' });
  now = start + 45 * MINUTE;
  await writeAudit(store, () => now);
  const texts = { store, clock, digest: (text: string) => Promise.resolve(sha(text)) };
  await new NoteTextStore({ ...texts, folder: `${TEXTS_FOLDER}/desk` }).keep(BEFORE);
  return Object.fromEntries([...store.files].map(([path, { text }]) => [path, text]));
}

/** A board whose task was renamed so many times in an hour, by a person. */
export async function longHistory(count: number): Promise<Record<string, string>> {
  const store = new MemoryStore();
  let now = Date.now() - 60 * MINUTE;
  const today = () => new Date(now).toLocaleDateString('sv');
  const { manager } = new ManagerFixture(store, {
    clock: { now: () => now, today, after: () => () => {} },
  });
  await manager.call(
    { sessionId: 'ses_1', agent: 'build', sessionTitle: 'Search' },
    {
      operations: [
        { type: 'init', title: 'Offline search' },
        { type: 'add', title: 'Title 0' },
      ],
    },
  );
  for (let at = 1; at < count; at += 1) {
    now += 10_000;
    await manager.commit(TIMELINE_PATH, PERSON, [{ type: 'update', id: 1, title: `Title ${at}` }]);
  }
  return Object.fromEntries([...store.files].map(([path, { text }]) => [path, text]));
}

async function writeAudit(store: MemoryStore, time: () => number): Promise<void> {
  const log = new AuditLog({
    store: noteAuditStore(store, '.opencode/agent-task-boards/audit'),
    mark: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() },
    digest: (text) => Promise.resolve(sha(text)),
    clock: { now: time, today: () => '2026-11-21', after: () => () => {} },
    redactor: new Redactor(),
    writer: 'plugin-1',
  });
  const call = async (callId: string, path: string, end: Partial<AuditEntry>) => {
    await log.append({
      ...{ kind: 'intent', callId, sessionId: 'ses_1', agent: 'build', operation: 'update', path },
      ...{ tool: 'obsidian_update_note', dryRun: false, args: {}, verdict: 'allow' },
      why: 'Allowed. Rule 1 decides: write **, allow.',
      decider: { kind: 'rule', number: 1, words: 'write **, allow' },
    });
    await log.append({ kind: 'outcome', callId, result: 'done', ms: 3, ...end } as AuditEntry);
  };
  await call('c1', NOTE, { before: sha(BEFORE), after: sha(AFTER) });
  await call('c2', 'Private.md', { result: 'denied' });
}
