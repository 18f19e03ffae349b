import type { TodoManager } from '../../core/board/todo-manager';
import { fixedPermitting } from '../../core/permission/permitting';
import type { Clock, Ids, Log } from '../../core/ports';
import type { SharedSettings } from '../../core/shared-settings';
import type { ToolHostDeps } from '../../core/tool/call-run';
import {
  defineTool,
  NOT_CONNECTED,
  type Tool,
  type ToolCall,
  type ToolOutcome,
  type ToolPlan,
} from '../../core/tool/tool';
import { ToolHost } from '../../core/tool/tool-host';
import { policyOf, TASKS_ASK } from './permission-defaults';
import type { ToolAnswer, ToolCallContext } from './tool-call';
import type { Boards } from '../../core/tool/alias/task-tools';
import { boardTools } from '../../core/tool/alias/aliases';
import { NOTE_TOOLS, type NoteToolDefinition } from '../../core/tool/note/definitions';

interface HeadlessServices {
  /** the boards on disk, and the settings as they stand */
  readonly boards: {
    now(): Promise<{
      readonly manager: Pick<TodoManager, 'call'>;
      readonly settings: SharedSettings;
    }>;
  };
  readonly audit: ToolHostDeps['audit'];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/**
 * Runs calls that no client takes, on the notes on disk: by the same path as in Obsidian, with the rules
 * of the shared settings and an audit. What those ask, OpenCode asks.
 */
export class Headless {
  constructor(private readonly services: HeadlessServices) {}

  /** @throws Error with words for the model, or what OpenCode threw where the person said no */
  async run(call: ToolCall, context: ToolCallContext): Promise<ToolAnswer> {
    const { manager, settings } = await this.services.boards.now();
    // A person's no: OpenCode ends the turn for its own error, so that one is passed on.
    const refused: { readonly error: unknown }[] = [];
    const host = new ToolHost({
      ...this.services,
      tools: headlessTools(manager),
      permitting: fixedPermitting(() => policyOf(settings)),
      boardRoot: () => settings.root,
      onAsk: async ({ tool, agent }, { why }) => {
        const metadata = { tool, agent, why };
        const patterns = [`${settings.root}/**`];
        try {
          await context.ask({ permission: TASKS_ASK, patterns, always: [], metadata });
          return { reply: 'once' };
        } catch (error) {
          refused.push({ error });
          return { reply: 'reject' };
        }
      },
    });
    const outcome = await host.run(call);
    if (refused[0] !== undefined) throw refused[0].error;
    if (!outcome.ok) throw new Error(outcome.error.message);
    const { title, output, metadata } = outcome;
    return { title, output, metadata: { ...metadata, via: 'headless' } };
  }
}

/** Without Obsidian: the tools for boards do all that they do there, those for notes say what is missing. */
function headlessTools(boards: Boards): ReadonlyMap<string, Tool> {
  const notes = NOTE_TOOLS.map(notConnected);
  return new Map([...boardTools(boards), ...notes.map((tool) => [tool.name, tool] as const)]);
}

/** Has the plan of the real one as far as the audit tells it: its kind and its place. */
function notConnected(definition: NoteToolDefinition): Tool {
  return defineTool({ ...definition, plan: planOf });
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
