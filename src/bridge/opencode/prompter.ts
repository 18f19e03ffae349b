import { KeyedQueue } from '../../core/keyed-queue';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import {
  validItems,
  type CommandBody,
  type CommandInfo,
  type ModelName,
  type OpencodeApi,
  type PromptBody,
} from './opencode-api';
import { orElse } from '../../core/or-else';
import {
  commandFiles,
  parseSlashCommand,
  readKey,
  keyOfParts,
  parseModelName,
  promptParts,
} from './prompt-parts';
import { RecentMap } from './recent-map';
import type { SessionCache } from './session-cache';
import * as z from 'zod/mini';
import type { Clock } from '../../core/ports';
import { readMessages } from './history';
import type { EventOf, OpencodeEvent } from './opencode-event';

/** Agent and model of a session, for prompts that name none. */
interface AgentAndModel {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

type Message = ToBridgeOf<'session.message'>;

/** Prompts to remember; more than sessions work on at the same time. */
const MAX_TOLD = 1_000;

type Taken = Pick<FromBridgeOf<'prompt.taken'>['payload'], 'messageId' | 'before'>;

/**
 * Sends prompts, in order within each session. Checks agent and model first: OpenCode accepts any,
 * and fails later without reporting it to the sender.
 */
export class Prompter {
  private readonly queue = new KeyedQueue();
  /** by session, the model that it was started with */
  private readonly models = new Map<string, string>();
  /** prompts with a key that OpenCode accepted but has not stored yet */
  private readonly unstored = new Set<string>();
  /** by session, called when the prompt of a command has been created */
  private readonly commandStarts = new Map<string, () => void>();
  /** ids of the prompts that OpenCode has told of */
  private readonly toldPrompts = new RecentMap<string, true>(MAX_TOLD);
  /** by session: id of the message that requested a compaction, set when the compaction failed */
  private readonly compactions = new Map<string, string | undefined>();

  constructor(
    private readonly api: OpencodeApi,
    private readonly sessions: SessionCache,
    private readonly prompts: Pick<StoredPrompts, 'find' | 'kept'>,
  ) {}

  /** @throws WireError `bad_message` if the agent or model doesn't exist */
  async check({ agent, model }: AgentAndModel): Promise<void> {
    if (agent !== undefined) await this.checkAgent(agent);
    if (model !== undefined) await this.checkModel(model);
  }

  /** Remembers the model that a session was started with. OpenCode itself keeps only the agent. */
  remember(sessionId: string, { model }: AgentAndModel): void {
    if (model !== undefined && !this.models.has(sessionId)) this.models.set(sessionId, model);
  }

  forget(sessionId: string): void {
    this.models.delete(sessionId);
    this.compactions.delete(sessionId);
  }

  handleEvent(event: OpencodeEvent): void {
    if (event.type === 'session.deleted') this.forget(event.properties.sessionID);
    if (event.type === 'session.status' && event.properties.status.type === 'idle') {
      this.dropCompaction(event.properties.sessionID);
    }
    if (event.type !== 'message.updated') return;
    const { info, sessionID } = event.properties;
    // OpenCode tells an earlier prompt again when it adds to it.
    if (info.role === 'user' && this.toldPrompts.get(info.id) === undefined) {
      this.toldPrompts.set(info.id, true);
      this.commandStarts.get(sessionID)?.();
    }
    const isFailed = info.mode === 'compaction' && info.error !== undefined;
    if (isFailed && this.compactions.has(sessionID)) {
      this.compactions.set(sessionID, info.parentID);
    }
  }

  /** Has the past of a session summarised, with the model of its newest prompt. */
  async compact(sessionId: string): Promise<void> {
    this.compactions.set(sessionId, undefined);
    await this.api.sendToSession(sessionId, 'POST', '/summarize', await this.anyModel(sessionId));
  }

  /**
   * Removes the request of a failed compaction before the next prompt, since OpenCode would repeat
   * that compaction instead of answering the prompt. If removing fails, OpenCode does so.
   */
  private dropCompaction(sessionId: string): void {
    const messageId = this.compactions.get(sessionId);
    if (messageId === undefined) return;
    this.compactions.delete(sessionId);
    const remove = () => this.api.sendToSession(sessionId, 'DELETE', `/message/${messageId}`);
    void this.queue.run(sessionId, remove).catch(() => undefined);
  }

