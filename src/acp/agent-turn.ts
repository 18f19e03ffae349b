import { setImmediate } from 'node:timers/promises';
import {
  methods,
  RequestError,
  type ContentBlock,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCall,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { AnswerWriter, type AnswerWriterServices } from '../core/engine/answer-writer';
import { loggedText, type LiveAnswer } from '../core/engine/live-answer';
import type {
  EngineTurnEnd,
  LiveSession,
  RunningTurn,
  TurnProgress,
} from '../core/engine/live-session';
import {
  newestPrompt,
  newestSent,
  unsentPrompts,
  type LoggedPrompt,
} from '../core/engine/session-log';
import { StoreError } from '../core/ports';
import type { ToolOutcome } from '../core/tool/tool';
import {
  AcpCall,
  toPermissionRequest,
  toVaultPath,
  optionFor,
  contentBlockText,
} from './agent-call';
import { AgentError, type AcpTurnClient } from './agent-process';
import type { HostedAgent, HostedSession } from './agent-pool';

interface AgentTurnServices extends AnswerWriterServices {
  /** absolute path of the vault */
  readonly vault: string;
  /** stands for the mode of an agent that has none */
  readonly noMode: string;
  /** takes a process that has opened the session, for this turn */
  readonly acquireAgent: (wanted: Pick<HostedSession, 'stop' | 'queued'>) => Promise<HostedAgent>;
  /** content blocks for the agent; `retell`: with the history, which the agent does not know */
  readonly blocks: (
    prompts: readonly LoggedPrompt[],
    hosted: HostedAgent,
    retell: boolean,
  ) => Promise<ContentBlock[]>;
  /** runs one of our tools for the session */
  readonly tool: (call: OurCall, stop: AbortSignal) => Promise<ToolOutcome>;
  /** text of a note on disk */
  readonly noteText: (path: string) => Promise<string | undefined>;
  readonly plan: (entries: readonly PlanEntry[]) => void;
  /** queues a message of the person, sent when this turn ends */
  readonly queueMessage: (text: string) => void;
  /** stores what the agent reported. @returns the increase since its last report */
  readonly usageIncrease: (now: AgentUsage) => AgentUsage;
  /** see `RunningTurn` of the engine */
  readonly ended: (end: EngineTurnEnd) => Promise<boolean>;
}

interface OurCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly agent: string;
  readonly messageId: string;
}

interface PlanEntry {
  readonly content: string;
  readonly status: string;
  readonly priority: string;
}

/** What an agent reports of a session. */
export interface AgentUsage {
  /** tokens in its context */
  readonly used: number;
  /** US dollars that it has cost in all; undefined if the agent does not say */
  readonly cost: number | undefined;
}

type Usage = Extract<SessionUpdate, { sessionUpdate: 'usage_update' }>;

/**
 * Maximum UTF-16 units of one streamed piece, and of the text or thinking of an answer; what is more
 * begins the next answer.
 */
const MAX_PIECE = 64 * 1024;
const MAX_ANSWER = 1024 * 1024;

/** Maximum calls in one answer. The next call starts a new answer, so that each fits a message. */
const MAX_CALLS = 64;

const STOP_FAULTS: Readonly<Partial<Record<PromptResponse['stopReason'], string>>> = {
  max_tokens: 'The answer was cut: it is as long as the model’s answers may be.',
  max_turn_requests: 'The agent used up the requests of one turn. Tell it to go on.',
  refusal: 'The agent refused to go on with this.',
};

/** One turn of a session: sends its prompts to the agent, publishes and stores what it answers. */
export class AgentTurn implements RunningTurn, AcpTurnClient {
  readonly kind = 'prompt';
  readonly #stop = new AbortController();
  readonly #writer: AnswerWriter;
  readonly #calls = new Map<string, AcpCall>();
  /** calls without a result */
  readonly #openCalls = new Set<AcpCall>();
  /** calls of the answer being written */
  #answerCalls = new Set<AcpCall>();
  #prompts: readonly LoggedPrompt[] = [];
  /** id of the newest prompt that was sent to the agent in this turn */
  #sent: string | undefined;
  #hosted: HostedAgent | undefined;
  #usage: Usage | undefined;
  #isQueued = false;

  constructor(
    private readonly session: LiveSession,
    private readonly services: AgentTurnServices,
  ) {
    this.#writer = new AnswerWriter(session, services);
  }

