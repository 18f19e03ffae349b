import { KeyedQueue } from '../core/board/keyed-queue';
import type { FromBridgeOf } from '../protocol/from-bridge';
import type { ToBridgeOf } from '../protocol/to-bridge';
import { WireError } from '../protocol/wire-error';
import type { ModelName, OpencodeApi } from './opencode-api';
import { modelName, promptParts, type PromptContext } from './prompt-parts';
import type { SessionBook } from './session-book';
import type { StoredPrompts } from './stored-prompts';

/** What a session was started with, for prompts that don't say otherwise. */
interface Choice {
  readonly agent: string | undefined;
  readonly model: string | undefined;
}

type Message = ToBridgeOf<'session.message'>;
type Taken = Pick<FromBridgeOf<'prompt.taken'>['payload'], 'messageId' | 'before'>;

/** For the prompts of a session; the context is for its first. */
interface Started {
  readonly model?: string | undefined;
  readonly context?: PromptContext | undefined;
}

/**
 * Sends prompts, those of a session in their order. OpenCode takes any agent and model and only
 * later fails without a word to the sender, so both are checked before.
 */
export class Prompter {
  private readonly queue = new KeyedQueue();
  private readonly started = new Map<string, Started>();
  /** what OpenCode took under a key and does not show yet */
  private readonly underWay = new Set<string>();

  constructor(
    private readonly api: OpencodeApi,
    private readonly book: SessionBook,
    private readonly prompts: Pick<StoredPrompts, 'find' | 'kept'>,
  ) {}

  /** @throws WireError `bad_message` for an agent or a model that is not there */
  async check({ agent, model }: Choice): Promise<void> {
    if (agent !== undefined) await this.checkAgent(agent);
    if (model !== undefined) await this.checkModel(model);
  }

  /** What a session was started with and OpenCode itself, which keeps only the agent, does not keep. */
  remember(sessionId: string, { model, context }: Started): void {
    if (this.started.has(sessionId) || (model === undefined && context === undefined)) return;
    this.started.set(sessionId, { model, context });
  }

  forget(sessionId: string): void {
    this.started.delete(sessionId);
  }

  /** Returns when OpenCode took the prompt. @throws WireError */
  send(message: Message, before: () => void): Promise<void> {
    return this.queue.run(message.sessionId, () => this.pass(message, before));
  }

  /**
   * Sends a prompt with a key, unless it was sent before; returns when OpenCode keeps it.
   * @throws WireError `timeout` where it took the prompt and doesn't show it: then it is not sent
   * again by this process
   */
  sendOnce(message: Message, key: string, before: () => void): Promise<Taken> {
    const { sessionId } = message;
    return this.queue.run(sessionId, async () => {
      const known = await this.prompts.find(sessionId, key);
      if (known !== undefined) return { messageId: known, before: true };
      const name = `${sessionId} ${key}`;
      const again = this.underWay.has(name);
      if (!again) await this.pass(message, before);
      this.underWay.add(name);
      try {
        const messageId = await this.prompts.kept(sessionId, key);
        this.underWay.delete(name);
        return { messageId, before: again };
      } catch (error) {
        // One that failed won't be kept any more; one that takes long may be.
        if (error instanceof WireError && error.code !== 'timeout') this.underWay.delete(name);
        throw error;
      }
    });
  }

  private async pass({ sessionId, payload }: Message, before: () => void): Promise<void> {
    const session = await this.book.get(sessionId);
    await this.check({ agent: payload.agent, model: payload.model });
    const agent = payload.agent ?? session.agent;
    const started = this.started.get(sessionId);
    const chosen = payload.model ?? started?.model;
    const model = chosen === undefined ? undefined : modelName(chosen);
    before();
    await this.api.prompt(sessionId, {
      parts: promptParts(payload.text, payload.context ?? started?.context, payload.key),
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
    });
    if (started?.context) this.started.set(sessionId, { ...started, context: undefined });
  }

  /** A model for what OpenCode does only with one: the session's, else the first there is. */
  async anyModel(sessionId: string): Promise<ModelName> {
    const known = this.started.get(sessionId)?.model ?? (await this.api.models())[0]?.id;
    const model = known === undefined ? undefined : modelName(known);
    if (!model) throw new WireError('conflict', 'OpenCode has no model.');
    return model;
  }

  private async checkAgent(agent: string): Promise<void> {
    const agents = (await this.api.agents()).filter(({ hidden }) => hidden !== true);
    if (agents.some(({ name }) => name === agent)) return;
    const names = agents.map(({ name }) => name).join(', ');
    throw new WireError('bad_message', `There is no agent “${agent}”. There are: ${names}.`);
  }

  private async checkModel(model: string): Promise<void> {
    if ((await this.api.models()).some(({ id }) => id === model)) return;
    throw new WireError('bad_message', `There is no model “${model}”.`);
  }
}
