import { TASKS_PERMISSION } from '../../core/engine/engine-permissions';
import type { Http, HttpResponse } from '../../core/model/model-client';
import { parseJson } from '../../core/json';
import { tooDeep } from '../../protocol/frame-limits';
import { WireError } from '../../protocol/wire-error';
import type { ApiAnswer, ApiRequest, OpencodeHttp } from '../opencode/opencode-api';

/** Why a server can't be used. */
type Trouble =
  | 'address'
  | 'unreachable'
  | 'password'
  | 'redirect'
  | 'certificate'
  | 'not_opencode'
  | 'another'
  | 'too_large';

/** A server that can't be used. The message says what to do. Retryable for clients. */
export class ServerError extends WireError {
  constructor(
    readonly trouble: Trouble,
    message: string,
  ) {
    super('internal', message, true);
    this.name = 'ServerError';
  }
}

/** The user of the server's basic authentication. */
const USER = 'opencode';

/** ms to wait for an answer. Compactions and commands are answered only when they are finished. */
const ANSWER_TIMEOUT = 60_000;
const LONG_TIMEOUTS = new Map([
  ['summarize', 15 * 60_000],
  ['command', 24 * 60 * 60_000],
]);

const TOOL_IDS = '/experimental/tool/ids';
/** Paths that some versions don't have. OpenCode answers those with its web page. */
const OPTIONAL_PATHS: ReadonlySet<string> = new Set([TOOL_IDS, '/command']);

/**
 * Deepest nesting of JSON that is parsed; deeper values overflow the stack of recursive functions.
 */
export const MAX_JSON_DEPTH = 1_000;

/** Largest answer in bytes; fits a hundred messages with long outputs. */
const MAX_BYTES = 64 * 1024 * 1024;

interface ServerOptions {
  /** as parsed by `addressOf` */
  readonly address: URL;
  readonly password: string | undefined;
  /** the folder's path on the server's machine */
  readonly directory: string;
  readonly http: Http;
}

/**
 * Parses the address of a server.
 * @throws ServerError
 */
