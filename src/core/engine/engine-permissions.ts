import { isAlwaysDenied } from '../permission/denied-tools';
import type { PathResolver } from '../permission/path-resolver';
import type { AccessKind } from '../permission/rule';
import { VAULT_ROOT, VaultTarget } from '../permission/vault-target';
import { policyOf, type SharedSettings } from '../shared-settings';
import { ALIASES } from '../tool/alias/aliases';
import type { Question } from '../tool/call-run';
import { changeText } from '../tool/note/change-text';
import {
  createNote,
  listNotes,
  NOTE_TOOLS,
  searchVault,
  updateNote,
} from '../tool/note/definitions';
import type { ToolCall } from '../tool/tool';

/**
 * The request that an engine checks against its rules before a tool call, and shows to the person
 * if they say so.
 */
export interface EnginePermissionRequest {
  permission: string;
  patterns: string[];
  /** the patterns that the reply `always` allows */
  always: string[];
  metadata: Record<string, unknown>;
}

/** The permission for all task tools. */
export const TASKS_PERMISSION = 'tasks';

/** The permissions for calls of task tools and note tools for which the vault's rules say `ask`. */
export const TASKS_ASK = 'tasks_ask';
export const NOTES_ASK = 'notes_ask';

/** What each tool does, by its name for models. */
const OPERATIONS: ReadonlyMap<string, AccessKind> = new Map([
  ...['tasks', ...ALIASES.map(({ name }) => name)].map((name) => [name, 'tasks'] as const),
  ...NOTE_TOOLS.map(({ openCodeName }) => [openCodeName, 'read'] as const),
  [createNote.openCodeName, 'create'] as const,
  [updateNote.openCodeName, 'update'] as const,
]);

/** @param tool its name for models */
export function operationOf(tool: string): AccessKind {
  return OPERATIONS.get(tool) ?? 'tasks';
}

/** The tools that the rules deny to an agent entirely. */
export function deniedTools(settings: SharedSettings): (agent: string) => readonly string[] {
  const policy = policyOf(settings);
  return (agent) =>
    [...OPERATIONS].flatMap(([tool, operation]) =>
      isAlwaysDenied(policy, operation, agent) ? tool : [],
    );
}

/** Wire names by the names for models, which have no dots. */
const WIRE_NAMES: ReadonlyMap<string, string> = new Map(
  NOTE_TOOLS.map(({ openCodeName, name }) => [openCodeName, name]),
);

export function isNoteTool(tool: string): boolean {
  return WIRE_NAMES.has(tool);
}

/** The protocol's name of a tool. */
export function wireName(tool: string): string {
  return WIRE_NAMES.get(tool) ?? tool;
}

/**
 * The request for the engine's own rules, which apply in addition to those of the vault. For a note
 * tool, it contains the path as sent, as normalized, and where it leads, so that rules also apply
 * to links and other spellings. A deprecated task tool requests `tasks`.
 */
export async function permissionRequestFor(
  tool: string,
  args: unknown,
  places: Pick<PathResolver, 'resolveFolder'>,
): Promise<EnginePermissionRequest> {
  const all = { patterns: ['*'], always: ['*'], metadata: {} };
  if (!isNoteTool(tool)) return { permission: 'tasks', ...all };
  const sent = pathArgument(tool, args);
  const target = sent === '' ? undefined : await places.resolveFolder(sent);
  const taken = target instanceof VaultTarget ? target.paths : [sent.normalize('NFC')];
  if (taken.includes(VAULT_ROOT)) return { permission: tool, ...all };
  return {
    permission: tool,
    patterns: [...new Set([sent, ...taken])],
    // As a pattern, the path would match other notes as well.
    always: /[*?]/.test(sent) ? [] : [sent],
    metadata: {},
  };
}

/**
 * The vault's rules' question as a request of an engine: never `always`, and with the change that
 * would be made.
 */
export function vaultPermissionRequest(
  { tool, agent }: Pick<ToolCall, 'tool' | 'agent'>,
  { request: { operation, target }, decision, change }: Question,
): EnginePermissionRequest {
  const shown = typeof change === 'object' && {
    diff: changeText(target.path, change.before, change.after),
  };
  return {
    permission: operation === 'tasks' ? TASKS_ASK : NOTES_ASK,
    patterns: target.paths.map((path) => (path === VAULT_ROOT ? '*' : path)),
    always: [],
    metadata: { tool, agent, why: decision.why, ...shown },
  };
}

/**
 * The path or folder in the arguments of a note tool, as sent; empty if there is none. Reads only
 * the field that the tool uses, so that the person is never asked about another.
 */
export function pathArgument(tool: string, args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const { path, folder } = args as Partial<Record<string, unknown>>;
  const place = FOLDER_TOOLS.has(tool) ? folder : path;
  return typeof place === 'string' ? place : '';
}

const FOLDER_TOOLS: ReadonlySet<string> = new Set(
  [searchVault, listNotes].map(({ openCodeName }) => openCodeName),
);
