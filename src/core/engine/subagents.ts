import '../json';
import * as z from 'zod/mini';
import { WireError } from '../../protocol/wire-error';
import { lazy } from '../lazy';
import type { ModelTool } from '../model/model-client';
import type { SharedSettings } from '../shared-settings';
import { inputSchema } from '../tool/input-schema';
import type { ToolOutcome } from '../tool/tool';
import type { EnginePermissionRequest } from './engine-permissions';
import { nothingDone, badArguments } from './calls';
import { ruleAction, type EngineAgent } from './engine-agent';
import type { SessionFacts } from './session-log';

/** The tool with which an agent starts subagents. */
export const TASK_TOOL = 'task';

/** Maximum subagents of one answer that run in parallel. */
export const SUB_AGENTS_AT_ONCE = 4;

/** Tokens that a turn and its subagents may still use. */
export interface TokenBudget {
  left: number;
}

const taskArgs = lazy(() =>
  z.object({
    description: z.string().check(z.minLength(1), z.describe('The task in 3 to 5 words.')),
    prompt: z.string().check(z.minLength(1), z.describe('Everything the subagent needs to know.')),
    subagent_type: z.string().check(z.describe('Name of the subagent.')),
    task_id: z.optional(
      z.string().check(z.describe('From an earlier answer, to continue with that subagent.')),
    ),
    command: z.optional(
      z.string().check(z.describe('The command that this task comes from, if any.')),
    ),
  }),
);

/** The agents that an agent may start in a session; none in a subagent's session. */
export function startableBy(
  caller: EngineAgent,
  { parentId, board }: SessionFacts,
  agents: readonly EngineAgent[],
  settings: Pick<SharedSettings, 'modelSubagents'>,
): readonly EngineAgent[] {
  const works = board === undefined || board.task !== undefined || board.tasks !== undefined;
  const isSub = caller.mode === 'subagent' || (parentId !== undefined && board === undefined);
  if (!settings.modelSubagents || isSub || !works) return [];
  return agents.filter(
    ({ name, mode }) =>
      mode !== 'primary' && ruleAction(caller.rules, TASK_TOOL, [name]) !== 'deny',
  );
}

/** @param agents those that may be started, at least one */
export function taskTool(
  agents: readonly EngineAgent[],
  { subagents }: Pick<SharedSettings, 'subagents'>,
): ModelTool {
  const listed = agents.map(({ name, description = 'No description.' }) => {
    return `- ${name}: ${description}`;
  });
  const board = subagents
    ? 'A subagent keeps a board of its own.'
    : 'A subagent can neither see nor change your task board.';
  const description = [GUIDANCE, board, '', ...listed].join('\n');
  return { name: TASK_TOOL, description, schema: inputSchema(taskArgs()) };
}

const GUIDANCE = `Starts a subagent, which works on one task in a session of its own and answers once.
- Use it for work of several steps that needs none of this conversation, and where a description below says to use that subagent. Do not use it to read one note that you know, for one search, or where no description fits.
- Start several with calls in one answer if their work is independent: they work at the same time.
- It knows nothing of this conversation, unless \`task_id\` goes on with an earlier one. Say what to do, whether to write notes or only to look, and what to answer.
- The person does not see its answer: tell them what matters. You can generally trust it.
- Work that stands on your task board: set its task in progress before, and complete it from the answer.`;

/** The permission request for a call, with the subagent's name as its pattern. */
export function taskPermissionRequest(args: unknown): EnginePermissionRequest {
  const read = taskArgs().safeParse(args);
  const { description = '', subagent_type = '', command } = read.success ? read.data : {};
  const metadata = { description, subagent_type, ...(command !== undefined && { command }) };
  return { permission: TASK_TOOL, patterns: [subagent_type], always: ['*'], metadata };
}

/** The work for one turn of a subagent. */
export interface SubAgentWork {
  readonly text: string;
  readonly agent: string;
  /** the caller's model, used if the subagent has none of its own */
  readonly model: string;
  readonly budget: TokenBudget;
  readonly abort: AbortSignal;
}

export interface SubAgentEnd {
  readonly reason: 'completed' | 'interrupted' | 'error';
  /** text of its last answer */
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** Manages the sessions of subagents. */
export interface SubAgentSessions {
  startable(caller: EngineAgent, facts: SessionFacts): Promise<readonly EngineAgent[]>;
  /** @returns the id of a new session of the agent */
  start(parent: SessionFacts, by: string, agent: string, title: string): Promise<string>;
  /** The session of a subagent that `parent` started; undefined if it is not one. */
  find(parent: SessionFacts, id: string): Promise<SessionFacts | undefined>;
  /** Runs one turn; undefined if one is running already. Aborting interrupts the turn. */
  runTurn(id: string, work: SubAgentWork): Promise<SubAgentEnd | undefined>;
}

/** One call of `task`. */
interface TaskCall {
  readonly facts: SessionFacts;
  readonly agent: EngineAgent;
  readonly model: string;
  readonly budget: TokenBudget;
  readonly abort: AbortSignal;
  /** called with the subagent's session */
  readonly started: (child: string) => void;
}

/** Runs a subagent, and returns its last answer. */
export async function runSubAgent(
  args: unknown,
  call: TaskCall,
  sessions: SubAgentSessions,
): Promise<ToolOutcome> {
  const read = taskArgs().safeParse(args);
  if (!read.success) return badArguments(read.error);
  const { description, prompt: text, subagent_type: agent, task_id: earlier } = read.data;
  const { facts, model, budget, abort } = call;
  const agents = (await sessions.startable(call.agent, facts)).map(({ name }) => name);
  if (!agents.includes(agent)) {
    const names = agents.join(', ');
    return nothingDone('no_agent', `There is no subagent “${agent}”. There are: ${names}.`);
  }
  if (budget.left <= 0) return nothingDone('no_tokens', 'The tokens of this turn are used up.');
  if (earlier !== undefined && (await sessions.find(facts, earlier)) === undefined) {
    return nothingDone('no_task', `No subagent of this session has the task_id “${earlier}”.`);
  }
  const title = `${description} (@${agent} subagent)`;
  try {
    const child = earlier ?? (await sessions.start(facts, call.agent.name, agent, title));
    call.started(child);
    const end = await sessions.runTurn(child, { text, agent, model, budget, abort });
    if (end !== undefined) return outcomeOf(end, child, description);
    return nothingDone('busy', `The subagent ${child} still works. Wait for its answer.`);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return nothingDone(error.code, `The subagent could not begin: ${error.message}`);
  }
}

function outcomeOf(
  { reason, text, error }: SubAgentEnd,
  child: string,
  title: string,
): ToolOutcome {
  const goOn = `task_id: ${child} (to go on with this subagent)`;
  const output = [goOn, '', '<task_result>', text, '</task_result>'].join('\n');
  if (reason === 'completed') return { ok: true, title, output, metadata: {} };
  const why = reason === 'interrupted' ? 'The person interrupted it' : (error?.message ?? reason);
  const what = `The subagent did not finish: ${why}. What it did until then stands.`;
  return { ok: false, error: { code: error?.code ?? reason, message: `${what}\n${output}` } };
}
