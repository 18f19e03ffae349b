import type { Locator, Page } from 'playwright-core';
import { labels } from './http-stage';
import { SerialQueue } from './serial-queue';
import type { PersonInPage } from './person-in-page';
import type { PluginInPage } from './plugin-in-page';
import type { Answer, PersonAction } from './script';
import type { ActionResult, PersonRequest, Stage } from './stage';
import type { TurnTracker } from './turn-tracker';
import type { WireMonitor } from './wire-monitor';

/** ms until a dialog must be there, including the time for dialogs before it */
const MODAL_LIMIT_MS = 30_000;

/**
 * A stage in the page: the plugin starts sessions and sends prompts, the person uses mouse and
 * keyboard.
 */
export class PageStage implements Stage {
  private readonly modals = new SerialQueue();

  constructor(
    private readonly page: Page,
    private readonly plugin: PluginInPage,
    private readonly person: PersonInPage,
    private readonly wire: WireMonitor,
    private readonly turns: TurnTracker,
    /** called when a dialog is open, to take a picture */
    private readonly onModal: () => Promise<void>,
  ) {}

  startSession(title: string): Promise<string> {
    return this.plugin.startSession(title);
  }

  /** The turn has ended when OpenCode reports it and the plugin has received it. */
  async prompt(sessionId: string, text: string): Promise<void> {
    const ended = [this.turns.next(sessionId), this.wire.nextTurnEnd(sessionId)];
    await this.plugin.send(sessionId, text);
    await Promise.all(ended);
  }

  act(sessionId: string, action: PersonAction): Promise<ActionResult> {
    return this.person.act(sessionId, action);
  }

  answer(asked: PersonRequest, answers: readonly Answer[]): Promise<void> {
    return this.modals.run(async () => {
      const modal = await this.waitForDialog(
        asked.kind === 'call'
          ? `[data-call="${asked.callId}"]`
          : `[data-request="${asked.requestId}"]`,
      );
      if (asked.kind === 'question') await this.answerQuestion(modal, answers);
      else await this.answerPermission(modal, answers[0]);
    });
  }

  private async answerPermission(modal: Locator, answer: Answer | undefined): Promise<void> {
    if (!answer || !('permission' in answer)) return;
    const button = modal.locator(`button[data-reply="${answer.reply}"]`);
    await button.click();
    // Always and Deny have a second step, with a button of the same name.
    if (answer.reply === 'reject') await modal.locator('textarea').fill(answer.message ?? '');
    if (answer.reply !== 'once') await button.click();
    await modal.waitFor({ state: 'detached' });
  }

  private async answerQuestion(modal: Locator, answers: readonly Answer[]): Promise<void> {
    const fields = modal.locator('fieldset');
    for (const [index, answer] of answers.entries()) {
      for (const label of labels(answer)) await chooseOption(fields.nth(index), label);
    }
    await modal.locator('button[data-reply="answer"]').click();
    await modal.waitFor({ state: 'detached' });
  }

  /** Finds the dialog of this request, skipping others that are open. */
  private async waitForDialog(request: string): Promise<Locator> {
    const modal = this.page.locator(`.atb-ask ${request}`);
    const later = this.page.locator('.atb-ask button[aria-label="Later request"]:enabled');
    const earlier = this.page.locator('.atb-ask button[aria-label="Earlier request"]:enabled');
    await modal.or(later).or(earlier).first().waitFor({ timeout: MODAL_LIMIT_MS });
    for (const button of [later, earlier]) {
      while (!(await modal.isVisible()) && (await button.isVisible())) await button.click();
    }
    await modal.waitFor({ timeout: MODAL_LIMIT_MS });
    await this.onModal();
    return modal;
  }
}

/** Selects the option, or, if there is none with this label, types it as the person's own answer. */
async function chooseOption(field: Locator, label: string): Promise<void> {
  const option = field.locator('label', { hasText: label }).locator('input').first();
  if ((await option.count()) > 0) return option.check();
  await field.locator('label', { hasText: 'Something else' }).locator('input').check();
  await field.locator('textarea').fill(label);
}
