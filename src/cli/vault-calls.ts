import { refuseCall, type TasksAnswer } from '../core/board/answer/write-answer';
import { Redactor } from '../core/permission/audit/redact';
import { fixedPermitting } from '../core/permission/permitting';
import type { OpenVault } from './command';
import { policyOf } from '../core/shared-settings';
import { callContext, type Tool } from '../core/tool/tool';
import { ToolHost } from '../core/tool/tool-host';
import { ProcessAudit } from '../node/audit/open-audit';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';

/** Who acts, and on which board. */
export interface CallingAgent {
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** whose board an operation works on that names none */
  readonly board: string;
}

/** One call of the tool `tasks` in an agent's name: by the rules of the vault, and into its audit. */
export async function callTasks(
  { folder, manager, settings }: OpenVault,
  { sessionId, agent, board }: CallingAgent,
  args: unknown,
): Promise<TasksAnswer> {
  const months = (): number => settings.auditMonths;
  const redactor = new Redactor();
  const audit = new ProcessAudit({ vault: folder, kind: 'cli', clock, redactor, months });
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
  const policy = policyOf(settings);
  const host = new ToolHost({
    ...{ audit, clock, ids },
    tools: new Map([[tasks.name, tasks]]),
    permitting: fixedPermitting(() => policy),
    boardRoot: () => settings.root,
    // What goes wrong is the answer's to say.
    log: { note: () => undefined },
  });
  try {
    const outcome = await host.run({ tool: tasks.name, args, sessionId, agent });
    const error = outcome.ok ? UNKNOWN : outcome.error;
    return answer ?? refuseCall(sessionId ?? '', agent, error);
  } finally {
    audit.close();
  }
}

const UNKNOWN = { code: 'internal', message: 'Nothing is known of what was done.' };
