import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lookInstalled, binary } from '../../test/bridge/opencode-run';
import { openWire, PASSWORD, type Wire } from '../../test/bridge/stock-opencode';
import { startServing } from '../../test/engine/served-model';
import { launchOpencode, type OpencodeProcess } from '../../workbench/demo/launch-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import type { Reaper } from '../../workbench/demo/reaper';
import { FaultProxy } from '../link/fault-proxy';
import { NO_FAULTS } from '../link/link-faults';
import { PluginLink } from '../link/plugin-link';
import { Seeded } from '../seeded';

/** A failure that is inflicted on an engine while it works. */
export type Blow =
  | 'serve is killed'
  | 'OpenCode is killed'
  | 'an agent is killed'
  | 'the line is cut'
  | 'the stream of OpenCode is cut';

type Serving = Awaited<ReturnType<typeof startServing>>;

/** ms for which OpenCode's event stream is gone */
const AWAY = 300;

/** Peak resource use of an `agent-boards serve`. */
export interface Used {
  readonly handles: number;
  readonly mebibytes: number;
}

/** One `agent-boards serve`, its engine, and the plugin's end of the connection to it. */
export class ServedEngine {
  readonly link: PluginLink;
  #used: Used = { handles: 0, mebibytes: 0 };
  #striking: Promise<void> | undefined;
  #random: Seeded | undefined;
  /** requests until the next blow */
  #left: number | undefined;
  /** number of blows so far */
  blowCount = 0;

  private constructor(
    readonly blows: readonly Blow[],
    private readonly start: () => Promise<Serving>,
    private serving: Serving,
    private line: FaultProxy,
    private readonly opencode: StockOpencode | undefined,
  ) {
    this.link = new PluginLink(() => ({ port: this.line.port, run: this.serving.runFile }), 2, [
      'permissions',
      'questions',
    ]);
    this.link.connection.connect();
  }

