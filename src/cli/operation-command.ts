import { FIELD_NAMES, FIELD_WORDS } from '../core/board/tasks-schema';
import {
  BRIEF_OPTION,
  CALLER_OPTIONS,
  usageExit,
  type Command,
  type Exit,
  type CommandArgs,
  type OpenVault,
  type Options,
} from './command';
import { sendOperations } from './send-operations';
import { toShellAnswer } from './shell-words';
import { collectChangedIds, answerExit, type SentOperation } from './answer-exit';
import { writeAnswer } from '../core/board/answer/write-answer';
import { PERSON } from '../core/board/history/actor';
import {
  toOperationResult,
  type OperationSuccess,
  type OperationResult,
} from '../core/board/outcome';
import { addedTask, typedRemark } from '../core/board/note/typed-task';
import { STATUSES, type Board } from '../core/board/task';
import type { CommitResult, TodoManager } from '../core/board/todo-manager';
import { chooseBoardToWrite } from './choose-board';
import { isChange, readOperation, type Op, type Operation } from '../core/board/op';
import { fault, type Fault } from '../core/fault';

/** Options for the fields of an operation, in the order in which the fields are sent. */
const OPTIONS = {
  title: { value: 'TEXT', says: 'the new title' },
  parent: { value: 'ID', says: 'under this task' },
  after: { value: 'ID', says: 'after this task' },
  phase: { value: 'TEXT', says: 'under this heading' },
  priority: { value: 'P', says: FIELD_WORDS.priority },
  owner: { value: 'NAME', says: FIELD_WORDS.owner },
  status: { value: 'ST', says: STATUSES.join(', ') },
  scope: { value: 'W', says: FIELD_WORDS.scope },
  risk: { value: 'W', says: FIELD_WORDS.risk },
  impact: { value: 'W', says: FIELD_WORDS.impact },
  level: { value: 'W', says: FIELD_WORDS.level },
  estimate: { value: 'T', says: FIELD_WORDS.estimate },
  due: { value: 'DATE', says: FIELD_WORDS.due },
  reason: { value: 'TEXT', says: 'why, one line' },
  body: { value: 'TEXT', says: 'the text below the task' },
  force: { says: 'even if it would be refused; give the reason with --reason' },
  cascade: { says: 'removes its subtasks and text as well' },
  promote: { says: 'its subtasks take its place' },
  'depends-on': { value: 'IDS', says: 'what it waits for: 1,3' },
  clear: { value: 'NAMES', says: 'removes fields: owner,due' },
} satisfies Options;

type OptionName = keyof typeof OPTIONS;

const PLACE = ['parent', 'after', 'phase'] as const;

const FIELDS = [
  ...([
    'priority',
    'owner',
    'status',
    'scope',
    'risk',
    'impact',
    'level',
    'estimate',
    'due',
  ] as const),
  ...(['reason', 'body'] as const),
];

/** A command that sends an operation of the tool `tasks` for each of its words. */
interface WriteVerb extends Pick<Command, 'also' | 'makesVault' | 'takes' | 'says'> {
  readonly name: Operation['type'];
  /** the field that a word fills; `id`, if absent */
  readonly word?: 'id' | 'title' | 'change';
  readonly options?: readonly OptionName[];
  /** Returns a sentence about a missing required option. */
  readonly missingOption?: (given: CommandArgs) => string | undefined;
}

/** The writing commands, in the order of help. */
const WRITES: readonly WriteVerb[] = [
  {
    name: 'init',
    takes: 'TITLE',
    says: 'creates a board, or renames it',
    makesVault: true,
    word: 'title',
  },
  {
    name: 'add',
    takes: 'TITLE',
    says: 'adds a task',
    word: 'title',
    options: [...PLACE, 'depends-on', ...FIELDS],
  },
  {
    name: 'update',
    also: 'edit',
    takes: 'ID',
    says: 'changes any field of a task',
    options: ['title', 'depends-on', ...FIELDS, 'clear', 'force'],
    missingOption: (given) =>
      Object.keys(fieldsOf(given)).some((name) => name !== 'force')
        ? undefined
        : 'update takes what shall change, such as --status ST; agent-boards update --help lists it.',
  },
  { name: 'complete', takes: 'ID...', says: 'completes tasks', options: ['force', 'reason'] },
  { name: 'remove', takes: 'ID...', says: 'removes tasks', options: ['cascade', 'promote'] },
  {
    name: 'move',
    takes: 'ID --after ID | --parent ID | --phase TEXT',
    says: 'moves a task with all below it',
    options: PLACE,
    missingOption: (given) =>
      PLACE.some((name) => given.text(name) !== undefined)
        ? undefined
        : 'move takes where to: --after ID, --parent ID or --phase TEXT.',
  },
  {
    name: 'depend',
    takes: 'ID --depends-on IDS',
    says: 'adds dependencies to a task',
    options: ['depends-on'],
    missingOption: missingPrerequisites,
  },
  {
    name: 'undepend',
    takes: 'ID --depends-on IDS',
    says: 'removes dependencies from a task',
    options: ['depends-on'],
    missingOption: missingPrerequisites,
  },
  { name: 'claim', takes: 'ID', says: 'starts a task as its owner' },
  {
    name: 'archive',
    takes: '[ID...]',
    says: 'moves finished tasks to the archive: those named, or all',
    options: ['force', 'reason'],
    missingOption: (given) =>
      given.words.length > 0 || !(given.flag('force') || given.text('reason') !== undefined)
        ? undefined
        : 'archive takes --force and --reason for the tasks that it names: agent-boards archive ID.',
  },
  { name: 'restore', takes: 'ID...', says: 'restores tasks from the archive' },
  {
    name: 'undo',
    takes: '[CHANGE]',
    says: 'undoes your own last change to the board; as the person also one that history names',
    word: 'change',
    missingOption: (given) =>
      given.words.length === 0 || given.flag('as-person')
        ? undefined
        : 'undo takes back a change by its name for the person only: add --as-person.',
  },
];

