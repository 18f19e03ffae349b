import type { Locator, Page } from 'playwright-core';
import type { TodoManager } from '../../src/core/board/todo-manager';
import type { Task } from '../../src/core/board/task';
import { findTask } from './find-task';
import { SerialQueue } from './serial-queue';
import type { PersonOnNotes } from './person-on-notes';
import type { PersonAction } from './script';
import type { ActionResult } from './stage';
import { outcomeCheck } from './person-outcome';
import { SidebarGestures } from './sidebar-gestures';
import { waitUntil } from './wait-until';
import { scrollSidebar, expandAll } from './walk-sidebar';

type SidebarAction = Exclude<PersonAction, { do: 'edit' }>;

/** ms until a change made in the sidebar must be in the note */
const SAVED_LIMIT_MS = 100_000;
/** shorter limit for a gesture that may have been lost */
const LOST_LIMIT_MS = 5_000;
/** Number of attempts for a gesture, since a dialog that opens meanwhile takes its focus. */
const ATTEMPTS = 4;

/** Performs a person's actions with mouse and keyboard in the task sidebar. */
export class PersonInPage {
  private readonly queue = new SerialQueue();
  private readonly gestures: SidebarGestures;

  constructor(
    private readonly page: Page,
    private readonly manager: TodoManager,
    /** edits notes as another editor would, outside the page */
    private readonly onNotes: PersonOnNotes,
  ) {
    this.gestures = new SidebarGestures(page);
  }

  act(sessionId: string, action: PersonAction): Promise<ActionResult> {
    return this.queue.run(() =>
      action.do === 'edit'
        ? this.onNotes.act(sessionId, action)
        : this.actInSidebar(sessionId, action),
    );
  }

  private async actInSidebar(sessionId: string, action: SidebarAction): Promise<ActionResult> {
    const before = await this.tasks(sessionId);
    const task = findTask(this.manager.boards(), sessionId, action.task)?.task;
    const alone = action.do === 'add' && action.value === undefined;
    if (before.length === 0 || (!task && !alone)) return { kind: 'not_yet' };
    const wanted = outcomeCheck(action, task, before);
    let why = 'the sidebar took it, but the note did not change';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      let lost = false;
      try {
        await this.gestures.dismissOverlays();
        const row = task && !alone ? await this.revealRow(sessionId, task) : undefined;
        await this.gestures.perform(sessionId, action, row);
      } catch (error) {
        why = error instanceof Error ? error.message : String(error);
        lost = true;
      }
      const isDone = async (): Promise<boolean> => {
        if (await this.isApplied(sessionId, wanted)) return true;
        lost ||= await this.gestures.isCovered();
        return false;
      };
      if (await waitUntil(isDone, LOST_LIMIT_MS)) return { kind: 'done' };
      // Repeated before it is saved, a tick would revert itself and a task would be added twice.
      if (!lost && (await waitUntil(isDone, SAVED_LIMIT_MS))) return { kind: 'done' };
    }
    return { kind: 'failed', message: why };
  }

  /** Whether the note has the expected content by now; confirms a question that came up. */
  private async isApplied(
    sessionId: string,
    wanted: (now: readonly Task[]) => boolean,
  ): Promise<boolean> {
    await this.gestures.confirm();
    return wanted(await this.tasks(sessionId));
  }

  private async tasks(sessionId: string): Promise<readonly Task[]> {
    await this.manager.scan();
    return this.manager
      .boards()
      .filter((one) => one.session === sessionId)
      .flatMap((one) => one.tasks);
  }

  /** The task's row, after expanding what hides it. */
  private async revealRow(sessionId: string, task: Task): Promise<Locator> {
    const row = this.page.locator(
      `[data-row="task"][data-session="${sessionId}"][data-key="${task.key}"]`,
    );
    if (await row.isVisible()) return row;
    await expandAll(this.page);
    await scrollSidebar(this.page, () => row.isVisible());
    await row.waitFor({ timeout: SAVED_LIMIT_MS });
    return row;
  }
}
