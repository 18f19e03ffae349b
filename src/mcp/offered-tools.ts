import { TASKS_DESCRIPTION, tasksArgs } from '../core/board/tasks-schema';
import { inputSchema } from '../core/tool/input-schema';
import { NOTE_TOOLS, noteToolTexts } from '../core/tool/note/definitions';

/** The tools that a server offers: all, or only the task board. */
export type ToolChoice = 'all' | 'tasks';

type Schema = Readonly<Record<string, unknown>> & { readonly type: 'object' };

/** A tool as listed for MCP clients. */
export interface OfferedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

/**
 * The offered tools. They have the same names as in OpenCode, so that prompts and skills work with
 * both.
 */
export function mcpTools(choice: ToolChoice): readonly OfferedTool[] {
  return choice === 'tasks' ? [tasksTool()] : [tasksTool(), ...noteTools()];
}

/** The tool's name in the protocol between bridge and Obsidian. */
export function wireNameOf(name: string): string {
  return NOTE_TOOLS.find(({ openCodeName }) => openCodeName === name)?.name ?? name;
}

const RESUME =
  '\nresume goes on with an unfinished board of an earlier session, as an answer names it.';

function tasksTool(): OfferedTool {
  return {
    name: 'tasks',
    title: 'Task board',
    description: TASKS_DESCRIPTION + RESUME,
    inputSchema: withResume(inputSchema(tasksArgs())),
    outputSchema: objectOf({
      sessionId: { type: 'string' },
      agent: { type: 'string' },
      summary: { type: 'object' },
      refusals: { type: 'object' },
    }),
    annotations: hints({ destructiveHint: true }),
  };
}

/** Adds the operation `resume` to the arguments. */
function withResume(schema: object): Schema {
  const copy = structuredClone(schema) as {
    type: 'object';
    properties: { operations: { items: { properties: Record<string, { enum?: string[] }> } } };
  };
  const { properties } = copy.properties.operations.items;
  properties['type']?.enum?.push('resume');
  properties['session'] = { type: 'string', description: 'resume: which.' } as object;
  return copy;
}

const READS: ReadonlySet<string> = new Set([
  'obsidian_search_vault',
  'obsidian_read_note',
  'obsidian_list_notes',
  'obsidian_get_note_metadata',
]);

function noteTools(): readonly OfferedTool[] {
  return noteToolTexts().map(({ name, description, parameters }) => ({
    ...{ name, description, title: titleOf(name) },
    inputSchema: { ...parameters, type: 'object' },
    outputSchema: objectOf({ path: { type: 'string' }, paths: { type: 'array' } }),
    annotations: READS.has(name)
      ? hints({ readOnlyHint: true, idempotentHint: true })
      : hints({ destructiveHint: true }),
  }));
}

/** The title of a tool: "Search vault" for `obsidian_search_vault`. */
function titleOf(name: string): string {
  const words = name.replace('obsidian_', '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function hints(said: Partial<OfferedTool['annotations']>): OfferedTool['annotations'] {
  const nothing = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
  return { ...nothing, openWorldHint: false, ...said };
}

/**
 * An output schema. `text` has the complete answer, for clients that show the model only the
 * structured part.
 */
function objectOf(properties: Readonly<Record<string, object>>): Schema {
  return {
    type: 'object',
    properties: { text: { type: 'string' }, ...properties },
    required: ['text'],
  };
}
