import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFile } from '../../src/protocol/run-file';
import { launchOpencode } from '../../workbench/demo/launch-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { startReaper } from '../../workbench/demo/reaper';
import { startServing } from '../engine/served-model';
import type { EngineRun } from './engine-contract';
import { startModel, type Model } from './model';
import { opencodeBinary, fakePluginInstall } from './opencode-run';

/** The password of the test servers. */
export const PASSWORD = 'canary-password-of-the-server';

interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** A stock `opencode serve` with a password, without our plugin, and `agent-boards serve` on it. */
export interface StockRun<M extends Endpoint = Model> extends Omit<EngineRun, 'model' | 'restart'> {
  readonly base: string;
  readonly model: M;
  /** the connection between the two */
  readonly wire: Forwarder;
  /** what `agent-boards serve` wrote to standard error */
  readonly said: () => string;
  /** Kills both and starts both again. */
  restart(): Promise<StockRun<M>>;
  /** Kills only OpenCode and starts it at another address, to which the wire then leads. */
  restartOpencode(): Promise<void>;
  /** Puts another OpenCode, with its own home and no password, at its address. @returns an undo */
  replaceOpencode(): Promise<() => Promise<void>>;
  /** Kills only `agent-boards serve` and starts it again. */
  restartServe(): Promise<RunFile>;
  /** Calls OpenCode's HTTP interface directly, not over the wire. */
  api(method: string, path: string, body?: unknown): Promise<unknown>;
}

export async function startStock(prepare?: (vault: string) => void): Promise<StockRun> {
  return startStockOn(await startModel(), prepare);
}

/** @param prepare called once, before the first start */
export async function startStockOn<M extends Endpoint>(
  model: M,
  prepare?: (vault: string) => void,
): Promise<StockRun<M>> {
  const base = mkdtempSync(join(tmpdir(), 'atb-stock-'));
  mkdirSync(join(base, 'home'));
  fakePluginInstall(join(base, 'vault/.opencode'));
  prepare?.(join(base, 'vault'));
  return launch(base, model);
}

async function launch<M extends Endpoint>(base: string, model: M): Promise<StockRun<M>> {
  const vault = join(base, 'vault');
  const reaper = startReaper();
  const env = isolatedEnvironment({ home: join(base, 'home'), modelUrl: model.url });
  const config = JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '{}') as Record<string, unknown>;
  const own = { ...config, permission: { bash: 'ask' } };
  const started = {
    env: { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(own) },
    ...{ binary: opencodeBinary(), vault, reaper, password: PASSWORD },
  };
  let opencode = await launchOpencode({ ...started, port: 0 });
  const wire = await openForwarder(opencode.port);
  const url = ['--engine', 'opencode', '--url', wire.url];
  const serve = () => startServing(base, url, { OPENCODE_SERVER_PASSWORD: PASSWORD });
  let served = await serve();
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    await served.end(signal);
    await opencode.kill();
    wire.close();
  };
  return {
    ...{ ...served, base, model, wire },
    said: () => served.said(),
    restart: async () => {
      await end('SIGKILL');
      return launch(base, model);
    },
    restartOpencode: async () => {
      await opencode.kill();
      opencode = await launchOpencode({ ...started, port: 0 });
      wire.restore(opencode.port);
    },
    replaceOpencode: async () => {
      mkdirSync(join(base, 'other'));
      const env = isolatedEnvironment({ home: join(base, 'other'), modelUrl: model.url });
      const other = await launchOpencode({ ...started, env, password: '', port: 0 });
      wire.cut();
      wire.restore(other.port);
      return async () => {
        wire.cut();
        await other.kill();
        wire.restore(opencode.port);
      };
    },
    restartServe: async () => {
      await served.end('SIGKILL');
      served = await serve();
      return served.runFile;
    },
    api: async (method, path, body) => {
      const at = new URL(path, opencode.url);
      at.searchParams.set('directory', vault);
      const secret = Buffer.from(`opencode:${PASSWORD}`).toString('base64');
      const headers = { authorization: `Basic ${secret}`, 'content-type': 'application/json' };
      const answer = await fetch(at, { method, headers, body: JSON.stringify(body) });
      const text = await answer.text();
      return text === '' ? undefined : (JSON.parse(text) as unknown);
    },
    close: async () => {
      await end('SIGTERM');
      await model.close();
      served.reaper.close();
      reaper.close();
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A TCP forwarder to a local port that can be cut. */
export interface Forwarder {
  readonly url: string;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Accepts connections again and forwards them to this port; the same as before if absent. */
  restore(port?: number): void;
  close(): void;
}

export async function openForwarder(first: number): Promise<Forwarder> {
  let [port, isCut] = [first, false];
  const open = new Set<Socket>();
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    restore: (to = port) => {
      [port, isCut] = [to, false];
    },
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
