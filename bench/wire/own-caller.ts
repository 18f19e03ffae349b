import { startBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { LANES, type Caller } from './caller';
import { SAMPLE_ARGS } from './sample-call';
import { startChild } from './start-child';

/**
 * The whole bridge as OpenCode loads it, called through its tool, and the plugin's end of the
 * connection.
 */
export async function ownCaller(): Promise<Caller> {
  const sessions = Array.from({ length: LANES }, (_, lane) => `ses_${lane}`);
  const bridge = await startBridge(sessions);
  try {
    // A client is sent these sessions' status when it attaches, which shows that it is attached.
    for (const sessionID of sessions) {
      const properties = { sessionID, status: { type: 'idle' } };
      await bridge.hooks.event({ event: { type: 'session.status', properties } });
    }
    const { child } = await startChild('plugin', JSON.stringify(bridge.run));
    return new OwnCaller(bridge, sessions, () => child.disconnect());
  } catch (error) {
    await bridge.close();
    throw error;
  }
}

class OwnCaller implements Caller {
  #calls = 0;
  readonly #aborts: readonly AbortSignal[];

  constructor(
    private readonly bridge: LocalBridge,
    private readonly sessions: readonly string[],
    private readonly end: () => void,
  ) {
    this.#aborts = sessions.map(() => new AbortController().signal);
  }

  async call(lane: number): Promise<unknown> {
    const [sessionID = '', abort] = [this.sessions[lane], this.#aborts[lane]];
    if (abort === undefined) throw new Error(`There is no lane ${lane}.`);
    const answer = await this.bridge.hooks.tool.tasks?.execute(SAMPLE_ARGS, {
      sessionID,
      messageID: 'msg_1',
      agent: 'build',
      abort,
      callID: `call_${(this.#calls += 1)}`,
      ask: () => Promise.resolve(),
    });
    if (answer?.metadata.via !== 'websocket') throw new Error('A call did not go over the socket.');
    return answer;
  }

  async close(): Promise<void> {
    this.end();
    await this.bridge.close();
  }
}
