import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseNote } from '../src/core/board/note/parse-note';
import { startBridge, type LocalBridge } from './link/local-bridge';
import { FaultProxy } from './link/fault-proxy';
import { faultsWithCut } from './link/link-faults';
import { withTimeout } from './link/with-timeout';
import { PluginLink } from './link/plugin-link';
import { runToolCalls } from './link/vault-plugin';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

const FULL = 100_000;
/** Number of bridges at the same time, each with a link and a plugin. */
const LANES = 2;
/** Sessions of a lane that call concurrently; the calls of one session are sequential. */
const WORKERS = 4;
/** Calls of one session: its board grows with them. */
const IN_ONE_SESSION = 25;
/** Most bytes between two cuts; a call takes about 1,500. */
const MAX_BYTES_TO_CUT = 12_000;
/** Fraction of the calls that wait for the link; without one, the bridge runs the call itself. */
const LINK_SHARE = 0.95;
/** Fraction of the lost links that reconnect at once; the others wait for the plugin's own pause. */
const IMMEDIATE_RETRY_SHARE = 0.8;

type Count = (what: string, by?: number) => void;

/** R5: tool calls over a link that breaks, some of them aborted; each effect is on the boards once. */
export const runCalls: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const injected: Record<string, number> = {};
  const lost: string[] = [];
  const count: Count = (what, by = 1) => void (injected[what] = (injected[what] ?? 0) + by);
  let left = Math.max(WORKERS * LANES, Math.ceil(FULL * share));
  const wanted = left;
  /** Number of calls for the next session; 0 when all were made. */
  const take = (): number => {
    const some = Math.min(IN_ONE_SESSION, left);
    if (Math.floor((wanted - left) / 5_000) < Math.floor((wanted - left + some) / 5_000)) {
      progress(`R5 ${wanted - left + some} of ${wanted} calls`);
    }
    left -= some;
    return some;
  };
  const lanes = Array.from({ length: LANES }, (_, at) =>
    new CallLane(new SeededRandom(seed + at), count, (what) =>
      lost.push(`${what} (--seed ${seed}, lane ${at})`),
    ).work(take),
  );
  await Promise.all(lanes);
  return { name: 'R5', what: 'repeated and interrupted tool calls', injected, lost };
};

interface Ends {
  readonly bridge: LocalBridge;
  readonly plugin: PluginLink;
}

/** Waits for the link. @returns whether it is connected */
async function waitForLink(plugin: PluginLink): Promise<boolean> {
  const there = plugin.connected().then(() => true);
  return (await withTimeout(there, 60_000)) === true;
}

function boardFolder(session: string): string {
  return `.opencode/todos/${session}`;
}

/** Outcome of a call, as far as its caller knows. */
type Outcome = 'done' | 'not done' | 'unknown';

class CallLane {
  #sessions = 0;

  constructor(
    private readonly random: SeededRandom,
    private readonly count: Count,
    private readonly lose: (what: string) => void,
  ) {}

  async work(take: () => number): Promise<void> {
    const { random, count } = this;
    const bridge = await startBridge([]);
    const repeat = (text: string): boolean => text.includes('"seq":') && random.next() < 0.05;
    const proxy = await FaultProxy.start(bridge.run.port, () =>
      faultsWithCut(random, MAX_BYTES_TO_CUT, repeat),
    );
    const plugin = new PluginLink(() => ({ port: proxy.port, run: bridge.run }));
    runToolCalls(plugin, bridge.vault, random, () => count('calls run by the plugin'));
    plugin.connection.onState(({ kind }) => {
      if (kind !== 'reconnecting' || random.next() >= IMMEDIATE_RETRY_SHARE) return;
      setImmediate(() => plugin.connection.retryNow());
    });
    plugin.connection.connect();
    const ends = { bridge, plugin };
    try {
      const worker = async (): Promise<void> => {
        for (let calls = take(); calls > 0; calls = take()) await this.#session(ends, calls);
      };
      await Promise.all(Array.from({ length: WORKERS }, worker));
    } finally {
      plugin.close();
      await proxy.close();
      await bridge.close();
    }
    for (const [what, times] of Object.entries(proxy.counts)) count(what, times);
  }

  /** A new session: makes its calls, then checks its board. */
  async #session({ bridge, plugin }: Ends, calls: number): Promise<void> {
    const id = `ses_${(this.#sessions += 1)}`;
    const { opencode, hooks } = bridge;
    opencode.addSession(id, id);
    const info = { id, title: id, directory: bridge.vault };
    await hooks.event({ event: { type: 'session.created', properties: { sessionID: id, info } } });
    const outcomes = new Map<string, Outcome>();
    for (let at = 1; at <= calls; at += 1) {
      const title = `${id} call ${at}`;
      if (this.random.next() < LINK_SHARE && !(await waitForLink(plugin))) {
        this.lose(`The link was not there for a minute, before ${title}.`);
      }
      const outcome = await withTimeout(this.#call(bridge, id, title), 60_000);
      if (outcome === undefined) this.lose(`${title} has no outcome after a minute.`);
      outcomes.set(title, outcome ?? 'unknown');
    }
    await this.#check(bridge, id, outcomes);
    // Removes the board: every call lists the existing boards, and thousands would take all the
    // time.
    // The removal is retried, since an interrupted call may still write there.
    const folder = join(bridge.vault, boardFolder(id));
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
    // Else each welcome lists all past sessions, and the link breaks before a call gets through.
    opencode.removeSession(id);
    await hooks.event({ event: { type: 'session.deleted', properties: { sessionID: id, info } } });
  }

  async #call({ hooks }: LocalBridge, sessionID: string, title: string): Promise<Outcome> {
    const { random, count } = this;
    count('calls');
    const abort = new AbortController();
    const args = { operations: [{ type: 'add', title }] };
    const called = hooks.tool.tasks?.execute(args, {
      ...{ sessionID, messageID: 'msg_1', agent: 'build', callID: `call_${title}` },
      abort: abort.signal,
      ask: () => Promise.resolve(),
    });
    if (random.next() < 0.15) void this.#interrupt(abort);
    try {
      const answer = await called;
      count(answer?.metadata.via === 'headless' ? 'calls run by the bridge' : 'calls answered');
      return 'done';
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      count('calls refused');
      if (words.startsWith('Nothing was done')) return 'not done';
      if (!words.includes('It may have been done')) this.lose(`${title} was refused: ${words}`);
      return 'unknown';
    }
  }

  async #interrupt(abort: AbortController): Promise<void> {
    for (let turn = this.random.below(60); turn > 0; turn -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.count('interrupts');
    abort.abort();
  }

  async #check({ vault }: LocalBridge, id: string, outcomes: ReadonlyMap<string, Outcome>) {
    const path = `${boardFolder(id)}/build-tasks.md`;
    const text = await readFile(join(vault, path), 'utf8').catch(() => '');
    const { board } = parseNote(path, text);
    if (board.broken !== null) this.lose(`The board of ${id} is torn.`);
    for (const [title, outcome] of outcomes) {
      const times = board.tasks.filter((task) => task.title === title).length;
      this.count('effects', times);
      const fits = { done: times === 1, 'not done': times === 0, unknown: times <= 1 }[outcome];
      if (!fits) this.lose(`"${title}", ${outcome}, stands there ${times} times.`);
    }
    const strange = board.tasks.filter((task) => !outcomes.has(task.title));
    if (strange.length > 0) this.lose(`${strange.length} tasks of ${id} were never asked for.`);
  }
}
