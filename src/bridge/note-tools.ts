import { listNotes, NOTE_TOOLS, noteToolTexts, searchVault } from '../core/tool/note/definitions';
import type { PathResolver } from '../core/permission/path-resolver';
import { VAULT, VaultTarget } from '../core/permission/vault-target';
import type { ToolDefinition } from './tasks-tool';
import type { ToolRunner } from './tool-runner';

/** By the names that OpenCode knows them by: its own have no dots. */
const WIRE_NAMES: ReadonlyMap<string, string> = new Map(
  NOTE_TOOLS.map(({ openCodeName, name }) => [openCodeName, name]),
);

/** The tools for notes, for OpenCode. See `tasksTool` on how their arguments are declared. */
export function noteTools(runner: ToolRunner): Readonly<Record<string, ToolDefinition>> {
  const tools = noteToolTexts().map(
    ({ name, description, parameters }): [string, ToolDefinition] => {
      const { properties } = parameters as { properties: Readonly<Record<string, unknown>> };
      const execute: ToolDefinition['execute'] = (args, context) => runner.run(name, args, context);
      return [name, { description, args: { ...properties }, execute }];
    },
  );
  return Object.fromEntries(tools);
}

export function isNoteTool(tool: string): boolean {
  return WIRE_NAMES.has(tool);
}

/** As the protocol names a tool of OpenCode. */
export function wireName(tool: string): string {
  return WIRE_NAMES.get(tool) ?? tool;
}

/** What OpenCode is asked before anything else: its own rules count as well as ours. */
export interface Asked {
  readonly permission: string;
  readonly patterns: readonly string[];
  /** what "always" would let pass from then on */
  readonly always: readonly string[];
}

const ALL = { patterns: ['*'], always: ['*'] } as const;

/**
 * For a tool for notes by its path: as sent, as it is taken, and where that leads, so that a rule holds for
 * links and other spellings as well. A deprecated task tool asks as `tasks`.
 */
export async function askedOf(
  tool: string,
  args: unknown,
  places: Pick<PathResolver, 'resolveFolder'>,
): Promise<Asked> {
  if (!isNoteTool(tool)) return { permission: 'tasks', ...ALL };
  const sent = placeIn(tool, args);
  const target = sent === '' ? undefined : await places.resolveFolder(sent);
  const taken = target instanceof VaultTarget ? target.paths : [sent.normalize('NFC')];
  if (taken.includes(VAULT)) return { permission: tool, ...ALL };
  return {
    permission: tool,
    patterns: [...new Set([sent, ...taken])],
    // OpenCode would take it for a pattern of its own, which fits other notes as well.
    always: /[*?]/.test(sent) ? [] : [sent],
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
