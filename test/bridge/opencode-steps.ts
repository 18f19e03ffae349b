import { join } from 'node:path';
import type { Model, ModelAnswer, ModelRequest } from './model';
import type { OpencodeRun } from './opencode-run';
import type { TestClient } from './test-client';

/** Arguments of the tool: for a list, and for a plan of two tasks. */
export const LIST = { operations: [{ type: 'list' }] };
export const PLAN = {
  operations: [
    { type: 'init', title: 'Plan' },
    { type: 'add', title: 'First' },
    { type: 'add', title: 'Second', dependsOn: ['1'] },
  ],
};

export function tasksCall(args: unknown): ModelAnswer {
  return { tools: [{ name: 'tasks', args }] };
}

export function requestsOf(
  run: { readonly model: Pick<Model, 'requests'> },
  sessionId: string,
): ModelRequest[] {
  return run.model.requests.filter((request) => request.sessionId === sessionId);
}

/** The content of a request's newest message of a role, as JSON. */
export function newestContent(request: ModelRequest | undefined, role: 'user' | 'tool'): string {
  return JSON.stringify(request?.messages.findLast((message) => message.role === role)?.content);
}

export function boardFile(run: Pick<OpencodeRun, 'vault'>, sessionId: string): string {
  return join(run.vault, '.opencode/todos', sessionId, 'build-tasks.md');
}

/** Starts a session as the terminal does. */
export async function sessionByHttp(run: OpencodeRun, title: string | undefined): Promise<string> {
  const session = (await run.api('POST', '/session', { title })) as { id: string };
  return session.id;
}

/** Sends a prompt; returns when the turn is over. */
export async function promptByHttp(
  run: OpencodeRun,
  sessionId: string,
  text: string,
): Promise<void> {
  await run.api('POST', `/session/${sessionId}/message`, { parts: [{ type: 'text', text }] });
}

/** Answers all calls that the client receives, as a vault would. */
export function answerCalls(client: TestClient, output: string): void {
  client.socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as {
      type: string;
      sessionId: string;
      payload: { callId: string };
    };
    if (message.type !== 'tool.call') return;
    const { callId } = message.payload;
    const audit = { approved: true, dryRun: false, ms: 1 };
    const payload = { callId, ok: true, output, title: 'Task List: x', metadata: { n: 1 }, audit };
    client.send({ type: 'tool.result', sessionId: message.sessionId, payload });
  });
}
