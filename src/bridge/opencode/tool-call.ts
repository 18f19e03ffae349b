import {
  operationOf,
  pathArgument,
  wireName,
  type EnginePermissionRequest,
} from '../../core/engine/engine-permissions';
import type { AuditEntry } from '../../core/permission/audit/audit-entry';
import type { Ids, Log } from '../../core/ports';
import type { ToolCall } from '../../core/tool/tool';

/** The part that we use of what OpenCode passes to a tool besides its arguments. */
export interface ToolCallContext {
  readonly sessionID: string;
  readonly messageID: string;
  readonly agent: string;
  readonly abort: AbortSignal;
  /** missing in OpenCode's own types */
  readonly callID?: string;
  ask(request: EnginePermissionRequest): Promise<void>;
}

export interface ToolAnswer {
  readonly title: string;
  /** for the model */
  readonly output: string;
  readonly metadata: Record<string, unknown>;
}

/** A tool as a plugin defines it for OpenCode. */
export interface ToolDefinition {
  readonly description: string;
  readonly args: Readonly<Record<string, unknown>>;
  execute(args: unknown, context: ToolCallContext): Promise<ToolAnswer>;
}

interface RefusedCallsServices {
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly ids: Pick<Ids, 'unique'>;
  readonly log: Log;
}

/** Audits calls that OpenCode's own rules, or the person it asked, did not allow. */
export class RefusedCalls {
  constructor(private readonly services: RefusedCallsServices) {}

  /** Never throws: nothing was done, and the refusal is reported elsewhere. */
  async note(tool: string, call: Omit<ToolCall, 'tool'>, error: unknown): Promise<void> {
    const { audit, ids, log } = this.services;
    const callId = ids.unique();
    const { callId: sent, sessionId, agent, args = null } = call;
    const path = pathArgument(tool, args);
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
      log.note('A call that OpenCode refused is missing in the audit.', {
        at: 'audit.refusal',
        severity: 'error',
        error: String(fault),
      });
    }
  }
}

/** Whether it is a preview. As in the tools, a change is one unless `dryRun` is false. */
function isDryRun(tool: string, args: unknown): boolean {
  const operation = operationOf(tool);
  if (operation !== 'create' && operation !== 'update') return false;
  return typeof args !== 'object' || args === null || !('dryRun' in args) || args.dryRun !== false;
}
