import '../json';
import * as z from 'zod/mini';
import { sentence, type SentenceValues } from '../fault/sentence';
import { lazy } from '../lazy';
import { LIMIT_NAMES, limitsSchema, usageSchema } from './limits';
import { withoutColours } from '../board/note/title';

export const key = lazy(() => z.string().check(z.minLength(1), z.maxLength(200)));

export const sessionId = lazy(() => z.string().check(z.minLength(1), z.maxLength(500)));

const messageId = lazy(() => z.nullable(z.string().check(z.maxLength(500))));

/** Maximum characters of an answer; its beginning is cut off, as the plan or verdict ends it. */
export const MAX_ANSWER_CHARS = 32_000;

/** Why a running turn is to be stopped. */
const stopCause = lazy(() =>
  z.discriminatedUnion('kind', [
    /** the person stopped the turn */
    z.object({ kind: z.literal('person') }),
    /** a limit was reached */
    z.object({ kind: z.literal('limit') }),
    /**
     * the task is no longer the run's: it was reopened, cancelled, deferred or removed on the board
     */
    z.object({ kind: z.literal('gone') }),
    /** the person skipped the task */
    z.object({
      kind: z.literal('skip'),
      how: z.enum(['cancelled', 'deferred']),
      reason: z.string(),
    }),
    /** the person marked the task as done */
    z.object({ kind: z.literal('done') }),
  ]),
);

export type StopCause = z.infer<ReturnType<typeof stopCause>>;

/**
 * A prompt and its turn, until the turn is over. `last` is the message of the session's previous
 * turn, whose end may be reported again.
 */
const turnSchema = lazy(() =>
  z.discriminatedUnion('kind', [
    /** the session is being started */
    z.object({ kind: z.literal('opening'), key: key() }),
    /** to be prompted as soon as limits allow it, not before `from` (ms since the epoch) */
    z.object({ kind: z.literal('due'), session: sessionId(), from: z.number(), last: messageId() }),
    z.object({ kind: z.literal('sending'), key: key(), session: sessionId(), last: messageId() }),
    z.object({
      kind: z.literal('working'),
      /** of its prompt, whose answer may arrive after events that show that it was accepted */
      key: key(),
      session: sessionId(),
      last: messageId(),
      /** the agent's latest text */
      said: z.string(),
      /**
       * permission requests and questions that wait for the person; `what` describes each, may be
       * empty
       */
      asks: z.array(z.object({ request: z.string(), what: z.string() })),
      /** whether one of them expired and was denied */
      lapsed: z.boolean(),
      stop: z.nullable(z.object({ key: key(), cause: stopCause() })),
    }),
  ]),
);

export type Turn = z.infer<ReturnType<typeof turnSchema>>;

export type WorkingTurn = Extract<Turn, { kind: 'working' }>;

/** How a turn ended. `cut`: it is over, but its end was not reported. */
export type TurnResult =
  | { readonly kind: 'completed'; readonly said: string }
  | { readonly kind: 'cut'; readonly said: string }
  | { readonly kind: 'error'; readonly message: string }
  /** it never began: session or prompt was refused, and would be refused again */
  | { readonly kind: 'refused'; readonly message: string }
  /** the model or its program denied access, and would deny it again */
  | { readonly kind: 'no_access'; readonly message: string }
  /** the conversation no longer fits the model, even after a summary */
  | { readonly kind: 'too_long'; readonly message: string }
  | { readonly kind: 'interrupted' };

/**
 * The session for the next prompt, and the last message of its previous turn. Null instead of this
 * means a new session.
 */
const promptTarget = lazy(() => z.object({ session: sessionId(), last: messageId() }));

export type PromptTarget = z.infer<ReturnType<typeof promptTarget>>;

const MOVE_IT = 'Move the file away and start the run again; the plan is on the board.';

