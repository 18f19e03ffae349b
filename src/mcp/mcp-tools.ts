import type { DiskBoards } from '../bridge/disk-boards';
import type { CallRunner } from '../bridge/call-runner';
import { progress } from '../core/board/facts';
import { TYPES_HINT } from '../core/board/op';
import type { Board } from '../core/board/task';
import { catchStoreError, fault, type Fault } from '../core/fault';
import { StoreError, type Clock, type Ids, type Log } from '../core/ports';
import type { ProcessAudit } from '../node/audit/open-audit';
import type { Decision } from '../core/permission/decide';
import { shownChange } from '../core/tool/note/change-text';
import { CallRun, denied, failedCall, type AskPerson, type CallEnd } from '../core/tool/call-run';
import type { ToolOutcome } from '../core/tool/tool';
import { mcpTools, wireNameOf, type ToolChoice } from './offered-tools';
import type { McpEngine } from './mcp-engine';
import type { McpSession } from './mcp-session';
import type { UnfinishedBoard } from './session-records';
import { toAskEnd, questionText, type AskClient } from './open-calls';
import { TurnQueue, type CallTurn } from './turns';

interface McpToolsServices {
  readonly session: McpSession;
  readonly engine: McpEngine;
  readonly runner: CallRunner;
  readonly boards: Pick<DiskBoards, 'manager'>;
  readonly audit: Pick<ProcessAudit, 'append'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** whether a person in Obsidian can be asked now */
  readonly canAskInObsidian: () => boolean;
  readonly choice: ToolChoice;
}

/** A running call. */
interface Call {
  readonly id: string;
  /** undefined if the client can't ask its person */
  readonly ask: AskClient | undefined;
  readonly stop: AbortSignal;
}

/** A call with its turn; only calls of `tasks` have one. */
interface TurnedCall extends Call {
  readonly turn: CallTurn | undefined;
}

/** Runs the client's tool calls in its session. */
export class McpTools {
  private isFirst = true;
  /**
   * Runs calls of `tasks` in the order in which they came, since a later one may refer to what an
   * earlier one creates.
   */
  private readonly turns = new TurnQueue();

  constructor(private readonly services: McpToolsServices) {}

  /** Never rejects because of what was sent. */
  async call(name: string, args: unknown, call: Call): Promise<ToolOutcome> {
    try {
      if (name !== 'tasks') return await this.run(name, args, { ...call, turn: undefined });
      return await this.turns.run((turn) => this.run(name, args, { ...call, turn }));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return failed(fault(error.code, `Nothing was done: ${error.message}`));
    }
  }

  private async run(name: string, args: unknown, call: TurnedCall): Promise<ToolOutcome> {
    if (call.stop.aborted) return failed(CANCELLED);
    const { session, engine, choice } = this.services;
    const known = mcpTools(choice).map((tool) => tool.name);
    if (!known.includes(name)) {
      const message = `There is no tool "${name}" here. Use ${known.join(', ')}.`;
      return failed(fault('unknown_tool', message));
    }
    if (name === 'tasks' && hasResume(args)) return this.resume(args, call);
    await session.ensureStarted();
    const tool = wireNameOf(name);
    engine.reportCall({ callId: call.id, tool: name, status: 'running', input: asObject(args) });
    const outcome = await this.carryOut(tool, args, call);
    engine.reportCall(
      outcome.ok
        ? { callId: call.id, tool: name, status: 'completed', ...shownFields(outcome) }
        : { callId: call.id, tool: name, status: 'error', error: outcome.error.message },
    );
    return name === 'tasks' ? this.afterTasks(args, outcome) : outcome;
  }

  private async carryOut(tool: string, args: unknown, call: TurnedCall): Promise<ToolOutcome> {
    const { session, runner } = this.services;
    const { id: sessionId, agent, title: sessionTitle } = await session.ensureStarted();
    const { ask, turn } = call;
    const person: AskPerson | undefined =
      ask &&
      (async (question) => {
        const { change } = question;
        const { path } = question.request.target;
        const diff = change === undefined ? '' : shownChange(path, change);
        const end = toAskEnd(
          await withoutTurn(turn, () => ask(questionText(agent, question, diff))),
        );
        // Another call may have resumed another board meanwhile.
        return session.current?.id === sessionId ? end : { reply: 'cancelled' };
      });
    return runner.run(
      { callId: call.id, tool, args, agent, sessionId, sessionTitle },
      { messageId: call.id, abort: call.stop, ask: person, onWait: turn?.release },
    );
  }

