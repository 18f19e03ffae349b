import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { defineTool } from '../../src/core/tool/tool';
import { flushPromises } from '../wire/manual-clock';
import { codeOf, NoteScene } from './note-scene';

const change = { path: 'Notes/a.md', add: '!' };

describe('a note that changes before it is written', () => {
  test('[TOOL13] a note that changed before the answer is asked about anew, with what is there now', async () => {
    const scene = await NoteScene.make();
    scene.memory.put('Notes/a.md', 'Hi');
    const running = scene.run('write', change);
    const first = await scene.nextAsk();
    scene.memory.put('Notes/a.md', 'Ho');
    await scene.clock.advance(599_000);
    scene.asks.answer(first.requestId, { reply: 'once' });
    const second = await scene.nextAsk();
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
    const first = await scene.nextAsk();
    await scene.clock.advance(60_000);
    await scene.host.noteChanged('Notes/a.md');
    await flushPromises();
    expect(scene.asks.all()).toEqual([first]);
    scene.memory.put('Notes/a.md', 'Ho');
    await scene.host.noteChanged('Notes/b.md');
    await flushPromises();
    expect(scene.asks.all()).toEqual([first]);
    await scene.host.noteChanged('notes/A.md');
    const second = await scene.nextAsk();
    expect(second).toMatchObject({
      replaces: first.requestId,
      change: { before: 'Ho', after: 'Ho!' },
      expiresAt: first.expiresAt,
    });
    scene.memory.files.delete('Notes/a.md');
    await scene.host.noteChanged('Notes/a.md');
    expect(await scene.nextAsk()).toMatchObject({
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
    const first = await scene.nextAsk();
    scene.asks.answer(first.requestId, { reply: 'once' });
    const second = await scene.nextAsk();
    expect(second.change).toEqual({ before: 'Ho', after: 'Ho!' });
    expect(scene.text('Notes/a.md')).toBe('Ho');
    scene.asks.answer(second.requestId, { reply: 'once' });
    expect((await running).ok).toBe(true);
  });

  test('[TOOL13] it is asked about anew even where the same text would be written', async () => {
    const replace = defineTool({
      name: 'replace',
      description: '',
      input: () => z.unknown(),
      plan: () => ({
        kind: 'change',
        path: 'a.md',
        dryRun: false,
        change: () => ({ ok: true, after: 'New', words: 'Replaced' }),
      }),
    });
    const scene = await NoteScene.make({ tools: [replace] });
    scene.memory.put('a.md', 'Old');
    const running = scene.run('replace', {});
    const first = await scene.nextAsk();
    scene.memory.put('a.md', 'What nobody saw');
    scene.asks.answer(first.requestId, { reply: 'once' });
    const second = await scene.nextAsk();
    expect(second.change).toEqual({ before: 'What nobody saw', after: 'New' });
    scene.asks.answer(second.requestId, { reply: 'reject' });
    await running;
    expect(scene.text('a.md')).toBe('What nobody saw');
  });

  test('[TOOL13] what is allowed is made for the text that is there, and not for ever', async () => {
    let writes = 3;
    const scene = await NoteScene.make({
      rules: [{ permission: 'write', action: 'allow' }],
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
});

async function sha(text: string): Promise<string> {
  await Promise.resolve();
  return text.length.toString(16).padStart(64, '0');
}
