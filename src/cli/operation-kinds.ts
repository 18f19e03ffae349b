import type { Given, Options } from './command';
import { FIELD_WORDS } from '../core/board/tasks-schema';
import { STATUSES } from '../core/board/task';

/** The fields of a task as options. */
const FIELDS: Options = {
  priority: { type: 'string', value: 'P', says: FIELD_WORDS.priority },
  owner: { type: 'string', value: 'NAME', says: FIELD_WORDS.owner },
  status: { type: 'string', value: 'ST', says: STATUSES.join(', ') },
  scope: { type: 'string', value: 'W', says: FIELD_WORDS.scope },
  risk: { type: 'string', value: 'W', says: FIELD_WORDS.risk },
  impact: { type: 'string', value: 'W', says: FIELD_WORDS.impact },
  level: { type: 'string', value: 'W', says: FIELD_WORDS.level },
  estimate: { type: 'string', value: 'T', says: FIELD_WORDS.estimate },
  due: { type: 'string', value: 'DATE', says: FIELD_WORDS.due },
  reason: { type: 'string', value: 'TEXT', says: 'why, one line' },
  body: { type: 'string', value: 'TEXT', says: 'the text below the task' },
};

/** Where a task stands. */
const PLACE: Options = {
  parent: { type: 'string', value: 'ID', says: 'under this task' },
  after: { type: 'string', value: 'ID', says: 'behind this task' },
  phase: { type: 'string', value: 'TEXT', says: 'under this heading' },
};

const DEPENDS: Options = {
  'depends-on': { type: 'string', value: 'IDS', says: 'what it waits for: 1,3' },
};

const FORCE: Options = {
  force: { type: 'boolean', says: 'even where that is refused; say why with --reason' },
};

/** An operation of the tool `tasks`, as it is sent. */
export type SentOperation = Readonly<Record<string, unknown>> & { readonly type: string };

/** A command that is operations of the tool `tasks`. */
export interface OperationKind {
  readonly name: string;
  readonly also?: string;
  readonly makesVault?: boolean;
  readonly takes: string;
  readonly says: string;
  readonly options: Options;
  readonly words: { readonly least: number; readonly most: number };
  /** What has to be given as well, in a sentence, where it is not. */
  readonly lacks?: (given: Given) => string | undefined;
  readonly sent: (given: Given) => readonly SentOperation[];
}

const REASON: Options = { reason: FIELDS['reason'] ?? { type: 'string', says: '' } };

const ONE = { least: 1, most: 1 };

const MANY = { least: 1, most: 50 };

