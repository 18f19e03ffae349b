import { FIELD_NAMES } from '../core/board/tasks-schema';
import {
  BRIEF,
  CALLER,
  usage,
  type Command,
  type Exit,
  type Given,
  type OpenVault,
  type Options,
} from './command';
import type { OperationKind, SentOperation } from './operation-kinds';
import { changedIds, sendOperations, shownAnswer } from './send-operations';
import { writeAnswer } from '../core/board/answer/write-answer';
import { PERSON } from '../core/board/history/actor';
import { resultOf, type Done, type OperationResult } from '../core/board/outcome';
import { addedTask, typedRemark } from '../core/board/note/typed-task';
import type { Board } from '../core/board/task';
import type { BoardWritten, TodoManager } from '../core/board/todo-manager';
import { chooseBoardToWrite, notChosen } from './choose-board';
import { isChange, readOperation, type Op } from '../core/board/op';
import { fault, type Fault } from '../core/fault';

const OTHER_BOARD: Options = {
  board: {
    type: 'string',
    value: 'A',
    says: 'whose board, where it is not that of --agent',
  },
};

const TERMS: Options = {
  atomic: { type: 'boolean', says: 'all or nothing' },
  rev: { type: 'string', value: 'N', says: 'only if the board is still at this rev' },
};

const AS_PERSON: Options = {
  'as-person': {
    type: 'boolean',
    says: 'as the person whose vault it is, on the board of --agent',
  },
};

/** A command that writes, as the agent that is named or as the person. */
export function writeCommand(kind: OperationKind): Command {
  return {
    ...kind,
    options: { ...kind.options, ...CALLER, ...OTHER_BOARD, ...TERMS, ...AS_PERSON, ...BRIEF },
    run(given, vault) {
      const fault = kind.lacks?.(given) ?? faultOf(given);
      if (fault !== undefined) return Promise.resolve(usage(fault));
      const operations = kind.sent(given);
      if (given.flag('as-person')) return actAsPerson(vault, given, operations);
      return sendOperations(vault, given, { operations, ...termsOf(given) });
    },
  };
}

function termsOf(given: Given): { readonly atomic?: boolean; readonly rev?: number } {
  const rev = given.text('rev');
  return {
    ...(given.flag('atomic') && { atomic: true }),
    ...(rev !== undefined && { rev: Number(rev) }),
  };
}

const CLEARED: readonly string[] = [...FIELD_NAMES, 'depends-on'];

function faultOf(given: Given): string | undefined {
  const rev = given.text('rev');
  if (rev !== undefined && !/^\d{1,9}$/.test(rev)) return '--rev takes a number.';
  const wrong = given.list('clear')?.find((name) => !CLEARED.includes(name));
  return wrong === undefined
    ? undefined
    : `--clear takes names of ${CLEARED.join(', ')}; "${wrong}" is none.`;
}

/**
 * What the person does to the board of `--session` and `--agent`: all of it in one write, or none.
 * The agent is told of it, and no agent's undo takes it back.
 */
async function actAsPerson(
  vault: OpenVault,
  given: Given,
  sent: readonly SentOperation[],
): Promise<Exit> {
  if (given.text('rev') !== undefined) return usage('--rev is for agents; leave it out.');
  const agent = given.text('board') ?? given.agent;
  const chosen = await chooseBoardToWrite(vault, { session: given.session, agent });
  if (!chosen.ok) return notChosen(chosen);
  const { ids, end } = changedIds(vault.manager);
  const done = await carryOut(vault.manager, chosen.board, sent);
  end();
  const board = done.ok ? done.board : chosen.board;
  const said = done.ok && sent.length === 1 ? await saidOf(vault.manager, done) : 'done';
  const outcomes = sent.map((operation): Done | Fault =>
    done.ok
      ? {
          ok: true,
          said: `${said}, as the person.${remarkOn(operation)}`,
          result: resultFor(operation, chosen.board, board),
        }
      : { ok: false, code: done.code, message: done.message },
  );
  const told = { sessionId: board.session, agent: board.agent, operations: sent, outcomes, board };
  const notices = done.ok ? noticesOf(done) : [];
  return shownAnswer(writeAnswer({ ...told, changes: [], others: [], notices }), given, ids);
}

const REPEATS =
  'A task that you completed repeats, but no next occurrence is made: add one if you need it.';

type Changed = Pick<
  Extract<BoardWritten, { ok: true }>,
  'ok' | 'board' | 'change' | 'repeats' | 'unrecorded'
>;

function noticesOf({ repeats, unrecorded }: Changed): readonly string[] {
  return [
    ...(repeats === true ? [REPEATS] : []),
    ...(unrecorded === undefined
      ? []
      : [`What was done stands, but it can't be undone later: ${unrecorded}`]),
  ];
}

type Carried = Changed | Pick<Fault, 'ok' | 'code' | 'message'>;

/** What the history says of the change; one that changed nothing has no entry. */
async function saidOf(manager: TodoManager, { board, change }: Changed): Promise<string> {
  const records = await manager.changes(board.path);
  return records.find((record) => record.change === change)?.said.join('; ') ?? 'done';
}

function remarkOn({ type, title }: SentOperation): string {
  return type !== 'init' && typeof title === 'string' ? typedRemark(title) : '';
}

/** Of `add` the task that is new, so that a program learns its id. */
function resultFor(operation: SentOperation, before: Board, now: Board): OperationResult {
  const { type, title } = operation;
  const added =
    type === 'add' && typeof title === 'string' ? addedTask(before, now, title) : undefined;
  return added === undefined ? { tasks: now.tasks.length } : resultOf(added);
}

async function carryOut(
  manager: TodoManager,
  board: Board,
  sent: readonly SentOperation[],
): Promise<Carried> {
  if (sent[0]?.type === 'undo') return undone(manager, board, sent[0]['change']);
  const ops: Op[] = [];
  for (const raw of sent) {
    const read = readOperation(raw);
    if (!read.ok) return read;
    const { operation } = read;
    if (!isChange(operation)) {
      return fault('not_a_persons', `${operation.type} is no change that a person makes.`);
    }
    ops.push(...personOps(operation));
  }
  return manager.commit(board.path, PERSON, ops);
}

/** A person's edits come one after another, as in a view: the title, the fields, the status. */
function personOps(op: Op): readonly Op[] {
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

/** The change that is named, which has to be one of this board, else the person's last. */
async function undone(manager: TodoManager, { path }: Board, change: unknown): Promise<Carried> {
  if (typeof change !== 'string') return manager.undoLast(path, PERSON);
  const known = await manager.history(path, Infinity);
  if (known.some((entry) => entry.change === change)) return manager.undo(change);
  const message = `${path} has no change "${change}". agent-boards history --json lists them.`;
  return { ok: false, code: 'unknown_change', message };
}