  /** @param base holds `vault`, which other engines may serve as well */
  static async model(base: string, modelUrl: string, reaper: Reaper): Promise<ServedEngine> {
    const args = ['--engine', 'model', '--provider', 'own', '--url', modelUrl];
    return ServedEngine.#open(['serve is killed', 'the line is cut'], () =>
      startServing(base, args, {}, reaper),
    );
  }

  static async acp(base: string, modelUrl: string, reaper: Reaper): Promise<ServedEngine> {
    const env = await environment(base, 'home-acp', modelUrl);
    const args = ['--engine', 'acp', '--', binary(), 'acp'];
    return ServedEngine.#open(['an agent is killed', 'serve is killed', 'the line is cut'], () =>
      startServing(base, args, env, reaper),
    );
  }

  static async opencode(base: string, modelUrl: string, reaper: Reaper): Promise<ServedEngine> {
    const env = await environment(base, 'home-stock', modelUrl);
    const stock = await StockOpencode.start(join(base, 'vault'), env, reaper);
    const args = ['--engine', 'opencode', '--url', stock.wire.url];
    return ServedEngine.#open(
      ['OpenCode is killed', 'the stream of OpenCode is cut', 'serve is killed', 'the line is cut'],
      () => startServing(base, args, { OPENCODE_SERVER_PASSWORD: PASSWORD }, reaper),
      stock,
    );
  }

  static async #open(
    blows: readonly Blow[],
    start: () => Promise<Serving>,
    opencode?: StockOpencode,
  ): Promise<ServedEngine> {
    const serving = await start();
    const line = await lineTo(serving);
    return new ServedEngine(blows, start, serving, line, opencode);
  }

  /** Peak resource use so far. */
  get used(): Used {
    return this.#used;
  }

  get said(): string {
    return this.serving.said();
  }

  /** Whether a blow is in progress. */
  get isStruck(): boolean {
    return this.#striking !== undefined;
  }

  /**
   * The blow to deliver at this request, if any. Cycles through the engine's blows, with some
   * requests between two of them.
   */
  nextBlow(seed: number, most: number): { what: Blow; isBefore: boolean } | undefined {
    this.#random ??= new Seeded(seed + this.blows.length);
    this.#left ??= 1 + this.#random.below(most);
    this.#left -= 1;
    const what = this.blows[this.blowCount % this.blows.length];
    if (this.#left > 0 || what === undefined) return undefined;
    this.blowCount += 1;
    this.#left = 1 + this.#random.below(most);
    return { what, isBefore: this.#random.below(2) === 0 };
  }

  /** Resolves when what was ended runs again. */
  strike(blow: Blow): Promise<void> {
    this.#striking = this.#strike(blow).finally(() => (this.#striking = undefined));
    return this.#striking;
  }

  async #strike(blow: Blow): Promise<void> {
    await this.look();
    if (blow === 'the line is cut') this.line.cutAll();
    else if (blow === 'serve is killed') await this.#restart();
    else if (blow === 'an agent is killed') await this.#killAgent();
    else if (blow === 'OpenCode is killed') await this.opencode?.restart();
    else await this.opencode?.away();
  }

  async #restart(): Promise<void> {
    const agents = await this.agents();
    await this.#end('SIGKILL');
    // An agent whose standard input is closed has to end by itself.
    this.orphans.push(...agents);
    this.serving = await this.start();
    this.line = await lineTo(this.serving);
  }

  /** process ids of agents whose `serve` was killed */
  readonly orphans: number[] = [];

  async #killAgent(): Promise<void> {
    const [agent] = (await this.agents()).slice(-1);
    if (agent !== undefined) process.kill(agent, 'SIGKILL');
  }

  /** Process ids of the direct children of this `serve`. */
  async agents(): Promise<readonly number[]> {
    const pid = this.serving.process.pid ?? 0;
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    return text
      .split(' ')
      .filter((one) => one !== '')
      .map(Number);
  }

  /** Measures the resource use, where the system has `/proc`. */
  async look(): Promise<Used> {
    const pid = this.serving.process.pid ?? 0;
    const [handles, status] = await Promise.all([
      readdir(`/proc/${pid}/fd`).catch(() => []),
      readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
    ]);
    const kibibytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    const now = { handles: handles.length, mebibytes: Math.round(kibibytes / 1024) };
    this.#used = {
      handles: Math.max(now.handles, this.#used.handles),
      mebibytes: Math.max(now.mebibytes, this.#used.mebibytes),
    };
    return now;
  }

  async close(): Promise<void> {
    await this.#striking;
    this.link.close();
    await this.#end('SIGTERM');
    await this.opencode?.close();
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.serving.end(signal);
    await this.line.close();
  }
}

function lineTo({ runFile }: Serving): Promise<FaultProxy> {
  return FaultProxy.start(runFile.port, () => NO_FAULTS);
}

/** A real `opencode serve` without our plugin, behind a proxy. */
class StockOpencode {
  private constructor(
    private readonly launch: () => Promise<OpencodeProcess>,
    private process: OpencodeProcess,
    readonly wire: Wire,
  ) {}

  static async start(
    vault: string,
    env: Readonly<Record<string, string>>,
    reaper: Reaper,
  ): Promise<StockOpencode> {
    const options = { binary: binary(), vault, env, reaper, password: PASSWORD, port: 0 };
    const launch = () => launchOpencode(options);
    const process = await launch();
    return new StockOpencode(launch, process, await openWire(process.port));
  }

  async restart(): Promise<void> {
    await this.process.kill();
    this.process = await this.launch();
    this.wire.mend(this.process.port);
  }

  async away(): Promise<void> {
    this.wire.cut();
    await new Promise((resolve) => setTimeout(resolve, AWAY));
    this.wire.mend();
  }

  async close(): Promise<void> {
    await this.process.kill();
    this.wire.close();
  }
}

/** Environment of an OpenCode with its own home. */
async function environment(
  base: string,
  home: string,
  modelUrl: string,
): Promise<Record<string, string>> {
  lookInstalled(join(base, 'vault/.opencode'));
  await mkdir(join(base, home));
  return isolatedEnvironment({ home: join(base, home), modelUrl });
}

/** Whether a process runs. */
export function runs(pid: number): boolean {
  try {
    // A zombie (ended, but not waited for) does not run.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