/** The run's own sentences, in English; those of a model, a program or the store are not included. */
export const RUN_SENTENCES = {
  begunElsewhere: 'Another program begins this run.',
  elsewhere: 'Another program carries this run out.',
  silent:
    'Another program carries this run out and does not answer. Look at it there, or end that program and try again.',
  isOver: 'This run is over.',
  closed: 'This program ends.',
  rests: 'The run is suspended: this program no longer carries it out.',
  restsOffline:
    'This run is suspended, and its program is not connected. Start it in this vault, then try again.',
  noBoard: 'This run has no board that could be read.',
  turnRunsOn:
    'A turn did not stop in time, so the board was left as it is. The run is paused; try again.',
  sessionGone: 'The session is no longer there. Choose another one.',
  boardTaken: 'Another run goes on with this session’s board. End that one first.',
  isPaused: 'The run is paused already.',
  waitsForApproval: 'The plan waits for your approval.',
  isRunning: 'It is already running.',
  noTurn: 'No turn is running that could be stopped.',
  noPlanYet: 'There is no plan to approve yet.',
  isApproved: 'The plan is approved already.',
  nothingToApprove: 'There is no task on the board to approve.',
  isCarriedOut:
    'The plan is carried out already. Change it on the board, or finish the run and start another.',
  isBeingPlanned: 'The plan is being made. Stop that turn first, then ask for another plan.',
  notAtIt: 'The run is not at this task now. Change it on the board, and the run goes by that.',
  workedOn: 'The task is being worked on, and needs no further try.',
  noGoal: 'The goal is empty. Say what the run should achieve.',
  cutGoal:
    'The goal contains half a character, which can’t be stored. Retype the text where it was cut.',
  noProgram:
    'No program is connected. Start OpenCode or another agent in this vault, then start the run.',
  oldBridge: 'The bridge in OpenCode is too old for runs. Update it, then restart OpenCode.',
  boardGone: 'The board is gone.',
  taskGone: 'The task is gone from the board.',
  noVerdict: 'The check gave no verdict.',
  checkFailed: 'The check failed the task.',
  openVerdict: 'The check did not end with its verdict.',
  twoVerdicts: 'The check gave two verdicts that differ.',
  cancelled: 'You cancelled it.',
  endedHere: 'You ended it as it stood.',
  connected: 'Connected again.',
  connectionLost: 'The connection was lost.',
  planningStopped: 'You stopped the planning.',
  planningUnanswered: 'A planning question was not answered.',
  noPlan: 'The turn ended and there is no plan on the board.',
  turnStopped: 'You stopped the turn.',
  checkStopped: 'You stopped the check.',
  unanswered: 'It asked, and nobody answered in time.',
  agentCancelled: 'The agent set the task to cancelled.',
  agentDeferred: 'The agent set the task to deferred.',
  notDone: 'The turn ended and the task was not completed.',
  reopened: 'The task was opened again while it was checked.',
  turnFailed: 'The turn failed.',
  noAccess: '{why} It needs a key, credit or a sign-in, which only you can give.',
  tooLong:
    '{why} It would be too long in a new session as well: split the task, or give it to an agent with a larger model.',
  notMet: 'Not met: {criteria}',
  notJudged: 'The check says nothing of {criteria}.',
  noRun: 'There is no run {id}.',
  noJson: `The stored run is not JSON. ${MOVE_IT}`,
  otherFormat: `The stored run has another format than {version}. ${MOVE_IT}`,
  damaged: `The stored run is damaged: {what}. ${MOVE_IT}`,
  isCopy: 'This is a copy of run {id}, and is not carried out. Move its folder away.',
  filesFail: 'The run stands still until its files can be read and written: {why}',
  programFails: 'The run hit an error in this program and stands still: {why}',
} as const;

/** A sentence of `RUN_SENTENCES` with its values, in English. */
export function runSentence(name: keyof typeof RUN_SENTENCES, values: SentenceValues): string {
  return sentence(['runSaid', RUN_SENTENCES], name, values)[0];
}

/** The kinds of timeline entries, and their names in views and the run note. */
export const ENTRY_LABELS = {
  started: 'Started',
  notes: 'Notes sent along',
  planned: 'Planned',
  approved: 'You approved the plan',
  checkpoint: 'Checkpoint',
  begun: 'Begun',
  checked: 'Checking',
  passed: 'Done',
  tried_again: 'Trying again',
  failed: 'Failed',
  person: 'You',
  rolled_back: 'Rolled back to checkpoint',
  paused: 'Paused',
  resumed: 'Resumed',
  waits: 'Waits for you',
  connection: 'Connection',
  ended: 'Ended',
} as const;

