import type { Locator, Page } from 'playwright-core';
import { dismissNotices } from './dismiss-notices';
import type { PersonAction } from './script';
import { parseStatus, statusLabel } from './status-label';

/** Limit for the elements that a gesture needs: if a dialog got in the way, the gesture is repeated. */
const GESTURE_TIMEOUT = { timeout: 5_000 };
/** ms that the dialogs of other sessions may take */
const DIALOG_LIMIT_MS = 30_000;

type SidebarAction = Exclude<PersonAction, { do: 'edit' }>;

/** Performs one gesture in the task sidebar, with mouse and keyboard. */
export class SidebarGestures {
  constructor(private readonly page: Page) {}

  /** @param row the task's row; undefined for a task that is added at the end of its board */
  async perform(sessionId: string, action: SidebarAction, row: Locator | undefined): Promise<void> {
    switch (action.do) {
      case 'tick':
        return row?.locator('.atb-mark').click(GESTURE_TIMEOUT);
      case 'status':
        return this.status(row, action.value);
      case 'rename':
        return this.rename(row, action.value);
      case 'add':
        return this.add(sessionId, row, action.value ?? action.task);
    }
  }

  private async status(row: Locator | undefined, value: string): Promise<void> {
    const status = parseStatus(value);
    if (!row || !status) return;
    await row.locator('.atb-title').click(GESTURE_TIMEOUT);
    await row.press('s', GESTURE_TIMEOUT);
    const word = new RegExp(`^\\s*${statusLabel(status)}\\s*$`);
    const item = this.page.locator('.menu .menu-item').filter({ hasText: word });
    await item.click(GESTURE_TIMEOUT);
  }

  private async rename(row: Locator | undefined, title: string): Promise<void> {
    if (!row) return;
    await row.locator('.atb-title').click(GESTURE_TIMEOUT);
    await row.press('F2', GESTURE_TIMEOUT);
    const field = row.locator('input, textarea');
    await field.fill(title, GESTURE_TIMEOUT);
    await field.press('Enter', GESTURE_TIMEOUT);
  }

  private async add(sessionId: string, row: Locator | undefined, title: string): Promise<void> {
    let field = this.page.locator(`.atb-add[data-session="${sessionId}"] input`).first();
    if (row) {
      await row.locator('.atb-title').click(GESTURE_TIMEOUT);
      await row.press('a', GESTURE_TIMEOUT);
      field = this.page.locator('.atb-add input.atb-edit');
    }
    await field.fill(title, GESTURE_TIMEOUT);
    await field.press('Enter', GESTURE_TIMEOUT);
  }

  /** Waits until no dialog is open, and closes notices that cover the sidebar. */
  async dismissOverlays(): Promise<void> {
    await this.page
      .locator('.modal-container')
      .first()
      .waitFor({ state: 'detached', timeout: DIALOG_LIMIT_MS });
    await dismissNotices(this.page);
  }

  /** Whether a dialog is open, which would receive the typed keys. */
  isCovered(): Promise<boolean> {
    return this.page.locator('.modal-container').first().isVisible();
  }

  /** Confirms the question that comes up when a blocked task is completed. */
  async confirm(): Promise<void> {
    const dialog = this.page.locator('.modal-container');
    const yes = dialog.getByRole('button', { name: 'Mark done', exact: true });
    if (await yes.isVisible()) await yes.click();
  }
}
