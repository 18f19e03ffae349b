import '../json';
import * as z from 'zod/mini';
import { TASKS_DESCRIPTION, tasksArgs } from '../board/tasks-schema';
import { lazy } from '../lazy';
import type { ModelTool } from '../model/model-client';
import type { PathResolver } from '../permission/path-resolver';
import type { Ids } from '../ports';
import type { SharedSettings } from '../shared-settings';
import { inputSchema } from '../tool/input-schema';
import { createNote, noteToolTexts, updateNote } from '../tool/note/definitions';
import type { ToolOutcome } from '../tool/tool';
import {
  vaultPermissionRequest,
  permissionRequestFor,
  isNoteTool,
  deniedTools,
  TASKS_PERMISSION,
  wireName,
  type EnginePermissionRequest,
} from './engine-permissions';
import { nothingDone, badArguments, type ToolCallRunner } from './calls';
import { isFullyDenied, ruleAction, type EngineAgent, type EngineRule } from './engine-agent';
import { argumentsOf } from './model-messages';
import type { PersonRequests, PermissionAnswer } from './person-requests';
import type { LoggedCall, SessionFacts } from './session-log';
import {
  taskPermissionRequest,
  runSubAgent,
  TASK_TOOL,
  taskTool,
  type SubAgentSessions,
  type TokenBudget,
} from './subagents';

interface EngineToolsServices {
  readonly calls: ToolCallRunner;
  readonly ids: Pick<Ids, 'unique'>;
  /** resolves the paths of calls in the vault */
  readonly places: Pick<PathResolver, 'resolveFolder'>;
  /** absent if the agent behind the engine starts its own */
  readonly subAgents?: SubAgentSessions;
}

/** The parts of a session that a call needs. */
export interface CallingSession {
  readonly facts: SessionFacts;
  readonly requests: PersonRequests;
  /** rules from the person's `always` replies; grows */
  readonly allowed: EngineRule[];
}

/** The circumstances of one call. */
export interface EngineCallContext {
  readonly session: CallingSession;
  readonly agent: EngineAgent;
  readonly offered: readonly ModelTool[];
  /** the answer that contains it */
  readonly messageId: string;
  /** the model that made it, `provider/model` */
  readonly model: string;
  readonly budget: TokenBudget;
  readonly abort: AbortSignal;
  /** called with the session that the call starts */
  readonly started: (child: string) => void;
}

const QUESTION = 'question';
const SKILL = 'skill';

/** The same arguments as OpenCode's question tool, which models know. */
const questionArgs = lazy(() =>
  z.object({
    questions: z
      .array(
        z.object({
          question: z.string().check(z.minLength(1)),
          header: z.optional(z.string().check(z.describe('At most 30 characters.'))),
          options: z.array(z.object({ label: z.string(), description: z.optional(z.string()) })),
          multiple: z.optional(z.boolean().check(z.describe('Several may be chosen.'))),
        }),
      )
      .check(z.minLength(1), z.maxLength(10)),
  }),
);

const skillArgs = lazy(() => z.object({ name: z.string() }));

const QUESTION_TEXT =
  'Asks the person, and waits for the answer. For decisions that are theirs; they may answer in own words.';

const SKILL_TEXT = 'Loads the instructions of a skill that the system prompt lists, by its name.';

/**
 * The tools offered to an agent in a session.
 * @param startable the agents that it may start
 */
export function toolsFor(
  agent: EngineAgent,
  { parentId, board }: SessionFacts,
  settings: SharedSettings,
  startable: readonly EngineAgent[],
): readonly ModelTool[] {
  const isSub = parentId !== undefined || agent.mode === 'subagent';
  const shut = new Set(deniedTools(settings)(agent.name));
  const isRuled = agent.rules.some(({ permission }) => permission === TASKS_PERMISSION);
  if (isSub && board === undefined && !settings.subagents && !isRuled) shut.add(TASKS_PERMISSION);
  // A session that is bound to a board without a task checks the work of others, and must not
  // change notes.
  if (board !== undefined && board.task === undefined && board.tasks === undefined) {
    for (const { openCodeName } of [createNote, updateNote]) shut.add(openCodeName);
  }
  const tools = [
    tool(TASKS_PERMISSION, TASKS_DESCRIPTION, tasksArgs()),
    ...(settings.noteTools ? noteToolTexts() : []).map(
      ({ name, description, parameters: schema }) => ({ name, description, schema }),
    ),
    tool(QUESTION, QUESTION_TEXT, questionArgs()),
    ...(agent.skills.length > 0 ? [tool(SKILL, SKILL_TEXT, skillArgs())] : []),
    ...(startable.length > 0 ? [taskTool(startable, settings)] : []),
  ];
  return tools.filter(
    ({ name }) =>
      !shut.has(name) &&
      !isFullyDenied(agent.rules, name) &&
      !(isNoteTool(name) && isFullyDenied(agent.parentRules, name)),
  );
}

function tool(name: string, description: string, args: z.ZodMiniType): ModelTool {
  return { name, description, schema: inputSchema(args) };
}

/** Executes the calls of models. Every call gets an outcome, with a message for the model. */
export class EngineTools {
  constructor(private readonly services: EngineToolsServices) {}

