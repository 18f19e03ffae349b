import { spawn, type ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
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
import { killTree } from '../node/processes';

/** What an agent could not do, in words for the person. */
export class AgentError extends Error {
  constructor(
    readonly code: 'agent_ended' | 'agent_failed' | 'auth_required' | 'timeout',
    message: string,
  ) {
    super(message);
  }
}

/** What a turn answers the agent that works for it. */
export interface AcpTurnClient {
  update(update: SessionUpdate): void;
  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
  read(request: ReadTextFileRequest): Promise<ReadTextFileResponse>;
  write(request: WriteTextFileRequest): Promise<void>;
}

export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** how the system starts that */
  readonly started: {
    readonly file: string;
    readonly args: readonly string[];
    /** Windows is given them as they are */
    readonly verbatim: boolean;
  };
  /** the vault, absolute */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Log;
  /** is told the commands that it offers, each time they change */
  readonly offers: (commands: readonly AvailableCommand[]) => void;
  /** takes secrets out of what the agent wrote to standard error */
  readonly redact: (text: string) => string;
}

/** Bytes of one message of an agent. */
const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** ms for an answer to anything but a prompt: a first start may download the agent. */
const PATIENCE = 120_000;

/** UTF-16 units of what it wrote last to standard error. */
const LAST_WORDS = 600;

/** ms in which what an agent that ended wrote last is still read. */
const DRAIN = 300;

/** Of JSON-RPC, as the protocol numbers it. */
const AUTH_REQUIRED = -32_000;

/** Variables that are ours: a key of a provider, the line of another session. */
const OURS = /^AGENT_(TASK_)?BOARDS_/;

/** Tells our bridge, where OpenCode loads it as a plugin, that its sessions are served by another bridge. */
const SERVED = { AGENT_TASK_BOARDS_SERVED: '1' };

/** An agent as a process, which speaks the Agent Client Protocol over its standard input and output. */
export class AgentProcess {
  /** of the session that it works on, as it calls it; messages about others are dropped */
  sessionId: string | undefined;
  /** undefined: what it says is for nobody */
  turn: AcpTurnClient | undefined;
  /** what it tells of the past, while it loads a session */
  replay: Pick<AcpTurnClient, 'update'> | undefined;
  info: InitializeResponse = { protocolVersion: 1 };
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;
  /** rejects once the process is over */
  readonly #over: Promise<never>;
  #said = '';
  #isOver = false;

  constructor(private readonly of: AgentCommand) {
    this.#child = childOf(of);
    const { stdin, stdout, stderr } = this.#child;
    if (stdin === null || stdout === null || stderr === null) throw new Error('No pipes.');
    stderr.on('data', (data: Buffer) => {
      this.#said = (this.#said + data.toString()).slice(-8 * LAST_WORDS);
    });
    // A process that is gone is told by its end.
    stdin.on('error', () => undefined);
    this.#over = this.#ended();
    this.#over.catch(() => undefined);
    const stream = ndJsonStream(
      Writable.toWeb(stdin),
      Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
      { maxMessageBytes: LARGEST_MESSAGE },
    );
    this.#connection = this.#app().connect(stream);
    void this.#connection.closed.then(() => this.kill());
  }

