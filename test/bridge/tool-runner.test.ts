import { expect, test } from 'vitest';
import { PathResolver } from '../../src/core/permission/path-resolver';
import type { ToolCall } from '../../src/core/tool/tool';
import { ToolRunner, type ToolRunnerServices } from '../../src/bridge/opencode/tool-runner';
import type { ToolCallContext } from '../../src/bridge/opencode/tool-call';

interface Scene {
  readonly runner: ToolRunner;
  /** arguments of the executed calls, in order */
  readonly ran: unknown[];
  /** what OpenCode refused */
  readonly refused: unknown[];
}

/** A runner without clients whose headless calls are only recorded. */
function scene(): Scene {
  const ran: unknown[] = [];
  const refused: unknown[] = [];
  const runner = new ToolRunner({
    sessions: { get: () => Promise.resolve({ title: 't' }) },
    places: new PathResolver((path) =>
      Promise.resolve(
        path === 'link.md' ? { kind: 'inside', path: 'Private/a.md' } : { kind: 'missing' },
      ),
    ),
    todos: { settled: () => Promise.resolve() },
    refused: {
      note: (tool: string, { args }: ToolCall, error: Error) =>
        Promise.resolve(void refused.push([tool, args, error.message])),
    },
    runner: {
      run: ({ args }: ToolCall) => {
        ran.push(args);
        return Promise.resolve({ ok: true, title: 't', output: String(args), metadata: {} });
      },
    },
  } as unknown as ToolRunnerServices);
  return { runner, ran, refused };
}

function context(
  sessionID: string,
  ask: () => Promise<void>,
  abort = new AbortController(),
): ToolCallContext {
  return { sessionID, messageID: 'm', agent: 'build', abort: abort.signal, ask };
}

test('[BRIDGE44] a call waits for those before it, however long one of them is asked about', async () => {
  const { runner, ran } = scene();
  let allow = (): void => undefined;
  const asked = new Promise<void>((resolve) => (allow = resolve));
  const first = runner.run(
    'tasks',
    'first',
    context('a', () => asked),
  );
  const second = runner.run(
    'tasks',
    'second',
    context('a', () => Promise.resolve()),
  );
  await runner.run(
    'tasks',
    'elsewhere',
    context('b', () => Promise.resolve()),
  );
  expect(ran).toEqual(['elsewhere']);
  allow();
  await Promise.all([first, second]);
  expect(ran).toEqual(['elsewhere', 'first', 'second']);
});

test('[BRIDGE44] a refused call does not stop the next; an interrupted one is not run', async () => {
  const { runner, ran, refused: noted } = scene();
  const abort = new AbortController();
  const refused = runner.run(
    'tasks',
    'refused',
    context('a', () => Promise.reject(new Error('denied'))),
  );
  const interrupted = runner.run(
    'tasks',
    'late',
    context('a', () => Promise.resolve(), abort),
  );
  const next = runner.run(
    'tasks',
    'next',
    context('a', () => Promise.resolve()),
  );
  abort.abort();
  await expect(refused).rejects.toThrow('denied');
  await expect(interrupted).rejects.toThrow('Nothing was done: the turn was interrupted.');
  await expect(next).resolves.toMatchObject({ output: 'next' });
  expect(ran).toEqual(['next']);
  expect(noted).toEqual([['tasks', 'refused', 'denied']]);
});

test('[BRIDGE47] OpenCode is asked first, by the path of the call as it was sent and as it is taken', async () => {
  const asked: unknown[] = [];
  const { runner } = scene();
  const call = (tool: string, args: unknown): Promise<unknown> => {
    const given = context('a', () => Promise.resolve());
    const ask = (request: unknown): Promise<void> => Promise.resolve(void asked.push(request));
    return runner.run(tool, args, { ...given, ask });
  };
  await call('tasks', { path: 'x' });
  await call('obsidian_update_note', { path: 'Cafe\u0301.md', dryRun: true });
  await call('obsidian_search_vault', { query: 'a', folder: 'Notes' });
  await call('obsidian_search_vault', { query: 'a' });
  await call('obsidian_read_note', { path: ['a'] });
  await call('obsidian_list_notes', { folder: 'Private/', path: 'Notes' });
  await call('obsidian_search_vault', { query: 'a', folder: 'Private', path: 5 });
  await call('obsidian_read_note', { path: 'a.md', folder: 'Notes' });
  await call('obsidian_read_note', { path: 'a*.md' });
  await call('obsidian_read_note', { path: 'link.md' });
  await call('obsidian_list_notes', { folder: './' });
  const all = { patterns: ['*'], always: ['*'], metadata: {} };
  expect(asked).toEqual([
    { permission: 'tasks', ...all },
    {
      permission: 'obsidian_update_note',
      patterns: ['Cafe\u0301.md', 'Café.md'],
      always: ['Cafe\u0301.md'],
      metadata: {},
    },
    { ...all, permission: 'obsidian_search_vault', patterns: ['Notes'], always: ['Notes'] },
    { ...all, permission: 'obsidian_search_vault' },
    { ...all, permission: 'obsidian_read_note' },
    // The other field is not an input of the tool.
    {
      permission: 'obsidian_list_notes',
      patterns: ['Private/', 'Private'],
      always: ['Private/'],
      metadata: {},
    },
    { ...all, permission: 'obsidian_search_vault', patterns: ['Private'], always: ['Private'] },
    { ...all, permission: 'obsidian_read_note', patterns: ['a.md'], always: ['a.md'] },
    // "Always" would allow what OpenCode reads as a pattern.
    { ...all, permission: 'obsidian_read_note', patterns: ['a*.md'], always: [] },
    {
      permission: 'obsidian_read_note',
      patterns: ['link.md', 'Private/a.md'],
      always: ['link.md'],
      metadata: {},
    },
    { ...all, permission: 'obsidian_list_notes' },
  ]);
});
