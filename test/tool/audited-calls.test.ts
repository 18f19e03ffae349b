import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { StoreError } from '../../src/core/ports';
import { boardTools } from '../../src/core/tool/alias/aliases';
import { CallResults } from '../../src/core/tool/call-results';
import { defineTool, type ToolCall } from '../../src/core/tool/tool';
import { ManagerFixture } from '../board/manager-fixture';
import { broken, codeOf, NoteScene, outputOf, read } from './note-scene';

/** A tool that answers with what it is given. */
const says = (metadata: Record<string, unknown>, output = '') =>
  defineTool({
    name: 'says',
    description: '',
    input: () => z.unknown(),
    plan: () => ({
      kind: 'board',
      run: () => Promise.resolve({ ok: true, title: 'said', output, metadata }),
    }),
  });

describe('what stands in the audit', () => {
  test('[TOOL22] calls that come to no plan: no such tool, bad arguments, a bug, the same id again', async () => {
    const scene = await NoteScene.make({ tools: [read, broken] });
    const results = new CallResults(scene.host);
    const call: ToolCall = { tool: 'none', args: {}, sessionId: 's', agent: 'build' };
    await results.run('c1', call);
    await results.run('c2', { ...call, tool: 'read', args: { path: 5 } });
    await results.run('c3', { ...call, tool: 'broken', args: { plan: true } });
    await results.run('c4', { ...call, tool: 'broken', args: { plan: false } });
    await results.run('c4', { ...call, tool: 'broken', args: { plan: false } });
    await results.run('c4', { ...call, tool: 'read', args: { path: 'a.md' } });
    const calls = await scene.calls();
    expect(
      calls.map(({ intent, outcome }) => [intent.sent, outcome?.result, outcome?.code]),
    ).toEqual([
      ['c1', 'failed', 'unknown_tool'],
      ['c2', 'failed', 'bad_arguments'],
      ['c3', 'failed', 'internal'],
      ['c4', 'failed', 'internal'],
      ['c4', 'failed', 'conflict'],
    ]);
    expect(calls[1]?.intent.args).toEqual({ path: 5 });
  });

  test('[TOOL22] the same id of a model in two sessions is two calls', async () => {
    const scene = await NoteScene.make();
    await scene.run('read', { path: 'a.md' });
    await scene.run('read', { path: 'a.md' }, { sessionId: 't' });
    const calls = await scene.calls();
    expect(calls.map(({ intent }) => [intent.sent, intent.sessionId])).toEqual([
      ['call_0', 's'],
      ['call_0', 't'],
    ]);
    expect(new Set(calls.map(({ intent }) => intent.callId)).size).toBe(2);
  });

  test('[TOOL22] a store that fails, before the decision and at the write', async () => {
    const scene = await NoteScene.make({ rules: [{ permission: 'write', action: 'allow' }] });
    scene.memory.put('a.md', 'Hi');
    scene.memory.fault = new StoreError('disk_full', 'The disk is full.');
    const written = await scene.run('write', { path: 'a.md', add: '!' });
    expect([codeOf(written), outputOf(written)]).toEqual([
      'disk_full',
      'The disk is full. Look before you repeat the call.',
    ]);
    const reads = { ...scene.store, stat: () => Promise.reject(new StoreError('io', 'No disk.')) };
    const other = await NoteScene.make({ store: reads });
    const unread = await other.run('write', { path: 'a.md', add: '!' });
    expect([codeOf(unread), outputOf(unread)]).toEqual(['io', 'Nothing was done: No disk.']);
    const { intent, outcome } = await other.onlyCall();
    expect([intent.operation, intent.path, outcome?.result]).toEqual(['update', 'a.md', 'failed']);
  });

  test('[TOOL22] ids and texts of any length are written down', async () => {
    const scene = await NoteScene.make();
    const long = 'x'.repeat(5000);
    const more = { sessionId: long, callId: long, agent: long, sessionTitle: long };
    await scene.run('read', { path: long }, more);
    expect((await scene.onlyCall()).outcome?.result).toBe('denied');
  });

  test('[TOOL23] where the intent can not be written nothing is done, and nobody is asked', async () => {
    for (const rules of [[], [{ permission: 'write', action: 'allow' }]]) {
      const scene = await NoteScene.make({ rules });
      for (const args of [
        { path: 'a.md', add: '!' },
        { path: '../a.md', add: '!' },
      ]) {
        scene.audit.notes.fault = new StoreError('disk_full', 'The disk is full.');
        const answer = await scene.run('write', args);
        expect(codeOf(answer)).toBe('audit');
        expect(outputOf(answer)).toContain(
          'it could not be written to the audit: The disk is full.',
        );
      }
      expect(scene.asks.all()).toEqual([]);
      expect(scene.text('a.md')).toBeUndefined();
      expect(scene.logged).toHaveLength(2);
    }
  });

  test('[TOOL23] nor does a tool on boards run', async () => {
    const { manager, store } = new ManagerFixture();
    const scene = await NoteScene.make({ tools: [...boardTools(manager).values()] });
    scene.audit.notes.fault = new StoreError('disk_full', 'The disk is full.');
    const answer = await scene.run('tasks', { operations: [{ type: 'add', title: 'A' }] });
    expect(codeOf(answer)).toBe('audit');
    expect(store.files.size).toBe(0);
  });

  test('[TOOL24] what was done is answered where the outcome can not be written', async () => {
    const scene = await NoteScene.make();
    const running = scene.run('write', { path: 'a.md', add: '!' });
    const { requestId } = await scene.nextAsk();
    scene.audit.notes.fault = new StoreError('disk_full', 'The disk is full.');
    scene.asks.answer(requestId, { reply: 'once' });
    expect((await running).ok).toBe(true);
    expect(scene.text('a.md')).toBe('!');
    expect(scene.logged).toEqual(['How a call ended is missing in the audit.']);
    expect((await scene.onlyCall()).outcome).toBeUndefined();
    await scene.run('read', { path: 'a.md' });
    expect(await scene.calls()).toHaveLength(2);
  });

  test('[TOOL26] an answer that can not be sent becomes one that says so; it was done all the same', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const [metadata, output, code] of [
      [{ a: [{ b: null }, 'x', 1, undefined] }, 'fine', 'ok'],
      [{ n: 10n }, '', 'bad_answer'],
      [{ at: new Date(0) }, '', 'bad_answer'],
      [{ f: () => 1 }, '', 'bad_answer'],
      [{ n: Number.NaN }, '', 'bad_answer'],
      [cycle, '', 'bad_answer'],
      [{}, 'é'.repeat(440_000), 'ok'],
      [{}, 'é'.repeat(450_001), 'too_large'],
      [{ text: 'x'.repeat(900_001) }, '', 'too_large'],
    ] as const) {
      const scene = await NoteScene.make({ tools: [says(metadata, output)] });
      const answer = await scene.run('says', {});
      expect(codeOf(answer)).toBe(code);
      if (!answer.ok) expect(outputOf(answer)).toMatch(/^It was done, but its answer /);
      expect((await scene.onlyCall()).outcome?.result).toBe('done');
    }
  });
});
