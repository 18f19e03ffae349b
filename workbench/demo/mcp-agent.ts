import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import type { Cleanup } from './cleanup';

const NAME = 'Demo Client';
const TITLE = 'Translate the handbook';

/** The calls of the second agent. */
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

/** Result of the second agent. */
export interface McpAgentResult {
  /** name of the client as it reports it */
  readonly client: string;
  readonly session: string;
  readonly title: string;
  /** number of calls that were answered, and of those that the plugin ran */
  readonly calls: number;
  readonly byPlugin: number;
}

/**
 * A second agent next to OpenCode: a real client of `agent-boards mcp`, on its own board.
 * @param options the project's root; origin of the page, if there is one; ms between two calls
 * @throws Error if a call is refused
 */
export async function playMcpAgent(options: {
  readonly root: string;
  readonly vault: string;
  readonly origin: string | undefined;
  readonly pauseMs: number;
  readonly cleanup: Cleanup;
}): Promise<McpAgentResult> {
  const client = new Client({ name: NAME, version: '1.0.0' });
  const env = options.origin === undefined ? {} : { AGENT_TASK_BOARDS_ORIGIN: options.origin };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(options.root, 'dist/cli.js'), 'mcp', '--vault', options.vault],
    env: { ...getDefaultEnvironment(), ...env },
  });
  options.cleanup.add(() => client.close());
  await client.connect(transport);
  const answers: z.infer<typeof answer>[] = [];
  for (const operations of CALLS) {
    const result = await client.callTool({ name: 'tasks', arguments: { operations } });
    if (result.isError === true) throw new Error(JSON.stringify(result.content));
    answers.push(answer.parse(result.structuredContent));
    await pause(options.pauseMs);
  }
  const byPlugin = answers.filter(({ via }) => via === 'websocket').length;
  const session = answers[0]?.sessionId ?? '';
  return { client: NAME, session, title: TITLE, calls: answers.length, byPlugin };
}
