import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { alwaysRule } from '../../src/core/permission/always-proposals';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { defineTool } from '../../src/core/tool/tool';
import { codeOf, NoteScene, outputOf, write } from './note-scene';

const HIDDEN = [{ permission: 'read', pattern: 'Private/**', action: 'deny' }];

/** Lists those links of a note that may be read. */
const links = defineTool({
  name: 'links',
  description: '',
  input: () => z.object({ path: z.string() }),
  plan: ({ path }) => ({
    kind: 'read',
    place: 'file',
    path,
    async run(look) {
      const found: string[] = [];
      for (const name of ['Notes/a.md', 'Notes/b.md', 'c.md'])
        if (await look.allows(name, 'file')) found.push(name);
      return { ok: true, title: path, output: found.join(), metadata: {} };
    },
  }),
});

describe('a call that reads', () => {
  test('[TOOL20] notes are read without a question, and the audit has it', async () => {
    const scene = await NoteScene.make();
    const answer = await scene.run('read', { path: 'Notes/a.md' });
    expect(answer).toMatchObject({ ok: true, title: 'Notes/a.md', audit: { approved: true } });
    const { intent, outcome } = await scene.onlyCall();
    expect(intent).toMatchObject({ operation: 'read', path: 'Notes/a.md', verdict: 'allow' });
    expect(outcome).toMatchObject({ result: 'done', title: 'Notes/a.md' });
  });

  test('[TOOL20] what is denied, protected or no path is refused with the reason', async () => {
    const scene = await NoteScene.make({ rules: HIDDEN });
    for (const [path, words] of [
      ['Private/a.md', 'Rule 1 decides'],
      ['.obsidian/app.json', 'Never allowed. This is an Obsidian settings file'],
      ['Boards/s/build-tasks.md', 'Never allowed. This is a task board'],
      ['../a.md', 'The path contains ".."'],
    ] as const) {
      const answer = await scene.run('read', { path });
      expect(answer).toMatchObject({ ok: false, audit: { approved: false } });
      expect(outputOf(answer)).toContain(`Nothing was done. `);
      expect(outputOf(answer)).toContain(words);
    }
    const calls = await scene.calls();
    expect(calls.map(({ intent, outcome }) => [intent.path, outcome?.result])).toEqual([
      ['Private/a.md', 'denied'],
      ['.obsidian/app.json', 'denied'],
      ['Boards/s/build-tasks.md', 'denied'],
      ['../a.md', 'denied'],
    ]);
    expect(calls[3]?.outcome?.code).toBe('bad_path');
  });

  test('[TOOL20] a note that is larger than the scope takes is not read', async () => {
    const scene = await NoteScene.make({
      settings: { scopes: [{ level: 'read-only', maxBytes: 3 }] },
    });
    scene.memory.put('a.md', 'abc');
    scene.memory.put('b.md', 'abcd');
    expect(codeOf(await scene.run('read', { path: 'a.md' }))).toBe('ok');
    expect(outputOf(await scene.run('read', { path: 'b.md' }))).toContain('4 bytes are more');
    const listed = await scene.run('list', { folder: '', names: ['a.md', 'b.md'] });
    expect(outputOf(listed)).toBe('a.md');
  });

  test('[TOOL21] of a folder, only what may be read is told', async () => {
    const scene = await NoteScene.make({ rules: HIDDEN });
    const names = ['Notes/a.md', 'Private/a.md', 'private/B.md', '.git/config', '../a.md', 'x.exe'];
    const answer = await scene.run('list', { folder: '', names });
    expect(outputOf(answer)).toBe('Notes/a.md');
    expect((await scene.onlyCall()).intent.path).toBe('');
    expect(codeOf(await scene.run('list', { folder: 'Private/', names }))).toBe('denied');
  });

  test('[TOOL21] what a person allows of a folder holds for what asks for the same reason, and no more', async () => {
    const scene = await NoteScene.make({
      rules: [
        { permission: 'read', pattern: 'Diary/**', action: 'ask' },
        { permission: 'read', pattern: 'Diary/Health/**', action: 'ask' },
        { permission: 'read', pattern: 'Diary/Secret/**', action: 'deny' },
      ],
    });
    const names = ['Diary/a.md', 'Diary/Health/a.md', 'Diary/Secret/a.md'];
    const everything = scene.run('list', { folder: '', names: [...names, 'b.md'] });
    expect(outputOf(await everything)).toBe('b.md');
    const running = scene.run('list', { folder: 'Diary', names });
    const ask = await scene.nextAsk();
    expect(ask).toMatchObject({ operation: 'read', path: 'Diary', change: undefined });
    scene.asks.answer(ask.requestId, { reply: 'once' });
    expect(outputOf(await running)).toBe('Diary/a.md');
  });

  test('[TOOL21] what a person allows of one note holds for no other', async () => {
    const scene = await NoteScene.make({
      rules: [{ permission: 'read', pattern: '**', action: 'ask' }],
      tools: [links],
    });
    const running = scene.run('links', { path: 'Notes/a.md' });
    scene.asks.answer((await scene.nextAsk()).requestId, { reply: 'once' });
    expect(outputOf(await running)).toBe('Notes/a.md');
  });

  test('[TOOL21] a read that is denied by the person, or by rules that came meanwhile, is none', async () => {
    const rules = [{ permission: 'read', pattern: 'Diary/**', action: 'ask' }];
    const scene = await NoteScene.make({ rules });
    const first = scene.run('read', { path: 'Diary/a.md' });
    scene.asks.answer((await scene.nextAsk()).requestId, { reply: 'reject' });
    expect(outputOf(await first)).toMatch(/^The person denied it\. Nothing was done\. /);
    const second = scene.run('read', { path: 'Diary/a.md' });
    const { requestId } = await scene.nextAsk();
    await scene.setRules([{ permission: 'read', pattern: 'Diary/**', action: 'deny' }]);
    scene.asks.answer(requestId, { reply: 'once' });
    expect(codeOf(await second)).toBe('denied');
  });

  test('[TOOL21] "always" is for that note and session, and the next read is silent', async () => {
    const rules = [{ permission: 'read', pattern: 'Diary/**', action: 'ask' }];
    const scene = await NoteScene.make({ rules });
    const running = scene.run('read', { path: 'Diary/a.md' });
    const ask = await scene.nextAsk();
    const [pattern = ''] = ask.always?.patterns ?? [];
    if (ask.always === undefined) throw new Error('nothing can be recorded');
    const rule = alwaysRule(ask.always, { pattern, whom: 'session' }, ask);
    scene.asks.answer(ask.requestId, { reply: 'always', rule });
    expect(codeOf(await running)).toBe('ok');
    expect(codeOf(await scene.run('read', { path: 'Diary/a.md' }))).toBe('ok');
    void scene.run('read', { path: 'Diary/b.md' });
    void scene.run('read', { path: 'Diary/a.md' }, { sessionId: 'other' });
    await scene.nextAsk();
    expect(scene.asks.all()).toHaveLength(2);
  });

  test('[TOOL16] a read that is cancelled while it waits does not run', async () => {
    const rules = [{ permission: 'read', pattern: '**', action: 'ask' }];
    const scene = await NoteScene.make({ rules });
    const running = scene.run('read', { path: 'a.md' });
    await scene.nextAsk();
    scene.host.cancel('call_0', 's');
    expect(codeOf(await running)).toBe('cancelled');
  });
});

