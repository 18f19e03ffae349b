// @vitest-environment happy-dom
import type { BasesView, BasesViewRegistration, Plugin } from 'obsidian';
import { setup, teardown } from 'obsidian-test-mocks/setup';
import { act } from 'preact/test-utils';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { registerBases } from '../../src/obsidian/bases/bases-views';
import { Overview } from '../../src/obsidian/model/overview';
import { boardOf } from '../board/note-sample';
import { CONNECTED } from './sidebar-fixture';

beforeAll(() => setup());
afterAll(() => teardown());
afterEach(() => void vi.unstubAllGlobals());

const overviewOf = (path: string) =>
  new Overview({
    boards: () => [{ ...boardOf('- [ ] Sign'), path, title: 'Release' }],
    sessions: () => [],
    connection: () => CONNECTED,
  });

/** A view of plans in a base, before the app gave it any data. */
function openPlans(overview: Overview, plainPath = (file: string) => file) {
  let plans: BasesViewRegistration | undefined;
  const registerBasesView = (id: string, registration: BasesViewRegistration) => {
    if (id.endsWith('plans')) plans = registration;
    return true;
  };
  registerBases(
    { registerBasesView } as unknown as Plugin,
    {
      ...{ overview, app: {}, intents: {}, store: { plainPath } },
      ...{ today: () => '2026-11-21', phone: () => false },
    } as never,
  );
  const element = document.body.appendChild(document.createElement('div'));
  const view = plans?.factory({} as never, element) as BasesView;
  view.data = undefined as never;
  view.load();
  return { view, element };
}

test('[BASES1] a board that is named by its title has its row', async () => {
  const plain = 'Boards/ses_1/build-tasks.md';
  const overview = overviewOf(plain);
  const { view, element } = openPlans(overview, () => plain);
  await act(() => {
    view.data = { data: [{ file: { path: 'Boards/Release/Release - build-tasks.md' } }] } as never;
    view.onDataUpdated();
  });
  expect(element.querySelector('[role=treeitem] .atb-title')?.textContent).toBe('Release');
});

test('[BASES1] [PLUGIN124] a view without data yet, or one that fails, keeps no other from following the boards', () => {
  const tasks: (() => void)[] = [];
  const overview = overviewOf('Boards/ses_1/build-tasks.md');
  openPlans(overview);
  overview.onChange(() => {
    throw new Error('no');
  });
  let told = 0;
  overview.onChange(() => (told += 1));
  vi.stubGlobal('queueMicrotask', (task: () => void) => void tasks.push(task));
  const faults: unknown[] = [];
  overview.connectionChanged();
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    try {
      task();
    } catch (error) {
      faults.push(error);
    }
  }
  expect([told, faults]).toEqual([1, [new Error('no')]]);
});