  /** Applies a new title to the session. Adds the list of unfinished boards to the first answer. */
  private async afterTasks(args: unknown, answered: ToolOutcome): Promise<ToolOutcome> {
    if (!answered.ok) return answered;
    const outcome = { ...answered, output: withResumeType(answered.output) };
    const title = operationsOf(args).findLast(({ type }) => type === 'init')?.['title'];
    if (typeof title === 'string') this.services.session.rename(title);
    if (!this.isFirst) return outcome;
    this.isFirst = false;
    // The call itself is done, so failing to read the unfinished boards must not fail it.
    const left = await catchStoreError(
      () => this.services.session.unfinished(),
      () => [],
    );
    if (left.length === 0) return outcome;
    return { ...outcome, output: `${outcome.output}\n\n${unfinishedText(left)}` };
  }

  /**
   * Resumes another board, then runs the call's other operations, which are audited as a separate
   * call.
   */
  private async resume(args: unknown, call: TurnedCall): Promise<ToolOutcome> {
    const { session } = this.services;
    const { current: now, agent } = session;
    const about = { callId: call.id, tool: 'tasks', args, agent, sessionId: now?.id };
    const from = now === undefined ? about : { ...about, sessionTitle: now.title };
    const run = new CallRun(this.services, from);
    const end = await this.resumeBoard(run, args, call);
    await run.writeOutcome(end);
    if (!end.outcome.ok) return end.outcome;
    this.isFirst = false;
    const rest = operationsOf(args).filter(({ type }) => type !== 'resume');
    const operations = rest.length === 0 ? [{ type: 'list' }] : rest;
    const outcome = await this.run('tasks', { ...asObject(args), operations }, call);
    if (!outcome.ok) return outcome;
    const output = `${end.outcome.output}\n\n${outcome.output}`;
    return { ...outcome, output, metadata: { ...outcome.metadata, resumed: true } };
  }

  private async resumeBoard(run: CallRun, args: unknown, call: TurnedCall): Promise<CallEnd> {
    const { session } = this.services;
    const resume = operationsOf(args).find(({ type }) => type === 'resume');
    const wanted = await this.findWanted(resume?.['session']);
    if ('code' in wanted) return run.refuse(wanted);
    const { found, decision } = wanted;
    const intent = { operation: 'tasks', path: found.board.path, decision } as const;
    const unwritten = await run.writeIntent(intent);
    if (unwritten !== undefined) return unwritten;
    if (decision.verdict === 'ask') {
      const askedAt = this.services.clock.now();
      const isAllowed = await this.askAllowed(found, call);
      const reply = isAllowed === true ? 'once' : 'reject';
      if (isAllowed !== undefined) {
        run.recordAnswer({ reply }, this.services.clock.now() - askedAt);
      }
      if (isAllowed !== true) return denied(notAllowed(found.session));
    }
    if (!(await session.resume(found))) {
      const message = `Nothing was done: another process works on session ${found.session} now.`;
      return failedCall({ code: 'conflict', message });
    }
    const output = `You work on ${describeBoard(found)} now.`;
    const outcome = { ok: true, title: 'Board taken up', output, metadata: {} } as const;
    return { outcome, result: 'done', more: { title: outcome.title } };
  }

  /** Finds the requested board, and decides whether it may be resumed. */
  private async findWanted(
    wanted: unknown,
  ): Promise<{ readonly found: UnfinishedBoard; readonly decision: MayResume } | Fault> {
    const { session, boards: services } = this.services;
    // Includes the session's own board: an agent may have forgotten what it worked on.
    const left = [...(await session.open()), ...(await session.unfinished())];
    const [first] = left;
    if (wanted === undefined) {
      if (first === undefined) return fault('nothing_open', NOTHING_LEFT);
      if (left.every((one) => one.session === first.session)) {
        return { found: first, decision: OFFERED };
      }
      return fault('ambiguous', `Nothing was done: which one? ${unfinishedText(left)}`);
    }
    if (typeof wanted !== 'string') return fault('bad_session', NO_SESSION);
    const offered = left.find((one) => one.session === wanted);
    if (offered !== undefined) return { found: offered, decision: OFFERED };
    const { boards } = await (await services.manager()).inSession(wanted);
    const board = boards.find(({ broken }) => broken === null);
    if (board === undefined) {
      return fault('unknown_session', `Nothing was done: session ${wanted} has no board.`);
    }
    const decision = wanted === session.current?.id ? OFFERED : OF_ANOTHER;
    return { found: { session: wanted, board }, decision };
  }