/** Details of an entry, as far as they are known when it is made. */
const entryDetails = lazy(() =>
  z.object({
    /** id of the task on the board */
    id: z.optional(z.string()),
    /** the session that worked on it */
    session: z.optional(z.string()),
    /** number of the attempt that passed or failed, and the maximum */
    attempt: z.optional(z.object({ n: z.int(), of: z.int() })),
    /** number of the checkpoint */
    checkpoint: z.optional(z.int()),
    /** ms for which the connection was lost */
    ms: z.optional(z.number()),
    /** number of tasks in the new plan */
    count: z.optional(z.int()),
    /** why it waits; in entries of earlier versions only `words` says so */
    why: z.optional(z.array(waitReason())),
  }),
);

export type EntryDetails = z.infer<ReturnType<typeof entryDetails>>;

/** An entry of a run's timeline, for the person. */
const timelineEntry = lazy(() =>
  z.object({
    ...entryDetails().shape,
    /** ms since the epoch */
    at: z.number(),
    kind: z.enum(Object.keys(ENTRY_LABELS) as (keyof typeof ENTRY_LABELS)[]),
    /** title of the task it is about */
    task: z.nullable(z.string()),
    /** at most a sentence; may be empty */
    words: z.string(),
  }),
);

export type TimelineEntry = z.infer<ReturnType<typeof timelineEntry>>;

/**
 * Puts a text on one line, without colour sequences and control characters, cut to `max`
 * characters.
 */
export function oneLine(text: string, max: number): string {
  const line = withoutColours(text)
    .replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ')
    .trim();
  const points = [...line];
  return points.length <= max ? line : `${points.slice(0, max - 1).join('')}…`;
}

/** Why a step continues only after an action of the person. */
const SUSPEND_REASONS = [
  /** all attempts failed */
  'failed',
  /** the person stopped the turn */
  'interrupted',
  /** a permission request or a question was not answered in time */
  'unanswered',
  /** a command was refused: the board could not be written, or no checkpoint made */
  'refused',
  /** a model or its program denies access: a key, credit or a sign-in is missing */
  'no_access',
  /** the agent cancelled or deferred the task */
  'given_up',
] as const;

/** A write to a task on the board. */
const taskWrite = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('begin') }),
    /** sets it back to in progress, since it is not done after all */
    z.object({ kind: z.literal('reopen') }),
    z.object({ kind: z.literal('fail'), reason: z.string() }),
    z.object({ kind: z.enum(['cancelled', 'deferred']), reason: z.string() }),
    /** the person marked it as done */
    z.object({ kind: z.literal('complete') }),
    /** adds its result, one line */
    z.object({ kind: z.literal('result'), result: z.string() }),
  ]),
);

export type TaskWrite = z.infer<ReturnType<typeof taskWrite>>;

const stepActivity = lazy(() =>
  z.discriminatedUnion('kind', [
    /** a checkpoint of the board is being made */
    z.object({ kind: z.literal('saving'), key: key() }),
    z.object({ kind: z.literal('writing'), key: key(), write: taskWrite() }),
    z.object({ kind: z.literal('work'), turn: turnSchema() }),
    /** another session checks the task; `again`: its first answer was no verdict */
    z.object({ kind: z.literal('check'), turn: turnSchema(), again: z.boolean() }),
    /** waits for the person to approve the task */
    z.object({
      kind: z.literal('approval'),
      /** how often they had sent it back when the wait began */
      sentBack: z.optional(z.number()),
    }),
    z.object({ kind: z.literal('held'), why: z.enum(SUSPEND_REASONS), message: z.string() }),
  ]),
);

export type StepActivity = z.infer<ReturnType<typeof stepActivity>>;

/** A task that the run has taken up. */
const stepSchema = lazy(() =>
  z.object({
    /** id of the task on the board */
    task: z.string().check(z.minLength(1)),
    /** its title when it was taken up, for the timeline */
    title: z.string(),
    /** the agent that works on it; null for the planning agent */
    agent: z.nullable(z.string()),
    /** from 1 */
    attempt: z.int().check(z.minimum(1)),
    /** when it was taken up, ms since the epoch */
    since: z.number(),
    /**
     * the session that works on it and the last message of its last turn; null before it is started
     */
    worker: z.nullable(promptTarget()),
    /** what went wrong in the previous attempt */
    wrong: z.nullable(z.string()),
    /** the result, according to the agent or the check */
    result: z.string(),
    doing: stepActivity(),
  }),
);

