import * as z from 'zod/mini';
import { WireError, type ErrorCode } from '../../protocol/wire-error';
import type { OpencodeRule } from './permission-defaults';
import { orElse } from '../../core/or-else';
import type { LoggedFault } from '../../core/error-handler';
import type { Clock, Severity } from '../../core/ports';

/**
 * Building blocks of schemas for OpenCode's answers and events. Other versions may send unknown
 * fields, `null` for unset ones, and new kinds; one such field never makes the whole message
 * invalid.
 */

/** A field that may be missing. `null` or an unknown form counts as missing. */
export function lenientOptional<T>(form: z.ZodMiniType<T>) {
  return orElse(z.optional(form), undefined);
}

/** The items of a list that match the schema; others are dropped. */
export function validItems<T>(form: z.ZodMiniType<T>) {
  const known = (all: unknown[]): T[] =>
    all.flatMap((item) => {
      const read = form.safeParse(item);
      return read.success ? [read.data] : [];
    });
  return z.pipe(z.array(z.unknown()), z.transform(known));
}

/** Like `validItems` for a map: entries that don't match are dropped. */
function validEntries<T>(form: z.ZodMiniType<T>) {
  const known = (all: Record<string, unknown>): ReadonlyMap<string, T> =>
    new Map(
      Object.entries(all).flatMap(([key, value]) => {
        const read = form.safeParse(value);
        return read.success ? [[key, read.data] as const] : [];
      }),
    );
  return z.pipe(z.record(z.string(), z.unknown()), z.transform(known));
}

