import type { TodoManager } from '../core/board/todo-manager';
import { fixedPermitting } from '../core/permission/permitting';
import type { AccessPolicy } from '../core/permission/policy';
import type { Clock, Ids, Log } from '../core/ports';
import { policyOf, type SharedSettings } from '../core/shared-settings';
import { boardTools } from '../core/tool/alias/aliases';
import type { Boards } from '../core/tool/alias/task-tools';
import type { AskPerson, ToolHostDeps } from '../core/tool/call-run';
import { NOTE_TOOLS, type NoteToolDefinition } from '../core/tool/note/definitions';
import {
  defineTool,
  NOT_CONNECTED,
  type AnsweredCall,
  type Tool,
  type ToolCall,
  type ToolOutcome,
  type ToolPlan,
} from '../core/tool/tool';
import { ToolHost } from '../core/tool/tool-host';

interface HeadlessServices {
  /** the boards on disk, and the settings as they stand */
  readonly boards: {
    /** @throws StoreError where the settings can't be read */
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

/** What the calls under way go by, as the settings say. */
interface Current {
  readonly manager: Pick<TodoManager, 'call'>;
  readonly settings: SharedSettings;
  readonly policy: AccessPolicy;
}

/**
 * Runs calls that no client takes, on the notes on disk: by the same path as in Obsidian, with the rules
 * of the shared settings and an audit.
 */
export class Headless {
  private readonly host: ToolHost;
  private read: Current | undefined;

  constructor(private readonly services: HeadlessServices) {
    const { audit, clock, ids, log } = services;
    this.host = new ToolHost({
      ...{ audit, clock, ids, log },
      tools: headlessTools({ call: (...call) => this.now.manager.call(...call) }),
      permitting: fixedPermitting(() => this.now.policy),
      refresh: () => this.refresh(),
      boardRoot: () => this.now.settings.root,
    });
  }

  /**
   * Never throws for what is refused or fails.
   * @param ask asks the person what the rules ask; undefined where nobody can be asked
   */
  run(call: ToolCall, ask?: AskPerson): Promise<AnsweredCall> {
    return this.host.run(call, ask);
  }

  /** A call's answer is no longer waited for; what it has done by then stays. */
  cancel(callId: string, sessionId: string | undefined): void {
    this.host.cancel(callId, sessionId);
  }

  /** Read before each call goes on. */
  private get now(): Current {
    if (this.read === undefined) throw new Error('The settings have not been read yet');
    return this.read;
  }

  private async refresh(): Promise<void> {
    const { manager, settings } = await this.services.boards.now();
    this.read = { manager, settings, policy: policyOf(settings) };
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