  /**
   * Resolves when OpenCode has accepted the prompt. One with a key is sent only if it was not sent
   * before, and resolves when OpenCode has stored it.
   * @throws WireError `timeout` if OpenCode accepted the prompt but hasn't stored it; this process
   * won't send it again
   */
  send(message: Message, before: () => void): Promise<Taken | undefined> {
    const { sessionId, payload } = message;
    const { key } = payload;
    return this.queue.run(sessionId, async () => {
      if (key === undefined) return void (await this.forward(message, before));
      const known = await this.prompts.find(sessionId, key);
      if (known !== undefined) return { messageId: known, before: true };
      const name = `${sessionId} ${key}`;
      const again = this.unstored.has(name);
      if (!again) await this.forward(message, before);
      this.unstored.add(name);
      try {
        const messageId = await this.prompts.kept(sessionId, key);
        this.unstored.delete(name);
        return { messageId, before: again };
      } catch (error) {
        // After a failure it won't be stored any more; after a timeout it still may be.
        if (error instanceof WireError && error.code !== 'timeout') this.unstored.delete(name);
        throw error;
      }
    });
  }

  private async forward({ sessionId, payload }: Message, before: () => void): Promise<void> {
    const session = await this.sessions.get(sessionId);
    await this.check(payload);
    const agent = payload.agent ?? session.agent;
    const chosen = payload.model ?? this.models.get(sessionId);
    const model = chosen === undefined ? undefined : parseModelName(chosen);
    const command = await this.commandOf(payload);
    before();
    if (command !== undefined) {
      return this.runCommand(sessionId, {
        ...command,
        ...(agent !== undefined && { agent }),
        ...(chosen !== undefined && { model: chosen }),
      });
    }
    // Resolves when OpenCode has accepted it; the answer comes as events.
    const body: PromptBody = {
      parts: promptParts(payload.text, payload.context, payload.key),
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
    };
    await this.api.sendToSession(sessionId, 'POST', '/prompt_async', body);
  }

  /**
   * The command that the text starts with, if OpenCode has it. Prompts with a key are sent as text,
   * since a command can't carry a key.
   * @throws WireError
   */
  private async commandOf({
    text,
    key,
    context,
  }: Message['payload']): Promise<CommandBody | undefined> {
    const line = key === undefined ? parseSlashCommand(text) : undefined;
    if (line === undefined) return undefined;
    const command = (await this.api.commands()).find(({ name }) => name === line.name);
    if (command === undefined) return undefined;
    const parts = commandFiles(context);
    if (parts.length > 0 && (await this.isSubtask(command))) {
      const words = `“/${line.name}” starts a subagent, which gets no notes. Send it without.`;
      throw new WireError('bad_message', words);
    }
    return { command: line.name, arguments: line.args, parts };
  }

  /** Whether the command runs in a subagent, decided as OpenCode does. */
  private async isSubtask({ agent, subtask }: CommandInfo): Promise<boolean> {
    if (subtask !== undefined || agent === undefined) return subtask === true;
    return (await this.api.agents()).some(
      ({ name, mode }) => name === agent && mode === 'subagent',
    );
  }

  /**
   * Runs a command. OpenCode answers only when the turn is over, so this resolves when the prompt
   * is created.
   */
  private async runCommand(sessionId: string, body: CommandBody): Promise<void> {
    const begun = new Promise<void>((resolve) => this.commandStarts.set(sessionId, resolve));
    try {
      // Failures within the turn are reported by its events.
      await Promise.race([begun, this.api.sendToSession(sessionId, 'POST', '/command', body)]);
    } finally {
      this.commandStarts.delete(sessionId);
    }
  }