/** Texts that a person bases a decision on. Other values are not dropped but shown as JSON. */
export const texts = orElse(
  z.array(
    z.pipe(
      z.unknown(),
      z.transform((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
    ),
  ),
  [],
);

/**
 * Name of the MCP entry with our tools on a server without our plugin. OpenCode prefixes their
 * names with it.
 */
export const MCP_ENTRY = 'agent_boards';

const OWN_TOOL_PREFIX = `${MCP_ENTRY}_`;

/** A tool's name. Drops our MCP prefix, so that our tools have the same names everywhere. */
export const toolName = z.pipe(
  z.string(),
  z.transform((name) =>
    name.startsWith(OWN_TOOL_PREFIX) ? name.slice(OWN_TOOL_PREFIX.length) : name,
  ),
);

/** A non-negative integer, as the protocol requires. */
const count = z.pipe(
  z.number().check(z.nonnegative(), z.lte(Number.MAX_SAFE_INTEGER)),
  z.transform(Math.trunc),
);

const sessionInfo = z.object({
  id: z.string(),
  title: orElse(z.string(), ''),
  parentID: lenientOptional(z.string()),
  agent: lenientOptional(z.string()),
  /** of the newest prompt */
  model: lenientOptional(z.object({ id: z.string(), providerID: z.string() })),
  directory: z.string(),
  metadata: lenientOptional(z.record(z.string(), z.unknown())),
  time: lenientOptional(z.object({ updated: lenientOptional(z.number()) })),
});

export type SessionInfo = z.infer<typeof sessionInfo>;

const statuses = validEntries(z.object({ type: z.string() }));

const agent = z.object({
  name: z.string(),
  mode: lenientOptional(z.string()),
  hidden: lenientOptional(z.boolean()),
  description: lenientOptional(z.string()),
  model: lenientOptional(z.object({ providerID: z.string(), modelID: z.string() })),
});

export type AgentInfo = z.infer<typeof agent>;

const model = z.object({
  id: z.string(),
  name: lenientOptional(z.string()),
  limit: lenientOptional(
    z.object({ context: lenientOptional(count), output: lenientOptional(count) }),
  ),
  capabilities: lenientOptional(z.object({ reasoning: lenientOptional(z.boolean()) })),
});

export type OpencodeModel = z.infer<typeof model> & {
  /** `provider/model` */
  readonly id: string;
  readonly provider: string | undefined;
};

const providers = z.object({
  providers: orElse(
    validItems(
      z.object({
        id: z.string(),
        name: lenientOptional(z.string()),
        models: orElse(validEntries(model), new Map()),
      }),
    ),
    [],
  ),
});

const config = z.object({ model: lenientOptional(z.string()) });

const command = z.object({
  name: z.string(),
  description: lenientOptional(z.string()),
  /** the agent that the command uses, and whether it runs as a subagent */
  agent: lenientOptional(z.string()),
  subtask: lenientOptional(z.boolean()),
});

export type CommandInfo = z.infer<typeof command>;

const failure = z.object({
  data: lenientOptional(z.object({ message: lenientOptional(z.string()) })),
  message: lenientOptional(z.string()),
});

/** The model of a prompt or session, in OpenCode's form. */
export interface ModelName {
  readonly providerID: string;
  readonly modelID: string;
}

export interface CommandBody {
  readonly command: string;
  readonly arguments: string;
  readonly parts: readonly { type: 'file'; mime: string; filename: string; url: string }[];
  readonly agent?: string;
  /** `provider/model` */
  readonly model?: string;
}

export interface PromptBody {
  readonly parts: readonly {
    type: 'text';
    text: string;
    synthetic?: boolean;
    metadata?: Readonly<Record<string, unknown>>;
  }[];
  readonly agent?: string;
  readonly model?: ModelName;
}

/** Most sessions listed, newest first. Without a limit, OpenCode returns the newest 100. */
const MAX_SESSIONS = 500;

/** Limit for listing all sessions; more than anybody has. */
const ALL_SESSIONS = 1_000_000;

/**
 * The bridge's requests to OpenCode. Ids come from clients, so they are checked before they become
 * part of a path. All methods throw WireError: `unknown_session` if this folder has no such
 * session.
 */
export class OpencodeApi {
  constructor(
    private readonly http: OpencodeHttp,
    private readonly directory: string,
  ) {}

  /** The folder's sessions, including those of subagents, most recently used first. */
  async sessions(): Promise<readonly SessionInfo[]> {
    const query = { limit: String(MAX_SESSIONS) };
    const all = await this.ask(validItems(sessionInfo), { method: 'GET', path: '/session', query });
    return all.filter(({ directory }) => directory === this.directory).slice(0, MAX_SESSIONS);
  }

  /** All sessions started by this one, or all of the folder, regardless of age. */
  async started(parentId: string | undefined): Promise<readonly SessionInfo[]> {
    const query = { limit: String(ALL_SESSIONS) };
    const all = await this.ask(
      validItems(sessionInfo),
      parentId === undefined
        ? { method: 'GET', path: '/session', query }
        : { method: 'GET', path: `${sessionPath(parentId)}/children` },
    );
    return all.filter(({ directory }) => directory === this.directory);
  }

  async session(id: string): Promise<SessionInfo> {
    const found = await this.ask(sessionInfo, { method: 'GET', path: sessionPath(id) });
    if (found.directory !== this.directory) throw unknownSession();
    return found;
  }

  /** Status of the sessions that are working, `busy` or `retry`, by id. All others are idle. */
  async statuses(): Promise<ReadonlyMap<string, string>> {
    const found = await this.ask(statuses, { method: 'GET', path: '/session/status' });
    return new Map([...found].map(([id, { type }]) => [id, type]));
  }

  async create(body: {
    title?: string;
    parentID?: string;
    agent?: string;
    metadata: Record<string, unknown>;
    permission?: readonly OpencodeRule[];
  }): Promise<SessionInfo> {
    return this.ask(sessionInfo, { method: 'POST', path: '/session', body });
  }

  /**
   * Sends a request about a session and ignores the answer.
   * @param rest the path after the session id
   */
  async sendToSession(
    id: string,
    method: ApiRequest['method'],
    rest = '',
    body?: unknown,
  ): Promise<void> {
    await this.send({ method, path: `${sessionPath(id)}${rest}`, body });
  }

  /** @throws WireError `conflict` if the request is no longer pending */
  async reply(kind: 'permission' | 'question', id: string, body: unknown): Promise<void> {
    const path = `/${kind}/${segment(id)}/reply`;
    await this.send({ method: 'POST', path, body }, 'conflict');
  }

  /** @throws WireError `conflict` as `reply` does */
  async refuse(kind: 'permission' | 'question', id: string, message: string): Promise<void> {
    if (kind === 'permission') return this.reply(kind, id, { reply: 'reject', message });
    await this.send({ method: 'POST', path: `/question/${segment(id)}/reject` }, 'conflict');
  }

  async agents(): Promise<readonly AgentInfo[]> {
    return this.ask(validItems(agent), { method: 'GET', path: '/agent' });
  }

  async models(): Promise<readonly OpencodeModel[]> {
    const found = await this.ask(providers, { method: 'GET', path: '/config/providers' });
    return found.providers.flatMap(({ id, name: provider, models }) =>
      [...models.values()].map((one) => ({ ...one, id: `${id}/${one.id}`, provider })),
    );
  }

  /** The default model for prompts, `provider/model`; undefined if none is configured. */
  async defaultModel(): Promise<string | undefined> {
    return (await this.ask(config, { method: 'GET', path: '/config' })).model;
  }

  /**
   * The commands that a person can type after `/`: from the configuration, skills, and prompts of
   * MCP servers. Empty if the server has no such list.
   */
  async commands(): Promise<readonly CommandInfo[]> {
    try {
      return await this.ask(orElse(validItems(command), []), { method: 'GET', path: '/command' });
    } catch (error) {
      if (error instanceof WireError && error.code === 'unknown_session') return [];
      throw error;
    }
  }

  /** Sends any other request and parses the answer with a schema. */
  async ask<T>(schema: z.ZodMiniType<T>, request: ApiRequest): Promise<T> {
    const parsed = schema.safeParse(await this.send(request));
    if (parsed.success) return parsed.data;
    throw new WireError('internal', `OpenCode’s answer to ${request.path} is of an unknown form.`);
  }

  private async send(
    request: ApiRequest,
    missing: ErrorCode = 'unknown_session',
  ): Promise<unknown> {
    const { status, body } = await this.http(request);
    if (status < 400) return body;
    const said = failure.safeParse(body);
    const words = said.success ? (said.data.data?.message ?? said.data.message) : undefined;
    if (status === 404) throw new WireError(missing, words ?? 'OpenCode does not know it.');
    const code = status < 500 ? 'bad_message' : 'internal';
    throw new WireError(code, words ?? `OpenCode refused it (${status}).`, status >= 500);
  }
}

/**
 * @throws WireError `unknown_session` if the text can't be an id, so that it can't change the path
 */
export function sessionPath(id: string): string {
  // OpenCode's ids start with this; other ids (such as `__proto__`) cause internal errors in it.
  if (!/^ses[A-Za-z0-9_-]{1,253}$/.test(id)) throw unknownSession();
  return `/session/${id}`;
}

function segment(id: string): string {
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(id)) throw new WireError('conflict', 'No such request waits.');
  return id;
}

function unknownSession(): WireError {
  return new WireError('unknown_session', 'There is no such session in this vault.');
}

/** An answer of OpenCode's HTTP API. `body` is the parsed JSON, or undefined. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** with the ids already inserted and encoded */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends requests to OpenCode's HTTP API for one folder. Rejects if there is no answer. */
export type OpencodeHttp = (request: ApiRequest) => Promise<ApiAnswer>;

/**
 * The part of OpenCode's own client that we use. It answers within the process and adds the
 * password.
 */
export interface RawClient {
  request(options: {
    method: string;
    url: string;
    query: Record<string, string>;
    headers: Record<string, string>;
    body?: unknown;
  }): Promise<{ data?: unknown; error?: unknown; response?: { status: number } }>;
}

export function opencodeHttp(client: RawClient, directory: string): OpencodeHttp {
  return async ({ method, path, query, body }) => {
    const answer = await client.request({
      method,
      url: path,
      query: { ...query, directory },
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
    if (!answer.response) throw new Error(`OpenCode gave no answer to ${method} ${path}.`);
    return { status: answer.response.status, body: answer.data ?? answer.error };
  };
}

/** Writes faults to OpenCode's log. If that fails, they are lost. */
export function opencodeLog(http: OpencodeHttp): (fault: LoggedFault) => void {
  return ({ severity, module, operation, message, data, count }) => {
    const extra = { at: `${module}.${operation}`, ...data, ...(count > 1 && { count }) };
    const body = { service: 'agent-task-boards', level: LEVELS[severity], message, extra };
    http({ method: 'POST', path: '/log', body }).catch(() => undefined);
  };
}

const LEVELS: Readonly<Record<Severity, string>> = {
  critical: 'error',
  error: 'error',
  warning: 'warn',
  info: 'info',
};

/**
 * ms to wait for the version, since this delays OpenCode's start. It normally answers within
 * milliseconds.
 */
const VERSION_TIMEOUT = 2_000;

/** OpenCode's version; `unknown` if it doesn't answer in time. */
export async function opencodeVersion(http: OpencodeHttp, clock: Clock): Promise<string> {
  const late = new Promise<undefined>(
    (resolve) => void clock.after(VERSION_TIMEOUT, () => resolve(undefined)),
  );
  const asked = http({ method: 'GET', path: '/global/health' }).catch(() => undefined);
  const body = (await Promise.race([asked, late]))?.body;
  const said = typeof body === 'object' && body !== null && 'version' in body && body.version;
  return typeof said === 'string' ? said : 'unknown';
}
