import { FULL, tokensIn } from '../context/context-use';
import {
  ModelError,
  costOf,
  type ModelClient,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type ModelStop,
  type ModelTool,
  type ModelUsage,
} from '../model/model-client';
import { AnswerWriter, type AnswerWriterServices } from './answer-writer';
import type { EngineAgent } from './engine-agent';
import type { EngineCallContext, EngineTools } from './engine-tools';
import type { LiveSession, EngineTurnEnd, TurnProgress } from './live-session';
import { loggedText, type LiveAnswer } from './live-answer';
import { argumentsOf, modelMessages, shownBoards, textToSummarize } from './model-messages';
import {
  newestPrompt,
  type LoggedAnswer,
  type LoggedCall,
  type LoggedPrompt,
  type SessionFacts,
} from './session-log';
import type { ResolvedModel } from './model-choice';
import { callFactsIn } from './session-view';
import { SUB_AGENTS_AT_ONCE, TASK_TOOL, type TokenBudget } from './subagents';

/**
 * Maximum tokens of all requests of one turn and its subagents; then the model is asked to finish.
 */
export const MAX_TOKENS = 5_000_000;

/** Maximum tokens that are reserved for an answer, even if the model allows more. */
const MAX_OUTPUT = 32_000;

/**
 * Maximum summaries of one turn: if the context is full again at once, another summary does not help.
 */
const MAX_SUMMARIES = 3;

/** Characters of a text below which not even a half of it is summarized in its place. */
const SHORTEST_SUMMARIZED = 8_000;

const LAST_STEP =
  'You have used up the steps of this turn. Call no more tools: say what is done, what is not, and how to go on.';

const NO_BOARD = 'Your task board is empty now.';

const SUMMARY_PROMPT = `You write summaries of conversations between a person and an agent, for the agent, which goes on with yours alone. Say: what the person wants and decided, what was done and found out, in which notes, what is left, and what to do next. Keep names, paths and numbers. The task board is kept elsewhere. Write nothing but the summary, in the language of the conversation.`;

export interface ModelTurnServices extends AnswerWriterServices {
  readonly tools: Pick<EngineTools, 'run'>;
  /** The model of a prompt with its client, and what is known about it. */
  readonly modelOf: (model: string) => ResolvedModel;
  readonly budget: TokenBudget;
  /** the agent and the tools offered to it; undefined if it no longer exists */
  readonly agentOf: (
    name: string,
  ) => Promise<{ readonly agent: EngineAgent; readonly offered: readonly ModelTool[] } | undefined>;
  /** summary of the session's board, for a prompt to that agent */
  readonly boardOf: (agent: string) => Promise<string | undefined>;
  /**
   * Called when the turn ended, with its answer in the log; not called if it was interrupted.
   * @returns false if the turn has to continue with a newer prompt
   */
  readonly ended: (end: EngineTurnEnd) => Promise<boolean>;
}

/** What all calls of one answer have in common. */
type AnswerContext = Omit<EngineCallContext, 'budget' | 'abort' | 'started'>;

/** One turn of a session: requests answers and executes their calls, until an answer has none. */
export class ModelTurn {
  readonly #stop = new AbortController();
  readonly #writer: AnswerWriter;
  #progress: TurnProgress = { kind: 'busy' };
  readonly #running = new Map<LoggedCall, string | undefined>();
  #summaries = 0;
  /** that the current request answers */
  #prompt: LoggedPrompt | undefined;
  /** the prompt, and the summary before it, for which the board was read last */
  #boardRead: readonly [prompt: string, summaries: number] | undefined;

  constructor(
    private readonly session: LiveSession,
    private readonly services: ModelTurnServices,
    readonly kind: 'prompt' | 'compaction',
  ) {
    this.#writer = new AnswerWriter(session, services);
  }

  get live(): LiveAnswer | undefined {
    return this.#writer.live;
  }