function missingPrerequisites(given: CommandArgs): string | undefined {
  return (given.list('depends-on') ?? []).length > 0
    ? undefined
    : 'which tasks? Name them: --depends-on 1,3.';
}

/**
 * The fields of an operation. null removes a field, except `dependsOn`, which an empty list clears.
 */
function fieldsOf(given: CommandArgs): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(OPTIONS)) {
    const value = given.text(name) ?? given.flag(name);
    if (name === 'depends-on') {
      const dependsOn = given.list(name);
      if (dependsOn !== undefined) fields['dependsOn'] = dependsOn;
    } else if (name !== 'clear' && value !== false) fields[name] = value;
  }
  for (const name of given.list('clear') ?? []) {
    if (name === 'depends-on') fields['dependsOn'] = [];
    else fields[name] = null;
  }
  return fields;
}

/** One operation per word; without words, one that names no task. */
function operationsOf(
  { name, word = 'id' }: WriteVerb,
  given: CommandArgs,
): readonly SentOperation[] {
  if (given.words.length === 0) return [{ type: name }];
  return given.words.map((one) => ({ type: name, [word]: one, ...fieldsOf(given) }));
}

/** Options of commands that can act as the person. */
export const PERSON_OPTIONS: Options = {
  ...CALLER_OPTIONS,
  'as-person': { says: 'as the person whose vault it is, on the board of --agent' },
  ...BRIEF_OPTION,
};

const CALL_OPTIONS: Options = {
  ...PERSON_OPTIONS,
  board: { value: 'A', says: 'whose board, where it is not that of --agent' },
  atomic: { says: 'all or nothing' },
  rev: { value: 'N', says: 'only if the board is still at this rev' },
};

/** The commands that write, as the named agent or as the person. */
export const WRITE_COMMANDS: readonly Command[] = WRITES.map((verb) => {
  const { name, takes, says, also, makesVault, options = [] } = verb;
  return {
    ...{ name, takes, says, also, makesVault },
    options: { ...Object.fromEntries(options.map((one) => [one, OPTIONS[one]])), ...CALL_OPTIONS },
    run(given, vault) {
      const fault = verb.missingOption?.(given) ?? optionFault(given);
      if (fault !== undefined) return usageExit(fault);
      const operations = operationsOf(verb, given);
      if (given.flag('as-person')) return actAsPerson(vault, given, operations);
      return sendOperations(vault, given, { operations, ...termsOf(given) }, toShellAnswer);
    },
  };
});

function termsOf(given: CommandArgs): { readonly atomic?: boolean; readonly rev?: number } {
  const rev = given.text('rev');
  return {
    ...(given.flag('atomic') && { atomic: true }),
    ...(rev !== undefined && { rev: Number(rev) }),
  };
}

const CLEARED: readonly string[] = [...FIELD_NAMES, 'depends-on'];

function optionFault(given: CommandArgs): string | undefined {
  const rev = given.text('rev');
  if (rev !== undefined && !/^\d{1,9}$/.test(rev)) return '--rev takes a number.';
  const wrong = given.list('clear')?.find((name) => !CLEARED.includes(name));
  return wrong === undefined
    ? undefined
    : `--clear takes names of ${CLEARED.join(', ')}; "${wrong}" is not one of them.`;
}

/**
 * Applies the person's operations to the board of `--session` and `--agent` in one write, all or none. The
 * agent is told, and no agent's undo reverts them.
 */
