import { access, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedRunAgents, type AgentAnswer } from '../../workbench/demo/scripted-run-agents';
import type { GoalScript } from '../../workbench/demo/goal-script';
import { launchOpencode, type OpencodeProcess } from '../../workbench/demo/launch-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { startReaper, type Reaper } from '../../workbench/demo/reaper';
import { startScriptedModel, type ScriptedModel } from '../../workbench/demo/scripted-model';
import { waitUntil } from '../../workbench/demo/wait-until';
import { RUN_FOLDER } from '../../src/protocol/run-file';
import { ChildLines } from '../child-lines';
import type { Programs } from './programs';
import { EventLog } from './event-log';

/** ms from OpenCode's start to the run file of its bridge */
const BRIDGE_LIMIT_MS = 30_000;

/** Output and exit of a program. */
export interface ProgramResult {
  readonly lines: readonly string[];
  /** undefined if it exited with 0 */
  readonly fault: string | undefined;
}

/** A vault with a real OpenCode on a scripted model, and the command line that carries out runs. */
export class RunVault {
  #opencode: OpencodeProcess | undefined;
  #isKept = false;
  #drivers = 0;
  /** the log of events, for investigating a loss */
  readonly eventLog = new EventLog();

  private constructor(
    private readonly programs: Programs,
    /** folder of the vault and of OpenCode's home with its data and log */
    readonly base: string,
    private readonly model: ScriptedModel,
    private readonly env: Readonly<Record<string, string>>,
    private readonly reaper: Reaper,
    private readonly forget: () => void,
    private readonly current: { cast: ScriptedRunAgents },
  ) {}

  static async open(programs: Programs, script: GoalScript): Promise<RunVault> {
    const base = await mkdtemp(join(tmpdir(), 'atb-goal-'));
    const reaper = startReaper();
    const forget = reaper.addFolder(base);
    const plugins = join(base, 'vault/.opencode/plugin');
    await mkdir(plugins, { recursive: true });
    await mkdir(join(base, 'home'));
    await copyFile(programs.bridge, join(plugins, 'agent-task-boards.js'));
    const playing = { cast: new ScriptedRunAgents(script) };
    const model = await startScriptedModel({
      defaultDelayMs: 0,
      cast: { answer: (request) => playing.cast.answer(request) },
    });
    const env = isolatedEnvironment({ home: join(base, 'home'), modelUrl: model.url });
    return new RunVault(programs, base, model, env, reaper, forget, playing);
  }

  /** all requests to the model so far */
  get requests(): ScriptedModel['requests'] {
    return this.model.requests;
  }

  /** Switches the model to this script and resets its counters. */
  setScript(script: GoalScript, before: (answer: AgentAnswer) => Promise<void>): void {
    this.current.cast = new ScriptedRunAgents(script, (answer) => {
      const { role, task, attempt, n, sessionId } = answer.prompt;
      const what = `${role} "${task}" attempt ${attempt}, prompt ${n} of ${sessionId}`;
      this.eventLog.add('model', `asked for answer ${answer.index} to ${what}`);
      return before(answer);
    });
  }

  get agents(): ScriptedRunAgents {
    return this.current.cast;
  }

  get folder(): string {
    return join(this.base, 'vault');
  }

  get opencode(): OpencodeProcess | undefined {
    return this.#opencode;
  }

  async startOpencode(): Promise<void> {
    const { env, reaper, folder: vault } = this;
    const binary = this.programs.opencode;
    const onLine = (line: string): void => this.eventLog.add('opencode', line);
    const started = await launchOpencode({ binary, vault, env, port: 0, reaper, onLine });
    this.#opencode = started;
    this.eventLog.add('opencode', `is process ${started.pid}`);
    // Programs that are started next find the bridge by this file.
    const file = join(vault, RUN_FOLDER, `${started.pid}.json`);
    if (!(await waitUntil(() => exists(file), BRIDGE_LIMIT_MS))) {
      throw new Error('The bridge was not loaded.');
    }
  }

  async killOpencode(): Promise<void> {
    if (this.#opencode !== undefined) this.eventLog.add('opencode', 'is killed');
    await this.#opencode?.kill();
    this.#opencode = undefined;
  }

  /** Starts `agent-boards` with these arguments; it is ended with this program. */
  driver(args: readonly string[]): ChildLines {
    const child = this.programs.cli(this.folder, args);
    const name = `driver ${(this.#drivers += 1)}`;
    const lines = new ChildLines(child, (line) => this.eventLog.add(name, line));
    this.eventLog.add(name, `is process ${child.pid}: ${args.join(' ')}`);
    void lines.ended.then(() => this.eventLog.add(name, `ended. ${lines.fault ?? ''}`));
    if (child.pid !== undefined) {
      const undo = this.reaper.addProcess(child.pid);
      void lines.ended.then(undo);
    }
    return lines;
  }

  /** Runs `agent-boards` and waits until it exits. */
  async runCommand(...args: readonly string[]): Promise<ProgramResult> {
    const lines = this.driver(args);
    await lines.ended;
    return { lines: lines.lines, fault: lines.fault };
  }

  /** GET request to OpenCode's HTTP API. */
  async get(path: string): Promise<unknown> {
    const url = new URL(path, this.#opencode?.url);
    url.searchParams.set('directory', this.folder);
    return (await fetch(url)).json();
  }

  /** Keeps the folder when everything else is removed. @returns its path */
  keep(): string {
    this.#isKept = true;
    this.forget();
    return this.base;
  }

  async close(): Promise<void> {
    await this.killOpencode();
    await this.model.close();
    if (this.#isKept) await writeFile(join(this.base, 'story.log'), this.eventLog.text);
    else await rm(this.base, { recursive: true, force: true, maxRetries: 5 });
    this.forget();
    this.reaper.close();
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
