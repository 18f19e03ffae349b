import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '../../test/model/loopback';
import { frames } from '../../test/model/model-server';
import { SeededRandom } from '../seeded';

/** Most bad answers in one step; later requests of the step are answered well. */
const MAX_BAD = 2;

/** Bad answers out of ten, until a step has had {@link MAX_BAD}. */
const BAD_OF_TEN = 4;

const BAD_KINDS = [
  ...['cut', 'ended early', 'wrong JSON', 'status 500', 'status 429', 'no stream'],
  ...['silent', 'bad arguments', 'unknown tool'],
] as const;
type BadKind = (typeof BAD_KINDS)[number];

/** Matches the step that a prompt asks of a session. */
const STEP = /\b(s\d+) step (\d+)\b/g;

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly unknown[];
}

/** One step of a session, as seen by the model. */
interface Step {
  readonly tag: string;
  readonly random: SeededRandom;
  /** number of answers with tool calls before the final text */
  readonly rounds: number;
  bad: number;
}

export interface StepModelOptions {
  readonly seed: number;
  /** Called before a session's request is answered; the answer waits for it. */
  readonly onRequest: (tag: string) => Promise<void>;
  /** Called when an answer has started and then stalls until its request is aborted. */
  readonly onStall: (tag: string) => void;
  /** reports a violation */
  readonly lose: (what: string) => void;
}

/**
 * A model on loopback that adds tasks to the board of each session, step by step; some of its
 * answers are bad. All its texts and titles name the session, and none is used twice.
 */
export class StepModel {
  readonly counts: Record<string, number> = {};
  /** titles of the tasks that the model asked for, and of those whose call was reported done */
  readonly called = new Set<string>();
  readonly answered = new Set<string>();
  /** from now on no answer is bad */
  isGood = false;
  readonly #steps = new Map<string, Step>();
  readonly #titles = new Map<string, string>();
  #last = 0;

  private constructor(private readonly options: StepModelOptions) {}

  static async start(
    options: StepModelOptions,
  ): Promise<{ model: StepModel; url: string; close: () => Promise<void> }> {
    const model = new StepModel(options);
    const server = createServer((request, response) => {
      // The client is gone.
      response.on('error', () => undefined);
      model.#answer(request, response).catch((error: unknown) => {
        options.lose(`The model failed: ${String(error)}`);
        response.destroy();
      });
    });
    const { origin, close } = await listenOnLoopback(server);
    return { model, url: `${origin}/v1`, close };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'script', object: 'model' }] }));
      return;
    }
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { messages, tools = [] } = JSON.parse(body) as {
      readonly messages: readonly Message[];
      readonly tools?: readonly { readonly function: { readonly name: string } }[];
    };
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const found = [...textOf(messages[last]).matchAll(STEP)].at(-1);
    // OpenCode requests a title for the first prompt.
    if (found === undefined || tools.length === 0)
      return sendAnswer(response, { content: 'A title' });
    const [name, tag = ''] = found;
    this.#checkMessages(tag, messages);
    const step = this.#step(name, tag);
    await this.options.onRequest(tag);
    if (response.destroyed) return;
    this.#count('answers of the model');
    const given = messages.slice(last).filter(({ tool_calls: calls }) => calls !== undefined);
    const number = (this.#last += 1);
    const words = `${tag} says ${number}.`;
    const tool = tools.find((one) => /(^|_)tasks$/.test(one.function.name))?.function.name;
    if (tool === undefined && given.length < step.rounds) this.#count('answers without tools');
    const isCall = tool !== undefined && given.length < step.rounds;
    const calls = isCall ? this.#calls(tag, number, step, tool) : [];
    const bad = this.#pickBadKind(step);
    if (bad === undefined) return sendAnswer(response, { content: words, calls });
    this.#sendBadAnswer(response, { bad, words, calls, number, step, tag });
  }

  /** Checks that every message of a request belongs to the session, and every result to an earlier call. */
  #checkMessages(tag: string, messages: readonly Message[]): void {
    for (const message of messages) {
      const others = [...textOf(message).matchAll(STEP)].filter(([, one]) => one !== tag);
      if (message.role === 'user' && others.length > 0) {
        this.options.lose(`The model of ${tag} was sent ${others[0]?.[0]}.`);
      }
      const title = this.#titles.get(message.tool_call_id ?? '');
      if (message.role !== 'tool' || title === undefined) continue;
      if (!title.startsWith(`${tag}-`)) {
        this.options.lose(`The model of ${tag} was sent the answer of ${title}.`);
      }
      if (isDone(textOf(message), title)) this.answered.add(title);
    }
  }

  #step(name: string, tag: string): Step {
    const known = this.#steps.get(name);
    if (known !== undefined) return known;
    const random = new SeededRandom(seedOf(`${this.options.seed} ${name}`));
    const step = { tag, random, rounds: 1 + random.below(2), bad: 0 };
    this.#steps.set(name, step);
    return step;
  }

  #calls(tag: string, number: number, { random }: Step, tool: string): readonly Call[] {
    return Array.from({ length: 1 + random.below(2) }, (_, at) => {
      const id = `call_${number}_${at}`;
      const title = `${tag}-${number}-${at}`;
      this.#titles.set(id, title);
      this.called.add(title);
      return { id, name: tool, args: JSON.stringify({ operations: [{ type: 'add', title }] }) };
    });
  }

  #pickBadKind(step: Step): BadKind | undefined {
    const { random } = step;
    if (this.isGood || step.bad >= MAX_BAD || random.below(10) >= BAD_OF_TEN) return undefined;
    step.bad += 1;
    const kind = random.pick(BAD_KINDS);
    this.#count(`answers, ${kind}`);
    return kind;
  }

  #sendBadAnswer(
    response: ServerResponse,
    { bad, words, calls, number, step, tag }: BadAnswer,
  ): void {
    const bytes = Buffer.from(framesOf({ content: words, calls }));
    const part = bytes.subarray(0, step.random.below(bytes.length));
    const id = `call_${number}_x`;
    const name = calls[0]?.name ?? 'tasks';
    if (bad === 'status 500' || bad === 'status 429') return sendError(response, bad);
    if (bad === 'no stream') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
    } else if (bad === 'bad arguments') {
      sendAnswer(response, { content: words, calls: [{ id, name, args: '{"operations": [{"ty' }] });
    } else if (bad === 'unknown tool') {
      sendAnswer(response, { content: words, calls: [{ id, name: 'no_such_tool', args: '{}' }] });
    } else {
      response.writeHead(200, STREAM);
      if (bad === 'ended early') response.end(part);
      if (bad === 'wrong JSON')
        response.end(`${framesOf({ content: words }, false)}data: {"ch\n\n`);
      if (bad === 'cut') response.write(part, () => response.socket?.destroy());
      if (bad === 'silent') {
        response.write(framesOf({ content: words }, false), () => this.options.onStall(tag));
      }
    }
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

