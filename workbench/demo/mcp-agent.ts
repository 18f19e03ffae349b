import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import type { Cleanup } from './cleanup';

const NAME = 'Demo Client';
const TITLE = 'Translate the handbook';

/** What the second agent does, call by call. */
const CALLS: readonly (readonly object[])[] = [
  [
    { type: 'init', title: TITLE },
    { type: 'add', title: 'Collect the terms' },
    { type: 'add', title: 'Translate the chapters', dependsOn: ['1'] },
    { type: 'add', title: 'Have it proofread', dependsOn: ['2'] },
  ],
  [{ type: 'update', id: '1', status: 'in_progress' }],
  [{ type: 'complete', id: '1' }],
  [{ type: 'update', id: '2', status: 'in_progress' }],
];

const answer = z.object({ sessionId: z.string(), via: z.enum(['websocket', 'headless']) });

/** What the second agent came to. */
export interface McpPlay {
  /** as it names itself */
  readonly client: string;
  readonly session: string;
  readonly title: string;
  /** calls that were answered, and those of them that the plugin ran */
  readonly calls: number;
  readonly byPlugin: number;
}

/**
 * A second agent beside OpenCode: a real client of `agent-boards mcp`, on a board of its own.
 * @param at the project's root; origin of the page, where there is one; ms between two calls
 * @throws Error where a call is refused
 */
export async function playMcpAgent(at: {
  readonly root: string;
  readonly vault: string;
  readonly origin: string | undefined;
  readonly pauseMs: number;
  readonly cleanup: Cleanup;
}): Promise<McpPlay> {
  const client = new Client({ name: NAME, version: '1.0.0' });
  const env = at.origin === undefined ? {} : { AGENT_TASK_BOARDS_ORIGIN: at.origin };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(at.root, 'dist/cli.js'), 'mcp', '--vault', at.vault],
    env: { ...getDefaultEnvironment(), ...env },
  });
  at.cleanup.add(() => client.close());
  await client.connect(transport);
  const answers: z.infer<typeof answer>[] = [];
  for (const operations of CALLS) {
    const result = await client.callTool({ name: 'tasks', arguments: { operations } });
    if (result.isError === true) throw new Error(JSON.stringify(result.content));
    answers.push(answer.parse(result.structuredContent));
    await pause(at.pauseMs);
  }
  const byPlugin = answers.filter(({ via }) => via === 'websocket').length;
  const session = answers[0]?.sessionId ?? '';
  return { client: NAME, session, title: TITLE, calls: answers.length, byPlugin };
}
