import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NOT_IGNORED } from '../../src/core/board/state-file';
import { noteAuditStore } from '../../src/core/permission/audit/audit-store';
import { UsageLog } from '../../src/bridge/usage-log';
import { stateFolder } from '../../src/node/audit/audit-folder';
import type { FromDraft } from '../../src/core/engine/engine';
import { MemoryStore } from '../store/memory-store';

let vault: string;
let now: number;
let notes: string[];
let usage: UsageLog;

beforeEach(() => {
  vault = mkdtempSync(join(tmpdir(), 'atb-usage-'));
  now = Date.parse('2026-11-30T23:59:50Z');
  notes = [];
  const board = { session: 'ses_root', agent: 'build', task: '#7' };
  const known = { title: 'Secret title', parentId: undefined, agent: 'build' };
  usage = new UsageLog({
    state: stateFolder(vault),
    clock: { now: () => now },
    log: { note: (message) => void notes.push(message) },
    sessions: {
      get: (id) =>
        id === 'ses_gone'
          ? Promise.reject(new Error('unknown_session'))
          : Promise.resolve(id === 'ses_step' ? { ...known, board } : known),
    },
  });
});

afterEach(() => rmSync(vault, { recursive: true, force: true }));

const file = (month: string): string =>
  join(vault, '.opencode/agent-task-boards/usage', `${month}.jsonl`);

/** Feeds messages, each `ms` after the one before. */
async function hear(sessionId: string, ...told: [ms: number, draft: object][]): Promise<void> {
  for (const [ms, draft] of told) {
    now += ms;
    usage.record({ ...draft, sessionId } as FromDraft);
  }
  await usage.settled();
}

const prompt = {
  type: 'message.final',
  payload: { messageId: 'm', partId: 'p', text: 'Secret words', role: 'user', agent: 'build' },
};
const progress = (payload: object): object => ({ type: 'progress.update', payload });
const tokens = (input: number, output: number, cacheRead?: number): object =>
  progress({ kind: 'tokens', input, output, cacheRead, model: 'p/m' });
const tool = (callId: string, status: string): object => ({
  type: 'tool.update',
  payload: { callId, tool: 'bash', status, output: 'Secret output' },
});
const ask = { type: 'permission.request', payload: { requestId: 'per_1' } };
const answered = { type: 'permission.resolved', payload: { requestId: 'per_1', reply: 'once' } };
const question = { type: 'question.request', payload: { requestId: 'que_1' } };
const told = { type: 'question.resolved', payload: { requestId: 'que_1' } };
const busy = progress({ kind: 'busy' });
const said = {
  type: 'message.final',
  payload: { messageId: 'n', partId: 'q', text: 'Secret', role: 'assistant', model: 'p/other' },
};
const end = (reason: string): object => ({ type: 'turn.end', payload: { reason } });