export async function actAsPerson(
  vault: OpenVault,
  given: CommandArgs,
  sent: readonly SentOperation[],
  act: ApplyOperations = applyOperations,
): Promise<Exit> {
  if (given.text('rev') !== undefined) return usageExit('--rev is for agents; leave it out.');
  const agent = given.text('board') ?? given.agent;
  const before = await chooseBoardToWrite(vault, { session: given.session, agent });
  const { ids, end } = collectChangedIds(vault.manager);
  const done = await act(vault.manager, before, sent);
  end();
  const board = done.ok ? done.board : before;
  const said = done.ok && sent.length === 1 ? await changeText(vault.manager, done) : 'done';
  const outcomes = sent.map((operation): OperationSuccess | Fault =>
    done.ok
      ? {
          ok: true,
          said: `${said.replace(/\.$/, '')}, as the person.${remarkOn(operation)}`,
          result: resultFor(operation, before, board),
        }
      : { ok: false, code: done.code, message: done.message },
  );
  const answerBase = {
    sessionId: board.session,
    agent: board.agent,
    operations: sent,
    outcomes,
    board,
  };
  const notices = done.ok ? noticesOf(done) : [];
  const answer = writeAnswer({ ...answerBase, changes: [], others: [], notices });
  return answerExit(toShellAnswer(answer), given, ids);
}

const REPEATS_NOTICE =
  'A task that you completed repeats, but no next occurrence is made: add one if you need it.';

type CommittedChange = Pick<
  Extract<CommitResult, { ok: true }>,
  'ok' | 'board' | 'change' | 'repeats' | 'unrecorded'
>;

function noticesOf({ repeats, unrecorded }: CommittedChange): readonly string[] {
  return [
    ...(repeats === true ? [REPEATS_NOTICE] : []),
    ...(unrecorded === undefined
      ? []
      : [`What was done stands, but it can't be undone later: ${unrecorded.message}`]),
  ];
}

/** Carries out the sent operations on one board. */
type ApplyOperations = (
  manager: TodoManager,
  board: Board,
  sent: readonly SentOperation[],
) => Promise<ApplyResult>;

type ApplyResult = CommittedChange | Pick<Fault, 'ok' | 'code' | 'message'>;

/** The history's text for the change; a change without effect has no entry. */
async function changeText(
  manager: TodoManager,
  { board, change }: CommittedChange,
): Promise<string> {
  const records = await manager.changes(board.path);
  return records.find((record) => record.change === change)?.said.join('; ') ?? 'done';
}

function remarkOn({ type, title }: SentOperation): string {
  return type !== 'init' && typeof title === 'string' ? typedRemark(title) : '';
}

/** For `add` the new task, so that a program learns its id. */
function resultFor(operation: SentOperation, before: Board, now: Board): OperationResult {
  const { type, title } = operation;
  const added =
    type === 'add' && typeof title === 'string' ? addedTask(before, now, title) : undefined;
  return added === undefined ? { tasks: now.tasks.length } : toOperationResult(added);
}

async function applyOperations(
  manager: TodoManager,
  board: Board,
  sent: readonly SentOperation[],
): Promise<ApplyResult> {
  if (sent[0]?.type === 'undo') return undoChange(manager, board, sent[0]['change']);
  const ops: Op[] = [];
  for (const raw of sent) {
    const read = readOperation(raw);
    if (!read.ok) return read;
    const { operation } = read;
    if (!isChange(operation)) {
      return fault('not_a_persons', `${operation.type} is not a change that a person makes.`);
    }
    ops.push(...splitUpdate(operation));
  }
  return manager.commit(board.path, PERSON, ops);
}

/** Splits a person's update as a view would: the title, then the fields, then the status. */
function splitUpdate(op: Op): readonly Op[] {
  if (op.type !== 'update') return [op];
  const { type, id, title, status, reason, ...fields } = op;
  const others = { ...fields, ...(status === undefined && { reason }) };
  const some = Object.values(others).some((value) => value !== undefined);
  return [
    ...(title === undefined ? [] : [{ type, id, title } as const]),
    ...(some ? [{ type, id, ...others } as const] : []),
    ...(status === undefined ? [] : [{ type, id, status, reason } as const]),
  ];
}

/** Undoes the named change, which has to belong to this board, else the person's last one. */
async function undoChange(
  manager: TodoManager,
  { path }: Board,
  change: unknown,
): Promise<ApplyResult> {
  if (typeof change !== 'string') return manager.undoLast(path, PERSON);
  const known = await manager.history(path, Infinity);
  if (known.some((entry) => entry.change === change)) return manager.undo(change);
  const message = `${path} has no change "${change}". agent-boards history --json lists them.`;
  return { ok: false, code: 'unknown_change', message };
}
