import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import {
  FIELD_NAMES,
  FIELD_WORDS,
  OPERATION_TYPES,
  taskFields,
  READS,
  type READ_TYPES,
} from './tasks-schema';
import { type TaskTarget, readStatus } from './task';
import { isValidAgentName } from './board-path';
import type { Fault } from '../fault';
import type { Note } from './note/note';

const reference = lazy(() => z.union([z.string().check(z.minLength(1)), z.int()]));
const status = lazy(() =>
  z.pipe(
    z.string(),
    z.transform((word, context) => {
      const found = readStatus(word);
      if (found !== undefined) return found;
      context.issues.push({ code: 'custom', message: 'no status', input: word });
      return z.NEVER;
    }),
  ),
);
const agent = lazy(() => z.optional(z.string().check(z.refine(isValidAgentName))));
const dependsOn = lazy(() => z.optional(z.array(reference())));
/** Never empty: `depend` and `undepend` need at least one prerequisite. */
const nonEmptyReferences = lazy(() => z.array(reference()).check(z.minLength(1)));
const force = lazy(() => z.optional(z.boolean()));

const operationSchemas = lazy(
  () =>
    ({
      init: z.object({ type: z.literal('init'), title: z.string(), agent: agent() }),
      add: z.object({
        type: z.literal('add'),
        title: z.string(),
        parent: z.optional(reference()),
        after: z.optional(reference()),
        dependsOn: dependsOn(),
        phase: z.optional(z.string()),
        status: z.optional(status()),
        ...taskFields(),
        agent: agent(),
      }),
      update: z.object({
        type: z.literal('update'),
        id: reference(),
        status: z.optional(status()),
        title: z.optional(z.string()),
        dependsOn: dependsOn(),
        ...taskFields(),
        force: force(),
        agent: agent(),
      }),
      complete: z.object({
        type: z.literal('complete'),
        id: reference(),
        reason: taskFields().reason,
        force: force(),
        agent: agent(),
      }),
      depend: z.object({
        type: z.literal('depend'),
        id: reference(),
        dependsOn: nonEmptyReferences(),
        agent: agent(),
      }),
      undepend: z.object({
        type: z.literal('undepend'),
        id: reference(),
        dependsOn: nonEmptyReferences(),
        agent: agent(),
      }),
      remove: z.object({
        type: z.literal('remove'),
        id: reference(),
        cascade: force(),
        promote: force(),
        agent: agent(),
      }),
      move: z.object({
        type: z.literal('move'),
        id: reference(),
        after: z.optional(reference()),
        parent: z.optional(reference()),
        phase: z.optional(z.string()),
        agent: agent(),
      }),
      claim: z.object({ type: z.literal('claim'), id: reference(), agent: agent() }),
      archive: z.object({
        type: z.literal('archive'),
        id: z.optional(reference()),
        reason: taskFields().reason,
        force: force(),
        agent: agent(),
      }),
      restore: z.object({ type: z.literal('restore'), id: reference(), agent: agent() }),
      undo: z.object({ type: z.literal('undo'), agent: agent() }),
      history: z.object({ type: z.literal('history'), agent: agent() }),
      list: z.object({ type: z.literal('list'), agent: agent() }),
      analyze: z.object({
        type: z.literal('analyze'),
        id: z.optional(reference()),
        agent: agent(),
      }),
      get: z.object({ type: z.literal('get'), id: reference(), agent: agent() }),
      ready: z.object({ type: z.literal('ready'), agent: agent() }),
    }) as const,
);

type Type = keyof ReturnType<typeof operationSchemas>;
export type OperationOf<T extends Type> = z.infer<ReturnType<typeof operationSchemas>[T]>;
export type Operation = { [T in Type]: OperationOf<T> }[Type];
/** How a caller names a task: `2`, `"#2"`, `"k3f9-2"` or a title. */
export type Reference = z.infer<ReturnType<typeof reference>>;

/** A task as a caller names it, or as a view saw it. */
export type TaskRef = Reference | TaskTarget;

