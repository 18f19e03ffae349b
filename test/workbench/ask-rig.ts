import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ToolPermissionRequest } from '../../src/core/permission/ask';
import type { QuestionRequest } from '../../src/protocol/snapshot';
import type { AskHarness } from './ask-stand';
import type { Rig } from './workbench-rig';
import { startHarness } from './harness-rig';

export type { QuestionRequest };

declare global {
  interface Window {
    askStand: AskHarness;
  }
}

/** The request dialog for the tests of a file: one page, and an id for each test's request. */
export function useAsks() {
  let rig: Rig;
  let page: Page;
  let count = 0;
  beforeAll(async () => {
    rig = await startHarness('test/workbench/ask-stand.ts');
    page = await rig.open();
    await setSession(page);
  });
  afterAll(() => rig.close());
  beforeEach(() => {
    count += 1;
  });

  const modal = () => page.locator('.atb-ask');
  return {
    get rig() {
      return rig;
    },
    get page() {
      return page;
    },
    get id() {
      return `r${count}`;
    },
    modal,
    button: (reply: string) => modal().locator(`button[data-reply="${reply}"]`),
    /** the outcome of a request */
    end: (of: string) =>
      page.evaluate((one) => window.askStand.ends.find(([key]) => key === one)?.[1], of),
    waiting: () => page.evaluate(() => window.askStand.waiting()),
  };
}

/** Sets the session from the pictures' story, and its questions to the person. */
export function setSession(page: Page, questions: readonly QuestionRequest[] = []): Promise<void> {
  return page.evaluate((asked) => {
    window.askStand.sessions([
      {
        id: 'ses_1',
        title: 'Offline search for the vault',
        parentId: null,
        agent: 'build',
        state: { kind: 'busy' },
        permissions: [],
        questions: asked,
        lastActive: 1,
      },
    ]);
  }, questions);
}

export function ask(page: Page, one: ToolPermissionRequest): Promise<void> {
  return page.evaluate((given) => window.askStand.ask(given), one);
}
