import { relative } from 'node:path';
import type {
  ContentBlock,
  RequestPermissionRequest,
  ToolCall,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { LoggedCall, LoggedResult } from '../core/engine/session-log';
import { changeText } from '../core/tool/note/change-text';
import { cutPayload } from '../protocol/codec';
import type { PermissionRequest } from '../protocol/snapshot';
import { SERVER } from './mcp-socket-server';

/**
 * Maximum UTF-16 units that are kept of a tool's output, of its title, of its input as JSON, and of
 * one text in an input that is longer.
 */
const MAX_OUTPUT = 64 * 1024;
const MAX_TITLE = 1024;
const MAX_INPUT = 64 * 1024;
const MAX_FIELD = 4 * 1024;

/** OpenCode's names for the protocol's kinds of tools, which the views know. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ execute: 'bash', edit: 'edit', delete: 'edit', move: 'edit', read: 'read' },
  ...{ search: 'grep', fetch: 'webfetch', think: 'think', switch_mode: 'mode' },
};

/**
 * Matches our tools, however an agent joins server and tool: `agent_boards_tasks`,
 * `mcp__agent_boards__tasks`.
 */
const OWN_TOOL_NAME = new RegExp(
  `${SERVER.replace('_', '[-_]')}[^a-z]+(tasks|question|obsidian_[a-z_]+)`,
);

type CallUpdate = ToolCall | ToolCallUpdate;

/** A tool call of the agent, as far as the agent has reported it. */
export class AcpCall {
  readonly call: LoggedCall;
  status: 'pending' | 'running' | 'completed' | 'error' = 'pending';
  title: string | undefined;
  output = '';
  input: Readonly<Record<string, unknown>> | undefined;
  /** whether it was matched to a call that reached us over MCP */
  isClaimed = false;

  /** @param id unique among the calls of the session */
  constructor(
    id: string,
    sent: CallUpdate,
    private readonly vault: string,
  ) {
    this.call = { id, name: toolOf(sent), args: '' };
    this.update(sent);
  }

  get result(): LoggedResult | undefined {
    const { status, title, output } = this;
    if (status !== 'completed' && status !== 'error') return undefined;
    const ok = status === 'completed';
    return { kind: 'result', call: this.call.id, ok, ...(title && { title }), output };
  }

  get logged(): LoggedCall {
    return { ...this.call, args: this.input === undefined ? '' : JSON.stringify(this.input) };
  }

  update({ status, title, rawInput, content, rawOutput }: CallUpdate): void {
    if (title && !this.#isName(title)) this.title = cut(title, MAX_TITLE);
    if (isObject(rawInput) && Object.keys(rawInput).length > 0) this.input = cutInput(rawInput);
    const text = contentText(content ?? [], this.vault) || rawText(rawOutput);
    if (text !== '') this.output = cut(text, MAX_OUTPUT);
    if (status === 'in_progress') this.status = 'running';
    if (status === 'completed') this.status = 'completed';
    if (status === 'failed') this.status = 'error';
  }

  /** Whether a title only repeats the tool's name, as the agent or as we call it. */
  #isName(title: string): boolean {
    return title === this.call.name || (OWN_TOOL_NAME.test(title) && !title.includes(' '));
  }
}

/** The beginning as a text of its own: a part of a string keeps the whole in memory. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : copyOf(text.slice(0, most));
}

/** One that is too long with the beginnings of its texts; empty where that does not help. */
function cutInput(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (JSON.stringify(input).length <= MAX_INPUT) return input;
  const { value } = cutPayload(input, MAX_FIELD);
  return JSON.stringify(value).length <= MAX_INPUT ? copyOf(value) : {};
}

function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function toolOf({ name, title, kind }: CallUpdate): string {
  const label = name ?? title ?? '';
  const own = OWN_TOOL_NAME.exec(label)?.[1];
  if (own !== undefined) return own;
  if (/^[\w.-]{1,64}$/.test(label)) return label;
  return KINDS[kind ?? ''] ?? 'tool';
}

function contentText(content: NonNullable<CallUpdate['content']>, vault: string): string {
  const texts = content.flatMap((one) => {
    if (one.type === 'diff') {
      return [changeText(toVaultPath(vault, one.path), one.oldText ?? undefined, one.newText)];
    }
    return one.type === 'content' && one.content.type === 'text' ? [one.content.text] : [];
  });
  return texts.join('\n');
}

function rawText(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  if (!isObject(raw)) return '';
  return typeof raw['output'] === 'string' ? raw['output'] : JSON.stringify(raw);
}

/** Makes a path inside the vault relative to it; returns others unchanged. */
export function toVaultPath(vault: string, path: string): string {
  const own = relative(vault, path);
  return own === '' || own.startsWith('..') ? path : own.replaceAll('\\', '/');
}

/** Converts the agent's permission request to OpenCode's form, which the views know. */
export function toPermissionRequest(
  { toolCall, options }: RequestPermissionRequest,
  requestId: string,
  call: AcpCall,
  vault: string,
): PermissionRequest {
  const { title, kind, content, rawInput } = toolCall;
  const diff = contentText(
    (content ?? []).filter(({ type }) => type === 'diff'),
    vault,
  );
  const command = isObject(rawInput) ? rawInput['command'] : undefined;
  const places = (toolCall.locations ?? []).map(({ path }) => toVaultPath(vault, path));
  const named = typeof command === 'string' ? [command] : places;
  const patterns = named.length > 0 ? named : [title ?? call.title ?? call.call.name];
  // Which of several is meant can't be told; and a mode allows more than what is asked.
  const mayAlways = kind !== 'switch_mode' && options.filter(isAlways).length === 1;
  return {
    ...{ requestId, callId: call.call.id, patterns },
    permission: KINDS[kind ?? ''] ?? call.call.name,
    always: mayAlways ? patterns : [],
    metadata: {
      ...(title && { title }),
      ...(diff !== '' && { diff }),
      // What the agent calls the option that each reply chooses.
      options: Object.fromEntries(
        REPLIES.filter((reply) => reply !== 'always' || mayAlways).flatMap((reply) => {
          const name = optionFor(reply, { options })?.name;
          return name === undefined ? [] : [[reply, cut(name, MAX_TITLE)] as const];
        }),
      ),
    },
  };
}

const isAlways = ({ kind }: RequestPermissionRequest['options'][number]): boolean =>
  kind === 'allow_always';

const OPTION_KINDS = {
  once: ['allow_once'],
  always: ['allow_always', 'allow_once'],
  reject: ['reject_once', 'reject_always'],
} as const;

const REPLIES = ['once', 'always', 'reject'] as const;

/**
 * The agent's option for a reply. Undefined if it offers none that means no more than the reply.
 * @param reply `always` only to a request that offers it
 */
export function optionFor(
  reply: keyof typeof OPTION_KINDS,
  { options }: Pick<RequestPermissionRequest, 'options'>,
): RequestPermissionRequest['options'][number] | undefined {
  return OPTION_KINDS[reply]
    .map((kind) => options.find((one) => one.kind === kind))
    .find((option) => option !== undefined);
}

/** Content as text; content of other types is represented by its name or type. */
export function contentBlockText(content: ContentBlock): string {
  if (content.type === 'text') return content.text;
  if (content.type === 'resource_link') return `[${content.name}](${content.uri})`;
  if (content.type === 'resource') {
    return 'text' in content.resource ? content.resource.text : `(${content.resource.uri})`;
  }
  return `(${content.type})`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
