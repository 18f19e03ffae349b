import { refuseCall, type TasksAnswer } from '../core/board/answer/write-answer';
import { Redactor } from '../core/permission/audit/redact';
import { fixedAccessRules, type AccessRules } from '../core/permission/access-rules';
import { escapeControls } from '../core/board/task-display';
import type { OpenVault } from './command';
import { errorLog, faultLine } from './error-log';
import { DENIED_HERE, toShellOutcome, notAskedMessage, type CommandOf } from './shell-words';
import { followBoardFolders, policyOf } from '../core/shared-settings';
import type { AskPerson } from '../core/tool/call-run';
import { callContext, type AnsweredCall, type Tool, type ToolCall } from '../core/tool/tool';
import { ToolHost } from '../core/tool/tool-host';
import { ProcessAudit } from '../node/audit/open-audit';
import { diskNoteTools } from '../node/notes/note-host';
import { openScriptHooks } from '../node/hooks/script-hooks';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';

/** The agent that acts, and its board. */
export interface CallingAgent {
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** the agent whose board is used by operations that name none */
  readonly board: string;
}

/**
 * Calls the tool `tasks` once in an agent's name, by the vault's rules and with the vault's audit.
 */
export async function callTasks(
  vault: OpenVault,
  { sessionId, agent, board }: CallingAgent,
  args: unknown,
): Promise<TasksAnswer> {
  let answer: TasksAnswer | undefined;
  const tasks: Tool = {
    ...{ name: 'tasks', description: '' },
    plan: (call) => ({
      kind: 'board',
      run: async () => {
        answer = await vault.manager.call({ ...callContext(call), board }, call.args);
        const { refused, title, output } = answer;
        if (refused !== undefined) return { ok: false, error: refused };
        return { ok: true, title, output, metadata: {} };
      },
    }),
  };
  const outcome = await callTool(vault, { tool: tasks.name, args, sessionId, agent }, { tasks });
  if (outcome.ok && answer !== undefined) {
    const { title, output } = outcome;
    return output === answer.output ? answer : { ...answer, title, output, said: output };
  }
  const error = outcome.ok ? UNKNOWN_OUTCOME : outcome.error;
  const isWithheld = !outcome.ok && outcome.error.code === 'hook';
  return isWithheld || answer === undefined ? refuseCall(sessionId ?? '', agent, error) : answer;
}

/**
 * Runs one call of a tool for notes, or of `tasks` if that is given; never throws for a refusal. If
 * nobody can answer a question, or the person says no, the result says so for the person. Advice in
 * it names commands of the command line.
 * @param command the command for a note tool that an answer names
 * @param ask asks the person if the rules require it; absent if nobody can be asked
 * @param asPerson whether the person runs it: they may read notes that the rules ask about
 */
export async function callTool(
  { folder, store, settings, manager }: OpenVault,
  call: ToolCall,
  {
    tasks,
    command,
    ask,
    asPerson = false,
  }: {
    readonly tasks?: Tool;
    readonly command?: CommandOf;
    readonly ask?: AskPerson;
    readonly asPerson?: boolean;
  },
): Promise<AnsweredCall> {
  const months = (): number => settings.auditMonths;
  const redactor = new Redactor();
  const policy = policyOf(settings, await followBoardFolders(store, settings));
  const permitting = fixedAccessRules(() => policy);
  // The answer itself reports failures and cancellations; only those of hooks are printed here.
  const log = errorLog((fault) => {
    if (fault.module === 'hook' && fault.severity !== 'info')
      process.stderr.write(escapeControls(`agent-boards: ${faultLine(fault)}\n`));
  });
  const audit = new ProcessAudit({ vault: folder, kind: 'cli', clock, redactor, months, log });
  const hooks = openScriptHooks({ vault: folder, log, settings: () => settings });
  const { tools, notes } = diskNoteTools({
    ...{ vault: folder, store, clock, log, texts: audit.texts },
    hidden: (target) => policy.places.kindOf(target) !== undefined,
  });
  const host = new ToolHost({
    ...{ audit, clock, ids, log, notes, hooks },
    tools: tasks === undefined ? tools : new Map([[tasks.name, tasks]]),
    permitting: asPerson ? allowingReads(permitting) : permitting,
    boardRoot: () => settings.root,
    taskOf: (caller) => manager.taskOf(caller),
  });
  let personMessage: string | undefined;
  try {
    const outcome = await host.run(call, async (question) => {
      const end = await ask?.(question);
      if (end === undefined) personMessage = notAskedMessage(question);
      if (end?.reply === 'reject') personMessage = DENIED_HERE;
      return end;
    });
    if (outcome.ok || personMessage === undefined) return toShellOutcome(outcome, command);
    return { ...outcome, error: { ...outcome.error, message: personMessage } };
  } finally {
    audit.close();
  }
}

/**
 * For the person: allows reads that the rules would ask about, in listings of folders too, where
 * nobody can be asked.
 */
function allowingReads(permitting: AccessRules): AccessRules {
  return {
    ...permitting,
    decide(request) {
      const decision = permitting.decide(request);
      if (request.operation !== 'read' || decision.verdict !== 'ask') return decision;
      const why = `${decision.why} It is allowed, because the person runs it.`;
      return { ...decision, verdict: 'allow', why };
    },
  };
}

const UNKNOWN_OUTCOME = { code: 'internal', message: 'Nothing is known of what was done.' };
