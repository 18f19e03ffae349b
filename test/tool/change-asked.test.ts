import { describe, expect, test } from 'vitest';
import { alwaysRule } from '../../src/core/permission/always-proposals';
import { StoreError } from '../../src/core/ports';
import { codeOf, NoteScene, outputOf } from './note-scene';

const change = { path: 'Notes/a.md', add: '!' };

describe('a change that a person is asked about', () => {
  test('[TOOL12] a person is asked with the very change, and it is written once they allow it', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    const running = scene.run('write', change);
    const ask = await scene.nextAsk();
    expect(ask).toMatchObject({
      ...{ sessionId: 's', agent: 'build', tool: 'write', callId: 'call_0', path: 'Notes/a.md' },
      ...{ operation: 'update', args: change, change: { before: 'Hi', after: 'Hi!' } },
      expiresAt: ask.askedAt + 600_000,
      replaces: undefined,
    });
    expect(ask.always?.patterns[0]).toBe('Notes/a.md');
    expect(scene.text('Notes/a.md')).toBe('Hi');
    expect((await scene.onlyCall()).outcome).toBeUndefined();
    await scene.clock.advance(7000);
    expect(scene.asks.answer(ask.requestId, { reply: 'once' })).toBe(true);
    expect(scene.asks.answer(ask.requestId, { reply: 'once' })).toBe(false);
    expect((await running).audit).toMatchObject({ approved: true, dryRun: false });
    expect(scene.text('Notes/a.md')).toBe('Hi!');
    const { outcome } = await scene.onlyCall();
    expect(outcome).toMatchObject({ result: 'done', reply: 'once', ms: 0 });
    expect(outcome?.answeredAt).toBe(ask.askedAt + 7000);
    void scene.run('write', change);
    expect((await scene.nextAsk()).requestId).not.toBe(ask.requestId);
  });

  test('[TOOL14] the rule of "always" counts from then on; a rule that was not proposed is no answer', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    const running = scene.run('write', change);
    const ask = await scene.nextAsk();
    if (ask.always === undefined) throw new Error('nothing can be recorded');
    const choice = { pattern: 'Notes/a.md', whom: 'session' } as const;
    const rule = alwaysRule(ask.always, choice, { sessionId: 's', agent: 'build' });
    for (const other of [
      { ...rule, pattern: '**' },
      { ...rule, permission: 'write' as const },
      { ...rule, permission: 'read' as const },
      { ...rule, session: 'other' },
      { ...rule, agent: 'plan' },
      { ...rule, action: 'deny' as const },
    ]) {
      expect(scene.asks.answer(ask.requestId, { reply: 'always', rule: other })).toBe(false);
    }
    expect(scene.asks.answer(ask.requestId, { reply: 'always', rule })).toBe(true);
    await running;
    expect((await scene.run('write', change)).ok).toBe(true);
    expect(scene.text('Notes/a.md')).toBe('Hi!!');
    expect(scene.policy.permissions.rules).toEqual([rule]);
    expect((await scene.calls()).map(({ outcome }) => outcome?.reply)).toEqual([
      'always',
      undefined,
    ]);
  });

  test('[TOOL14] a rule that can not be saved allows this once', async () => {
    const told: string[] = [];
    const scene = await NoteScene.make({
      deps: { notifyPerson: (message) => void told.push(message) },
    });
    const running = scene.run('write', change);
    const ask = await scene.nextAsk();
    scene.memory.fault = new StoreError('disk_full', 'The disk is full.');
    const rule = { permission: 'create', pattern: 'Notes/a.md', action: 'allow' } as const;
    expect(scene.asks.answer(ask.requestId, { reply: 'always', rule })).toBe(true);
    expect((await running).ok).toBe(true);
    expect((await scene.onlyCall()).outcome?.reply).toBe('once');
    const words = 'The rule could not be saved, so this was allowed once.';
    expect(scene.logged).toEqual([words]);
    expect(told).toEqual([`${words} The disk is full.`]);
  });

  test('[TOOL15] a person’s no reaches the model with their words', async () => {
    const scene = await NoteScene.make();
    const running = scene.run('write', change);
    const { requestId } = await scene.nextAsk();
    scene.asks.answer(requestId, { reply: 'reject', message: ' Use the other note. ' });
    const answer = await running;
    expect(codeOf(answer)).toBe('denied');
    expect(outputOf(answer)).toBe('The person denied it: Use the other note.');
    expect(scene.text('Notes/a.md')).toBeUndefined();
    expect((await scene.onlyCall()).outcome).toMatchObject({
      ...{ result: 'denied', reply: 'reject', message: 'Use the other note.' },
    });
  });

  test('[TOOL15] what nobody answers in time is denied; with 0 minutes it waits', async () => {
    const scene = await NoteScene.make();
    const running = scene.run('write', change);
    await scene.nextAsk();
    await scene.clock.advance(600_000);
    expect(outputOf(await running)).toContain('nobody answered in time');
    expect((await scene.onlyCall()).outcome).toMatchObject({ result: 'denied', reply: 'expired' });
    const late = scene.run('write', change);
    const { requestId } = await scene.nextAsk();
    const slept = scene.clock.sleep(600_000);
    expect(scene.asks.answer(requestId, { reply: 'once' })).toBe(false);
    await slept;
    expect(codeOf(await late)).toBe('denied');
    expect(scene.text('Notes/a.md')).toBeUndefined();
    scene.askMinutes = 0;
    void scene.run('write', change);
    const ask = await scene.nextAsk();
    expect(ask.expiresAt).toBeUndefined();
    await scene.clock.advance(1e9);
    expect(scene.asks.all()).toEqual([ask]);
  });

  test('[TOOL16] a call that is cancelled while it waits has no effect', async () => {
    const scene = await NoteScene.make();
    const running = scene.run('write', change);
    const { requestId } = await scene.nextAsk();
    scene.host.cancel('call_0', 'other');
    scene.host.cancel('call_1', 's');
    expect(scene.asks.all()).toHaveLength(1);
    scene.host.cancel('call_0', 's');
    expect(scene.asks.answer(requestId, { reply: 'once' })).toBe(false);
    expect(codeOf(await running)).toBe('cancelled');
    expect(scene.text('Notes/a.md')).toBeUndefined();
    expect((await scene.onlyCall()).outcome).toMatchObject({ result: 'cancelled' });
  });

  test('[TOOL16] nor has one that is cancelled before it is asked, or right before its effect', async () => {
    const scene = await NoteScene.make();
    const early = scene.run('write', change);
    scene.host.cancel('call_0', 's');
    expect(codeOf(await early)).toBe('cancelled');
    const late = scene.run('write', change);
    const { requestId } = await scene.nextAsk();
    scene.asks.answer(requestId, { reply: 'once' });
    scene.host.cancel('call_0', 's');
    expect(codeOf(await late)).toBe('cancelled');
    expect(scene.text('Notes/a.md')).toBeUndefined();
  });

  test('[TOOL16] nor has one that is cancelled while its texts are kept', async () => {
    const scene: NoteScene = await NoteScene.make({
      rules: [{ permission: 'write', action: 'allow' }],
      notes: {
        keep: () => {
          scene.host.cancel('call_0', 's');
          return Promise.resolve('a'.repeat(64));
        },
      },
    });
    expect(codeOf(await scene.run('write', change))).toBe('cancelled');
    expect(scene.text('Notes/a.md')).toBeUndefined();
  });

  test('[TOOL19] texts that can not be kept are not changed', async () => {
    const scene = await NoteScene.make({
      rules: [{ permission: 'write', action: 'allow' }],
      notes: { keep: () => Promise.reject(new StoreError('disk_full', 'The disk is full.')) },
    });
    expect(codeOf(await scene.run('write', change))).toBe('disk_full');
    expect(scene.text('Notes/a.md')).toBeUndefined();
    expect((await scene.onlyCall()).outcome).toMatchObject({ result: 'failed', code: 'disk_full' });
  });

  test('[TOOL17] rules that deny by the time of the answer count', async () => {
    const scene = await NoteScene.make();
    const running = scene.run('write', change);
    const { requestId } = await scene.nextAsk();
    await scene.setRules([{ permission: 'write', pattern: '**', action: 'deny' }]);
    scene.asks.answer(requestId, { reply: 'once' });
    expect(codeOf(await running)).toBe('denied');
    expect(scene.text('Notes/a.md')).toBeUndefined();
  });
});
