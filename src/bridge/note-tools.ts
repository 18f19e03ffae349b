import { listNotes, NOTE_TOOLS, noteToolTexts, searchVault } from '../core/tool/note/definitions';
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

/** For a tool for notes by its path, as sent and as it is taken; a deprecated task tool asks as `tasks`. */
export function askedOf(tool: string, args: unknown): Asked {
  if (!isNoteTool(tool)) return { permission: 'tasks', patterns: ['*'], always: ['*'] };
  const path = placeIn(tool, args);
  if (path === '') return { permission: tool, patterns: ['*'], always: ['*'] };
  const taken = path.normalize('NFC');
  return {
    permission: tool,
    patterns: [...new Set([path, taken, taken.replace(/\/$/, '')])],
    // OpenCode would take it for a pattern of its own, which fits other notes as well.
    always: /[*?]/.test(path) ? [] : [path],
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