test('[TOOL25] a place that leads elsewhere by the time of the effect is refused, for reads and writes', async () => {
  let leads = 'Notes';
  let reads = 0;
  const counted = defineTool({
    ...{ name: 'read', description: '', input: () => z.unknown() },
    plan: () => ({
      kind: 'read',
      place: 'file',
      path: 'Link/a.md',
      run: () => {
        reads += 1;
        return Promise.resolve({ ok: true, title: '', output: '', metadata: {} });
      },
    }),
  });
  const scene = await NoteScene.make({
    tools: [counted, write],
    rules: [{ permission: 'read', action: 'ask' }],
    realPaths: (path) =>
      Promise.resolve(path === 'Link' ? { kind: 'inside', path: leads } : { kind: 'missing' }),
  });
  for (const [tool, args] of [
    ['read', { path: 'Link/a.md' }],
    ['write', { path: 'Link/a.md', add: '!' }],
  ] as const) {
    leads = 'Notes';
    const running = scene.run(tool, args);
    const { requestId } = await scene.nextAsk();
    leads = 'Other';
    scene.asks.answer(requestId, { reply: 'once' });
    expect(codeOf(await running)).toBe('changed');
  }
  expect(reads).toBe(0);
  leads = '.git';
  expect(outputOf(await scene.run('write', { path: 'Link/config.md', add: '!' }))).toContain(
    'part of a Git repository',
  );
  expect([...scene.memory.files.keys()].filter((path) => path.endsWith('a.md'))).toEqual([]);
});

test('[TOOL25] what is written through a link is written where it leads', async () => {
  const scene = await NoteScene.make({
    rules: [{ permission: 'write', action: 'allow' }],
    notes: {
      resolver: new PathResolver((path) =>
        Promise.resolve(path === 'Link' ? { kind: 'inside', path: 'Notes' } : { kind: 'missing' }),
      ),
    },
  });
  await scene.run('write', { path: 'Link/a.md', add: 'Hi' });
  expect(scene.text('Notes/a.md')).toBe('Hi');
});

test('[TOOL25] nor is what leads elsewhere while a note is read or its texts are kept', async () => {
  let leads = 'Notes';
  const elsewhere = defineTool({
    name: 'elsewhere',
    description: '',
    input: () => z.unknown(),
    plan: () => ({
      kind: 'read',
      place: 'file',
      path: 'Link/a.md',
      run: () => {
        leads = 'Other';
        return Promise.resolve({ ok: true, title: '', output: 'of another note', metadata: {} });
      },
    }),
  });
  const scene = await NoteScene.make({
    rules: [{ permission: 'write', action: 'allow' }],
    tools: [elsewhere, write],
    realPaths: (path) =>
      Promise.resolve(path === 'Link' ? { kind: 'inside', path: leads } : { kind: 'missing' }),
    notes: {
      keep: () => {
        leads = '.git';
        return Promise.resolve('a'.repeat(64));
      },
    },
  });
  expect(codeOf(await scene.run('elsewhere', {}))).toBe('changed');
  leads = 'Notes';
  expect(codeOf(await scene.run('write', { path: 'Link/a.md', add: '!' }))).toBe('changed');
  expect([...scene.memory.files.keys()].filter((path) => path.endsWith('a.md'))).toEqual([]);
});
