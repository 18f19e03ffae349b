import type { AskPerson } from '../core/tool/call-run';
import type { CallOptions, ToolCallRunner, EngineCall } from '../core/engine/calls';
import type { HookRunner } from '../core/hook/hooks';
import { hooksAfter, hooksBefore } from '../core/tool/call-hooks';
import type { ToolOutcome } from '../core/tool/tool';
import { WireError } from '../protocol/wire-error';
import type { HeadlessRunner } from './headless';
import type { Clients } from './server/clients';
import type { RemoteCalls, RemoteOutcome } from './server/remote-calls';

interface CallRunnerServices {
  readonly calls: Pick<RemoteCalls, 'call'>;
  readonly clients: Pick<Clients, 'runner'>;
  /** runs calls when no client can */
  readonly headless: Pick<HeadlessRunner, 'run' | 'cancel' | 'refuse'>;
  /** hooks that run before and after each call, wherever it is executed */
  readonly hooks?: HookRunner;
}

/**
 * Runs a call of one of our tools at the client that offers tools, or else in this process. A call
 * that a client accepted is never run again. The hooks of this process run once per call.
 */
export class CallRunner implements ToolCallRunner {
  constructor(private readonly services: CallRunnerServices) {}

  async run(call: EngineCall, terms: CallOptions): Promise<ToolOutcome> {
    const { hooks, headless } = this.services;
    if (hooks === undefined) return this.carryOut(call, terms);
    const before = await hooksBefore(hooks, call);
    if ('fault' in before) return headless.refuse(call, before.fault);
    const changed = { ...call, args: before.args };
    const outcome = await this.carryOut(changed, terms);
    return hooksAfter(hooks, changed, outcome, outcome.ok);
  }

  private async carryOut(
    call: EngineCall,
    { messageId, abort, ask, onWait: waits }: CallOptions,
  ): Promise<ToolOutcome> {
    const { calls, clients } = this.services;
    const client = clients.runner(call.sessionId);
    if (client === undefined) return this.runHere(call, abort, ask);
    const { callId, tool, args, agent, sessionTitle, board, sessionId: originSessionId } = call;
    const about = { callId, tool, args, agent, sessionTitle, board };
    try {
      const payload = { ...about, messageId, originSessionId };
      return outcomeOf(call.tool, await calls.call(client, payload, abort, waits));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return { ok: false, error: { code: error.code, message: notSent(call.tool, error) } };
    }
  }

  private async runHere(
    call: EngineCall,
    abort: AbortSignal,
    ask: AskPerson | undefined,
  ): Promise<ToolOutcome> {
    const { headless } = this.services;
    const cancel = (): void => headless.cancel(call.callId, call.sessionId);
    abort.addEventListener('abort', cancel);
    try {
      const running = headless.run(call, ask);
      if (abort.aborted) cancel();
      const outcome = await running;
      if (!outcome.ok) return outcome;
      const { title, output, metadata } = outcome;
      return { ok: true, title, output, metadata: { ...metadata, via: 'headless' } };
    } finally {
      abort.removeEventListener('abort', cancel);
    }
  }
}

function isForNotes(tool: string): boolean {
  return tool.startsWith('obsidian.');
}

function notSent(tool: string, { code }: WireError): string {
  return code === 'too_large'
    ? `Nothing was done: the call is too large. Send ${isForNotes(tool) ? 'less text' : 'fewer operations'} at a time.`
    : 'Nothing was done: the arguments are nested too deep. Look at the fields of the tool.';
}

const LOOK_AT_TASKS =
  'list the tasks first ({"operations": [{"type": "list"}]}), and repeat only what is missing.';

const LOOK_AT_NOTE = 'read the note first, and repeat only what is missing.';

const FAILURE_MESSAGES: Readonly<Record<Exclude<RemoteOutcome['kind'], 'result'>, string>> = {
  lost: 'The connection to Obsidian closed before the answer came.',
  timeout: 'Obsidian did not answer in time.',
  cancelled: 'The call was cancelled.',
};

function outcomeOf(tool: string, outcome: RemoteOutcome): ToolOutcome {
  if (outcome.kind !== 'result') {
    const look = isForNotes(tool) ? LOOK_AT_NOTE : LOOK_AT_TASKS;
    const message = `${FAILURE_MESSAGES[outcome.kind]} It may have been done all the same: ${look}`;
    return { ok: false, error: { code: outcome.kind, message } };
  }
  const { ok, title, output, metadata, error } = outcome.result;
  if (ok) {
    const via = { ...metadata, via: 'websocket' };
    return { ok: true, title: title ?? tool, output: output ?? '', metadata: via };
  }
  const message = error?.message ?? output ?? 'Obsidian refused the call.';
  return { ok: false, error: { code: error?.code ?? 'refused', message } };
}
