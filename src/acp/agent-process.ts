import { spawn, type ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import {
  client,
  methods,
  ndJsonStream,
  RequestError,
  type AgentRequestMethod,
  type AgentRequestParamsByMethod,
  type AgentRequestResponsesByMethod,
  type AvailableCommand,
  type ClientConnection,
  type InitializeResponse,
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import type { Clock, Log } from '../core/ports';
import { killTree, sweepGroup } from '../node/processes';

/** A failure of an agent, with a message for the person. */
export class AgentError extends Error {
  constructor(
    readonly code: 'agent_ended' | 'agent_failed' | 'auth_required' | 'timeout',
    message: string,
  ) {
    super(message);
  }
}

/** Handles the messages of the agent that works for a turn. */
export interface AcpTurnClient {
  update(update: SessionUpdate): void;
  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
  read(request: ReadTextFileRequest): Promise<ReadTextFileResponse>;
  write(request: WriteTextFileRequest): Promise<void>;
}

export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** the command line in the form that the system needs */
  readonly started: {
    readonly file: string;
    readonly args: readonly string[];
    /** whether Windows passes the arguments unquoted */
    readonly verbatim: boolean;
  };
  /** path of the vault, absolute */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Log;
  /** called with the commands that the agent offers, each time they change */
  readonly offers: (commands: readonly AvailableCommand[]) => void;
  /** removes secrets from what the agent wrote to standard error */
  readonly redact: (text: string) => string;
}

/** Maximum bytes of a message from an agent. */
const LARGEST_MESSAGE = 16 * 1024 * 1024;

/**
 * ms to wait for any answer except that to a prompt: on its first start an agent may be downloaded.
 */
const ANSWER_TIMEOUT = 120_000;

/** Maximum UTF-16 units of the end of standard error in a message. */
const MAX_STDERR_TAIL = 600;

/** ms for the process to end by itself; less than `agent-boards serve` is given to end. */
const KILL_GRACE = 1_000;

/** ms to read the remaining output of a process that has exited. */
const DRAIN_TIMEOUT = 300;

/** JSON-RPC error code that the protocol defines. */
const AUTH_REQUIRED = -32_000;

/** Our own environment variables: the key of a provider, the socket of another session. */
const OWN_VARIABLES = /^AGENT_(TASK_)?BOARDS_/;

/**
 * Tells our bridge, if OpenCode loads it as a plugin, that another bridge serves these sessions.
 */
const SERVED_VARIABLE = { AGENT_TASK_BOARDS_SERVED: '1' };

/** An agent's process, which speaks the Agent Client Protocol over standard input and output. */
export class AgentProcess {
  /** the agent's id of its current session; messages about others are dropped */
  sessionId: string | undefined;
  /** undefined: updates are dropped, and requests are refused */
  turn: AcpTurnClient | undefined;
  /** receives the history while the agent loads a session */
  replay: Pick<AcpTurnClient, 'update'> | undefined;
  info: InitializeResponse = { protocolVersion: 1 };
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;
  /** rejects when the process has ended */
  readonly #exit: Promise<never>;
  /** reject the requests that wait for an answer */
  readonly #pending = new Set<(error: AgentError) => void>();
  #stderrTail = '';
  #hasExited = false;
  #isEnding = false;

  constructor(private readonly agentCommand: AgentCommand) {
    this.#child = childOf(agentCommand);
    const { stdin, stdout, stderr } = this.#child;
    if (stdin === null || stdout === null || stderr === null) throw new Error('No pipes.');
    stderr.on('data', (data: Buffer) => {
      this.#stderrTail = (this.#stderrTail + data.toString()).slice(-8 * MAX_STDERR_TAIL);
    });
    // The exit event reports that the process is gone.
    stdin.on('error', () => undefined);
    this.#exit = this.#waitForExit();
    this.#exit.catch(() => undefined);
    const stream = ndJsonStream(
      Writable.toWeb(stdin),
      Readable.toWeb(Readable.from(inPieces(stdout))) as ReadableStream<Uint8Array>,
      { maxMessageBytes: LARGEST_MESSAGE },
    );
    this.#connection = this.#app().connect(stream);
    void this.#connection.closed.then(() => this.kill());
  }

  /**
   * Negotiates the protocol version, before any other request. Kills the process on failure.
   * @throws AgentError
   */
  async initialize(version: string): Promise<void> {
    try {
      this.info = await this.request(methods.agent.initialize, {
        protocolVersion: 1,
        clientInfo: { name: 'agent-task-boards', title: 'Agent Task Boards', version },
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
      });
      const { protocolVersion: spoken } = this.info;
      if (spoken === 1) return;
      throw new AgentError('agent_failed', `It speaks version ${spoken} of the protocol.`);
    } catch (error) {
      this.kill();
      throw error;
    }
  }

  /** Whether it can reopen stored sessions. */
  get canResume(): boolean {
    const { sessionCapabilities, loadSession } = this.info.agentCapabilities ?? {};
    return loadSession === true || Boolean(sessionCapabilities?.resume);
  }

  /** Whether it can list those sessions. */
  get canList(): boolean {
    return this.canResume && Boolean(this.info.agentCapabilities?.sessionCapabilities?.list);
  }

  /** Whether it was killed or has exited, and must get no more work. */
  get isEnding(): boolean {
    return this.#isEnding || this.#hasExited;
  }

  /** @throws AgentError, also if no answer comes in time; the process is killed then */
  async request<M extends AgentRequestMethod>(
    method: M,
    params: AgentRequestParamsByMethod[M],
  ): Promise<AgentRequestResponsesByMethod[M]> {
    if (this.#hasExited) await this.#exit;
    let undo = (): void => undefined;
    let fail: (error: AgentError) => void = () => undefined;
    const failed = new Promise<never>((_, reject) => (fail = reject));
    this.#pending.add(fail);
    if (method !== methods.agent.session.prompt) {
      undo = this.agentCommand.clock.after(ANSWER_TIMEOUT, () => {
        fail(new AgentError('timeout', `The agent did not answer “${method}” in two minutes.`));
        this.kill();
      });
    }
    try {
      return await Promise.race([this.#connection.agent.request(method, params), failed]);
    } catch (error) {
      throw await this.#toAgentError(error);
    } finally {
      undo();
      this.#pending.delete(fail);
    }
  }

  /** Asks the agent to stop the prompt; the prompt's answer still follows. */
  cancel(): void {
    const { sessionId } = this;
    if (sessionId === undefined || this.#hasExited) return;
    this.#connection.agent
      .notify(methods.agent.session.cancel, { sessionId })
      // It ended meanwhile: its prompt says so.
      .catch(() => undefined);
  }

  kill(): void {
    this.#isEnding = true;
    killTree(this.#child, process.platform, KILL_GRACE);
  }

  /** Resolves when the process has exited. */
  exited(): Promise<void> {
    return this.#exit.catch(() => undefined);
  }

  #app() {
    // Answers requests for the current session, and refuses all others.
    const turnFor = (sessionId: string): AcpTurnClient => {
      if (sessionId === this.sessionId && this.turn !== undefined) return this.turn;
      throw RequestError.invalidParams({ sessionId }, 'no turn of this session runs');
    };
    const { client: own } = methods;
    return client({ name: 'agent-task-boards' })
      .onNotification(own.session.update, ({ params: { sessionId, update } }) => {
        // The commands of one session apply to all: the agent reports them as soon as it opens a
        // session.
        if (update.sessionUpdate === 'available_commands_update') {
          this.agentCommand.offers(update.availableCommands);
        }
        if (sessionId === this.sessionId) (this.replay ?? this.turn)?.update(update);
      })
      .onRequest(own.session.requestPermission, ({ params }) =>
        turnFor(params.sessionId).permission(params),
      )
      .onRequest(own.fs.readTextFile, ({ params }) => turnFor(params.sessionId).read(params))
      .onRequest(own.fs.writeTextFile, async ({ params }) => {
        await turnFor(params.sessionId).write(params);
        return {};
      });
  }

  async #waitForExit(): Promise<never> {
    const words = await new Promise<string>((resolve) => {
      this.#child.once('error', (error) =>
        resolve(`The agent could not be started: ${error.message}.`),
      );
      this.#child.once('exit', (code, signal) => {
        sweepGroup(this.#child, process.platform);
        const tell = (): void => resolve(`The agent ended (${signal ?? `exit code ${code}`}).`);
        // Child processes may keep its pipes open.
        const undo = this.agentCommand.clock.after(DRAIN_TIMEOUT, tell);
        this.#child.once('close', () => {
          undo();
          tell();
        });
      });
    });
    // What was read last is handed on before that.
    await setImmediate();
    this.#hasExited = true;
    const last = this.agentCommand.redact(
      stripVTControlCharacters(this.#stderrTail).trim().slice(-MAX_STDERR_TAIL),
    );
    const end = `${words} ${last}`.trim();
    const error = new AgentError('agent_ended', end);
    for (const reject of this.#pending) reject(error);
    this.#connection.close();
    throw error;
  }

  async #toAgentError(error: unknown): Promise<AgentError> {
    if (error instanceof AgentError) return error;
    if (error instanceof RequestError && error.code === AUTH_REQUIRED) {
      return new AgentError('auth_required', this.#signInMessage());
    }
    if (error instanceof RequestError) return new AgentError('agent_failed', error.message);
    // The connection is closed: the process has ended, or its output could not be parsed.
    this.kill();
    const end = await this.#exit.catch((one: unknown) => one);
    const why = error instanceof Error ? error.message : String(error);
    return end instanceof AgentError
      ? new AgentError(end.code, `${end.message} (${why})`)
      : new AgentError('agent_failed', why);
  }

  /** Tells the person what to type in a terminal. Nothing is opened or typed for them. */
  #signInMessage(): string {
    const { command, args } = this.agentCommand;
    const ways = (this.info.authMethods ?? []).map((method) => {
      const { name, description } = method;
      const typed = 'type' in method ? [command, ...args, ...(method.args ?? [])].join(' ') : '';
      const how = typed === '' ? (description ?? '') : `type: ${typed}`;
      return how === '' ? name : `${name} (${how})`;
    });
    const none = `start ${command} in a terminal and sign in there`;
    return `The agent wants you to sign in first: ${ways.length === 0 ? none : ways.join('; ')}. Do it in a terminal, then send the prompt again.`;
  }
}

/** Yields the agent's output in pieces, each in a turn of the event loop of its own. */
async function* inPieces(stdout: Readable): AsyncGenerator<unknown> {
  for await (const data of stdout) {
    yield data;
    await setImmediate();
  }
}

/** @throws AgentError if the system refuses it at once */
function childOf({ started: { file, args, verbatim }, folder, env }: AgentCommand): ChildProcess {
  const own = Object.entries(env).filter(([name]) => !OWN_VARIABLES.test(name));
  try {
    return spawn(file, args, {
      cwd: folder,
      env: { ...Object.fromEntries(own), ...SERVED_VARIABLE },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Makes it the leader of a process group, so that its children end with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AgentError('agent_ended', `The agent could not be started: ${why}.`);
  }
}