  get progress(): TurnProgress {
    return { kind: 'busy', ...(this.#isQueued && { queued: true }) };
  }

  get live(): LiveAnswer | undefined {
    const { live } = this.#writer;
    if (live === undefined) return undefined;
    const calls = [...this.#answerCalls].map((one) => ({ call: one.logged, result: one.result }));
    return { ...live, calls };
  }

  get running(): ReadonlyMap<string, undefined> {
    return new Map([...this.#openCalls].map(({ call }) => [call.id, undefined]));
  }

  async run(): Promise<void> {
    try {
      do {
        await this.#sendPrompts();
      } while (!this.#isOver() && !(await this.#complete()));
    } catch (error) {
      if (!this.#isOver()) await this.#fail(error);
    } finally {
      // What the agent still asks is asked no more.
      this.#stop.abort();
      this.#hosted?.release();
    }
  }

  interrupt(): EngineTurnEnd {
    this.#stop.abort();
    this.#hosted?.cancel();
    const answer = this.#storeUnfinished({ end: 'interrupted' });
    return { messageId: answer?.id, reason: 'interrupted' };
  }

  /** Runs a call that arrived over MCP. */
  async runMcpCall(name: string, args: unknown, stop: AbortSignal): Promise<ToolOutcome> {
    const matchingCall = [...this.#openCalls].find(
      (one) => !one.isClaimed && one.call.name === name,
    );
    if (matchingCall !== undefined) matchingCall.isClaimed = true;
    const id = matchingCall?.call.id ?? `call_${this.services.ids.unique()}`;
    return this.#runTool(id, name, args, AbortSignal.any([stop, this.#stop.signal]));
  }

  update(update: SessionUpdate): void {
    if (this.#isOver()) return;
    this.#hosted?.applyUpdate(update);
    const { sessionUpdate: kind } = update;
    if (kind === 'agent_message_chunk') this.#grow('text', update.content);
    if (kind === 'agent_thought_chunk') this.#grow('thinking', update.content);
    if (kind === 'tool_call' || kind === 'tool_call_update') this.#updateCall(update);
    if (kind === 'plan') this.services.plan(update.entries);
    if (kind === 'usage_update') this.#usage = update;
  }

  async permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const call = this.#calls.get(request.toolCall.toolCallId) ?? this.#updateCall(request.toolCall);
    const asked = toPermissionRequest(
      request,
      `per_${this.services.ids.unique()}`,
      call,
      this.services.vault,
    );
    const { signal } = this.#stop;
    const { reply, message = '' } = await this.session.requests.permission(
      ...([this.session.facts.id, asked, signal] as const),
    );
    const allowed = reply === 'always' && asked.always.length === 0 ? 'once' : reply;
    const optionId = signal.aborted ? undefined : optionFor(allowed, request)?.optionId;
    // A rejection can't carry words in this protocol, so they are sent as the next prompt.
    if (reply === 'reject' && message.trim() !== '') this.services.queueMessage(message);
    if (optionId === undefined) return { outcome: { outcome: 'cancelled' } };
    return { outcome: { outcome: 'selected', optionId } };
  }

  async read(
    ...[{ path, line, limit }]: Parameters<AcpTurnClient['read']>
  ): ReturnType<AcpTurnClient['read']> {
    const note = toVaultPath(this.services.vault, path);
    await this.#runNoteTool('obsidian_read_note', { path: note });
    const text = (await this.services.noteText(note)) ?? '';
    if (!line && !limit) return { content: text };
    const from = Math.max(0, (line ?? 1) - 1);
    const lines = (text.match(/[^\n]*\n|[^\n]+/g) ?? []).slice(
      from,
      limit ? from + limit : undefined,
    );
    return { content: lines.join('') };
  }

  async write(...[{ path, content }]: Parameters<AcpTurnClient['write']>): Promise<void> {
    const note = toVaultPath(this.services.vault, path);
    const args = { path: note, content, overwrite: true, dryRun: false };
    await this.#runNoteTool('obsidian_create_note', args);
  }

  /** Runs a note tool as if the model had called it. @throws RequestError with words for the agent */
  async #runNoteTool(name: string, args: unknown): Promise<void> {
    const id = `call_${this.services.ids.unique()}`;
    const outcome = await this.#runTool(id, name, args, this.#stop.signal);
    if (outcome.ok) return;
    throw RequestError.invalidParams({ code: outcome.error.code }, outcome.error.message);
  }

  #runTool(id: string, name: string, args: unknown, stop: AbortSignal): Promise<ToolOutcome> {
    const agent = this.#prompts.at(-1)?.agent ?? '';
    const messageId = this.#writer.live?.id ?? `msg_${this.services.ids.unique()}`;
    return this.services.tool({ id, name, args, agent, messageId }, stop);
  }

  #isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Sends the unanswered prompts and waits for the end of the answer. */
  async #sendPrompts(): Promise<void> {
    this.#prompts = unsentPrompts(this.session.records);
    const prompt = this.#prompts.at(-1);
    if (prompt === undefined) return;
    const isFirst = this.#hosted === undefined;
    const hosted = (this.#hosted ??= await this.#acquireAgent());
    if (this.#isOver()) return;
    const { agent } = hosted;
    if (prompt.agent !== this.services.noMode) await hosted.choose('mode', prompt.agent);
    if (prompt.model !== '') await hosted.choose('model', prompt.model);
    const blocks = await this.services.blocks(this.#prompts, hosted, isFirst && hosted.isNew);
    if (this.#isOver()) return;
    agent.turn = this;
    this.#sent = prompt.id;
    const sent = { sessionId: agent.sessionId ?? '', prompt: blocks };
    const { stopReason } = await agent.request(methods.agent.session.prompt, sent);
    // Updates sent before the response are delivered in a later task than the response.
    await setImmediate();
    if (this.#isOver()) return;
    const fault = STOP_FAULTS[stopReason];
    if (fault !== undefined) throw new AgentError('agent_failed', fault);
  }

  /** Takes a process of the agent. While all of them are busy, the turn is shown as queued. */
  async #acquireAgent(): Promise<HostedAgent> {
    const queued = (isQueued: boolean): void => {
      if (this.#isQueued === isQueued || this.#isOver()) return;
      this.#isQueued = isQueued;
      const { sessionId, payload } = { sessionId: this.session.facts.id, payload: this.progress };
      this.services.publish({ type: 'progress.update', sessionId, payload });
    };
    const stop = this.#stop.signal;
    const hosted = await this.services.acquireAgent({ stop, queued: () => queued(true) });
    queued(false);
    return hosted;
  }

  /** @returns whether the turn is over */
  async #complete(): Promise<boolean> {
    const prompt = this.#prompts.at(-1);
    if (prompt === undefined) return true;
    this.#failOpenCalls();
    const live = this.#writer.live ?? this.#writer.begin(prompt);
    await this.#storeAnswer(live, 'completed');
    this.#publishUsage(live.id, prompt.model);
    return this.services.ended({ messageId: live.id, reason: 'completed' });
  }

  async #fail(error: unknown): Promise<void> {
    this.#stop.abort();
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof AgentError ? error.code : 'internal';
    const fault = { code, message };
    const answer = this.#storeUnfinished({ end: 'error', error: fault }, this.#prompts.at(-1));
    await this.services.ended({ messageId: answer?.id, reason: 'error', error: fault });
  }

  #grow(kind: 'text' | 'thinking', content: ContentBlock): void {
    const text = contentBlockText(content);
    for (let [at, end] = [0, 0]; at < text.length && !this.#isOver(); at = end) {
      const live = this.#openAnswer(kind);
      end = at + Math.min(MAX_PIECE, MAX_ANSWER - live[kind].length);
      this.#writer.grow(live, kind, text.slice(at, end));
    }
  }

  /** The answer to append to. Text after calls, thinking after text, and what is more than fits start a new one. */
  #openAnswer(kind: 'text' | 'thinking' | 'call'): LiveAnswer {
    const { live } = this.#writer;
    const prompt = this.#prompts.at(-1) ?? newestPrompt(this.session.records);
    if (prompt === undefined) throw new Error('A turn has a prompt.');
    if (live === undefined) return this.#writer.begin(prompt);
    const most = kind === 'call' ? MAX_CALLS : 1;
    const isFull = kind !== 'call' && live[kind].length >= MAX_ANSWER;
    const isClosed =
      isFull || this.#answerCalls.size >= most || (kind === 'thinking' && live.text !== '');
    if (!isClosed) return live;
    this.#stopIfFull(this.#storeAnswer(live, 'calls'));
    return this.#writer.begin(prompt);
  }

  /** Fails the turn if its session is full. Other write errors are logged already. */
  #stopIfFull(kept: Promise<void>): void {
    kept.catch((error: unknown) => {
      const isFull = error instanceof StoreError && error.code === 'too_large';
      if (!isFull || this.#isOver()) return;
      this.#hosted?.cancel();
      void this.#fail(error);
    });
  }

  /** Stores an answer with its calls and their results. */
  async #storeAnswer(live: LiveAnswer, end: 'calls' | 'completed'): Promise<void> {
    const shown = [...this.#answerCalls];
    this.#answerCalls = new Set();
    if (shown.length === 0) this.#writer.publishWhole(live);
    const { id, at, prompt: of } = live;
    const calls = shown.map(({ logged }) => logged);
    const kept = this.session.record({
      ...{ kind: 'answer', id, at, prompt: of, calls, end },
      ...loggedText(live),
    });
    const results = shown.flatMap(({ result }) => result ?? []);
    this.#writer.end();
    await Promise.all([kept, ...results.map((result) => this.session.record(result))]);
  }

  #updateCall(sent: ToolCall | ToolCallUpdate): AcpCall {
    const known = this.#calls.get(sent.toolCallId);
    if (known?.result !== undefined) return known;
    const live = known === undefined ? this.#openAnswer('call') : undefined;
    // The text of an answer is complete at its first call.
    if (live !== undefined && this.#answerCalls.size === 0) this.#writer.publishWhole(live);
    const call = known ?? this.#newCall(sent, live?.id ?? '');
    known?.update(sent);
    this.#publishCall(call);
    const { result } = call;
    if (result !== undefined) this.#openCalls.delete(call);
    // The answer with this call may be stored already; then the result is stored separately.
    if (result !== undefined && !this.#answerCalls.has(call)) {
      this.#stopIfFull(this.session.record(result));
    }
    return call;
  }

  #newCall(sent: ToolCall | ToolCallUpdate, messageId: string): AcpCall {
    const given = { id: sent.toolCallId, name: '', args: '' };
    const { id } = this.session.toLoggedCall(given, messageId);
    const call = new AcpCall(id, sent, this.services.vault);
    this.#calls.set(sent.toolCallId, call);
    this.#openCalls.add(call);
    this.#answerCalls.add(call);
    return call;
  }

  #publishCall({ call, status, title, input, output }: AcpCall): void {
    this.#writer.publishCall(call, {
      status,
      ...(title && { title }),
      ...(input && { input: { ...input } }),
      ...(status === 'completed' && { output }),
      ...(status === 'error' && { error: output === '' ? 'It failed.' : output }),
    });
  }

  /** Ends the calls without a result as failed. */
  #failOpenCalls(): void {
    for (const call of this.#openCalls) {
      call.update({ toolCallId: call.call.id, status: 'failed' });
      if (call.output === '') call.output = 'The turn ended before it was done.';
      this.#publishCall(call);
    }
    this.#openCalls.clear();
  }