export function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ServerError('address', `“${text}” is no address. It is as http://127.0.0.1:4096.`);
  }
  if (url.username !== '' || url.password !== '') {
    const how = 'Give the password in the environment: OPENCODE_SERVER_PASSWORD.';
    throw new ServerError('address', `An address with a password in it is not used. ${how}`);
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** Whether the address is loopback, so that the server can reach this machine's loopback too. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/**
 * A stock `opencode serve`, used for one folder. Follows no redirects, and accepts no certificate
 * that can't be verified. All methods throw ServerError if the server can't be used.
 */
export class OpencodeServer {
  /** the address for messages, without secrets */
  readonly name: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #closed = new AbortController();

  constructor(private readonly options: ServerOptions) {
    const { address, password } = options;
    this.name = address.origin + address.pathname.replace(/\/$/, '');
    const secret = Buffer.from(`${USER}:${password ?? ''}`).toString('base64');
    this.#headers = password === undefined ? {} : { authorization: `Basic ${secret}` };
  }

  readonly request: OpencodeHttp = async (request) => {
    const { method, path } = request;
    const ms =
      (method === 'POST' && LONG_TIMEOUTS.get(path.slice(path.lastIndexOf('/') + 1))) ||
      ANSWER_TIMEOUT;
    const late = AbortSignal.timeout(ms);
    const abandoned = new AbortController();
    const signal = AbortSignal.any([late, abandoned.signal, this.#closed.signal]);
    try {
      const send = () => this.#send(request, 'application/json', signal);
      // A kept-alive connection may be closed by now. Only requests without effects are sent again.
      const isSafe = request.method === 'GET';
      const answer = await send().catch((error: unknown) => {
        if (isSafe && codeOf(error) === 'ECONNRESET') return send();
        throw error;
      });
      const text = await textOf(answer);
      if (OPTIONAL_PATHS.has(path) && isPage(answer)) return { status: 404, body: undefined };
      return { status: answer.status, body: this.#json(answer, text) };
    } catch (error) {
      // An unread answer would keep its connection and the process alive.
      abandoned.abort();
      if (error instanceof WireError) throw error;
      if (late.aborted) throw this.#unreachable(`gave no answer within ${ms / 60_000} min`);
      throw this.#trouble(error);
    }
  };

  /** Aborts all requests. */
  close(): void {
    this.#closed.abort();
  }

  /**
   * The server's version, its path for the folder, whether it has our plugin there, and whether it
   * requires the password.
   */
  async check(): Promise<{
    readonly version: string;
    readonly directory: string;
    readonly hasBridge: boolean;
    readonly wantsPassword: boolean;
  }> {
    const [health, path] = await Promise.all([
      this.request({ method: 'GET', path: '/global/health' }),
      this.request({ method: 'GET', path: '/path' }),
    ]);
    const version = fieldOf(health, 'version');
    const directory = fieldOf(path, 'directory');
    if (version === undefined || directory === undefined) throw this.#noOpencode();
    const tools = await this.request({ method: 'GET', path: TOOL_IDS });
    const hasBridge = Array.isArray(tools.body) && tools.body.includes(TASKS_PERMISSION);
    return { version, directory, hasBridge, wantsPassword: await this.#wantsPassword() };
  }

  /**
   * Checks that the server still requires the password, in case a different one answers now: an
   * OpenCode that was given no port uses 4096 if that is free, and one without a password answers
   * all requests.
   * @throws ServerError `another`
   */
  async checkPassword(): Promise<void> {
    if (await this.#wantsPassword()) return;
    const message = `What answers at ${this.name} now wants no password: it is another OpenCode. End it, and start the one with the password.`;
    throw new ServerError('another', message);
  }

  async #wantsPassword(): Promise<boolean> {
    const abandoned = new AbortController();
    const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_TIMEOUT), abandoned.signal]);
    try {
      await this.#send({ method: 'GET', path: '/path' }, 'application/json', signal, {});
      return false;
    } catch (error) {
      if (!(error instanceof WireError)) throw this.#trouble(error);
      if (error instanceof ServerError && error.trouble === 'password') return true;
      throw error;
    } finally {
      abandoned.abort();
    }
  }

  /** Opens the stream of events, as bytes, until `signal` is aborted or the connection breaks. */
  async events(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    try {
      const request = { method: 'GET', path: '/event' } as const;
      const answer = await this.#send(request, 'text/event-stream', signal);
      const type = answer.headers['content-type'] ?? '';
      if (answer.status !== 200 || !type.startsWith('text/event-stream')) throw this.#noOpencode();
      return answer.body;
    } catch (error) {
      throw error instanceof WireError ? error : this.#trouble(error);
    }
  }

  async #send(
    request: ApiRequest,
    accept: string,
    signal: AbortSignal,
    authorization = this.#headers,
  ): Promise<HttpResponse> {
    const { method, path, query, body } = request;
    const { address, directory, http } = this.options;
    const url = new URL(`.${path}`, address);
    url.search = new URLSearchParams({ ...query, directory }).toString();
    const answer = await http.request({
      ...{ url: url.href, method, signal },
      headers: {
        ...authorization,
        accept,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status } = answer;
    if (status >= 300 && status < 400) throw this.#redirected(answer.headers['location']);
    if (status === 401 || status === 403) throw this.#refused();
    return answer;
  }

  #json(answer: HttpResponse, text: string): unknown {
    if (text === '') return undefined;
    if (isPage(answer)) throw this.#noOpencode();
    if (!isJson(answer)) return { message: text.slice(0, 1_000) };
    const value = tooDeep(text, MAX_JSON_DEPTH) ? undefined : parseJson(text);
    if (value === undefined) throw this.#noOpencode();
    return value;
  }

  #redirected(location = ''): ServerError {
    const to = URL.canParse(location, this.options.address.href)
      ? new URL(location, this.options.address).origin
      : 'another address';
    const message = `${this.name} sends to ${to}, which is not followed: give the server’s own address with --url.`;
    return new ServerError('redirect', message);
  }

  #refused(): ServerError {
    const what = 'authorization' in this.#headers ? 'refuses the password' : 'asks for a password';
    const how = 'Set OPENCODE_SERVER_PASSWORD to the one that the server was started with.';
    return new ServerError('password', `${this.name} ${what}. ${how}`);
  }

  #noOpencode(): ServerError {
    const how = 'Give the address that “opencode serve” prints, with --url.';
    return new ServerError('not_opencode', `What answers at ${this.name} is no OpenCode. ${how}`);
  }

  #unreachable(why: string): ServerError {
    const how = 'Start “opencode serve” there, or give its address with --url.';
    return new ServerError('unreachable', `The OpenCode at ${this.name} ${why}. ${how}`);
  }

  #trouble(error: unknown): ServerError {
    const code = codeOf(error);
    if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
      const how = 'It is always checked: one of an own authority needs NODE_EXTRA_CA_CERTS.';
      const message = `The certificate of ${this.name} can’t be verified (${code}). ${how}`;
      return new ServerError('certificate', message);
    }
    const why = code === '' ? (error instanceof Error ? error.message : String(error)) : code;
    return this.#unreachable(`can’t be reached (${why})`);
  }
}

function isJson({ headers }: HttpResponse): boolean {
  return (headers['content-type'] ?? '').startsWith('application/json');
}

/** Whether the answer is OpenCode's web page, which it sends for unknown paths. */
function isPage(answer: HttpResponse): boolean {
  return answer.status < 400 && !isJson(answer);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

async function textOf({ body }: HttpResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new WireError('too_large', 'OpenCode’s answer is too long.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function fieldOf({ body }: ApiAnswer, name: string): string | undefined {
  const value =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
