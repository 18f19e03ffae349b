import type { App, Command, Plugin } from 'obsidian';
import type { Board, Task } from '../../core/board/task';
import { taskInProgress } from '../../core/board/my-tasks';
import type { AuditSource } from '../audit/audit-source';
import type { Chooser } from '../board/task-commands';
import type { Overview } from '../model/overview';
import { pick } from '../ui/dialog';
import { commands } from '../ui/menu';
import { notify } from '../ui/notify';
import { openView } from '../ui/open-view';
import { NoteTaskIndex } from './note-task-index';
import { NOTE_TASKS_VIEW, NoteTasksView, type NoteTasksDeps } from './note-tasks-view';
import { t } from '../language/text';

/** Finds the tasks that link to a note, and the notes of a task. */
export class NoteTasksPanel {
  private readonly index = new NoteTaskIndex();

  constructor(
    private readonly app: App,
    private readonly overview: Overview,
    private readonly audit: AuditSource,
  ) {}

  register(
    plugin: Plugin,
    deps: Pick<NoteTasksDeps, 'intents' | 'today' | 'phone' | 'shown'>,
  ): void {
    const { app, overview, audit, index, resolve } = this;
    const view = { app, overview, audit, index, resolve };
    plugin.registerView(NOTE_TASKS_VIEW, (leaf) => new NoteTasksView(leaf, { ...deps, ...view }));
  }

  commands(choose: Chooser): readonly Command[] {
    const { app } = this;
    return commands(
      [
        'open-note-tasks',
        t('noteTasks.openTasksOfThisNote'),
        () => openView(app, NOTE_TASKS_VIEW, 'right'),
      ],
      [
        'task-notes',
        t('noteTasks.openANoteOfATask'),
        async () => {
          const chosen = await choose.task(t('noteTasks.notesOfWhichTask'));
          if (chosen !== undefined) await this.openNote(chosen.board, chosen.task);
        },
        () => choose.has(() => true),
      ],
    );
  }

  /**
   * Lists the notes that a task links to and those that its agent worked on for it; opens the
   * chosen one.
   */
  async openNote(board: Board, task: Task): Promise<void> {
    const { app } = this;
    const { vault, workspace } = app;
    const all = await this.notesOf(board, task);
    const notes = all.filter((path) => vault.getFileByPath(path) !== null);
    if (notes.length === 0) return void notify(t('noteTasks.namesNoNote', { title: task.title }));
    const choices = notes.map((path) => ({ text: path, value: path }));
    const note = await pick(app, choices, t('noteTasks.notesOfTitle', { title: task.title }), true);
    if (note !== undefined) await workspace.openLinkText(note, '', false);
  }

  /** As `notesOf`, for the task that a session works on; empty if there is none. */
  async notesOfSession(sessionId: string): Promise<readonly string[]> {
    const boards = this.overview.state.boards.filter(({ session }) => session === sessionId);
    const task = taskInProgress(boards);
    const board = boards.find(({ tasks }) => task !== undefined && tasks.includes(task));
    return board === undefined || task === undefined ? [] : this.notesOf(board, task);
  }

  /**
   * The notes that a task links to, and those that its agent worked on for it; some may no longer
   * exist.
   */
  async notesOf(board: Board, task: Task): Promise<readonly string[]> {
    const { audit, overview } = this;
    await readOnce(audit);
    this.index.update(overview.state.boards, audit.state.page.rows);
    return this.index.notesOf(board, task, this.resolve);
  }

  private readonly resolve = (link: string, from: string): string | undefined =>
    this.app.metadataCache.getFirstLinkpathDest(link, from)?.path;
}

/** Resolves once the audit was read, or can't be read. */
function readOnce(source: AuditSource): Promise<void> {
  if (source.state.loading !== 'first') return Promise.resolve();
  return new Promise((resolve) => {
    const stop = source.watch();
    const forget = source.onChange(() => {
      const { loading, problem } = source.state;
      if (loading === 'first' && problem === undefined) return;
      forget();
      stop();
      resolve();
    });
  });
}
