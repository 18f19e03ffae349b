import type { Boards } from '../core/tool/alias/alias';
import { boardTools } from '../core/tool/board-tools';
import { NOT_CONNECTED } from '../core/tool/not-connected';
import { checkedArgs, NOTE_TOOLS, type NoteToolDefinition } from '../core/tool/note/definitions';
import { defineTool, type Tool, type ToolOutcome } from '../core/tool/tool';
import type { ToolPlan } from '../core/tool/tool-plan';

/** Without Obsidian: the tools for boards do all that they do there, those for notes say what is missing. */
export function headlessTools(boards: Boards): ReadonlyMap<string, Tool> {
  const notes = NOTE_TOOLS.map(notConnected);
  return new Map([...boardTools(boards), ...notes.map((tool) => [tool.name, tool] as const)]);
}

/** Has the plan of the real one as far as the audit tells it: its kind and its place. */
function notConnected(definition: NoteToolDefinition): Tool {
  const { name, description } = definition;
  const input = checkedArgs(definition);
  return defineTool({ name, description, input, plan: planOf });
}

function planOf(args: unknown): ToolPlan {
  const { path, folder, dryRun } = args as Readonly<Record<string, unknown>>;
  const place = path === undefined ? 'folder' : 'file';
  const at = path ?? folder;
  const sent = typeof at === 'string' ? at : '';
  if (typeof dryRun !== 'boolean') {
    return { kind: 'read', place, path: sent, run: () => Promise.resolve(REFUSED) };
  }
  return { kind: 'change', path: sent, dryRun, change: () => ({ ok: false, ...NOT_CONNECTED }) };
}

const REFUSED: ToolOutcome = { ok: false, error: NOT_CONNECTED };