  /** A model for requests that need one: that of the newest prompt, or else the first available. */
  private async anyModel(sessionId: string): Promise<ModelName> {
    const { model: last } = await this.api.session(sessionId);
    if (last !== undefined) return { providerID: last.providerID, modelID: last.id };
    const known = this.models.get(sessionId) ?? (await this.api.models())[0]?.id;
    const model = known === undefined ? undefined : parseModelName(known);
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

const stored = z.object({
  info: z.object({ id: z.string(), time: z.object({ created: z.number() }) }),
  parts: orElse(validItems(z.object({ metadata: z.optional(z.unknown()) })), []),
});

/** The known prompts of a session. */
interface KnownPrompts {
  /** message ids by key */
  readonly prompts: Map<string, string>;
  /** the newest message read; all older ones have been read too */
  newest: string | undefined;
  /** the last failure of a prompt or turn that OpenCode reported */
  fault: string | undefined;
}

/** Messages read per request. */
const PAGE = 50;

/** ms within which OpenCode must store an accepted prompt; less than a client waits. */
const STORE_TIMEOUT = 8_000;

/** Finds prompts with a key in OpenCode's storage. */
export class StoredPrompts {
  readonly #sessions = new Map<string, KnownPrompts>();
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly api: Pick<OpencodeApi, 'ask'>,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  handleEvent(event: OpencodeEvent): void {
    if (event.type === 'session.deleted') this.#sessions.delete(event.properties.sessionID);
    if (event.type === 'session.error') this.#recordFault(event.properties);
    if (event.type !== 'message.part.updated') return;
    const { sessionID, part } = event.properties;
    const key = readKey(part.metadata);
    if (key === undefined) return;
    this.#knownPrompts(sessionID).prompts.set(key, part.messageID);
    for (const look of [...this.#waiting]) look();
  }

  /**
   * The message id of the prompt with this key; undefined if OpenCode has none. Reads messages
   * added since the last time, since other processes write to the session too.
   * @throws WireError
   */
  async find(sessionId: string, key: string): Promise<string | undefined> {
    const known = this.#knownPrompts(sessionId);
    if (!known.prompts.has(key)) await this.#read(sessionId, known);
    return known.prompts.get(key);
  }

  /**
   * Waits until OpenCode stores a prompt that it has accepted, and returns the message id.
   * @throws WireError `timeout`; `internal` if OpenCode reported a failure meanwhile
   */
  async kept(sessionId: string, key: string): Promise<string> {
    const known = this.#knownPrompts(sessionId);
    const { prompts } = known;
    known.fault = undefined;
    if (!prompts.has(key)) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          undo();
          this.#waiting.delete(look);
          resolve();
        };
        const look = (): void => {
          if (prompts.has(key)) done();
        };
        const undo = this.clock.after(STORE_TIMEOUT, done);
        this.#waiting.add(look);
      });
    }
    const messageId = await this.find(sessionId, key);
    if (messageId !== undefined) return messageId;
    const { fault } = this.#knownPrompts(sessionId);
    if (fault !== undefined) throw new WireError('internal', fault);
    throw new WireError('timeout', 'OpenCode took the prompt and does not show it yet.', true);
  }

  async #read(sessionId: string, known: KnownPrompts): Promise<void> {
    let before: z.infer<typeof stored>['info'] | undefined;
    let newest = known.newest;
    for (;;) {
      const page = await readMessages(this.api, sessionId, stored, PAGE, before);
      if (before === undefined) newest = page.at(-1)?.info.id;
      for (const { info, parts } of page) {
        const key = keyOfParts(parts);
        if (key !== undefined) known.prompts.set(key, info.id);
      }
      const [oldest] = page;
      const hasReachedKnown = page.some(({ info }) => info.id === known.newest);
      if (hasReachedKnown || oldest === undefined || page.length < PAGE) break;
      before = oldest.info;
    }
    known.newest = newest;
  }

  #recordFault({ sessionID, error }: EventOf<'session.error'>['properties']): void {
    const known = this.#sessions.get(sessionID ?? '');
    if (known && error) known.fault = error.data?.message ?? error.name;
  }

  #knownPrompts(sessionId: string): KnownPrompts {
    const fresh = { prompts: new Map<string, string>(), newest: undefined, fault: undefined };
    const known = this.#sessions.get(sessionId) ?? fresh;
    this.#sessions.set(sessionId, known);
    return known;
  }
}
