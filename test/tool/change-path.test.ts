import { describe, expect, test } from 'vitest';
import { updateNoteTool } from '../../src/core/tool/note/write-note';
import { codeOf, NoteScene, outputOf } from './note-scene';

const ALLOW = [{ permission: 'write', action: 'allow' }];
const change = { path: 'Notes/a.md', add: '!' };

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
    expect((await scene.nextAsk()).operation).toBe('update');
  });

  test('[TOOL10] what is denied is not written, and the note is not even looked at', async () => {
    const scene = await NoteScene.make({ rules: [{ permission: 'write', action: 'deny' }] });
    scene.memory.put('Notes/a.md', 'Hi');
    for (const dryRun of [false, true]) {
      const answer = await scene.run('write', { ...change, dryRun });
      expect(codeOf(answer)).toBe('denied');
      expect(outputOf(answer)).toMatch(/^Nothing was done\. Not allowed\. Rule 1 decides/);
      expect(answer.audit.approved).toBe(false);
    }
    await scene.run('write', { ...change, path: 'Notes/b.md' });
    expect(scene.memory.reads.filter((path) => path.startsWith('Notes/'))).toEqual([]);
    expect((await scene.calls()).map(({ outcome }) => outcome?.result)).toEqual([
      'denied',
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

  test('[TOOL17] what would be written is measured, not what is sent', async () => {
    const settings = { scopes: [{ level: 'full-write', maxBytes: 6 }], rules: ALLOW };
    const scene = await NoteScene.make({ settings });
    scene.memory.put('Notes/a.md', '12é');
    expect((await scene.run('write', { ...change, add: 'ab' })).ok).toBe(true);
    const answer = await scene.run('write', { ...change, add: 'c' });
    expect(outputOf(answer)).toContain('7 bytes are more than its limit of 6');
    scene.memory.put('Notes/b.md', '1234567');
    expect(codeOf(await scene.run('write', { ...change, path: 'Notes/b.md' }))).toBe('denied');
    expect(scene.memory.reads).not.toContain('Notes/b.md');
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
    const ask = await scene.nextAsk();
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
    const { requestId } = await scene.nextAsk();
    scene.asks.answer(requestId, { reply: 'once' });
    const answer = await running;
    expect(codeOf(answer)).toBe('unfit');
    expect(outputOf(answer)).not.toContain('Secret');
    const same = scene.run('write', { ...change, add: '' });
    scene.asks.answer((await scene.nextAsk()).requestId, { reply: 'reject' });
    expect(codeOf(await same)).toBe('denied');
  });

  test('[TOOL18] a dry run looks at nothing: not whether there is a note, nor how large it is', async () => {
    const scopes = [{ level: 'full-write', maxBytes: 8 }];
    const one = { permission: 'update', pattern: 'Notes/**', action: 'deny' };
    for (const rules of [
      [...ALLOW, ...HIDDEN],
      [...ALLOW, ...HIDDEN, one],
      [...ALLOW, ...HIDDEN, { ...one, permission: 'create' }],
    ]) {
      const scene = await NoteScene.make({ settings: { scopes, rules } });
      const answers = new Set<string>();
      for (const text of [undefined, '', 'Secret', 'Larger than the scope']) {
        if (text !== undefined) scene.memory.put('Notes/a.md', text);
        answers.add(JSON.stringify(await scene.run('write', { ...change, dryRun: true })));
      }
      expect(answers.size).toBe(1);
      expect([...answers].join()).toContain('You may not read Notes/a.md');
    }
  });

  test('[TOOL18] where rules let it write, a place in its text is none: to miss it would tell that', async () => {
    const tools = [updateNoteTool()];
    const scene = await NoteScene.make({ rules: [...ALLOW, ...HIDDEN], tools });
    scene.memory.put('Notes/a.md', '# Code\n1234\n');
    const tried = async (place: object, dryRun: boolean): Promise<string> => {
      const args = { path: 'Notes/a.md', mode: 'insert', content: 'x', dryRun, ...place };
      return outputOf(await scene.run('obsidian.update_note', args));
    };
    for (const dryRun of [true, false]) {
      for (const [hit, miss] of [
        [{ marker: '1234' }, { marker: '1235' }],
        [{ heading: 'Code' }, { heading: 'Mode' }],
        [{ line: 2 }, { line: 9 }],
      ] as const) {
        const answer = await tried(hit, dryRun);
        expect(answer).toContain('You may not read that note');
        expect(await tried(miss, dryRun)).toBe(answer);
      }
    }
    expect(scene.text('Notes/a.md')).toBe('# Code\n1234\n');
  });

  test('[TOOL18] its size is not told either', async () => {
    const scopes = [{ level: 'full-write', maxBytes: 6 }];
    const scene = await NoteScene.make({ settings: { scopes, rules: [...HIDDEN, ...ALLOW] } });
    for (const text of ['Secret', 'Secrets']) {
      scene.memory.put('Notes/a.md', text);
      const answer = outputOf(await scene.run('write', change));
      expect(answer).toContain('larger than its limit allows');
      expect(answer).not.toMatch(/\d/);
    }
  });
});
