import type { EditResult } from './note/edit-result';
import { setTaskFields } from './note/edit-task';
import { withIds } from './note/give-id';
import type { BoardFiles } from './board-files';
import { isFinished } from './facts';
import { PERSON } from './history/actor';
import { replacePlan, type BoardWriter, type CommitResult } from './history/board-writer';
import type { Note } from './note/note';
import { parseNote, titleHeading, withText } from './note/parse-note';
import { refuseChange } from './change-faults';
import type { Fault } from '../fault';
import { archiveTasks, cutBlocks, finishedTopLevelTasks } from './archive/archive-tasks';
import { withHeaderKey } from './note/edit-header';
import { yamlText } from './note/header';
import type { SessionFolders } from './session-boards';
import type { Board, Task } from './task';

type SuccessionResult =
  { readonly ok: true; readonly path: string; readonly tasks: number } | Fault;

/**
 * Continues plans in other sessions. First the old board is closed, so that no program changes it
 * any more; then the new one is made from it; then the moved tasks are removed from the old one. A
 * crash in between duplicates tasks and loses none, and `finish` completes the rest.
 */
export class Successions {
  constructor(
    private readonly files: BoardFiles,
    private readonly folders: SessionFolders,
    private readonly writer: BoardWriter,
  ) {}

  /**
   * Continues the board's open tasks in another session, with ids, bodies and order.
   * @param path path of the board
   * @param session a session in which this agent has no board yet
   * @param agent agent of the new board; absent: the same agent
   */
  async continueIn(path: string, session: string, agent?: string): Promise<SuccessionResult> {
    const refused = await this.refusal(path, session, agent);
    if (refused !== undefined) return refused;
    const said = `The plan goes on in session ${session}.`;
    const close = (note: Note | undefined): EditResult => {
      if (note === undefined) return refuseChange('unknown_board', 'gone', { path });
      return note.board.continued === session ? note : closedNote(note, session);
    };
    const closed = await replacePlan(this.writer, path, PERSON, close, { said, closed: 'write' });
    return closed.ok ? this.makeSuccessor(path, session, agent) : closed;
  }

  /** Completes what a crash interrupted. @returns what could not be completed, for the person */
  async finish(): Promise<readonly Fault[]> {
    const faults: Fault[] = [];
    for (const { path, continued, tasks, broken } of this.files.all()) {
      if (continued === undefined || broken !== null) continue;
      if (tasks.every(isFinished)) continue;
      const done = await this.makeSuccessor(path, continued);
      if (!done.ok) faults.push(done);
    }
    return faults;
  }

  private async refusal(
    path: string,
    session: string,
    agent: string | undefined,
  ): Promise<Fault | undefined> {
    const file = await this.files.load(path, true);
    if (file === undefined) return refuseChange('unknown_board', 'gone', { path });
    const { board, note } = file;
    if (board.broken !== null || note === undefined) {
      const { reason = '', said } = board.broken ?? {};
      return refuseChange('broken_note', 'repairFirst', { why: [reason, said] });
    }
    if (board.session === session) return refuseChange('conflict', 'sameSession');
    if (board.continued !== undefined && board.continued !== session) {
      return refuseChange('read_only', 'goesOn', { session: board.continued });
    }
    if (openTopLevelTasks(note).length === 0) {
      return refuseChange('nothing_open', 'nothingOpen');
    }
    const impossible = dryRunFault(note, session);
    if (impossible !== undefined) return impossible;
    const successorAgent = agent ?? board.agent;
    const { fresh } = await this.folders.place(session, successorAgent);
    if (fresh !== undefined || board.continued === session) return undefined;
    return refuseChange('conflict', 'hasPlan', { session, agent: successorAgent });
  }

  private async makeSuccessor(
    path: string,
    session: string,
    agent?: string,
  ): Promise<SuccessionResult> {
    const { files, folders, writer } = this;
    const closed = (await files.load(path, true))?.note;
    if (closed === undefined) return refuseChange('unknown_board', 'gone', { path });
    const { prefix, session: from } = closed.board;
    // After a crash, the successor that was already made gives the agent.
    const made = files.all().find((one) => one.session === session && one.prefix === prefix);
    const successorAgent = agent ?? made?.agent ?? closed.board.agent;
    const place = await folders.place(session, successorAgent);
    const make = (note: Note | undefined) =>
      note ?? successorOf(closed, { session, agent: successorAgent }, place.path);
    const said = `Goes on with the plan of session ${from}.`;
    const done = await replacePlan(writer, place.path, PERSON, make, { said });
    return done.ok ? this.removeMovedTasks(path, done) : done;
  }

