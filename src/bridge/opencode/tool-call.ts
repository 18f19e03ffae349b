import { listNotes, NOTE_TOOLS, searchVault } from '../../core/tool/note/definitions';
import type { PathResolver } from '../../core/permission/path-resolver';
import { VAULT, VaultTarget } from '../../core/permission/vault-target';
import type { AuditEntry } from '../../core/permission/audit/audit-entry';
import type { Ids, Log } from '../../core/ports';
import type { ToolCall } from '../../core/tool/tool';
import { NOTES_ASK, operationOf, TASKS_ASK } from './permission-defaults';
import type { Question } from '../../core/tool/call-run';
import { changeText } from '../../core/tool/note/change-text';

/** What OpenCode hands a tool beside its arguments, as far as we use it. */
export interface ToolCallContext {
  readonly sessionID: string;
  readonly messageID: string;
  readonly agent: string;
  readonly abort: AbortSignal;
  /** not in OpenCode's own types */
  readonly callID?: string;
  ask(request: {
    permission: string;
    patterns: string[];
    always: string[];
    metadata: Record<string, unknown>;
  }): Promise<void>;
}

export interface ToolAnswer {
  readonly title: string;
  /** for the model */
  readonly output: string;
  readonly metadata: Record<string, unknown>;
}

/** A tool as OpenCode takes it from a plugin. */
export interface ToolDefinition {
  readonly description: string;
  readonly args: Readonly<Record<string, unknown>>;
  execute(args: unknown, context: ToolCallContext): Promise<ToolAnswer>;
}

/** By the names that OpenCode knows them by: its own have no dots. */
const WIRE_NAMES: ReadonlyMap<string, string> = new Map(
  NOTE_TOOLS.map(({ openCodeName, name }) => [openCodeName, name]),
);

function isNoteTool(tool: string): boolean {
  return WIRE_NAMES.has(tool);
}

/** As the protocol names a tool of OpenCode. */
export function wireName(tool: string): string {
  return WIRE_NAMES.get(tool) ?? tool;
}

/**
 * What OpenCode is asked before anything else: its own rules count as well as ours. For a tool for notes by its path: as sent, as it is taken, and where that leads, so that a rule holds for
 * links and other spellings as well. A deprecated task tool asks as `tasks`.
 */
export async function askedOf(
  tool: string,
  args: unknown,
  places: Pick<PathResolver, 'resolveFolder'>,
): Promise<Parameters<ToolCallContext['ask']>[0]> {
  const all = { patterns: ['*'], always: ['*'], metadata: {} };
  if (!isNoteTool(tool)) return { permission: 'tasks', ...all };
  const sent = placeIn(tool, args);
  const target = sent === '' ? undefined : await places.resolveFolder(sent);
  const taken = target instanceof VaultTarget ? target.paths : [sent.normalize('NFC')];
  if (taken.includes(VAULT)) return { permission: tool, ...all };
  return {
    permission: tool,
    patterns: [...new Set([sent, ...taken])],
    // OpenCode would take it for a pattern of its own, which fits other notes as well.
    always: /[*?]/.test(sent) ? [] : [sent],
    metadata: {},
  };
}

/** What our own rules ask, as OpenCode asks it: never for good, and with the change that would be made. */
export function asOpencodeAsk(
  { tool, agent }: Pick<ToolCall, 'tool' | 'agent'>,
  { request: { operation, target }, decision, change }: Question,
): Parameters<ToolCallContext['ask']>[0] {
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
function placeIn(tool: string, args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const { path, folder } = args as Partial<Record<string, unknown>>;
  const place = IN_FOLDER.has(tool) ? folder : path;
  return typeof place === 'string' ? place : '';
}

const IN_FOLDER: ReadonlySet<string> = new Set(
  [searchVault, listNotes].map(({ openCodeName }) => openCodeName),
);

interface RefusedCallsServices {
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly ids: Pick<Ids, 'unique'>;
  readonly log: Log;
}

/** Calls that OpenCode's own rules, or the person it asked, did not let through: they are audited here. */
export class RefusedCalls {
  constructor(private readonly services: RefusedCallsServices) {}

  /** Never throws: nothing was done, and that is said elsewhere. */
  async note(tool: string, call: Omit<ToolCall, 'tool'>, error: unknown): Promise<void> {
    const { audit, ids, log } = this.services;
    const callId = ids.unique();
    const { callId: sent, sessionId, agent, args = null } = call;
    const path = placeIn(tool, args);
    const said = error instanceof Error ? error.message : String(error);
    try {
      await audit.append({
        ...{ kind: 'intent', callId, agent, tool: wireName(tool), operation: operationOf(tool) },
        ...(sent !== undefined && { sent }),
        ...(sessionId !== undefined && { sessionId }),
        ...(path !== '' && { path }),
        ...{
          dryRun: isDryRun(tool, args),
          args,
          verdict: 'deny',
          why: `Not allowed in OpenCode. ${said}`,
        },
      });
      await audit.append({ kind: 'outcome', callId, result: 'denied', code: 'opencode' });
    } catch (fault) {
      log.note('A call that OpenCode refused is missing in the audit.', { error: String(fault) });
    }
  }
}

/** As the tools have it: a change is one unless it says otherwise. */
function isDryRun(tool: string, args: unknown): boolean {
  const operation = operationOf(tool);
  if (operation !== 'create' && operation !== 'update') return false;
  return typeof args !== 'object' || args === null || !('dryRun' in args) || args.dryRun !== false;
}
