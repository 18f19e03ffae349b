import { refuseCall, type TasksAnswer } from '../core/board/answer/write-answer';
import type { TodoManager } from '../core/board/todo-manager';
import { Redactor } from '../core/permission/audit/redact';
import { fixedPermitting } from '../core/permission/permitting';
import { makePolicy } from '../core/permission/policy';
import { ProtectedPlaces } from '../core/permission/protected-places';
import type { SharedSettings } from '../core/shared-settings';
import { callContext, type Tool } from '../core/tool/tool';
import { ToolHost } from '../core/tool/tool-host';
import { ProcessAudit } from '../node/audit/open-audit';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';

export interface VaultCallsDeps {
  /** absolute path of the vault */
  readonly folder: string;
  readonly manager: TodoManager;
  readonly settings: SharedSettings;
}

/** Who acts, and on which board. */
export interface CallingAgent {
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** whose board an operation works on that names none */
  readonly board: string;
}

/** Calls of the tool `tasks` in an agent's name: by the rules of the vault, and into its audit. */
export class VaultCalls {
  constructor(private readonly deps: VaultCallsDeps) {}

  async call(actor: CallingAgent, args: unknown): Promise<TasksAnswer> {
    const { folder, settings } = this.deps;
    const redactor = new Redactor();
    const months = (): number => settings.auditMonths;
    const audit = new ProcessAudit({ vault: folder, kind: 'cli', clock, redactor, months });
    try {
      return await this.run(actor, args, audit);
    } finally {
      audit.close();
    }
  }

  private async run(actor: CallingAgent, args: unknown, audit: ProcessAudit): Promise<TasksAnswer> {
    const { manager, settings } = this.deps;
    const { sessionId, agent, board } = actor;
    let answer: TasksAnswer | undefined;
    const tasks: Tool = {
      ...{ name: 'tasks', description: '' },
      plan: (call) => ({
        kind: 'board',
        run: async () => {
          answer = await manager.call({ ...callContext(call), board }, call.args);
          const { refused, title, output } = answer;
          if (refused !== undefined) return { ok: false, error: refused };
          return { ok: true, title, output, metadata: {} };
        },
      }),
    };
    const places = new ProtectedPlaces({ boardRoot: settings.root });
    const policy = makePolicy(settings.permissions, places);
    const host = new ToolHost({
      ...{ audit, clock, ids },
      tools: new Map([[tasks.name, tasks]]),
      permitting: fixedPermitting(() => policy),
      boardRoot: () => settings.root,
      // What goes wrong is the answer's to say.
      log: { note: () => undefined },
    });
    const outcome = await host.run({ tool: tasks.name, args, sessionId, agent });
    if (answer !== undefined) return answer;
    const error = outcome.ok ? UNKNOWN : outcome.error;
    return refuseCall(sessionId ?? '', agent, error);
  }
}

const UNKNOWN = { code: 'internal', message: 'Nothing is known of what was done.' };