  /** Stores the unfinished answer and calls, as the end of the turn. */
  #storeUnfinished(...[how, prompt]: Parameters<AnswerWriter['endUnfinished']>) {
    this.#failOpenCalls();
    const { live } = this.#writer;
    // Write errors are logged already.
    if (live !== undefined && this.#answerCalls.size > 0) {
      this.#storeAnswer(live, 'calls').catch(() => undefined);
    }
    // A prompt that the agent did not get is sent with the next one.
    const sent = this.#sent ?? newestSent(this.session.records);
    return this.#writer.endUnfinished({ ...how, sent }, prompt);
  }

  #publishUsage(messageId: string, model: string): void {
    const usage = this.#usage;
    this.#usage = undefined;
    if (usage === undefined || usage.size <= 0) return;
    const { used, size, cost } = usage;
    const dollars = cost?.currency === 'USD' ? cost.amount : undefined;
    const more = this.services.usageIncrease({ used: Math.round(used), cost: dollars });
    const payload = {
      kind: 'tokens',
      // What was in the context before is not counted again, as if it were read from a cache.
      ...{ messageId, input: more.used, output: 0, cacheRead: Math.round(used) - more.used },
      limit: Math.round(size),
      ...(model !== '' && { model }),
      ...(more.cost !== undefined && { cost: more.cost }),
    } as const;
    this.services.publish({ type: 'progress.update', sessionId: this.session.facts.id, payload });
  }
}
