import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { defineTool, type ToolCall } from '../../src/core/tool/tool';
import { boardHost } from './board-host';
import { tasksTool } from '../../src/core/tool/tasks-tool';
import { ManagerFixture } from '../board/manager-fixture';

const call = (tool: string, args: unknown): ToolCall => ({
  tool,
  args,
  sessionId: 'ses_1',
  agent: 'build',
  sessionTitle: 'The session',
});

const echo = defineTool({
  name: 'echo',
  description: 'says it again',
  input: () => z.object({ text: z.string() }),
  plan: ({ text }, { agent }) => ({
    kind: 'board',
    run: () =>
      Promise.resolve({ ok: true, title: 'Echo', output: `${agent}: ${text}`, metadata: {} }),
  }),
});

describe('ToolHost', () => {
  test('[TOOL1] runs a tool with checked arguments and the context of the call', async () => {
    const host = boardHost(new Map([['echo', echo]]));
    expect(await host.run(call('echo', { text: 'hi' }))).toMatchObject({
      ok: true,
      output: 'build: hi',
    });
  });

  test('[TOOL1] arguments that do not fit are refused with the field, and the tool does not run', async () => {
    const host = boardHost(new Map([['echo', echo]]));
    const outcome = await host.run(call('echo', { text: 5 }));
    expect(outcome).toMatchObject({ ok: false, error: { code: 'bad_arguments' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain('text: ');
  });

  test('[TOOL2] a tool that is not there, or throws, is an outcome too', async () => {
    const noted: string[] = [];
    const broken = defineTool({
      name: 'broken',
      description: '',
      input: () => z.unknown(),
      plan: () => ({ kind: 'board', run: () => Promise.reject(new Error('a bug')) }),
    });
    const host = boardHost(new Map([['broken', broken]]), {
      log: { note: (what) => noted.push(what) },
    });
    expect(await host.run(call('none', {}))).toMatchObject({
      ok: false,
      error: { code: 'unknown_tool', message: 'There is no tool "none" here. Use broken.' },
    });
    const failed = await host.run(call('broken', {}));
    expect(failed).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(failed.ok ? '' : failed.error.message).toContain('look before you repeat it');
    expect(noted).toEqual(['A tool failed unexpectedly.']);
  });

  test('[TOOL3] tasks works on the boards of the session of the call, and answers what fails alone', async () => {
    const { manager, store } = new ManagerFixture();
    const host = boardHost(new Map([['tasks', tasksTool(manager)]]));
    const done = await host.run(
      call('tasks', {
        sessionId: 'other',
        operations: [{ type: 'add', title: 'A' }, { type: 'x' }],
      }),
    );
    expect(done).toMatchObject({
      ok: true,
      title: 'Task List: The session',
      metadata: { sessionId: 'ses_1', operation: 'unified' },
    });
    expect(done.ok ? done.output : '').toContain('1 done, 1 failed.');
    expect([...store.files.keys()]).toContain('.opencode/todos/ses_1/build-tasks.md');
    expect(await host.run(call('tasks', {}))).toMatchObject({
      ok: false,
      error: { code: 'bad_arguments' },
    });
  });
});
