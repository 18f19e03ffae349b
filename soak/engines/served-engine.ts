import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakePluginInstall, opencodeBinary } from '../../test/bridge/opencode-run';
import { openForwarder, PASSWORD, type Forwarder } from '../../test/bridge/stock-opencode';
import { startServing } from '../../test/engine/served-model';
import { launchOpencode, type OpencodeProcess } from '../../workbench/demo/launch-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import type { Reaper } from '../../workbench/demo/reaper';
import { FaultProxy } from '../link/fault-proxy';
import { NO_FAULTS } from '../link/link-faults';
import { PluginLink } from '../link/plugin-link';
import { SeededRandom } from '../seeded';

/** A failure that is inflicted on an engine while it works. */
export type EngineFault =
  | 'serve is killed'
  | 'OpenCode is killed'
  | 'an agent is killed'
  | 'the line is cut'
  | 'the stream of OpenCode is cut';

type Serving = Awaited<ReturnType<typeof startServing>>;

/** ms for which OpenCode's event stream is gone */
const STREAM_OUTAGE_MS = 300;

/** Peak resource use of an `agent-boards serve`. */
export interface ResourceUse {
  readonly handles: number;
  readonly mebibytes: number;
}

/** One `agent-boards serve`, its engine, and the plugin's end of the connection to it. */
export class ServedEngine {
  readonly link: PluginLink;
  #peakUse: ResourceUse = { handles: 0, mebibytes: 0 };
  #injection: Promise<void> | undefined;
  #random: SeededRandom | undefined;
  /** requests until the next blow */
  #requestsUntilFault: number | undefined;
  /** number of blows so far */
  faultCount = 0;

  private constructor(
    readonly faults: readonly EngineFault[],
    private readonly start: () => Promise<Serving>,
    private serving: Serving,
    private proxy: FaultProxy,
    private readonly opencode: StockOpencode | undefined,
  ) {
    this.link = new PluginLink(() => ({ port: this.proxy.port, run: this.serving.runFile }), 2, [
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
    const args = ['--engine', 'acp', '--', opencodeBinary(), 'acp'];
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
    blows: readonly EngineFault[],
    start: () => Promise<Serving>,
    opencode?: StockOpencode,
  ): Promise<ServedEngine> {
    const serving = await start();
    const line = await openProxy(serving);
    return new ServedEngine(blows, start, serving, line, opencode);
  }

  /** Peak resource use so far. */
  get peakUse(): ResourceUse {
    return this.#peakUse;
  }

  get output(): string {
    return this.serving.said();
  }

  /** Whether a blow is in progress. */
  get isInjecting(): boolean {
    return this.#injection !== undefined;
  }

  /**
   * The blow to deliver at this request, if any. Cycles through the engine's blows, with some
   * requests between two of them.
   */
  nextFault(seed: number, most: number): { what: EngineFault; isBefore: boolean } | undefined {
    this.#random ??= new SeededRandom(seed + this.faults.length);
    this.#requestsUntilFault ??= 1 + this.#random.below(most);
    this.#requestsUntilFault -= 1;
    const what = this.faults[this.faultCount % this.faults.length];
    if (this.#requestsUntilFault > 0 || what === undefined) return undefined;
    this.faultCount += 1;
    this.#requestsUntilFault = 1 + this.#random.below(most);
    return { what, isBefore: this.#random.below(2) === 0 };
  }

  /** Resolves when what was ended runs again. */
  inject(blow: EngineFault): Promise<void> {
    this.#injection = this.#runFault(blow).finally(() => (this.#injection = undefined));
    return this.#injection;
  }

  async #runFault(blow: EngineFault): Promise<void> {
    await this.measure();
    if (blow === 'the line is cut') this.proxy.cutAll();
    else if (blow === 'serve is killed') await this.#restart();
    else if (blow === 'an agent is killed') await this.#killAgent();
    else if (blow === 'OpenCode is killed') await this.opencode?.restart();
    else await this.opencode?.interruptStream();
  }

  async #restart(): Promise<void> {
    const agents = await this.agents();
    await this.#end('SIGKILL');
    // An agent whose standard input is closed has to end by itself.
    this.orphans.push(...agents);
    this.serving = await this.start();
    this.proxy = await openProxy(this.serving);
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
  async measure(): Promise<ResourceUse> {
    const pid = this.serving.process.pid ?? 0;
    const [handles, status] = await Promise.all([
      readdir(`/proc/${pid}/fd`).catch(() => []),
      readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
    ]);
    const kibibytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    const now = { handles: handles.length, mebibytes: Math.round(kibibytes / 1024) };
    this.#peakUse = {
      handles: Math.max(now.handles, this.#peakUse.handles),
      mebibytes: Math.max(now.mebibytes, this.#peakUse.mebibytes),
    };
    return now;
  }

  async close(): Promise<void> {
    await this.#injection;
    this.link.close();
    await this.#end('SIGTERM');
    await this.opencode?.close();
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.serving.end(signal);
    await this.proxy.close();
  }
}

function openProxy({ runFile }: Serving): Promise<FaultProxy> {
  return FaultProxy.start(runFile.port, () => NO_FAULTS);
}

/** A real `opencode serve` without our plugin, behind a proxy. */
class StockOpencode {
  private constructor(
    private readonly launch: () => Promise<OpencodeProcess>,
    private process: OpencodeProcess,
    readonly wire: Forwarder,
  ) {}

  static async start(
    vault: string,
    env: Readonly<Record<string, string>>,
    reaper: Reaper,
  ): Promise<StockOpencode> {
    const options = { binary: opencodeBinary(), vault, env, reaper, password: PASSWORD, port: 0 };
    const launch = () => launchOpencode(options);
    const process = await launch();
    return new StockOpencode(launch, process, await openForwarder(process.port));
  }

  async restart(): Promise<void> {
    await this.process.kill();
    this.process = await this.launch();
    this.wire.restore(this.process.port);
  }

  async interruptStream(): Promise<void> {
    this.wire.cut();
    await new Promise((resolve) => setTimeout(resolve, STREAM_OUTAGE_MS));
    this.wire.restore();
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
  fakePluginInstall(join(base, 'vault/.opencode'));
  await mkdir(join(base, home));
  return isolatedEnvironment({ home: join(base, home), modelUrl });
}

/** Whether a process runs. */
export function isRunning(pid: number): boolean {
  try {
    // A zombie (ended, but not waited for) does not run.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
