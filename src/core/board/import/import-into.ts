import { StoreError, type Clock } from '../../ports';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { validAgentName, validSessionId } from '../board-path';
import type { TodoManager } from '../todo-manager';
import { importNotes, isNotesLayout } from './import-notes';
import { applyPlan, type AppliedPlan } from './apply-plan';
import { importPlan, type ImportedPlans } from './import-plan';
import type { ImportSource } from './import-source';
import { IMPORT_KINDS, type ImportedPlan, type Left } from './imported-plan';

/** What a source can be said to be: a kind of plan, or a board as one note per task. */
export const IMPORT_SOURCES = [...IMPORT_KINDS, 'notes'] as const;
export type ImportSourceKind = (typeof IMPORT_SOURCES)[number];

/** What a person may say of an import; what is left out, the source says. */
export interface ImportWish {
  readonly kind?: ImportSourceKind | undefined;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
}

/** What an import did to one board. */
export interface ImportedBoard {
  readonly path: string;
  readonly name: string;
  /** for `TodoManager.undo`; undefined where nothing was written */
  readonly change: string | undefined;
  readonly added: number;
  /** tasks that an earlier import had brought */
  readonly there: number;
  readonly left: readonly Left[];
  /** why this plan was not taken */
  readonly fault?: Fault;
}

export interface ImportedBoards {
  readonly ok: true;
  readonly kind: ImportSourceKind;
  readonly boards: readonly ImportedBoard[];
  /** what belongs to none of the plans */
  readonly left: readonly Left[];
}

/** Session and agent of plans whose source names none. */
const SESSION = 'imported';
const AGENT = 'build';

/**
 * Reads a source and puts each of its plans on a board, in one write each, kept in the history. The
 * source is never changed. A board with one note per task goes back to its own board.
 * @returns Fault where nothing could be read; what failed on one board only is that board's `fault`
 */
export async function importInto(
  { manager, clock }: { readonly manager: TodoManager; readonly clock: Pick<Clock, 'today'> },
  source: ImportSource,
  wish: ImportWish = {},
): Promise<ImportedBoards | Fault> {
  const { kind } = wish;
  try {
    if (kind === 'notes' || (kind === undefined && (await isNotesLayout(source)))) {
      const board = await importNotes(manager, source, clock);
      return 'ok' in board ? board : { ok: true, kind: 'notes', boards: [board], left: [] };
    }
    const read = await importPlan(source, kind);
    return read.ok ? await put(manager, read, wish) : read;
  } catch (error) {
    if (error instanceof StoreError) return fault(error.code, error.message);
    throw error;
  }
}

async function put(
  manager: TodoManager,
  { kind, plans, left }: ImportedPlans,
  wish: ImportWish,
): Promise<ImportedBoards | Fault> {
  const boards: ImportedBoard[] = [];
  for (const plan of plans) boards.push(await putPlan(manager, plan, wish));
  return { ok: true, kind, boards, left };
}

async function putPlan(
  manager: TodoManager,
  plan: ImportedPlan,
  wish: ImportWish,
): Promise<ImportedBoard> {
  const session = wish.session ?? plan.session ?? SESSION;
  const agent = wish.agent ?? plan.agent ?? AGENT;
  const nothing = { name: plan.name, change: undefined, added: 0, there: 0, left: plan.left };
  if (!validSessionId(session) || !validAgentName(agent)) {
    const message = 'Its session or agent can name no folder. Say which: --session and --agent.';
    return { ...nothing, path: '', fault: fault('bad_session', message) };
  }
  const { path, fresh, archive } = await manager.place(session, agent, plan.title);
  let applied: AppliedPlan | undefined;
  const count = plan.tasks.length;
  const said = `imported ${count} ${count === 1 ? 'task' : 'tasks'} of ${plan.name}`;
  const written = await manager.edit(path, { kind: 'import', name: plan.kind }, said, (note) => {
    const done = applyPlan(note, plan, { path, fresh, archive });
    if (done.ok) applied = done;
    return done;
  });
  if (!written.ok) return { ...nothing, path, fault: written };
  if (applied === undefined) throw new Error('assertion: a board was written without its plan');
  const { added, there, left } = applied;
  const change = added > 0 ? written.change : undefined;
  return { path, name: plan.name, change, added, there, left: [...plan.left, ...left] };
}