  /** Never rejects for an invalid call. */
  async run(call: LoggedCall, context: EngineCallContext): Promise<ToolOutcome> {
    const { offered } = context;
    const args = argumentsOf(call.args);
    if (!offered.some(({ name }) => name === call.name)) {
      const names = offered.map(({ name }) => name).join(', ');
      return nothingDone('no_tool', `There is no tool “${call.name}”. There are: ${names}.`);
    }
    if (args === undefined) {
      return nothingDone(
        'bad_json',
        'The arguments are no JSON object. Send the call again, whole.',
      );
    }
    const request = await this.#permissionRequest(call.name, args);
    const fault = await this.#permit(request, call, context);
    if (fault !== undefined) return fault;
    if (call.name === QUESTION) return this.#question(args, call, context);
    if (call.name === SKILL) return skill(args, context.agent);
    const { subAgents } = this.services;
    if (call.name === TASK_TOOL && subAgents !== undefined) {
      const { facts } = context.session;
      return runSubAgent(args, { ...context, facts }, subAgents);
    }
    return this.#runOwnTool(call, args, context);
  }

  #permissionRequest(
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<EnginePermissionRequest> {
    const of = (pattern: string): EnginePermissionRequest => ({
      ...{ permission: name, patterns: [pattern], always: [pattern], metadata: {} },
    });
    if (name === QUESTION) return Promise.resolve(of('*'));
    if (name === SKILL) return Promise.resolve(of(String(args['name'])));
    if (name === TASK_TOOL) return Promise.resolve(taskPermissionRequest(args));
    return permissionRequestFor(name, args, this.services.places);
  }

  /**
   * Checks a call against the agent's rules, and asks the person if they say so.
   * @returns the refusal, if any
   */
  async #permit(
    request: EnginePermissionRequest,
    call: LoggedCall,
    { session, agent, abort }: EngineCallContext,
  ): Promise<ToolOutcome | undefined> {
    const { permission, patterns, always } = request;
    const above =
      isNoteTool(call.name) && ruleAction(agent.parentRules, permission, patterns) === 'deny';
    const verdict = ruleAction([...agent.rules, ...session.allowed], permission, patterns);
    if (verdict === 'allow' && !above) return undefined;
    if (verdict === 'deny' || above) {
      return nothingDone('denied', `A rule of the configuration denies “${permission}” for this.`);
    }
    const answer = await this.#ask(request, call, session, abort);
    if (answer.reply === 'reject') return nothingDone('denied', rejectionText(answer));
    if (answer.reply === 'always') {
      session.allowed.push(
        ...always.map((pattern) => ({ permission, pattern, action: 'allow' as const })),
      );
    }
    return undefined;
  }

  #ask(
    { permission, patterns, always, metadata }: EnginePermissionRequest,
    { id: callId }: LoggedCall,
    { facts, requests }: CallingSession,
    abort: AbortSignal,
  ): Promise<PermissionAnswer> {
    const requestId = `per_${this.services.ids.unique()}`;
    const request = { requestId, callId, permission, patterns, always, metadata };
    return requests.permission(facts.id, request, abort);
  }

  /** Runs one of our tools: in Obsidian if it is connected, else here. */
  async #runOwnTool(
    call: LoggedCall,
    args: unknown,
    { session, agent, messageId, abort }: EngineCallContext,
  ): Promise<ToolOutcome> {
    const { id: sessionId, title: sessionTitle, board } = session.facts;
    const own = {
      ...{ callId: call.id, tool: wireName(call.name), args, agent: agent.name, sessionId },
      ...{ sessionTitle, ...(board !== undefined && { board }) },
    };
    return this.services.calls.run(own, {
      ...{ messageId, abort },
      ask: async (question) => {
        const answer = await this.#ask(vaultPermissionRequest(own, question), call, session, abort);
        const { reply, message } = answer;
        if (reply !== 'reject') return { reply: 'once' };
        return message === undefined ? { reply } : { reply, message };
      },
    });
  }

  async #question(
    args: unknown,
    { id: callId }: LoggedCall,
    { session, abort }: EngineCallContext,
  ): Promise<ToolOutcome> {
    const read = questionArgs().safeParse(args);
    if (!read.success) return badArguments(read.error);
    const { questions } = read.data;
    const request = { requestId: `que_${this.services.ids.unique()}`, callId, questions };
    const answers = await session.requests.question(session.facts.id, request, abort);
    if (answers === undefined) return nothingDone('dismissed', 'The person did not answer.');
    const lines = questions.map(({ question }, at) => {
      const said = answers[at]?.join(', ') ?? '';
      return `“${question}”: ${said === '' ? '(no answer)' : said}`;
    });
    const output = `The person answered.\n${lines.join('\n')}`;
    return { ok: true, title: 'The person answered', output, metadata: {} };
  }
}

function skill(args: unknown, { skills }: EngineAgent): ToolOutcome {
  const read = skillArgs().safeParse(args);
  if (!read.success) return badArguments(read.error);
  const found = skills.find(({ name }) => name === read.data.name);
  if (found !== undefined) {
    const { name, content } = found;
    return { ok: true, title: `Skill ${name}`, output: content, metadata: {} };
  }
  const names = skills.map(({ name }) => name).join(', ');
  return nothingDone('no_skill', `There is no skill “${read.data.name}”. There are: ${names}.`);
}

function rejectionText({ message }: PermissionAnswer): string {
  return message === undefined || message.trim() === ''
    ? 'The person said no. Do not try the same in another way; go on without it, or ask.'
    : `The person said no: ${message}`;
}
