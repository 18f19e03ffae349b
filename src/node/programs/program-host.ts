import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { request } from 'node:http';
import { isAbsolute, sep } from 'node:path';
import { createInterface } from 'node:readline';
import {
  serveArgs,
  type AgentProgram,
  type ProgramHost,
  type StartedProgram,
  type StartFault,
  type StartRequest,
} from '../../core/session/program-host';
import { EXIT_WITH_STDIN, killTree, sweepGroup } from '../processes';
import { lineCleaner } from './clean-line';
import { findProgram, isProgram, thisMachine, type HostEnvironment } from './find-program';
import { spawnPlan, type SpawnPlan } from './spawn-plan';

/** Runs programs as children of this process. */
export function nodeProgramHost(hostEnvironment: () => HostEnvironment = thisMachine): ProgramHost {
  return {
    find: (name) => findProgram(name, hostEnvironment()),
    openCode: (request) =>
      new ServedProgram(request, openCode(request, hostEnvironment()), hostEnvironment()),
    agent: (request) =>
      new ServedProgram(request, agentServer(request, request.agent), hostEnvironment()),
  };
}

type Ready = Awaited<StartedProgram['ready']>;

/** A kind of program. */
interface Program {
  /** name for messages */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** matches the line that it prints when it is ready */
  readonly says: RegExp;
  /**
   * Called then, for the remaining steps.
   * @param said the match of that line
   */
  readonly last: (said: RegExpExecArray) => Ready | Promise<Ready>;
  /** a program that it starts in turn */
  readonly starts?: string;
}

/** Serves on a free port of loopback, with a password. */
function openCode({ folder }: StartRequest, { env }: HostEnvironment): Program {
  // Uses the person's own password if there is one, since their other programs may need it.
  const own = env.OPENCODE_SERVER_PASSWORD;
  const password = own === undefined || own === '' ? randomBytes(24).toString('base64url') : own;
  return {
    name: 'OpenCode',
    args: ['serve', '--port', '0', '--hostname', '127.0.0.1'],
    // Lets our bridge end it when its input ends.
    env: { OPENCODE_SERVER_PASSWORD: password, [EXIT_WITH_STDIN]: '1' },
    says: /listening on (http:\/\/127\.0\.0\.1:\d+)/,
    last: ([, url = '']) => loadVault(url, folder, password),
  };
}

/** Matches what `agent-boards serve` prints when its run file exists. */
const READY_LINE = /^Sessions of /;

/** Signals that others send; at the rest a program ends by its own fault. */
const END_SIGNALS: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP']);

/** Lines that follow an error: its stack trace and details, and what Node writes at the end. */
const TRACE_LINE = /^ |^Node\.js v\d/;

/** Agents don't get the passwords or keys of other programs. */
function agentServer({ folder }: StartRequest, agent: AgentProgram): Program {
  const started = {
    ...{ name: agent.name, args: serveArgs(folder, agent), says: READY_LINE },
    last: () => ({ ok: true }) as const,
  };
  if (agent.kind === 'opencode') {
    const password = agent.password === '' ? undefined : agent.password;
    const env = { ...CLEARED_ENV, OPENCODE_SERVER_PASSWORD: password };
    return { ...started, env };
  }
  return { ...started, env: CLEARED_ENV, starts: agent.command };
}

const CLEARED_ENV = {
  ...{ OPENCODE_SERVER_PASSWORD: undefined, AGENT_BOARDS_KEY: undefined },
  [EXIT_WITH_STDIN]: '1',
};

class ServedProgram implements StartedProgram {
  readonly ready: Promise<Ready>;
  private child: ChildProcess | undefined;
  private killed = false;

  constructor(
    private readonly request: StartRequest,
    private readonly program: Program,
    private readonly host: HostEnvironment,
  ) {
    this.ready = this.start();
  }

  kill(): void {
    this.killed = true;
    if (this.child !== undefined) killTree(this.child, this.host.platform);
  }

  private async start(): Promise<Ready> {
    const { path, folder } = this.request;
    const plan = spawnPlan({ ...this.program, path }, this.host);
    if ('problem' in plan) return fault('not_found', plan.problem);
    for (const one of [path, this.program.starts ?? path]) {
      if (!isAbsolute(one) || !(await isProgram(one))) {
        return fault('not_found', `There is no program at ${one}. Set the path, or use Detect.`);
      }
      if (await isInside(one, folder)) {
        const words = 'A program inside the vault is not started. Install it elsewhere.';
        return fault('not_found', words);
      }
    }
    if (this.killed) return fault('not_started', 'It was stopped.');
    const result = await this.waitUntilReady(plan).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      return fault('not_started', `${this.program.name} could not be started: ${why}`);
    });
    return 'ok' in result ? result : this.program.last(result);
  }

  /** Starts the program and waits for the line that it prints when it is ready. */
  private waitUntilReady(plan: SpawnPlan): Promise<RegExpExecArray | StartFault> {
    const { folder, onLine, onExit } = this.request;
    const { name, says } = this.program;
    const clean = lineCleaner(plan.env);
    return new Promise((resolve) => {
      const child = spawn(plan.file, plan.args, {
        cwd: folder,
        env: plan.env,
        // The input is never written to. It closes when this process ends, even if it is killed.
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
        windowsVerbatimArguments: plan.verbatim,
        detached: this.host.platform !== 'win32',
      });
      this.child = child;
      let lastError: string | undefined;
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          const text = clean(line);
          onLine(text);
          if (stream === child.stderr && /\p{L}/u.test(text) && !TRACE_LINE.test(text))
            lastError = text.trim();
          const match = says.exec(line);
          if (match !== null) resolve(match);
        });
      }
      child.once('error', (error) => {
        resolve(fault('not_started', `${name} could not be started: ${error.message}`));
      });
      child.once('exit', () => sweepGroup(child, this.host.platform));
      // Its last output comes before `close`.
      child.once('close', (code, signal) => {
        const how = signal ?? `exit code ${code ?? 'unknown'}`;
        const wasEnded = code === 0 || END_SIGNALS.has(signal);
        const said = wasEnded ? undefined : lastError;
        const why = fault('not_started', `${name} ended before it was ready (${how}).`);
        resolve({ ...why, lastError: said });
        if (child.pid !== undefined) onExit(`${name} ended (${how}).`, said);
      });
    });
  }
}

async function loadVault(url: string, folder: string, password: string): Promise<Ready> {
  try {
    const status = await loadFolder(url, folder, password);
    if (status === 200) return { ok: true, url };
    return fault('refused', `OpenCode runs, but did not open this vault (status ${status}).`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fault('refused', `OpenCode ended while it opened this vault: ${why}`);
  }
}

async function isInside(path: string, folder: string): Promise<boolean> {
  const [program, root] = await Promise.all([realpath(path), realpath(folder)]);
  return program.startsWith(root.endsWith(sep) ? root : root + sep);
}

function fault(code: StartFault['code'], message: string): StartFault {
  return { ok: false, code, message };
}

/**
 * Sends the first request for a folder, at which `opencode serve` loads the folder's plugins. Has
 * no timeout, since OpenCode first installs its packages into a new folder.
 * @returns the status of the answer; rejects if there is none
 */
export function loadFolder(url: string, folder: string, password: string): Promise<number> {
  const target = new URL('/config', url);
  target.searchParams.set('directory', folder);
  const auth = `opencode:${password}`;
  return new Promise((resolve, reject) => {
    const asked = request(target, { auth, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end();
  });
}