export type Step = z.infer<ReturnType<typeof stepSchema>>;

const taskRef = lazy(() => z.object({ id: z.nullable(z.string()), title: z.string() }));

/** Why a run does not continue by itself. */
const waitReason = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('limit'), limit: z.enum(LIMIT_NAMES) }),
    /** OpenCode is not connected */
    z.object({ kind: z.literal('offline') }),
    /**
     * a permission request or a question of the session waits; `task` is null for the planning
     * session
     */
    z.object({
      kind: z.literal('asked'),
      session: z.string(),
      task: z.nullable(taskRef()),
      /** a few words for each request; empty if unknown */
      what: z.array(z.string()),
    }),
    z.object({
      kind: z.literal('held'),
      task: taskRef(),
      why: z.enum(SUSPEND_REASONS),
      message: z.string(),
    }),
    z.object({ kind: z.literal('approval'), task: taskRef() }),
    /** a task of the person that could be done now */
    z.object({ kind: z.literal('own'), task: taskRef() }),
    /** planning has stopped */
    z.object({ kind: z.literal('plan'), message: z.string() }),
    z.object({ kind: z.literal('board'), message: z.string() }),
    /** all open tasks depend on one that is failed, deferred or unknown, or on each other */
    z.object({ kind: z.literal('blocked'), tasks: z.array(taskRef()) }),
  ]),
);

export type WaitReason = z.infer<ReturnType<typeof waitReason>>;

/** The options of a run, as set by the person. */
export const optionsSchema = lazy(() =>
  z.object({
    goal: z.string().check(z.minLength(1), z.maxLength(20_000)),
    /** the planning agent, who owns the board with the plan */
    agent: z.string().check(z.minLength(1)),
    /** `provider/model`; null for OpenCode's default */
    model: z.nullable(z.string()),
    /** whether the person approves the plan before it is carried out */
    approve: z.boolean(),
    limits: limitsSchema(),
  }),
);

export type RunOptions = z.infer<ReturnType<typeof optionsSchema>>;

/** The result of a step that is over. */
const resultSchema = lazy(() =>
  z.object({
    task: z.string(),
    title: z.string(),
    attempts: z.int().check(z.minimum(1)),
    /** ms from taking it up to its end, including waiting */
    ms: z.number().check(z.nonnegative()),
    /** one line; may be empty */
    result: z.string(),
  }),
);

/** The data of a run that all its states share. The plan is not included: it is the board. */
export const runSchema = lazy(() =>
  z.object({
    id: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/)),
    wish: optionsSchema(),
    used: usageSchema(),
    /** the latest answers whose tokens `used` includes */
    counted: z.array(z.string()),
    /** number of the next command */
    next: z.int().check(z.minimum(1)),
    /** time of the last event, ms since the epoch */
    at: z.number(),
    /** whether OpenCode is connected */
    linked: z.boolean(),
    /** the planning session, whose board has the plan */
    planner: z.nullable(sessionId()),
    done: z.array(resultSchema()),
    timeline: z.array(timelineEntry()),
  }),
);

export type Run = z.infer<ReturnType<typeof runSchema>>;

const planningSchema = lazy(() =>
  z.object({
    kind: z.literal('planning'),
    /** from 1 */
    attempt: z.int().check(z.minimum(1)),
    /** what the person wants changed, or what went wrong in the previous attempt */
    wrong: z.nullable(z.string()),
    doing: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('turn'), turn: turnSchema() }),
      /** a plan from the agent's answer is being added to the board */
      z.object({
        kind: z.literal('writing'),
        key: key(),
        text: z.string(),
        talk: z.nullable(promptTarget()),
      }),
      /** the person stopped the turn, or did not answer its request */
      z.object({ kind: z.literal('held'), message: z.string(), talk: z.nullable(promptTarget()) }),
    ]),
  }),
);

const approvingSchema = lazy(() =>
  z.object({ kind: z.literal('approving'), talk: z.nullable(promptTarget()) }),
);

const executingSchema = lazy(() =>
  z.object({
    kind: z.literal('executing'),
    steps: z.array(stepSchema()),
    /** a task that is being assigned a number, so that a session can be bound to it */
    naming: z.nullable(z.object({ key: key(), line: z.number(), title: z.string() })),
    /** why a task could not be assigned one; tried again when the board changes */
    unnamed: z.nullable(z.string()),
  }),
);