/** An operation in which tasks may also be named as a view saw them. */
type WithTargets<O> = O extends unknown
  ? {
      readonly [K in keyof O]: K extends 'id' | 'parent' | 'after'
        ? O[K] | TaskTarget
        : K extends 'dependsOn'
          ? O[K] | readonly TaskRef[]
          : O[K];
    }
  : never;

/** Only a person sets this: the task is done when the person accepts it. */
interface Approval {
  readonly approve?: string | null | undefined;
}

/** Only views send this: the task to move in front of. */
interface MoveBefore {
  readonly before?: TaskRef | undefined;
}

/** Only views send this: the tasks to archive. */
interface ArchiveSeveral {
  readonly tasks?: readonly TaskTarget[];
}

/** Gives a pasted duplicate an id of its own, or a line without an id its first. */
interface Renumber {
  readonly type: 'renumber';
  readonly id: TaskRef;
}

/** Adds the result of a run's task as the last line of its body. */
interface AddResult {
  readonly type: 'result';
  readonly id: TaskRef;
  readonly result: string;
}

/** Accepts a task that waits for the person's review. `send_back` says what is missing. */
interface AcceptReview {
  readonly type: 'accept';
  readonly id: TaskRef;
}

interface SendBack {
  readonly type: 'send_back';
  readonly id: TaskRef;
  /** what is missing, in one line */
  readonly words: string;
}

/** Replaces the whole text of the note; creates the note if there is none. */
interface Replace {
  readonly type: 'replace';
  readonly text: string;
}

type ReadType = (typeof READ_TYPES)[number];

/** An operation that changes a board, whoever makes it. */
export type Op =
  | WithTargets<Exclude<Operation, { type: ReadType | 'undo' | 'update' | 'move' | 'archive' }>>
  | (WithTargets<OperationOf<'update'>> & Approval)
  | (WithTargets<OperationOf<'move'>> & MoveBefore)
  | (WithTargets<OperationOf<'archive'>> & ArchiveSeveral)
  | Renumber
  | AddResult
  | AcceptReview
  | SendBack
  | Replace;

/**
 * Chooses the operations of a change from the note, undefined if there is none. May be called again if
 * another program wrote in between. An empty result leaves the note as it is.
 */
export type DecideOperations = (
  note: Note | undefined,
) => readonly Exclude<Op, { type: 'archive' | 'restore' }>[] | Fault;

/** Whether an operation of the tool changes the board; `undo` works on the history instead. */
export function isChange(
  operation: Operation,
): operation is Exclude<Operation, { type: ReadType | 'undo' }> {
  return operation.type !== 'undo' && !READS.has(operation.type);
}

export type ChangeOperationOf<T extends Op['type']> = Extract<Op, { type: T }>;

/** End of the answer to an operation of an unknown type. */
export const TYPES_HINT = `Use ${OPERATION_TYPES.join(', ')}`;

/** Validates one operation as sent. Drops fields that its type does not have. */
export function readOperation(raw: unknown): { ok: true; operation: Operation } | Fault {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return fault('not_an_object', `An operation is an object. ${SHAPES_HINT}`);
  }
  const fields = raw as Readonly<Record<string, unknown>>;
  const type = fields['type'];
  if ('review' in fields) return fault('not_yours', REVIEW_IS_THEIRS);
  if (type === undefined || type === null) {
    return fault('missing_field', `Missing required field(s): type. ${SHAPES_HINT}`);
  }
  if (!isType(type)) {
    return fault('unknown_type', `Unknown operation type: ${shown(type)}. ${TYPES_HINT}.`);
  }
  return readFields(type, fields);
}

function readFields(
  type: Type,
  fields: Readonly<Record<string, unknown>>,
): { ok: true; operation: Operation } | Fault {
  const read = operationSchemas()[type].safeParse(withoutEmpty(type, fields));
  if (read.success) return emptyUpdate(read.data) ?? { ok: true, operation: read.data };
  const wrong = [...new Set(read.error.issues.map(({ path }) => String(path[0])))];
  const missing = wrong.filter((name) => (fields[name] ?? undefined) === undefined);
  if (missing.length > 0) {
    const needed = `Missing required field(s): ${missing.join(', ')}.`;
    return fault('missing_field', `${needed} Send ${OPERATION_EXAMPLES[type]}.`);
  }
  const told = wrong.map((name) => `${name} must be ${EXPECTED.get(name) ?? 'as described'}`);
  const got = wrong.map((name) => shown(fields[name])).join(', ');
  return fault('bad_field', `${told.join('; ')}. It was ${got}.`);
}

