import * as z from 'zod/mini';
import type { ErrorCode } from '../protocol/error-code';
import { WireError } from '../protocol/wire-error';
import type { HttpRequest, OpencodeHttp } from './opencode-http';
import type { Rule } from './permission-rules';

const sessionInfo = z.object({
  id: z.string(),
  title: z._default(z.string(), ''),
  parentID: z.optional(z.string()),
  agent: z.optional(z.string()),
  directory: z.string(),
  metadata: z.optional(z.record(z.string(), z.unknown())),
  time: z.optional(z.object({ updated: z.optional(z.number()) })),
});
export type SessionInfo = z.infer<typeof sessionInfo>;

const statuses = z.record(z.string(), z.object({ type: z.string() }));

const agents = z.array(
  z.object({
    name: z.string(),
    mode: z.optional(z.string()),
    hidden: z.optional(z.nullable(z.boolean())),
    description: z.optional(z.string()),
    model: z.optional(z.object({ providerID: z.string(), modelID: z.string() })),
  }),
);
export type AgentInfo = z.infer<typeof agents>[number];

const providers = z.object({
  providers: z.array(
    z.object({
      id: z.string(),
      name: z.optional(z.string()),
      models: z.record(
        z.string(),
        z.object({
          id: z.string(),
          name: z.optional(z.string()),
          limit: z.optional(z.object({ context: z.number(), output: z.number() })),
          capabilities: z.optional(z.object({ reasoning: z.optional(z.boolean()) })),
        }),
      ),
    }),
  ),
});
type Provider = z.infer<typeof providers>['providers'][number];
export type ModelInfo = Omit<Provider['models'][string], 'id'> & {
  /** `provider/model` */
  readonly id: string;
  readonly provider: string | undefined;
};

const config = z.object({ model: z.optional(z.string()) });

const failure = z.object({
  data: z.optional(z.object({ message: z.optional(z.string()) })),
  message: z.optional(z.string()),
});

/** A prompt's or a session's model, as OpenCode names it. */
export interface ModelName {
  readonly providerID: string;
  readonly modelID: string;
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

/** A newest-first list is cut here; OpenCode itself gives the newest 100. */
const MOST_SESSIONS = 500;
/** More than anybody has. */
const ALL_SESSIONS = 1_000_000;

/**
 * What the bridge asks of OpenCode. Ids come from clients: they are checked before they become part
 * of a path. Every method throws WireError, `unknown_session` where there is none in this folder.
 */
export class OpencodeApi {
  constructor(
    private readonly http: OpencodeHttp,
    private readonly directory: string,
  ) {}

  /** The folder's sessions, sub-agents' too, the one used last first. */
  async sessions(): Promise<readonly SessionInfo[]> {
    const query = { limit: String(MOST_SESSIONS) };
    const all = await this.ask(z.array(sessionInfo), { method: 'GET', path: '/session', query });
    return all.filter(({ directory }) => directory === this.directory).slice(0, MOST_SESSIONS);
  }

  /** All sessions that were started as a part of that one, or all of the folder, however old. */
  async started(parentId: string | undefined): Promise<readonly SessionInfo[]> {
    const query = { limit: String(ALL_SESSIONS) };
    const all = await this.ask(
      z.array(sessionInfo),
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

  /** What runs now: `busy` or `retry`, by session id; the others are idle. */
  async statuses(): Promise<ReadonlyMap<string, string>> {
    const found = await this.ask(statuses, { method: 'GET', path: '/session/status' });
    return new Map(Object.entries(found).map(([id, { type }]) => [id, type]));
  }

  async create(body: {
    title?: string;
    parentID?: string;
    agent?: string;
    metadata: Record<string, unknown>;
    permission?: readonly Rule[];
  }): Promise<SessionInfo> {
    return this.ask(sessionInfo, { method: 'POST', path: '/session', body });
  }

  /** Returns when OpenCode took it; the answer comes as events. */
  async prompt(id: string, body: PromptBody): Promise<void> {
    await this.send({ method: 'POST', path: `${sessionPath(id)}/prompt_async`, body });
  }

  async abort(id: string): Promise<void> {
    await this.send({ method: 'POST', path: `${sessionPath(id)}/abort` });
  }

  async rename(id: string, title: string): Promise<void> {
    await this.send({ method: 'PATCH', path: sessionPath(id), body: { title } });
  }

  async remove(id: string): Promise<void> {
    await this.send({ method: 'DELETE', path: sessionPath(id) });
  }

  /** Returns when the summary is written, or failed to be. */
  async compact(id: string, model: ModelName): Promise<void> {
    await this.send({ method: 'POST', path: `${sessionPath(id)}/summarize`, body: model });
  }

  /** @throws WireError `conflict` where the request doesn't wait any more */
  async answerPermission(id: string, body: { reply: string; message?: string }): Promise<void> {
    await this.send({ method: 'POST', path: `/permission/${segment(id)}/reply`, body }, 'conflict');
  }

  /** @throws WireError `conflict` where the question doesn't wait any more */
  async answerQuestion(id: string, answers: readonly (readonly string[])[]): Promise<void> {
    const path = `/question/${segment(id)}/reply`;
    await this.send({ method: 'POST', path, body: { answers } }, 'conflict');
  }

  async agents(): Promise<readonly AgentInfo[]> {
    return this.ask(agents, { method: 'GET', path: '/agent' });
  }

  async models(): Promise<readonly ModelInfo[]> {
    const found = await this.ask(providers, { method: 'GET', path: '/config/providers' });
    return found.providers.flatMap(({ id, name: provider, models }) =>
      Object.values(models).map((model) => ({ ...model, id: `${id}/${model.id}`, provider })),
    );
  }

  /** `provider/model` of prompts that name none; undefined where the configuration has none. */
  async defaultModel(): Promise<string | undefined> {
    return (await this.ask(config, { method: 'GET', path: '/config' })).model;
  }

  /** Any other answer, read by a schema. */
  async ask<T>(schema: z.ZodMiniType<T>, request: HttpRequest): Promise<T> {
    const parsed = schema.safeParse(await this.send(request));
    if (parsed.success) return parsed.data;
    throw new WireError('internal', `OpenCode’s answer to ${request.path} is of an unknown form.`);
  }

  private async send(
    request: HttpRequest,
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

/** @throws WireError `unknown_session` for what could not be an id, so that no path is left */
export function sessionPath(id: string): string {
  // OpenCode's own ids begin so; of others (`__proto__`) it makes a failure of its own.
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
