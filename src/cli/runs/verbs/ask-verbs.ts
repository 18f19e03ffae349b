import { namedReplies } from '../../../core/permission/ask';
import type { RunView } from '../../../core/orchestrator/runs';
import { nodeClock } from '../../../node/node-ports';
import { permissionReply, type PermissionReply } from '../../../protocol/fields';
import { WireError } from '../../../protocol/wire-error';
import { resultExit, failUsage, type Exit } from '../../command';
import { failRun } from '../carry-run';
import { isEnded, findRun } from '../run-text';
import { connect, type OpenCode, type RunContext, type RunVerb } from '../open-runs';
import type { Undo } from '../../../core/ports';
import { runSessionOf, sessionsOf } from '../../../core/orchestrator/drive/run-sessions';
import { stageOf, workingTurnOf } from '../../../core/orchestrator/drive/pending-events';
import type { RunState } from '../../../core/orchestrator/state';
import type { Session } from '../../../core/session/session';
import type { PermissionRequest, QuestionRequest } from '../../../protocol/snapshot';

const asks: RunVerb = {
  name: 'asks',
  takes: '[RUN]',
  says: 'what runs wait for: permissions and questions, each with the ID by which it is answered',
  run: (context) =>
    withPendingAsks(context, context.words[0], (found) =>
      resultExit(context.given, 0, asksJson(found), asksText(found)),
    ),
};

const answer: RunVerb = {
  name: 'answer',
  takes: 'ID ANSWER',
  says: 'answers one: once, always or reject; to a question a choice or your own words',
  options: ['words'],
  run: (context) => {
    const [id = '', typed = ''] = context.words;
    return withPendingAsks(context, undefined, async ({ asks: all, others }) => {
      const named = all.filter(({ request }) => id.length > 3 && request.requestId.endsWith(id));
      const [ask, more] = named;
      if (more !== undefined) failRun(`Several requests end with "${id}".`);
      if (ask === undefined) return failRun(notFoundText(id, all, others));
      const reply = parseReply(ask, typed, context.given.text('words'));
      await sendReply(context.openCode, ask, reply);
      const { run, request } = ask;
      const result = { ok: true, run, request: request.requestId };
      return resultExit(context.given, 0, result, `Answered: ${typed}.`);
    });
  },
};

/**
 * Lists the requests of runs, and answers them. The program that carries the run out hears of the
 * answer from OpenCode.
 */
export const ASK_VERBS: readonly RunVerb[] = [asks, answer];

async function withPendingAsks(
  context: RunContext,
  named: string | undefined,
  then: (found: PendingRunAsks) => Exit | Promise<Exit>,
): Promise<Exit> {
  const views =
    named === undefined
      ? context.runs.all().filter(({ state }) => !isEnded(state))
      : [findRun(context, named, { help: 'run asks' })];
  const fault = await connect(context, context.environment.untilStopped());
  if (fault !== undefined) failRun(fault);
  try {
    return await then(await readPendingAsks(context.openCode, views));
  } catch (error) {
    if (error instanceof WireError) return failRun(error.message);
    throw error;
  }
}

/**
 * Ends the command because an answer can't be sent.
 * @throws EarlyExit
 */
function unanswerable(message: string): never {
  return failUsage(message, 'run answer');
}

/** Parses the answer to send. */
function parseReply(ask: PendingRunAsk, typed: string, words: string | undefined): AskReply {
  if (ask.kind === 'question') {
    if (words !== undefined) {
      unanswerable('--words goes with reject; your own words are the answer.');
    }
    return { kind: 'question', answers: questionAnswers(ask.request.questions, typed) };
  }
  const reply = permissionReply().safeParse(typed);
  if (!reply.success) {
    return unanswerable('a permission is answered with once, always or reject.');
  }
  if (words === undefined) return { kind: 'permission', reply: reply.data };
  if (reply.data !== 'reject') unanswerable('--words goes with reject: the agent reads them.');
  return { kind: 'permission', reply: reply.data, words };
}

function notFoundText(
  id: string,
  all: readonly PendingRunAsk[],
  others: PendingRunAsks['others'],
): string {
  if (others.some(({ request }) => id.length > 3 && request.endsWith(id))) {
    return 'Obsidian asks this, with the change that it would write: answer it there.';
  }
  const there = all.map(({ request }) => shortId(request.requestId)).join(', ');
  const what = there === '' ? 'Nothing waits for an answer.' : `There is ${there}.`;
  return `Nothing that waits has the ID "${id}". ${what}`;
}

function asksJson({ asks: all, others }: PendingRunAsks): object {
  return {
    asks: all.map(({ run, task, session, kind, request: { requestId, ...request } }) => ({
      ...{ id: shortId(requestId), run, task, session, kind, request: requestId },
      ...request,
    })),
    others,
  };
}