  /** Removes the tasks that the successor has from the closed board; others stay. */
  private async removeMovedTasks(
    path: string,
    { board }: Extract<CommitResult, { ok: true }>,
  ): Promise<SuccessionResult> {
    const successor = (await this.files.load(board.path, true))?.note;
    if (successor === undefined) return refuseChange('unknown_board', 'gone', { path: board.path });
    const leave = (note: Note | undefined): EditResult =>
      note === undefined
        ? refuseChange('unknown_board', 'gone', { path })
        : withoutMovedTasks(note, successor, this.files.store.fileOf(board.path));
    const said = `Open tasks stand in ${board.path} now.`;
    const left = await replacePlan(this.writer, path, PERSON, leave, { said, closed: 'write' });
    return left.ok ? { ok: true, path: board.path, tasks: board.tasks.length } : left;
  }
}

/** Why one of the notes can't be made, checked before the first is written. */
function dryRunFault(note: Note, session: string): Fault | undefined {
  const closed = closedNote(note, session);
  const successor = closed.ok
    ? successorOf(closed, { session, agent: note.board.agent }, note.board.path)
    : closed;
  const left = closed.ok && successor.ok ? withoutMovedTasks(closed, successor, '') : successor;
  return left.ok ? undefined : left;
}

/** The top-level tasks to continue: unfinished ones, and those with unfinished subtasks. */
function openTopLevelTasks(note: Note): readonly Task[] {
  const done = new Set(finishedTopLevelTasks(note));
  return note.board.tasks.filter((task) => task.parent === null && !done.has(task));
}

/** The closed plan: every task has an id, and the header names the session that continues it. */
function closedNote(note: Note, session: string): EditResult {
  const named = withIds(note, note.board.tasks);
  return named.ok ? withHeaderKey(named, 'continued', yamlText(session)) : named;
}

/**
 * The plan for the new session: the closed one without finished tasks. The header lists those as
 * archived, so that nothing waits for them and no id is given twice.
 */
function successorOf(
  closed: Note,
  { session, agent }: Pick<Board, 'session' | 'agent'>,
  path: string,
): EditResult {
  const rest = archiveTasks(closed, finishedTopLevelTasks(closed));
  if (!rest.ok) return rest;
  const begun = withHeaderKey(rest, 'continued', null);
  const from = withHeaderKey(begun, 'continues', yamlText(closed.board.session));
  const moved = withHeaderKey(from, 'session', yamlText(session));
  const made = parseNote(path, withHeaderKey(moved, 'agent', yamlText(agent)).text);
  return passOwnership(made, closed.board.agent);
}

/** Passes the previous agent's open tasks to the new one, who could not claim them otherwise. */
function passOwnership(note: Note, before: string): EditResult {
  const { agent: owner, tasks } = note.board;
  const theirs = owner === before ? [] : tasks.filter((task) => task.owner === before);
  return theirs
    .filter((task) => !isFinished(task))
    .reduce<EditResult>(
      (done, { key }) => (done.ok ? setTaskFields(done, key, { owner }) : done),
      note,
    );
}

/** The closed plan without the tasks of its successor, and with a link to its file. */
function withoutMovedTasks(closed: Note, successor: Note, file: string): EditResult {
  const there = new Set(successor.board.tasks.flatMap(({ id }) => id ?? []));
  const gone = openTopLevelTasks(closed).filter(({ id }) => id !== null && there.has(id));
  const cut = cutBlocks(closed, new Set(gone.map(({ key }) => key)));
  return cut.ok ? withText(cut, withLink(cut, file)) : cut;
}

/** The text with the link below the title; added only once. */
function withLink({ board, layout, text }: Note, path: string): string {
  const link = `Continued in [[${path.replace(/\.md$/, '')}]].`;
  if (layout === null || text.includes(link)) return text;
  const { headings } = layout.scan;
  const title = headings[titleHeading(headings, board.title)];
  const at = title === undefined ? layout.header.end : title.end;
  const lines = title === undefined ? [link, ''] : ['', '', link];
  return text.slice(0, at) + lines.join(layout.eol) + text.slice(at);
}