  get running(): ReadonlyMap<string, string | undefined> {
    return new Map([...this.#running].map(([{ id }, child]) => [id, child]));
  }

  get progress(): TurnProgress {
    return this.#progress;
  }

  /** Runs the turn to its end; never rejects. */
  async run(): Promise<void> {
    try {
      await (this.kind === 'compaction' ? this.#compaction() : this.#steps());
    } catch (error) {
      if (!this.#isOver()) await this.#failed(error);
    }
  }

  interrupt(): EngineTurnEnd {
    this.#abort();
    const answer =
      this.kind === 'prompt' ? this.#writer.endUnfinished({ end: 'interrupted' }) : undefined;
    return { messageId: answer?.id, reason: 'interrupted' };
  }

  /** Stops the request and all running calls, including subagents. */
  #abort(): void {
    this.#stop.abort();
    for (const call of this.#running.keys()) {
      this.#writer.publishCall(call, { status: 'error', error: 'The turn was interrupted.' });
    }
  }

  #isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  async #steps(): Promise<void> {
    let step = 0;
    for (;;) {
      const prompt = newestPrompt(this.session.records);
      if (prompt === undefined || this.#isOver()) return;
      step = prompt === this.#prompt ? step + 1 : 1;
      this.#prompt = prompt;
      const found = await this.services.agentOf(prompt.agent);
      if (found === undefined) throw new Error(`There is no agent “${prompt.agent}” any more.`);
      const { agent, offered } = found;
      const isLast = step >= agent.steps || this.services.budget.left < 0;
      const answer = await this.#getAnswer(prompt, agent, offered, isLast);
      if (this.#isOver()) return;
      if (answer.calls.length === 0) {
        const reason = answer.end === 'error' ? 'error' : 'completed';
        const end = { messageId: answer.id, reason, error: answer.error } as const;
        if (await this.services.ended(end)) return;
        continue;
      }
      const context = { session: this.session, agent, offered, messageId: answer.id };
      await this.#runCalls(answer.calls, { ...context, model: prompt.model });
      if (this.#isOver()) return;
    }
  }

  /** Requests an answer; if the context is too long, after a summary. */
  async #getAnswer(
    prompt: LoggedPrompt,
    agent: EngineAgent,
    offered: readonly ModelTool[],
    isLast: boolean,
  ): Promise<LoggedAnswer> {
    const request = async (): Promise<Omit<ModelRequest, 'model'>> => {
      await this.#showBoard(prompt);
      const messages = modelMessages(this.session.records);
      const last = { role: 'user', text: LAST_STEP } as const;
      return {
        system: agent.system,
        messages: isLast ? [...messages, last] : messages,
        tools: offered,
        temperature: agent.temperature,
        topP: agent.topP,
      };
    };
    let wanted = await request();
    if (this.#isFull(prompt.model, wanted)) {
      await this.#summarize(prompt);
      wanted = await request();
    }
    try {
      return await this.#streamAnswer(prompt, wanted, isLast);
    } catch (error) {
      const { text, thinking } = this.#writer.live ?? {};
      // What was published of the answer stays: no second one may follow it in the same turn.
      const isTold = Boolean(text) || Boolean(thinking);
      if (isTold || this.#isOver() || !isTooLong(error) || this.#summaries >= MAX_SUMMARIES) {
        throw error;
      }
      this.#writer.end();
      await this.#summarize(prompt);
      return this.#streamAnswer(prompt, await request(), isLast);
    }
  }

  #isFull(model: string, request: Omit<ModelRequest, 'model'>): boolean {
    const { context } = this.services.modelOf(model).info() ?? {};
    if (context === undefined || this.#summaries >= MAX_SUMMARIES || request.messages.length < 3)
      return false;
    return requestTokens(request) > context * FULL;
  }

  /** Streams one answer, and stores it. */
  async #streamAnswer(
    prompt: LoggedPrompt,
    wanted: Omit<ModelRequest, 'model'>,
    isLast: boolean,
  ): Promise<LoggedAnswer> {
    const { session, services } = this;
    const { client, id: model, info } = services.modelOf(prompt.model);
    const isFirst = session.records.findLast(({ kind }) => kind !== 'board') === prompt;
    const live = this.#writer.begin(prompt);
    const calls: LoggedCall[] = [];
    let usage: ModelUsage | undefined;
    let stop: ModelStop = 'end';
    const longest = info()?.output;
    const answerLimit = longest && Math.min(longest, MAX_OUTPUT);
    const request = { ...wanted, model, answerLimit, ...requestIds(session.facts) };
    for await (const event of this.#stream(client, request)) {
      if (this.#isOver()) break;
      if (event.type === 'text' || event.type === 'thinking')
        this.#writer.grow(live, event.type, event.delta);
      else if (event.type === 'signed') live.signed = event.blocks;
      else if (event.type === 'call') calls.push(session.toLoggedCall(event.call, live.id));
      else if (event.type === 'usage') usage = event.usage;
      else stop = event.reason;
    }
    if (this.#isOver()) throw new Error('The turn was interrupted.');
    // After calls of tools, many models end without a word.
    const isEmpty = isFirst && loggedText(live).text.trim() === '';
    const fault =
      calls.length > 0 ? undefined : (STOP_FAULTS[stop] ?? (isEmpty ? EMPTY : undefined));
    const answer: LoggedAnswer = {
      ...toLoggedAnswer(live),
      calls: isLast ? [] : calls,
      end: fault !== undefined ? 'error' : calls.length > 0 && !isLast ? 'calls' : 'completed',
      ...(fault !== undefined && {
        error: { code: stop === 'end' ? 'bad_answer' : stop, message: fault },
      }),
    };
    this.#writer.publishWhole(live);
    const stored = session.record(answer);
    this.#writer.end();
    await stored;
    if (usage === undefined) {
      this.services.budget.left -= requestTokens(wanted) + tokensIn(JSON.stringify(answer));
    } else this.#publishTokens(answer.id, usage, prompt.model, info(), false);
    return answer;
  }

  /** Streams an answer, and reports retries. */
  async *#stream(client: ModelClient, request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = this.#stop;
    const events = client.stream(request, signal, ({ attempt, why, wait }) => {
      const next = Math.ceil(this.services.clock.now() + wait);
      this.#publishProgress({ kind: 'retry', attempt, message: why.message, next });
    });
    for await (const event of events) {
      if (this.#progress.kind === 'retry' && !this.#isOver())
        this.#publishProgress({ kind: 'busy' });
      yield event;
    }
  }

  #publishProgress(payload: TurnProgress): void {
    this.#progress = payload;
    this.services.publish({ type: 'progress.update', sessionId: this.session.facts.id, payload });
  }

  /** Executes calls in order; consecutive calls that start subagents run in parallel. */
  async #runCalls(calls: readonly LoggedCall[], answer: AnswerContext): Promise<void> {
    for (let from = 0, to = 0; from < calls.length && !this.#isOver(); from = to) {
      to = from + 1;
      while (calls[from]?.name === TASK_TOOL && calls[to]?.name === TASK_TOOL) to += 1;
      const waiting = calls.slice(from, to);
      const lane = async (): Promise<void> => {
        for (let call = waiting.shift(); call && !this.#isOver(); call = waiting.shift()) {
          await this.#runCall(call, answer);
        }
      };
      await Promise.all(Array.from({ length: SUB_AGENTS_AT_ONCE }, lane));
    }
  }

  async #runCall(call: LoggedCall, answer: AnswerContext): Promise<void> {
    const { session } = this;
    const input = argumentsOf(call.args);
    const running = { status: 'running', ...(input && { input: { ...input } }) } as const;
    this.#running.set(call, undefined);
    this.#writer.publishCall(call, running);
    const outcome = await this.services.tools.run(call, {
      ...{ ...answer, budget: this.services.budget, abort: this.#stop.signal },
      started: (child) => {
        if (this.#isOver()) return;
        this.#running.set(call, child);
        this.#writer.publishCall(call, { ...running, child });
      },
    });
    if (this.#isOver()) return;
    const child = this.#running.get(call);
    const of = child !== undefined && { child };
    this.#running.delete(call);
    if (outcome.ok) {
      const { title, output } = outcome;
      const metadata = { ...outcome.metadata, ...of };
      this.#writer.publishCall(call, {
        status: 'completed',
        title,
        output,
        ...callFactsIn(metadata),
      });
      await session.record({ kind: 'result', call: call.id, ok: true, title, output, metadata });
    } else {
      const output = outcome.error.message;
      this.#writer.publishCall(call, { status: 'error', error: output, ...of });
      const result = { kind: 'result', call: call.id, ok: false, output } as const;
      await session.record({ ...result, ...(of && { metadata: of }) });
    }
  }

  #publishTokens(
    messageId: string,
    usage: ModelUsage,
    model: string,
    info: ModelInfo | undefined,
    summary: boolean,
  ): void {
    const { input, output, cacheRead, cacheWrite } = usage;
    this.services.budget.left -= input + output;
    const { context: limit, output: longest = MAX_OUTPUT } = info ?? {};
    const cost = costOf(usage, info?.price);
    const payload = {
      kind: 'tokens',
      messageId,
      input: Math.max(0, input - cacheRead - cacheWrite),
      ...{ output, cacheRead, cacheWrite, model },
      ...(limit !== undefined && { limit, reserve: Math.min(longest, MAX_OUTPUT, limit - 1) }),
      ...(summary && { summary }),
      ...(cost !== undefined && { cost }),
    } as const;
    this.services.publish({ type: 'progress.update', sessionId: this.session.facts.id, payload });
  }

  /**
   * Adds the board's summary to the log if the model has not seen it so. It is read once per prompt
   * and summary: later changes are in the tools' answers.
   */
  async #showBoard({ id, agent }: LoggedPrompt): Promise<void> {
    const [prompt, summaries] = this.#boardRead ?? [];
    if (prompt === id && summaries === this.#summaries) return;
    const board = await this.services.boardOf(agent);
    if (this.#isOver()) return;
    this.#boardRead = [id, this.#summaries];
    const { records } = this.session;
    const shown = [...shownBoards(records).values()].at(-1);
    const text = board ?? (shown === undefined ? undefined : NO_BOARD);
    if (text === undefined || text === shown) return;
    // A failure to store it has been noted already.
    this.session.record({ kind: 'board', prompt: id, text }).catch(() => undefined);
  }

  async #compaction(): Promise<void> {
    const prompt = newestPrompt(this.session.records);
    if (prompt === undefined) return;
    const messageId = await this.#summarize(prompt);
    if (!this.#isOver()) await this.services.ended({ messageId, reason: 'completed' });
  }

  /**
   * Writes a summary, which from now on replaces the earlier messages for the model.
   * @returns its message's id
   */
  async #summarize(prompt: LoggedPrompt): Promise<string> {
    const { session, services } = this;
    this.#summaries += 1;
    const messageId = `msg_${services.ids.unique()}`;
    const { text, usage } = await this.#requestSummary(prompt, textToSummarize(session.records));
    await session.record({ kind: 'summary', id: messageId, at: services.clock.now(), text });
    if (usage !== undefined) {
      const { info } = services.modelOf(prompt.model);
      this.#publishTokens(messageId, usage, prompt.model, info(), true);
    }
    const payload = { kind: 'compacted', messageId, summary: text } as const;
    services.publish({ type: 'progress.update', sessionId: session.facts.id, payload });
    return messageId;
  }

  /** Requests a summary of a text; if that is too long, of its second half. */
  async #requestSummary(
    prompt: LoggedPrompt,
    spoken: string,
  ): Promise<{ readonly text: string; readonly usage: ModelUsage | undefined }> {
    const { session, services } = this;
    const { client, id: model } = services.modelOf(prompt.model);
    const request = {
      ...{ model, system: SUMMARY_PROMPT, tools: [], ...requestIds(session.facts) },
      messages: [{ role: 'user', text: spoken }] as const,
    };
    let text = '';
    let usage: ModelUsage | undefined;
    try {
      for await (const event of this.#stream(client, request)) {
        if (this.#isOver()) break;
        if (event.type === 'text') text += event.delta;
        if (event.type === 'usage') ({ usage } = event);
      }
    } catch (error) {
      if (this.#isOver() || !isTooLong(error) || spoken.length < SHORTEST_SUMMARIZED) throw error;
      return this.#requestSummary(prompt, spoken.slice(spoken.length / 2));
    }
    if (this.#isOver()) throw new Error('The turn was interrupted.');
    if (text.trim() === '') throw new ModelError('bad_answer', 'The model wrote no summary.');
    return { text, usage };
  }

  async #failed(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof ModelError ? error.code : 'internal';
    const fault = { code, message };
    this.#abort();
    const answer =
      this.kind === 'prompt'
        ? this.#writer.endUnfinished({ end: 'error', error: fault }, this.#prompt)
        : undefined;
    await this.services.ended({ messageId: answer?.id, reason: 'error', error: fault });
  }
}

const STOP_FAULTS: Readonly<Partial<Record<ModelStop, string>>> = {
  length:
    'The answer was cut: it is as long as the model’s answers may be. Ask for less at a time.',
  refused: 'The provider refused to answer this. Say it differently, or choose another model.',
};

const EMPTY = 'The model said nothing. Try again, or choose another model.';

/** An estimate of the input tokens of a request. */
function requestTokens({ system, tools, messages }: Omit<ModelRequest, 'model'>): number {
  return tokensIn(system + JSON.stringify([tools, messages]));
}

function isTooLong(error: unknown): boolean {
  return error instanceof ModelError && error.code === 'context_too_long';
}

/** The ids that a request is sent with. */
function requestIds({ id: session, parentId, by }: SessionFacts) {
  return { session, ...(by !== undefined && { parent: parentId }) };
}

function toLoggedAnswer(live: LiveAnswer) {
  const { id, at, prompt } = live;
  return { kind: 'answer', id, at, prompt, ...loggedText(live) } as const;
}
