import { relative } from 'node:path';
import type {
  ContentBlock,
  RequestPermissionRequest,
  ToolCall,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { LoggedCall, LoggedResult } from '../core/engine/session-log';
import { changeText } from '../core/tool/note/change-text';
import type { PermissionRequest } from '../protocol/snapshot';
import { SERVER } from './tool-line';

/** UTF-16 units of an answer of a tool that are kept. */
const MOST_OUTPUT = 64 * 1024;

/** By the names of OpenCode, which views know. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ execute: 'bash', edit: 'edit', delete: 'edit', move: 'edit', read: 'read' },
  ...{ search: 'grep', fetch: 'webfetch', think: 'think', switch_mode: 'mode' },
};

/** Our tools, however an agent joins server and tool: `agent_boards_tasks`, `mcp__agent_boards__tasks`. */
const OURS = new RegExp(`${SERVER.replace('_', '[-_]')}[^a-z]+(tasks|question|obsidian_[a-z_]+)`);

type Sent = ToolCall | ToolCallUpdate;

/** A call of a tool that an agent made, as far as it told of it. */
export class AcpCall {
  readonly call: LoggedCall;
  status: 'pending' | 'running' | 'completed' | 'error' = 'pending';
  title: string | undefined;
  output = '';
  input: Readonly<Record<string, unknown>> | undefined;
  /** whether a call that reached us over MCP is this one */
  claimed = false;

  /** @param id that no other call of the session has */
  constructor(
    id: string,
    sent: Sent,
    private readonly vault: string,
  ) {
    this.call = { id, name: toolOf(sent), args: '' };
    this.heard(sent);
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

  heard({ status, title, rawInput, content, rawOutput }: Sent): void {
    if (title && title !== this.call.name) this.title = title;
    if (isObject(rawInput) && Object.keys(rawInput).length > 0) this.input = rawInput;
    const said = contentText(content ?? [], this.vault) || rawText(rawOutput);
    if (said !== '') this.output = said.slice(0, MOST_OUTPUT);
    if (status === 'in_progress') this.status = 'running';
    if (status === 'completed') this.status = 'completed';
    if (status === 'failed') this.status = 'error';
  }
}

function toolOf({ name, title, kind }: Sent): string {
  const said = name ?? title ?? '';
  const own = OURS.exec(said)?.[1];
  if (own !== undefined) return own;
  if (/^[\w.-]{1,64}$/.test(said)) return said;
  return KINDS[kind ?? ''] ?? 'tool';
}

function contentText(content: NonNullable<Sent['content']>, vault: string): string {
  const texts = content.flatMap((one) => {
    if (one.type === 'diff') {
      return [changeText(inVault(vault, one.path), one.oldText ?? undefined, one.newText)];
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

/** Relative to the vault, where it is in there. */
export function inVault(vault: string, path: string): string {
  const own = relative(vault, path);
  return own === '' || own.startsWith('..') ? path : own.replaceAll('\\', '/');
}

/** What the agent asks the person, in the words of OpenCode, which views know. */
export function askedBy(
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
  const places = (toolCall.locations ?? []).map(({ path }) => inVault(vault, path));
  const named = typeof command === 'string' ? [command] : places;
  const patterns = named.length > 0 ? named : [title ?? call.title ?? call.call.name];
  const mayAlways = options.some((one) => one.kind === 'allow_always');
  return {
    ...{ requestId, callId: call.call.id, patterns },
    permission: KINDS[kind ?? ''] ?? call.call.name,
    always: mayAlways ? patterns : [],
    metadata: {
      ...(title && { title }),
      ...(diff !== '' && { diff }),
      options: options.map(({ name }) => name),
    },
  };
}

const WANTED = {
  once: ['allow_once'],
  always: ['allow_always', 'allow_once'],
  reject: ['reject_once', 'reject_always'],
} as const;

/** The agent's own option for an answer; undefined where it offers none that means no more than that. */
export function optionFor(
  reply: keyof typeof WANTED,
  { options }: Pick<RequestPermissionRequest, 'options'>,
): string | undefined {
  return WANTED[reply]
    .map((kind) => options.find((one) => one.kind === kind)?.optionId)
    .find((id) => id !== undefined);
}

/** Content as text: what can't be is named. */
export function spokenText(content: ContentBlock): string {
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