describe('what turns use', () => {
  test('[USAGE1] [USAGE2] each turn’s end adds one line, in the month of its end, with counts and no text', async () => {
    const start = now;
    await hear(
      'ses_step',
      [0, prompt],
      [10, busy],
      [1_000, tool('a', 'pending')],
      [1_000, tool('a', 'running')],
      [50, ask],
      [5_000, answered],
      [300, tool('a', 'completed')],
      [0, tokens(100, 20, 40)],
      [0, tool('b', 'pending')],
      [700, tool('b', 'running')],
      [5, tool('b', 'error')],
      [2_000, tokens(200, 30)],
      [0, end('completed')],
      [0, progress({ kind: 'idle' })],
    );
    expect(notes).toEqual([]);
    const written = readFileSync(file('2026-12'), 'utf8');
    expect(written.endsWith('}\n')).toBe(true);
    expect(JSON.parse(written)).toEqual({
      ...{ v: 1, session: 'ses_step', agent: 'build', engine: 'opencode', model: 'p/m' },
      ...{ task: '#7', start, end: start + 10_065, reason: 'completed' },
      tokens: { in: 300, out: 50, cached: 40 },
      waited: { person: 5_000, model: 4_710 },
      ...{ calls: 2, failures: 1 },
    });
    expect(written).not.toContain('Secret');
    expect(statSync(file('2026-12')).mode & 0o777).toBe(0o600);
    const ignore = join(vault, '.opencode/agent-task-boards/.gitignore');
    expect(readFileSync(ignore, 'utf8')).toBe('*\n');
  });

  test('[USAGE1] turns of several sessions are counted apart, an idle or a second end adds none', async () => {
    await hear('ses_1', [0, prompt]);
    await hear('ses_2', [0, prompt], [100, tokens(1, 1)]);
    await hear('ses_1', [100, end('error')], [0, end('error')], [0, progress({ kind: 'idle' })]);
    await hear('ses_2', [0, { type: 'session.end', payload: { reason: 'deleted' } }]);
    const lines = readFileSync(file('2026-11'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { session: 'ses_1', reason: 'error', waited: { model: 200 } },
      { session: 'ses_2', reason: 'interrupted', tokens: { in: 1 } },
    ]);
    const ignore = join(vault, '.opencode/agent-task-boards/.gitignore');
    expect(readFileSync(ignore, 'utf8')).toBe('*\n');
  });

  test('[USAGE1] a turn whose prompt is not shown is counted from its work on, a question as time of the person', async () => {
    const start = now + 5;
    const asked = [300, question] as [number, object];
    await hear('ses_gone', [5, busy], [10, said], asked, [4_000, told], [20, end('completed')]);
    expect(JSON.parse(readFileSync(file('2026-11'), 'utf8'))).toEqual({
      ...{ v: 1, session: 'ses_gone', engine: 'opencode', model: 'p/other' },
      ...{ start, end: start + 4_330, reason: 'completed' },
      waited: { person: 4_000, model: 330 },
      ...{ calls: 0, failures: 0 },
    });
  });

  test('[USAGE1] tokens that were not told are left out, and so is a cost of which a part is not known', async () => {
    const cost = (dollars?: number) =>
      progress({ kind: 'tokens', input: 10, output: 5, model: 'p/m', cost: dollars });
    const turnOf = (...told: object[]) =>
      hear('s', [0, prompt], ...told.map((one) => [1, one] as [number, object]), [1, end('error')]);
    await turnOf(cost(0.5), cost(0.25));
    await turnOf(cost(0.5), cost(0));
    await turnOf(cost());
    await turnOf();
    const lines = readFileSync(file('2026-11'), 'utf8').trimEnd().split('\n');
    const kept = lines.map((line) => JSON.parse(line) as { tokens?: object; cost?: number });
    expect(kept.map(({ tokens: known, cost: dollars }) => [known, dollars])).toEqual([
      [{ in: 20, out: 10 }, 0.75],
      [{ in: 20, out: 10 }, undefined],
      [{ in: 10, out: 5 }, undefined],
      [undefined, undefined],
    ]);
  });

  test('[USAGE1] tokens written to a cache are tokens in, reasoning is tokens out', async () => {
    const used = { input: 3, output: 9, reasoning: 800, cacheRead: 7, cacheWrite: 15_000 };
    await hear('s', [0, prompt], [1, progress({ kind: 'tokens', ...used })], [1, end('completed')]);
    expect(JSON.parse(readFileSync(file('2026-11'), 'utf8'))).toMatchObject({
      tokens: { in: 15_003, out: 809, cached: 7 },
    });
  });

  test('[USAGE1] a clock that is set back takes no time off a turn', async () => {
    const start = now;
    await hear('ses_1', [0, prompt], [500, said], [-400, said], [100, end('error')]);
    expect(JSON.parse(readFileSync(file('2026-11'), 'utf8'))).toMatchObject({
      ...{ start, end: start + 500, waited: { person: 0, model: 500 } },
    });
  });

  test('[USAGE3] what can’t be written is noted, and the next turn is written again', async () => {
    const state = join(vault, '.opencode/agent-task-boards');
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'usage'), '');
    await hear('ses_1', [0, prompt], [1, end('completed')]);
    expect(notes).toEqual(['What a turn used could not be kept.']);
    rmSync(join(state, 'usage'));
    await hear('ses_1', [0, prompt], [1, end('completed')]);
    expect(readFileSync(file('2026-11'), 'utf8').split('\n')).toHaveLength(2);
  });

  test('[USAGE3] a line that was torn takes no other along, on disk and through the app', async () => {
    const folder = '.opencode/agent-task-boards';
    mkdirSync(join(vault, folder, 'usage'), { recursive: true });
    writeFileSync(file('2026-11'), '{"v":1,"ses');
    await hear('ses_1', [0, prompt], [1, end('completed')]);
    await hear('ses_1', [0, prompt], [1, end('completed')]);
    const whole = readFileSync(file('2026-11'), 'utf8').split('\n');
    expect(whole).toHaveLength(4);
    expect(JSON.parse(whole[1] ?? '')).toMatchObject({ session: 'ses_1' });
    const store = new MemoryStore();
    store.put(`${folder}/usage/a.jsonl`, '{"v":1,"ses');
    await noteAuditStore(store, folder).append('usage/a.jsonl', '{}\n');
    await noteAuditStore(store, folder).append('usage/a.jsonl', '{}\n');
    expect(await store.read(`${folder}/usage/a.jsonl`)).toBe('{"v":1,"ses\n{}\n{}\n');
  });

  test('[DOC18] a folder in the place of .gitignore keeps no line from being written', async () => {
    mkdirSync(join(vault, '.opencode/agent-task-boards/.gitignore'), { recursive: true });
    await hear('ses_1', [0, prompt], [100, end('completed')]);
    expect(JSON.parse(readFileSync(file('2026-11'), 'utf8'))).toMatchObject({ session: 'ses_1' });
    expect(notes).toEqual([NOT_IGNORED]);
  });
});