interface Call {
  readonly id: string;
  readonly name: string;
  /** JSON as sent */
  readonly args: string;
}

interface BadAnswer {
  readonly bad: BadKind;
  readonly words: string;
  readonly calls: readonly Call[];
  readonly number: number;
  readonly step: Step;
  readonly tag: string;
}

interface AnswerContent {
  readonly content: string;
  readonly calls?: readonly Call[];
}

const STREAM = { 'content-type': 'text/event-stream' };

function sendAnswer(response: ServerResponse, said: AnswerContent): void {
  response.writeHead(200, STREAM);
  response.end(framesOf(said));
}

/** The frames of a chat completion, one per word. */
function framesOf({ content, calls = [] }: AnswerContent, isWhole = true): string {
  const frame = (delta: object, finish: string | null = null): object => ({
    ...{ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'script' },
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(finish && { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
  });
  const said = (content.match(/\S+\s*/g) ?? []).map((word) => frame({ content: word }));
  const made = calls.map(({ id, name, args }, index) => {
    const call = { index, id, type: 'function', function: { name, arguments: args } };
    return frame({ tool_calls: [call] });
  });
  const end = [frame({}, calls.length > 0 ? 'tool_calls' : 'stop'), '[DONE]'];
  return frames(frame({ role: 'assistant' }), ...said, ...made, ...(isWhole ? end : []));
}

function sendError(response: ServerResponse, bad: 'status 429' | 'status 500'): void {
  const headers = { 'content-type': 'application/json', 'retry-after': '1' };
  response.writeHead(bad === 'status 429' ? 429 : 500, headers);
  response.end(JSON.stringify({ error: { message: `scripted ${bad}` } }));
}

/** Whether a tool result says that the call did its work. */
function isDone(words: string, title: string): boolean {
  return words.includes(title) && !/ FAILED \(|Nothing was done|may have been done/.test(words);
}

function textOf(message: Message | undefined): string {
  const { content } = message ?? {};
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { readonly text?: string }) => part.text ?? '').join('\n');
}

/** Derives a seed from a text. */
function seedOf(words: string): number {
  let sum = 7;
  for (const letter of words) sum = (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return sum;
}