export type Planning = z.infer<ReturnType<typeof planningSchema>>;

export type Approving = z.infer<ReturnType<typeof approvingSchema>>;

export type Executing = z.infer<ReturnType<typeof executingSchema>>;

/** The stage of a run; it is kept while the run is paused or waits. */
const stageSchema = lazy(() =>
  z.discriminatedUnion('kind', [planningSchema(), approvingSchema(), executingSchema()]),
);

export type Stage = z.infer<ReturnType<typeof stageSchema>>;

/** Turns that still have to be stopped although the run is over. */
const stops = lazy(() => z.array(z.object({ key: key(), session: sessionId() })));

const run = lazy(() => runSchema());

/** All attempts at a plan failed; or the person ended the run with open tasks. */
const END_REASONS = ['no_plan', 'finished_here'] as const;

/** The state of a run. Checking and retrying are states of a step: see `stateName`. */
export const stateSchema = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('idle') }),
    z.object({ kind: z.literal('going'), run: run(), stage: stageSchema() }),
    z.object({ kind: z.literal('paused'), run: run(), stage: stageSchema() }),
    z.object({
      kind: z.literal('waiting'),
      run: run(),
      stage: z.discriminatedUnion('kind', [planningSchema(), executingSchema()]),
      why: z.array(waitReason()).check(z.minLength(1)),
    }),
    z.object({ kind: z.literal('completed'), run: run() }),
    z.object({
      kind: z.literal('failed'),
      run: run(),
      reason: z.enum(END_REASONS),
      message: z.string(),
      stops: stops(),
    }),
    z.object({ kind: z.literal('cancelled'), run: run(), stops: stops() }),
  ]),
);

export type RunState = z.infer<ReturnType<typeof stateSchema>>;

export type StartedRun = Exclude<RunState, { kind: 'idle' }>;

export type ActiveRun = Extract<RunState, { kind: 'going' | 'paused' | 'waiting' }>;

export type EndedRun = Extract<RunState, { kind: 'completed' | 'failed' | 'cancelled' }>;

export const IDLE: RunState = { kind: 'idle' };

/** The activities of a stage. */
export function activitiesOf(stage: Stage): readonly (Planning | Step)['doing'][] {
  if (stage.kind === 'planning') return [stage.doing];
  return stage.kind === 'executing' ? stage.steps.map(({ doing }) => doing) : [];
}

/** The turns of a stage. */
export function turnsOf(stage: Stage): readonly Turn[] {
  return activitiesOf(stage).flatMap((doing) => ('turn' in doing ? [doing.turn] : []));
}

/** Returns the stage with each turn replaced by `change`. */
export function mapTurns<S extends Stage>(stage: S, change: (turn: Turn) => Turn): S {
  const changed = <D extends (Planning | Step)['doing']>(doing: D): D =>
    'turn' in doing ? { ...doing, turn: change(doing.turn) } : doing;
  if (stage.kind === 'approving') return stage;
  if (stage.kind === 'planning') return { ...stage, doing: changed(stage.doing) };
  return { ...stage, steps: stage.steps.map((one) => ({ ...one, doing: changed(one.doing) })) };
}

/** The states of a run as the person sees them, and their names in views and the run note. */
export const STATE_LABELS = {
  idle: 'No run yet',
  planning: 'Planning',
  approving: 'Approve the plan',
  executing: 'Running',
  validating: 'Checking',
  retrying: 'Trying again',
  paused: 'Paused',
  waiting: 'Waits for you',
  completed: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const;

export type StateName = keyof typeof STATE_LABELS;

/**
 * The run's state as one word. `validating`: tasks are checked and none is worked on. `retrying`:
 * every task that is worked on is in a further attempt.
 */
export function stateName(state: RunState): StateName {
  if (state.kind !== 'going') return state.kind;
  if (state.stage.kind !== 'executing') return state.stage.kind;
  const active = state.stage.steps.filter(({ doing }) => 'turn' in doing);
  if (active.length === 0) return 'executing';
  const works = active.filter(({ doing }) => doing.kind === 'work');
  if (works.length === 0) return 'validating';
  return works.every(({ attempt }) => attempt > 1) ? 'retrying' : 'executing';
}