/**
 * Drops fields without a value: models send null, or "" for a text, to mean none. In `update` they
 * become null, which removes the field.
 */
function withoutEmpty(
  type: Type,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    const none =
      value === null || (value === '' && name !== 'title' && (name !== 'id' || NO_ID.has(type)));
    if (!none) return [[name, value]];
    return type === 'update' && isField(name) ? [[name, null]] : [];
  });
  return Object.fromEntries(given);
}

/** Types that need no task. */
const NO_ID: ReadonlySet<Type> = new Set(['analyze', 'archive']);

function isField(name: string): boolean {
  return FIELD_NAMES.some((field) => field === name);
}

function emptyUpdate(operation: Operation): Fault | undefined {
  if (operation.type !== 'update') return undefined;
  const { type: _, id: __, agent: ___, force: ____, ...wanted } = operation;
  if (Object.values(wanted).some((value) => value !== undefined)) return undefined;
  return fault(
    'missing_field',
    `Missing required field(s): status, title or dependsOn, or another field. Send ${OPERATION_EXAMPLES.update}.`,
  );
}

/** An example of each operation, as sent by a model. */
export const OPERATION_EXAMPLES: Readonly<Record<Type, string>> = {
  init: '{"type": "init", "title": "…"}',
  add: '{"type": "add", "title": "…"}',
  update: '{"type": "update", "id": 2, "status": "in_progress"}',
  complete: '{"type": "complete", "id": 2}',
  depend: '{"type": "depend", "id": 2, "dependsOn": [1]}',
  undepend: '{"type": "undepend", "id": 2, "dependsOn": [1]}',
  remove: '{"type": "remove", "id": 2}',
  move: '{"type": "move", "id": 2, "after": 1}',
  claim: '{"type": "claim", "id": 2}',
  archive: '{"type": "archive"}',
  restore: '{"type": "restore", "id": 2}',
  undo: '{"type": "undo"}',
  history: '{"type": "history"}',
  list: '{"type": "list"}',
  analyze: '{"type": "analyze"}',
  get: '{"type": "get", "id": 2}',
  ready: '{"type": "ready"}',
};

const REVIEW_IS_THEIRS =
  'The field review is set when you complete a task that the person reviews, and only the person removes it. Send the operation without it.';

const SHAPES_HINT = `Send one such as ${OPERATION_EXAMPLES.add} or ${OPERATION_EXAMPLES.update}.`;

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['title', 'text of one line'],
  ['id', 'a number such as 2, an id such as "k3f9-2", or a title'],
  ['parent', 'a number such as 2, an id such as "k3f9-2", or a title'],
  ['dependsOn', 'a list of ids, such as [1, "k3f9-2"]'],
  ['after', 'a number such as 2, an id such as "k3f9-2", or a title'],
  ['phase', 'the text of a heading'],
  [
    'status',
    'pending, in_progress, completed, cancelled, failed or deferred (blocked follows from dependsOn)',
  ],
  ['agent', 'the name of an agent, 1 to 72 bytes of text'],
  ['force', 'true or false'],
  ['cascade', 'true or false'],
  ['promote', 'true or false'],
  ...Object.entries(FIELD_WORDS),
]);

function isType(type: unknown): type is Type {
  return OPERATION_TYPES.some((known) => known === type);
}

/** A sent value, shortened to 80 characters for an answer. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined;
  const text = typeof value === 'string' ? value : (json ?? typeof value);
  const line = text.replace(/[\p{Cc}\p{Surrogate}]/gu, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function fault(code: string, message: string): Fault {
  return { ok: false, code, message };
}