  /**
   * Asks whether the client may work on a board that is not its own. Undefined if nobody can be
   * asked.
   */
  private async askAllowed(
    wanted: UnfinishedBoard,
    { ask, stop, id, turn }: TurnedCall,
  ): Promise<boolean | undefined> {
    const { session, engine, canAskInObsidian: canAskThere, ids } = this.services;
    const { agent } = await session.ensureStarted();
    if (canAskThere()) {
      const patterns = [wanted.board.path];
      const metadata = { agent, board: wanted.board.title };
      const request = { requestId: ids.unique(), permission: 'resume', patterns, always: [] };
      return withoutTurn(turn, () => engine.ask({ ...request, metadata, callId: id }, stop));
    }
    if (ask === undefined) return undefined;
    const message = `${agent} wants to go on with ${describeBoard(wanted)}.`;
    return (await withoutTurn(turn, () => ask(message))) === 'yes';
  }
}

type MayResume = Pick<Decision, 'verdict' | 'why'>;

const OFFERED: MayResume = {
  verdict: 'allow',
  why: 'It is of this session, or one that this client left unfinished in this folder.',
};

const OF_ANOTHER: MayResume = {
  verdict: 'ask',
  why: 'It is a board of another session, so the person is asked.',
};

/** Adds `resume` to the list of types in the answer to an unknown type. */
function withResumeType(output: string): string {
  return output.replaceAll(`${TYPES_HINT}.`, `${TYPES_HINT}, resume.`);
}

function notAllowed(session: string): string {
  return `Nothing was done: the board of session ${session} is not of this client and folder, and the person did not allow it. They can start agent-boards mcp with --session ${session}.`;
}

const CANCELLED = fault('cancelled', 'Nothing was done: the call was cancelled before its turn.');

const NO_SESSION =
  'Nothing was done: `session` is the id of a session, as an answer names it. Leave it out for the only unfinished board.';

const NOTHING_LEFT =
  'Nothing was done: there is no unfinished board of this client and folder. Plan a new one (init, add).';

/** Waits for a person, without holding up other calls. */
function withoutTurn<T>(turn: CallTurn | undefined, wait: () => Promise<T>): Promise<T> {
  return turn === undefined ? wait() : turn.releaseDuring(wait);
}

/** Most boards listed in an answer. */
const MAX_NAMED = 10;

/** @param left newest first */
function unfinishedText(left: readonly UnfinishedBoard[]): string {
  const lines = left
    .slice(0, MAX_NAMED)
    .map((one) => `- ${describeBoard(one)}: {"type": "resume", "session": "${one.session}"}`);
  const more = left.length - lines.length;
  const rest = more > 0 ? [`- ${more} older`] : [];
  return ['Unfinished boards of earlier sessions in this folder:', ...lines, ...rest].join('\n');
}

function describeBoard({
  board,
  session,
}: {
  readonly board: Board;
  readonly session: string;
}): string {
  if (board.broken !== null) {
    return `${board.path}, which can't be read until it is repaired (session ${session})`;
  }
  const { done, total } = progress(board);
  return `"${board.title}" (${done} of ${total} done, session ${session})`;
}

function shownFields({ title, output }: Extract<ToolOutcome, { ok: true }>) {
  return { title, output };
}

function failed({ code, message }: Fault): ToolOutcome {
  return { ok: false, error: { code, message } };
}

type Sent = Readonly<Record<string, unknown>>;

function hasResume(args: unknown): boolean {
  return operationsOf(args).some(({ type }) => type === 'resume');
}

function operationsOf(args: unknown): readonly Sent[] {
  const { operations } = asObject(args);
  return Array.isArray(operations) ? operations.map(asObject) : [];
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
