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
import { validAgentName } from './board-path';
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
const agent = lazy(() => z.optional(z.string().check(z.refine(validAgentName))));
const dependsOn = lazy(() => z.optional(z.array(reference())));
/** Never empty: without one there is nothing to add or to take away. */
const some = lazy(() => z.array(reference()).check(z.minLength(1)));
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
        dependsOn: some(),
        agent: agent(),
      }),
      undepend: z.object({
        type: z.literal('undepend'),
        id: reference(),
        dependsOn: some(),
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

/** What only a person sets: that a task is done when the person says so. */
interface Approval {
  readonly approve?: string | null | undefined;
}

/** What only a view asks for: in front of a task. */
interface InFront {
  readonly before?: TaskRef | undefined;
}

/** A pasted duplicate gets a number of its own, a line without one its first. */
interface Renumber {
  readonly type: 'renumber';
  readonly id: TaskRef;
}

/** What a run's task came to, as the last line of its text. */
interface NoteResult {
  readonly type: 'result';
  readonly id: TaskRef;
  readonly result: string;
}

/** The person's word on a task that waits for their review: it is done, or what is missing. */
interface Review {
  readonly type: 'accept';
  readonly id: TaskRef;
}

interface SendBack {
  readonly type: 'send_back';
  readonly id: TaskRef;
  /** what is missing, in one line */
  readonly words: string;
}

/** A whole plan: the note's text, which is made where there is none. */
interface Replace {
  readonly type: 'replace';
  readonly text: string;
}

type ReadType = (typeof READ_TYPES)[number];

/** The only words for a change of a board, whoever makes it. */
export type Op =
  | WithTargets<Exclude<Operation, { type: ReadType | 'undo' | 'update' | 'move' }>>
  | (WithTargets<OperationOf<'update'>> & Approval)
  | (WithTargets<OperationOf<'move'>> & InFront)
  | Renumber
  | NoteResult
  | Review
  | SendBack
  | Replace;

/**
 * Chooses the operations of a change from the note, undefined if there is none. May be called again if
 * another program wrote in between. An empty result leaves the note as it is.
 */
export type DecideOps = (
  note: Note | undefined,
) => readonly Exclude<Op, { type: 'archive' | 'restore' }>[] | Fault;

/** Whether an operation of the tool changes the board; `undo` goes over the history instead. */
export function isChange(
  operation: Operation,
): operation is Exclude<Operation, { type: ReadType | 'undo' }> {
  return operation.type !== 'undo' && !READS.has(operation.type);
}

export type OpOf<T extends Op['type']> = Extract<Op, { type: T }>;

/** Ends the answer to an operation of another type. */
export const USE_TYPES = `Use ${OPERATION_TYPES.join(', ')}`;

/** One operation as it was sent, checked. Fields that its type does not have are left out. */
export function readOperation(raw: unknown): { ok: true; operation: Operation } | Fault {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return fault('not_an_object', `An operation is an object. ${SHAPES}`);
  }
  const fields = raw as Readonly<Record<string, unknown>>;
  const type = fields['type'];
  if ('review' in fields) return fault('not_yours', REVIEW_IS_THEIRS);
  if (type === undefined || type === null) {
    return fault('missing_field', `Missing required field(s): type. ${SHAPES}`);
  }
  if (!isType(type)) {
    return fault('unknown_type', `Unknown operation type: ${shown(type)}. ${USE_TYPES}.`);
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
 * Models send null, and "" for a text, where they mean that there is none. In `update` that takes a
 * field away.
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

/** Types that go without a task. */
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

/** One call of each operation, as it is sent. */
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

const SHAPES = `Send one such as ${OPERATION_EXAMPLES.add} or ${OPERATION_EXAMPLES.update}.`;

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

/** A value that was sent, short enough for an answer. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined;
  const text = typeof value === 'string' ? value : (json ?? typeof value);
  const line = text.replace(/[\p{Cc}\p{Surrogate}]/gu, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function fault(code: string, message: string): Fault {
  return { ok: false, code, message };
}
