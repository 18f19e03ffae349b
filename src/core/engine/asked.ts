import { isShut } from '../permission/shut-tools';
import type { PathResolver } from '../permission/path-resolver';
import type { AccessKind } from '../permission/rule';
import { VAULT, VaultTarget } from '../permission/vault-target';
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

/** What an engine asks its own rules, and a person where they say so, before a call of a tool. */
export interface AskedOf {
  permission: string;
  patterns: string[];
  /** what the reply `always` would allow */
  always: string[];
  metadata: Record<string, unknown>;
}

/** The permission of all task tools. */
export const TASKS = 'tasks';

/** What a call of the task tools, or of those for notes, asks for where the rules of the vault say to ask. */
export const TASKS_ASK = 'tasks_ask';
export const NOTES_ASK = 'notes_ask';

/** What each tool does, by the name under which models are shown it. */
const OPERATIONS: ReadonlyMap<string, AccessKind> = new Map([
  ...['tasks', ...ALIASES.map(({ name }) => name)].map((name) => [name, 'tasks'] as const),
  ...NOTE_TOOLS.map(({ openCodeName }) => [openCodeName, 'read'] as const),
  [createNote.openCodeName, 'create'] as const,
  [updateNote.openCodeName, 'update'] as const,
]);

/** @param tool by the name under which models are shown it */
export function operationOf(tool: string): AccessKind {
  return OPERATIONS.get(tool) ?? 'tasks';
}

/** The tools that the rules keep from an agent, whatever it would do with them. */
export function shutTools(settings: SharedSettings): (agent: string) => readonly string[] {
  const policy = policyOf(settings);
  return (agent) =>
    [...OPERATIONS].flatMap(([tool, operation]) => (isShut(policy, operation, agent) ? tool : []));
}

/** By the names under which models are shown them: those have no dots. */
const WIRE_NAMES: ReadonlyMap<string, string> = new Map(
  NOTE_TOOLS.map(({ openCodeName, name }) => [openCodeName, name]),
);

export function isNoteTool(tool: string): boolean {
  return WIRE_NAMES.has(tool);
}

/** As the protocol names a tool. */
export function wireName(tool: string): string {
  return WIRE_NAMES.get(tool) ?? tool;
}

/**
 * What an engine is asked before anything else: its own rules count as well as those of the vault. For a
 * tool for notes by its path: as sent, as it is taken, and where that leads, so that a rule holds for links
 * and other spellings as well. A deprecated task tool asks as `tasks`.
 */
export async function askedOf(
  tool: string,
  args: unknown,
  places: Pick<PathResolver, 'resolveFolder'>,
): Promise<AskedOf> {
  const all = { patterns: ['*'], always: ['*'], metadata: {} };
  if (!isNoteTool(tool)) return { permission: 'tasks', ...all };
  const sent = placeIn(tool, args);
  const target = sent === '' ? undefined : await places.resolveFolder(sent);
  const taken = target instanceof VaultTarget ? target.paths : [sent.normalize('NFC')];
  if (taken.includes(VAULT)) return { permission: tool, ...all };
  return {
    permission: tool,
    patterns: [...new Set([sent, ...taken])],
    // It would be taken for a pattern, which fits other notes as well.
    always: /[*?]/.test(sent) ? [] : [sent],
    metadata: {},
  };
}

/** What the rules of the vault ask, as an engine asks it: never for good, and with the change that would be made. */
export function askedAgain(
  { tool, agent }: Pick<ToolCall, 'tool' | 'agent'>,
  { request: { operation, target }, decision, change }: Question,
): AskedOf {
  const shown = typeof change === 'object' && {
    diff: changeText(target.path, change.before, change.after),
  };
  return {
    permission: operation === 'tasks' ? TASKS_ASK : NOTES_ASK,
    patterns: target.paths.map((path) => (path === VAULT ? '*' : path)),
    always: [],
    metadata: { tool, agent, why: decision.why, ...shown },
  };
}

/**
 * The path or folder that a call of a tool for notes names, as sent; empty where it names none.
 * A field that the tool doesn't take is none: it must not be asked about in the other's place.
 */
export function placeIn(tool: string, args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const { path, folder } = args as Partial<Record<string, unknown>>;
  const place = IN_FOLDER.has(tool) ? folder : path;
  return typeof place === 'string' ? place : '';
}

const IN_FOLDER: ReadonlySet<string> = new Set(
  [searchVault, listNotes].map(({ openCodeName }) => openCodeName),
);