/** The writes, in the order in which help shows them. */
export const WRITES: readonly OperationKind[] = [
  {
    name: 'init',
    takes: 'TITLE',
    says: 'makes a board, or gives the board another title',
    makesVault: true,
    options: {},
    words: ONE,
    sent: (given) => [{ type: 'init', title: given.words[0] }],
  },
  {
    name: 'add',
    takes: 'TITLE',
    says: 'adds a task',
    options: { ...PLACE, ...DEPENDS, ...FIELDS },
    words: ONE,
    sent: (given) => [{ type: 'add', title: given.words[0], ...fieldsOf(given) }],
  },
  {
    name: 'update',
    also: 'edit',
    takes: 'ID',
    says: 'changes any field of a task',
    options: {
      title: { type: 'string', value: 'TEXT', says: 'the new title' },
      ...DEPENDS,
      ...FIELDS,
      clear: { type: 'string', value: 'NAMES', says: 'takes fields away: owner,due' },
      ...FORCE,
    },
    words: ONE,
    lacks: (given) =>
      Object.keys({ ...fieldsOf(given), ...clearedBy(given) }).some((name) => name !== 'force')
        ? undefined
        : 'update takes what shall change, such as --status ST; agent-boards update --help lists it.',
    sent: (given) => [
      { type: 'update', id: given.words[0], ...fieldsOf(given), ...clearedBy(given) },
    ],
  },
  {
    name: 'complete',
    takes: 'ID...',
    says: 'completes tasks',
    options: { ...FORCE, ...REASON },
    words: MANY,
    sent: (given) => given.words.map((id) => ({ type: 'complete', id, ...fieldsOf(given) })),
  },
  {
    name: 'remove',
    takes: 'ID...',
    says: 'removes tasks',
    options: {
      cascade: { type: 'boolean', says: 'with sub-tasks and text' },
      promote: { type: 'boolean', says: 'its sub-tasks take its place' },
    },
    words: MANY,
    sent: (given) => given.words.map((id) => ({ type: 'remove', id, ...fieldsOf(given) })),
  },
  {
    name: 'move',
    takes: 'ID --after ID | --parent ID | --phase TEXT',
    says: 'moves a task with all below it',
    options: PLACE,
    words: ONE,
    lacks: (given) =>
      Object.keys(PLACE).some((name) => given.text(name) !== undefined)
        ? undefined
        : 'move takes where to: --after ID, --parent ID or --phase TEXT.',
    sent: (given) => [{ type: 'move', id: given.words[0], ...fieldsOf(given) }],
  },
  {
    name: 'depend',
    takes: 'ID --depends-on IDS',
    says: 'lets a task wait for others as well',
    options: DEPENDS,
    words: ONE,
    lacks: lacksOthers,
    sent: (given) => [{ type: 'depend', id: given.words[0], ...fieldsOf(given) }],
  },
  {
    name: 'undepend',
    takes: 'ID --depends-on IDS',
    says: 'lets a task no longer wait for others',
    options: DEPENDS,
    words: ONE,
    lacks: lacksOthers,
    sent: (given) => [{ type: 'undepend', id: given.words[0], ...fieldsOf(given) }],
  },
  {
    name: 'claim',
    takes: 'ID',
    says: 'starts a task as its owner',
    options: {},
    words: ONE,
    sent: (given) => [{ type: 'claim', id: given.words[0] }],
  },
  {
    name: 'archive',
    takes: '[ID...]',
    says: 'puts finished tasks away: those named, or all',
    options: { ...FORCE, ...REASON },
    words: { least: 0, most: 50 },
    sent: (given) =>
      given.words.length === 0
        ? [{ type: 'archive' }]
        : given.words.map((id) => ({ type: 'archive', id, ...fieldsOf(given) })),
  },
  {
    name: 'restore',
    takes: 'ID...',
    says: 'takes tasks back from the archive',
    options: {},
    words: MANY,
    sent: (given) => given.words.map((id) => ({ type: 'restore', id })),
  },
  {
    name: 'undo',
    takes: '[CHANGE]',
    says: 'takes back the own last change of the board; as the person also one that history names',
    options: {},
    words: { least: 0, most: 1 },
    lacks: (given) =>
      given.words.length === 0 || given.flag('as-person')
        ? undefined
        : 'undo takes back a change by its name for the person only: add --as-person.',
    sent: ({ words: [change] }) => [{ type: 'undo', ...(change !== undefined && { change }) }],
  },
];

function lacksOthers(given: Given): string | undefined {
  return (given.list('depends-on') ?? []).length > 0
    ? undefined
    : 'which tasks? Name them: --depends-on 1,3.';
}

const TEXTS = ['title', ...Object.keys(PLACE), ...Object.keys(FIELDS)];

const FLAGS = ['force', 'cascade', 'promote'];

function fieldsOf(given: Given): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const text = given.text(name);
    if (text !== undefined) fields[name] = text;
  }
  for (const name of FLAGS) if (given.flag(name)) fields[name] = true;
  const dependsOn = given.list('depends-on');
  return dependsOn === undefined ? fields : { ...fields, dependsOn };
}

/** null is how the tool takes a field away; what it waits for is taken away by an empty list. */
function clearedBy(given: Given): Readonly<Record<string, unknown>> {
  const names = given.list('clear') ?? [];
  const cleared = names.map((name): [string, unknown] =>
    name === 'depends-on' ? ['dependsOn', []] : [name, null],
  );
  return Object.fromEntries(cleared);
}
