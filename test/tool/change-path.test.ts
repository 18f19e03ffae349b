import { describe, expect, test } from 'vitest';
import type { Ask } from '../../src/core/permission/ask';
import { alwaysRule } from '../../src/core/permission/always-proposals';
import { StoreError } from '../../src/core/ports';
import { settled } from '../wire/manual-clock';
import { codeOf, NoteScene, outputOf } from './note-scene';

const ALLOW = [{ permission: 'write', action: 'allow' }];
const change = { path: 'Notes/a.md', add: '!' };

function restOf({ requestId: _, askedAt: _at, expiresAt: _ends, ...rest }: Ask): object {
  return rest;
}

describe('a change of a note', () => {
  test('[TOOL10] what is allowed is written, with both texts in the audit', async () => {
    const scene = await NoteScene.make({ rules: ALLOW });
    scene.memory.put('Notes/a.md', 'Hi');
    const answer = await scene.run('write', change);
    expect(answer).toMatchObject({
      ok: true,
      output: 'Added: Notes/a.md.',
      audit: { approved: true, dryRun: false },
    });
    expect(scene.text('Notes/a.md')).toBe('Hi!');
    const { intent, outcome } = await scene.onlyCall();
    expect(intent).toMatchObject({
      ...{ sessionId: 's', agent: 'build', tool: 'write', operation: 'update' },
      ...{ sent: 'call_0', path: 'Notes/a.md', verdict: 'allow', dryRun: false, args: change },
    });
    expect(outcome).toMatchObject({ result: 'done', title: 'Added' });
    expect(outcome?.before).not.toBe(outcome?.after);
    expect(scene.asks.all()).toEqual([]);
  });

  test('[TOOL10] a note that is not there is made under the rules for making', async () => {
    const scene = await NoteScene.make({ rules: [{ permission: 'create', action: 'allow' }] });
    expect((await scene.run('write', change)).ok).toBe(true);
    const { intent, outcome } = await scene.onlyCall();
    expect(intent.operation).toBe('create');
    expect(outcome?.before).toBeUndefined();
    void scene.run('write', change);
    expect((await scene.asked()).operation).toBe('update');
  });

  test('[TOOL10] what is denied is not written, and the note is not even looked at', async () => {
    const scene = await NoteScene.make({ rules: [{ permission: 'write', action: 'deny' }] });
    scene.memory.put('Notes/a.md', 'Hi');
    for (const dryRun of [false, true]) {
      const answer = await scene.run('write', { ...change, dryRun });
      expect(codeOf(answer)).toBe('denied');
      expect(outputOf(answer)).toMatch(/^Nothing was done\. Not allowed\. Rule 4 decides/);
      expect(answer.audit.approved).toBe(false);
    }
    expect(scene.memory.reads).not.toContain('Notes/a.md');
    expect((await scene.calls()).map(({ outcome }) => outcome?.result)).toEqual([
      'denied',
      'denied',
    ]);
  });

  test('[TOOL11] a dry run shows the change, asks nobody and writes nothing', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi\n');
    const answer = await scene.run('write', { ...change, dryRun: true });
    expect(outputOf(answer)).toContain('+!');
    expect(outputOf(answer)).toContain('Send the same with dryRun false');
    expect(answer.audit).toMatchObject({ approved: false, dryRun: true });
    expect(scene.text('Notes/a.md')).toBe('Hi\n');
    expect(scene.asks.all()).toEqual([]);
    const { intent, outcome } = await scene.onlyCall();
    expect([intent.dryRun, intent.verdict, outcome?.result]).toEqual([true, 'ask', 'preview']);
  });

  test('[TOOL12] a person is asked with the very change, and it is written once they allow it', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    const running = scene.run('write', change);
    const ask = await scene.asked();
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
    expect((await scene.asked()).requestId).not.toBe(ask.requestId);
  });

  test('[TOOL13] a note that changed before the answer is asked about anew, with what is there now', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    const running = scene.run('write', change);
    const first = await scene.asked();
    scene.memory.put('Notes/a.md', 'Ho');
    await scene.clock.advance(599_000);
    scene.asks.answer(first.requestId, { reply: 'once' });
    const second = await scene.asked();
    expect(second).toMatchObject({
      replaces: first.requestId,
      change: { before: 'Ho', after: 'Ho!' },
      expiresAt: second.askedAt + 600_000,
    });
    expect(scene.text('Notes/a.md')).toBe('Ho');
    expect(scene.asks.answer(first.requestId, { reply: 'once' })).toBe(false);
    scene.asks.answer(second.requestId, { reply: 'once' });
    await running;
    expect(scene.text('Notes/a.md')).toBe('Ho!');
    expect((await scene.onlyCall()).outcome).toMatchObject({ result: 'done', reply: 'once' });
  });

  test('[TOOL13] where the note changes while it is asked, the question is replaced at once', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    void scene.run('write', change);
    const first = await scene.asked();
    await scene.clock.advance(60_000);
    await scene.host.noteChanged('Notes/a.md');
    await settled();
    expect(scene.asks.all()).toEqual([first]);
    scene.memory.put('Notes/a.md', 'Ho');
    await scene.host.noteChanged('Notes/b.md');
    await settled();
    expect(scene.asks.all()).toEqual([first]);
    await scene.host.noteChanged('notes/A.md');
    const second = await scene.asked();
    expect(second).toMatchObject({
      replaces: first.requestId,
      change: { before: 'Ho', after: 'Ho!' },
      expiresAt: first.expiresAt,
    });
    scene.memory.files.delete('Notes/a.md');
    await scene.host.noteChanged('Notes/a.md');
    expect(restOf(await scene.asked())).toMatchObject({
      replaces: second.requestId,
      operation: 'create',
    });
  });

  test('[TOOL13] a note that is written between the last look and the write is asked about anew', async () => {
    const scene = await NoteScene.make({
      notes: {
        keep: async (text) => {
          await Promise.resolve();
          if (text === 'Hi') scene.memory.put('Notes/a.md', 'Ho');
          return 'a'.repeat(64);
        },
      },
    });
    scene.memory.put('Notes/a.md', 'Hi');
    const running = scene.run('write', change);
    const first = await scene.asked();
    scene.asks.answer(first.requestId, { reply: 'once' });
    const second = await scene.asked();
    expect(second.change).toEqual({ before: 'Ho', after: 'Ho!' });
    expect(scene.text('Notes/a.md')).toBe('Ho');
    scene.asks.answer(second.requestId, { reply: 'once' });
    expect((await running).ok).toBe(true);
  });

  test('[TOOL13] what is allowed is made for the text that is there, and not for ever', async () => {
    let writes = 3;
    const scene = await NoteScene.make({
      rules: ALLOW,
      notes: {
        keep: (text) => {
          if (text.endsWith('!') && writes-- > 0) scene.memory.put('Notes/a.md', `${writes}`);
          return sha(text);
        },
      },
    });
    scene.memory.put('Notes/a.md', 'Hi');
    expect((await scene.run('write', change)).ok).toBe(true);
    expect(scene.text('Notes/a.md')).toBe('0!');
    writes = 99;
    expect(codeOf(await scene.run('write', change))).toBe('busy');
  });

  test('[TOOL14] the rule of "always" counts from then on; a rule that was not proposed is no answer', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    const running = scene.run('write', change);
    const ask = await scene.asked();
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
    const scene = await NoteScene.make();
    const running = scene.run('write', change);
    const ask = await scene.asked();
    scene.memory.fault = new StoreError('disk_full', 'The disk is full.');
    const rule = { permission: 'create', pattern: 'Notes/a.md', action: 'allow' } as const;
    expect(scene.asks.answer(ask.requestId, { reply: 'always', rule })).toBe(true);
    expect((await running).ok).toBe(true);
    expect((await scene.onlyCall()).outcome?.reply).toBe('once');
    expect(scene.noted).toEqual(['The rule could not be saved, so this was allowed once.']);
  });

  test('[TOOL15] a person’s no reaches the model with their words', async () => {
    const scene = await NoteScene.make();
    const running = scene.run('write', change);
    const { requestId } = await scene.asked();
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
    await scene.asked();
    await scene.clock.advance(600_000);
    expect(outputOf(await running)).toContain('nobody answered in time');
    expect((await scene.onlyCall()).outcome).toMatchObject({ result: 'denied', reply: 'expired' });
    scene.askMinutes = 0;
    void scene.run('write', change);
    const ask = await scene.asked();
    expect(ask.expiresAt).toBeUndefined();
    await scene.clock.advance(1e9);
    expect(scene.asks.all()).toEqual([ask]);
  });

  test('[TOOL16] a call that is cancelled while it waits has no effect', async () => {
    const scene = await NoteScene.make();
    const running = scene.run('write', change);
    const { requestId } = await scene.asked();
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
    const { requestId } = await scene.asked();
    scene.asks.answer(requestId, { reply: 'once' });
    scene.host.cancel('call_0', 's');
    expect(codeOf(await late)).toBe('cancelled');
    expect(scene.text('Notes/a.md')).toBeUndefined();
  });

  test('[TOOL17] rules that deny by the time of the answer count', async () => {
    const scene = await NoteScene.make();
    const running = scene.run('write', change);
    const { requestId } = await scene.asked();
    await scene.rules([{ permission: 'write', pattern: '**', action: 'deny' }]);
    scene.asks.answer(requestId, { reply: 'once' });
    expect(codeOf(await running)).toBe('denied');
    expect(scene.text('Notes/a.md')).toBeUndefined();
  });

  test('[TOOL17] what would be written is measured, not what is sent', async () => {
    const settings = { scopes: [{ level: 'full-write', maxBytes: 6 }], rules: ALLOW };
    const scene = await NoteScene.make({ settings });
    scene.memory.put('Notes/a.md', '12é');
    expect((await scene.run('write', { ...change, add: 'ab' })).ok).toBe(true);
    const answer = await scene.run('write', { ...change, add: 'c' });
    expect(outputOf(answer)).toContain('7 bytes are more than the 6 of its scope');
    scene.memory.put('Notes/a.md', '1234567');
    expect(codeOf(await scene.run('write', change))).toBe('denied');
    expect(scene.text('Notes/a.md')).toBe('1234567');
  });

  test('what the note says already is not asked about', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    const answer = await scene.run('write', { ...change, add: '' });
    expect(outputOf(answer)).toBe('Nothing to change: Notes/a.md holds that already.');
    expect((await scene.onlyCall()).outcome).toMatchObject({ result: 'done' });
  });

  test('[TOOL18] what does not fit the note is told, and nobody is asked', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    const answer = await scene.run('write', { ...change, add: 'unfit' });
    expect([codeOf(answer), outputOf(answer)]).toEqual([
      'no_marker',
      'Nothing was done: Hi has none.',
    ]);
    expect((await scene.onlyCall()).outcome).toMatchObject({ result: 'failed', code: 'no_marker' });
  });
});