type AskReply =
  | { readonly kind: 'permission'; readonly reply: PermissionReply; readonly words?: string }
  | { readonly kind: 'question'; readonly answers: readonly (readonly string[])[] };

/** Maximum ms from sending an answer to OpenCode's confirmation. */
const CONFIRMATION_TIMEOUT = 10_000;

/**
 * Answers a request, and waits for OpenCode's confirmation: sending alone is not enough.
 * @throws EarlyExit if it could not be answered, WireError without a connection
 */
async function sendReply(
  { bus, runtime }: Pick<OpenCode, 'bus' | 'runtime'>,
  { session, request: { requestId } }: Pick<PendingRunAsk, 'session' | 'request'>,
  given: AskReply,
): Promise<void> {
  const undos: Undo[] = [];
  const answered = new Promise<string | undefined>((resolve) => {
    undos.push(
      bus.onSession(session, (event) => {
        const { type } = event;
        const ours = type === 'permission.resolved' || type === 'question.resolved';
        if (ours && event.payload.requestId === requestId) resolve(undefined);
        if (type === 'error') resolve(event.payload.message);
      }),
      nodeClock.after(CONFIRMATION_TIMEOUT, () => resolve(SILENT)),
    );
  });
  try {
    if (given.kind === 'question') {
      await runtime.answerQuestion(session, requestId, given.answers);
    } else {
      await runtime.answerPermission(session, requestId, given.reply, given.words);
    }
    const fault = await answered;
    if (fault !== undefined) failRun(fault);
  } finally {
    for (const undo of undos) undo();
  }
}

const SILENT =
  'The agent’s program did not say whether it took the answer. agent-boards run asks shows what waits.';

/** The origin of a request: the run and the title of the task, null while planning. */
interface AskOrigin {
  readonly run: string;
  readonly task: string | null;
}

/** A pending request of OpenCode; `session` is the asking session, which may be a subagent's. */
export type PendingRunAsk = AskOrigin & { readonly session: string } & (
    | { readonly kind: 'permission'; readonly request: PermissionRequest }
    | { readonly kind: 'question'; readonly request: QuestionRequest }
  );

interface PendingRunAsks {
  readonly asks: readonly PendingRunAsk[];
  /** requests that a run waits for and OpenCode does not know: those of Obsidian's own tools */
  readonly others: readonly (AskOrigin & { readonly request: string; readonly what: string })[];
}

/**
 * The pending requests of runs, read from OpenCode now; works without the program that carries the
 * run out.
 * @throws WireError if OpenCode does not answer
 */
async function readPendingAsks(
  { sessions, runtime }: Pick<OpenCode, 'sessions' | 'runtime'>,
  views: readonly RunView[],
): Promise<PendingRunAsks> {
  const all = sessions.all();
  const busy = all.filter(
    ({ id, state, away }) =>
      state.kind !== 'idle' && away !== true && findAskOrigin(views, all, id),
  );
  // After this, all pending requests of these sessions have been reported.
  await Promise.all(busy.map(({ id }) => refreshSession(runtime, id)));
  const now = sessions.all();
  const asks = busy.flatMap(({ id }) => {
    const session = sessions.get(id);
    const found = findAskOrigin(views, now, id);
    return session === undefined || found === undefined ? [] : asksOf(session, found);
  });
  const known = new Set(asks.map(({ request }) => request.requestId));
  const others = views.flatMap(({ id, state }) =>
    [...sessionsOf(state)].flatMap((session) =>
      (workingTurnOf(state, session)?.asks ?? [])
        .filter(({ request }) => !known.has(request))
        .map((one) => ({ ...one, run: id, task: taskOf(state, session) })),
    ),
  );
  return { asks, others };
}

/** The run and the task for which a session works, directly or as a subagent. */
function findAskOrigin(
  views: readonly RunView[],
  all: readonly Session[],
  id: string,
): AskOrigin | undefined {
  for (const { id: run, state } of views) {
    const own = runSessionOf(sessionsOf(state), all, id);
    if (own !== undefined) return { run, task: taskOf(state, own) };
  }
  return undefined;
}

function taskOf(state: RunState, session: string): string | null {
  const stage = stageOf(state);
  if (stage?.kind !== 'executing') return null;
  const step = stage.steps.find(
    ({ doing }) => 'turn' in doing && 'session' in doing.turn && doing.turn.session === session,
  );
  return step?.title ?? null;
}

function asksOf(
  { id, permissions, questions }: Session,
  about: AskOrigin,
): readonly PendingRunAsk[] {
  return [
    ...permissions.map((request): PendingRunAsk => ({
      ...{ ...about, session: id, kind: 'permission', request },
    })),
    ...questions.map((request): PendingRunAsk => ({
      ...{ ...about, session: id, kind: 'question', request },
    })),
  ];
}