  /** Agrees on the protocol, before anything else is asked; else it is ended. @throws AgentError */
  async initialize(version: string): Promise<void> {
    try {
      this.info = await this.ask(methods.agent.initialize, {
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

  /** Whether it goes on with sessions that it kept. */
  get goesOn(): boolean {
    const { sessionCapabilities, loadSession } = this.info.agentCapabilities ?? {};
    return loadSession === true || Boolean(sessionCapabilities?.resume);
  }

  /** Whether it tells which those are. */
  get lists(): boolean {
    return this.goesOn && Boolean(this.info.agentCapabilities?.sessionCapabilities?.list);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** @throws AgentError, also where no answer comes in time; the process is ended then */
  async ask<M extends AgentRequestMethod>(
    method: M,
    params: AgentRequestParamsByMethod[M],
  ): Promise<AgentRequestResponsesByMethod[M]> {
    let undo = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      if (method === methods.agent.session.prompt) return;
      undo = this.of.clock.after(PATIENCE, () => {
        reject(new AgentError('timeout', `The agent did not answer “${method}” in two minutes.`));
        this.kill();
      });
    });
    const answer = this.#connection.agent.request(method, params);
    try {
      return await Promise.race([answer, this.#over, late]);
    } catch (error) {
      throw await this.#fault(error);
    } finally {
      undo();
    }
  }

  /** A prompt is to stop; its answer still comes. */
  cancel(): void {
    const { sessionId } = this;
    if (sessionId === undefined || this.#isOver) return;
    this.#connection.agent
      .notify(methods.agent.session.cancel, { sessionId })
      // It ended meanwhile: its prompt says so.
      .catch(() => undefined);
  }

  kill(): void {
    killTree(this.#child, process.platform);
  }

  /** Settles when the process is gone. */
  gone(): Promise<void> {
    return this.#over.catch(() => undefined);
  }

  #app() {
    // A request is answered for the session that the agent works on now, and refused for all others.
    const turnFor = (sessionId: string): AcpTurnClient => {
      if (sessionId === this.sessionId && this.turn !== undefined) return this.turn;
      throw RequestError.invalidParams({ sessionId }, 'no turn of this session runs');
    };
    const { client: own } = methods;
    return client({ name: 'agent-task-boards' })
      .onNotification(own.session.update, ({ params: { sessionId, update } }) => {
        // Those of one session stand for all: it tells them as soon as the session is there.
        if (update.sessionUpdate === 'available_commands_update') {
          this.of.offers(update.availableCommands);
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

  async #ended(): Promise<never> {
    const words = await new Promise<string>((resolve) => {
      this.#child.once('error', (error) => resolve(`could not be started: ${error.message}`));
      this.#child.once('exit', (code, signal) => {
        const tell = (): void => resolve(`ended (${signal ?? `exit code ${code}`})`);
        // What it started may hold its pipes open.
        const undo = this.of.clock.after(DRAIN, tell);
        this.#child.once('close', () => {
          undo();
          tell();
        });
      });
    });
    this.#isOver = true;
    this.#connection.close();
    const last = this.of.redact(stripVTControlCharacters(this.#said).trim().slice(-LAST_WORDS));
    throw new AgentError('agent_ended', `The agent ${words}.${last === '' ? '' : ` ${last}`}`);
  }

  async #fault(error: unknown): Promise<AgentError> {
    if (error instanceof AgentError) return error;
    if (error instanceof RequestError && error.code === AUTH_REQUIRED) {
      return new AgentError('auth_required', this.#signIn());
    }
    if (error instanceof RequestError) return new AgentError('agent_failed', error.message);
    // The connection is closed, by its end or since what it sent can't be read.
    this.kill();
    const end = await this.#over.catch((one: unknown) => one);
    const why = error instanceof Error ? error.message : String(error);
    return end instanceof AgentError
      ? new AgentError(end.code, `${end.message} (${why})`)
      : new AgentError('agent_failed', why);
  }

  /** What a person types, in a terminal: nothing is opened or typed for them. */
  #signIn(): string {
    const { command, args } = this.of;
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

/** @throws AgentError where the system refuses it at once */
function childOf({ started: { file, args, verbatim }, folder, env }: AgentCommand): ChildProcess {
  const own = Object.entries(env).filter(([name]) => !OURS.test(name));
  try {
    return spawn(file, args, {
      cwd: folder,
      env: { ...Object.fromEntries(own), ...SERVED },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Leads a group: what it starts ends with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AgentError('agent_ended', `The agent could not be started: ${why}.`);
  }
}