describe('a change of a note that the agent may not read', () => {
  const HIDDEN = [{ permission: 'read', pattern: 'Notes/**', action: 'deny' }];

  test('[TOOL18] is not shown: not in a dry run, not in the question, not in the answer', async () => {
    const scene = await NoteScene.make({ rules: HIDDEN });
    scene.memory.put('Notes/a.md', 'Secret');
    const dry = await scene.run('write', { ...change, dryRun: true });
    expect(outputOf(dry)).toContain('You may not read Notes/a.md');
    const running = scene.run('write', change);
    const ask = await scene.asked();
    expect(ask.change).toBe('restricted');
    scene.asks.answer(ask.requestId, { reply: 'once' });
    const done = await running;
    expect(outputOf(done)).toBe('Done: Notes/a.md.');
    expect(JSON.stringify([dry, done])).not.toContain('Secret');
    expect(scene.text('Notes/a.md')).toBe('Secret!');
  });

  test('[TOOL18] whether it fits is not told before the person allowed it, and never how', async () => {
    const scene = await NoteScene.make({ rules: HIDDEN });
    scene.memory.put('Notes/a.md', 'Secret');
    const fits = outputOf(await scene.run('write', { ...change, dryRun: true }));
    const unfit = outputOf(await scene.run('write', { ...change, add: 'unfit', dryRun: true }));
    expect(unfit).toBe(fits);
    const running = scene.run('write', { ...change, add: 'unfit' });
    const { requestId } = await scene.asked();
    scene.asks.answer(requestId, { reply: 'once' });
    const answer = await running;
    expect(codeOf(answer)).toBe('unfit');
    expect(outputOf(answer)).not.toContain('Secret');
    const same = scene.run('write', { ...change, add: '' });
    scene.asks.answer((await scene.asked()).requestId, { reply: 'reject' });
    expect(codeOf(await same)).toBe('denied');
  });

  test('[TOOL18] its size is not told either', async () => {
    const scopes = [{ level: 'full-write', maxBytes: 6 }];
    const scene = await NoteScene.make({ settings: { scopes, rules: [...HIDDEN, ...ALLOW] } });
    for (const text of ['Secret', 'Secrets']) {
      scene.memory.put('Notes/a.md', text);
      const answer = outputOf(await scene.run('write', change));
      expect(answer).toContain('larger than its scope takes');
      expect(answer).not.toMatch(/\d/);
    }
  });
});

async function sha(text: string): Promise<string> {
  await Promise.resolve();
  return text.length.toString(16).padStart(64, '0');
}