async function refreshSession(runtime: OpenCode['runtime'], session: string): Promise<void> {
  try {
    await runtime.getStatus(session);
  } catch (error) {
    // The session was deleted meanwhile, and has no requests.
    if (!(error instanceof WireError) || error.code !== 'unknown_session') throw error;
  }
}

/** Length of a short id: its last characters, since ids start alike and end randomly. */
const SHORT_ID = 8;

/** The id of a request on the command line. */
function shortId(requestId: string): string {
  return requestId.slice(-SHORT_ID);
}

/** All pending requests, each in full, so that the person sees what the answer is for. */
export function asksText({ asks, others }: PendingRunAsks): string {
  if (asks.length === 0 && others.length === 0) return 'Nothing waits for an answer.';
  return [
    ...asks.flatMap(askLines),
    ...others.map(
      ({ task, what }) =>
        `${'-'.padEnd(SHORT_ID)}  ${nameOf(task)} waits${what === '' ? '' : ` for ${what}`}: Obsidian asks this, answer it there.`,
    ),
    ...(asks.length === 0 ? [] : ANSWER_HELP),
  ].join('\n');
}

const ANSWER_HELP = [
  'agent-boards run answer ID once|always|reject answers a permission, --words TEXT goes with reject;',
  'to a question the number of a choice, several as 1,3, or your own words.',
];

function askLines(ask: PendingRunAsk): readonly string[] {
  const head = `${shortId(ask.request.requestId).padEnd(SHORT_ID)}  ${nameOf(ask.task)}`;
  if (ask.kind === 'permission') {
    const { permission, patterns, always } = ask.request;
    const names = namedReplies(ask.request).map(([reply, name]) => `${reply}: ${name}`);
    return [
      `${head} asks for ${permission}:`,
      ...patterns.flatMap(quoted),
      ...(always.length === 0 ? [] : [`${INDENT}always would allow:`, ...always.flatMap(quoted)]),
      ...names.flatMap(quoted),
    ];
  }
  return ask.request.questions.flatMap((question, at, { length }) => {
    const which = length === 1 ? '' : `${at + 1} of ${length}: `;
    const words = acceptsOwnText(question) ? [`${INDENT}or your own words`] : [];
    const choices = question.options.flatMap(({ label, description = '' }, n) =>
      quoted(`${n + 1} ${label}${description === '' ? '' : `: ${description}`}`),
    );
    return [
      `${head} asks: ${which}`.trimEnd(),
      ...quoted(question.question),
      ...choices,
      ...(question.options.length === 0 ? [] : words),
    ];
  });
}

const INDENT = ' '.repeat(SHORT_ID + 2);

/** Prefixes each line, so that no line of an agent looks like one of ours. */
function quoted(text: string): readonly string[] {
  return text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => `${INDENT}| ${line}`);
}

function nameOf(task: string | null): string {
  return task ?? 'The planning session';
}

type Question = QuestionRequest['questions'][number];

/**
 * Parses typed answers. For each question: the number of a choice, several as `1,3`, a label, or
 * own text; `;` separates questions. Returns one list per question.
 * @throws EarlyExit
 */
export function questionAnswers(
  questions: readonly Question[],
  typed: string,
): readonly (readonly string[])[] {
  const parts = questions.length === 1 ? [typed] : typed.split(';');
  if (parts.length !== questions.length) {
    unanswerable(
      `it asks ${questions.length} questions: give an answer to each, with ; between them.`,
    );
  }
  return questions.map((question, at) => answerOf(question, (parts[at] ?? '').trim()));
}

function answerOf(question: Question, typed: string): readonly string[] {
  const { options, multiple = false } = question;
  if (typed === '') unanswerable('an answer is empty.');
  const same = options.find(({ label }) => label.toLowerCase() === typed.toLowerCase());
  if (same !== undefined) return [same.label];
  if (options.length > 0 && /^\d{1,4}(?:\s*,\s*\d{1,4})*$/.test(typed)) {
    const numbers = [...new Set(typed.split(',').map(Number))];
    if (numbers.length > 1 && !multiple) unanswerable(`"${typed}": one choice can be taken.`);
    const chosen = numbers.flatMap((n) => options[n - 1]?.label ?? []);
    return chosen.length === numbers.length
      ? chosen
      : unanswerable(`"${typed}": the choices are 1 to ${options.length}.`);
  }
  if (acceptsOwnText(question)) return [typed];
  return unanswerable(`"${typed}" is none of ${options.map(({ label }) => label).join(', ')}.`);
}

/** Whether a question accepts own text. */
function acceptsOwnText({ custom, options }: Question): boolean {
  return custom !== false || options.length === 0;
}
