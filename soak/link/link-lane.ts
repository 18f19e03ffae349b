import type { RunFile } from '../../src/protocol/run-file';
import type { SeededRandom } from '../seeded';
import { startBridge, type LocalBridge } from './local-bridge';
import { FaultProxy } from './fault-proxy';
import { DeliveryCheck } from './delivery-check';
import type { LinkFaults } from './link-faults';
import { withTimeout } from './with-timeout';
import { PluginLink } from './plugin-link';
import { TurnWriter } from './turn-writer';

interface LaneSession {
  readonly id: string;
  readonly writer: TurnWriter;
  readonly heard: DeliveryCheck;
  /** prompts that the plugin sent and OpenCode has not received yet, in order */
  readonly prompts: string[];
}

/**
 * A bridge, a faulty proxy and the plugin's end of the link, with several sessions that work all
 * the time.
 */
export class LinkLane {
  readonly #byId: ReadonlyMap<string, LaneSession>;
  #wake: () => void = () => undefined;
  /** number of prompts that the plugin sent */
  prompts = 0;

  private constructor(
    readonly bridge: LocalBridge,
    readonly proxy: FaultProxy,
    readonly plugin: PluginLink,
    readonly sessions: readonly LaneSession[],
    private readonly lose: (what: string) => void,
  ) {
    bridge.opencode.onEffect = () => this.#handleEffects();
    this.#byId = new Map(sessions.map((session) => [session.id, session]));
    plugin.bus.onAll((event) => {
      const session = this.#byId.get(event.sessionId);
      if (session === undefined)
        lose(`${event.type} of the strange session ${event.sessionId} came.`);
      else session.heard.recordReceived(event);
      this.#wake();
    });
  }

  static async start(
    count: number,
    random: SeededRandom,
    faults: () => LinkFaults,
    lose: (what: string) => void,
    clockFactor?: number,
  ): Promise<LinkLane> {
    const ids = Array.from({ length: count }, (_, at) => `ses_${at + 1}`);
    const bridge = await startBridge(ids);
    const proxy = await FaultProxy.start(bridge.run.port, faults);
    const run: RunFile = bridge.run;
    const plugin = new PluginLink(() => ({ port: proxy.port, run }), clockFactor);
    const sessions = ids.map((id) => ({
      id,
      writer: new TurnWriter(id, random),
      heard: new DeliveryCheck((what) => lose(`${id}: ${what}`)),
      prompts: [],
    }));
    return new LinkLane(bridge, proxy, plugin, sessions, lose);
  }

  /** Connects and waits until every session is attached. From then on, each missing event is a loss. */
  async begin(): Promise<void> {
    for (const { id, heard } of this.sessions) {
      heard.recordSent({
        event: { type: 'session.status', properties: {} },
        facts: ['idle'],
        words: 0,
      });
      const properties = { sessionID: id, status: { type: 'idle' } };
      await this.bridge.hooks.event({ event: { type: 'session.status', properties } });
    }
    this.plugin.connection.connect();
    if (!(await this.catchUp(0))) throw new Error('The link was never there.');
  }

  /** One step of a session's work. @returns the number of events */
  async step(session: LaneSession): Promise<number> {
    const all = session.writer.next();
    for (const told of all) {
      session.heard.recordSent(told);
      await this.bridge.hooks.event({ event: told.event });
    }
    return all.length;
  }

  /** Sends a person's prompt; if the plugin accepts it, it must arrive once, in order. */
  sendPrompt({ id, prompts }: LaneSession): void {
    const text = `prompt ${this.prompts + 1}`;
    const draft = { type: 'session.message', sessionId: id, payload: { text } } as const;
    if (!this.plugin.connection.send(draft)) return;
    this.prompts += 1;
    prompts.push(text);
  }

  #handleEffects(): void {
    for (const { path, body } of this.bridge.opencode.takeEffects()) {
      const session = this.#byId.get(path.split('/')[2] ?? '');
      const text = (body as { parts?: { text: string }[] }).parts?.[0]?.text;
      const expected = session?.prompts.shift();
      if (text !== expected) this.lose(`"${text}" reached OpenCode, and "${expected}" was next.`);
    }
    this.#wake();
  }

  /** Number of words, facts and prompts that were sent and have not arrived. */
  get missing(): number {
    return this.sessions.reduce(
      (sum, { heard, prompts }) => sum + heard.missing + prompts.length,
      0,
    );
  }

  get receivedCount(): number {
    return this.sessions.reduce((sum, { heard }) => sum + heard.receivedCount, 0);
  }

  /** Describes what is missing, the state of the link and its last log notes, for debugging. */
  get state(): string {
    const behind = this.sessions.filter(({ heard, prompts }) => heard.missing + prompts.length > 0);
    const told = behind.slice(0, 5).map(({ id, heard, prompts }) => {
      return `${id} ${heard.state}, ${prompts.length} prompts`;
    });
    const { connection, notes } = this.plugin;
    const link = `${JSON.stringify(connection.state)}, ${this.proxy.links} links`;
    return `${behind.length} sessions: ${told.join('; ')}; ${link}; ${notes.slice(-5).join(' ')}`;
  }

  /** Waits until at most `most` events are missing. @returns false if nothing arrives any more */
  async catchUp(most: number): Promise<boolean> {
    while (this.missing > most) {
      const woken = new Promise<true>((resolve) => (this.#wake = () => resolve(true)));
      if ((await withTimeout(woken)) === undefined) return false;
    }
    return true;
  }

  async close(): Promise<void> {
    this.plugin.close();
    await this.proxy.close();
    await this.bridge.close();
  }
}
