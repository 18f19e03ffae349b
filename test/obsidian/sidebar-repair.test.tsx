// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SidebarFixture } from './sidebar-fixture';

const PATH = '.opencode/todos/s1/build-tasks.md';
const NOTE = `---
board: 1
session: s1
agent: build
title: Search
prefix: k3f9
next: 3
rev: 1
---

- [ ] Read 🆔 k3f9-1 ^k3f9-1
- [ ] Write 🆔 k3f9-2 ^k3f9-2
`;
const DOUBLE = '- [ ] Write again 🆔 k3f9-2 ^k3f9-2\n';

let side: SidebarFixture;

beforeEach(() => {
  side = new SidebarFixture();
});

afterEach(() => side.close());

const put = (path: string, text: string) => side.store.update(path, () => text);
const banners = () => [...side.root.querySelectorAll<HTMLElement>('.atb-banner')];
/** The visible text; the accessible name is in it, but hidden. */
const shownText = (one: HTMLElement) =>
  [...one.children]
    .filter((part) => !part.hasAttribute('hidden'))
    .map((part) => part.textContent)
    .join('');
const press = (label: string) =>
  side.do(() =>
    banners()
      .flatMap((one) => [...one.querySelectorAll('button')])
      .find((one) => one.textContent === label)
      ?.click(),
  );

describe('what needs repair', () => {
  test('[SIDE26] its buttons are used by keyboard: no key there is for the row, and they keep the focus', async () => {
    await put(PATH, NOTE + DOUBLE);
    await side.loadBoards();
    await side.do(() => side.row('Read').focus());
    const button = banners()[0]?.querySelectorAll('button')[1];
    await side.do(() => button?.focus());
    const passed: string[] = [];
    const listen = (event: KeyboardEvent) => !event.defaultPrevented && passed.push(event.key);
    document.addEventListener('keydown', listen);
    for (const key of ['Enter', ' ', 's', 'Delete']) await side.key(key);
    document.removeEventListener('keydown', listen);
    expect(passed).toEqual(['Enter', ' ', 's', 'Delete']);
    await side.agent('s1', { type: 'add', title: 'Print' });
    await side.loadBoards();
    expect(document.activeElement?.textContent).toBe('Open at line 13');
    expect([side.asked, side.notices]).toEqual([[], []]);
  });

  test('[SIDE26] two tasks with one number: the banner gives the second its own, and goes', async () => {
    await put(PATH, NOTE + DOUBLE);
    await side.loadBoards();
    expect(banners().map(shownText)).toEqual([
      'Two tasks are #2Give the second, "Write again", a new number.RenumberOpen at line 13',
    ]);
    expect(side.root.querySelectorAll('[data-row=task]')).toHaveLength(3);
    await press('Open at line 13');
    expect(side.asked).toEqual(['open duplicate-id 13']);
    await press('Renumber');
    await side.loadBoards();
    expect(side.board().tasks.map(({ id }) => id)).toEqual(['k3f9-1', 'k3f9-2', 'k3f9-3']);
    expect(banners()).toEqual([]);
    await side.do(() => side.row('Read').focus());
    await side.key('z', { ctrlKey: true });
    expect(side.board().tasks.map(({ id }) => id)).toEqual(['k3f9-1', 'k3f9-2', 'k3f9-2']);
  });

  test('[SIDE27] sync copies of a board are counted, not loaded, and compared on request', async () => {
    const copies = [
      PATH.replace('.md', ' (conflicted copy 2026-11-20).md'),
      PATH.replace('.md', '.sync-conflict-20261120-101010-ABC.md'),
    ];
    await put(PATH, NOTE);
    await put('.opencode/todos/s1/build-tasks-tasks.md', NOTE.replace('build', 'build-tasks'));
    for (const copy of copies) await put(copy, NOTE + DOUBLE);
    await side.loadBoards();
    const shown = banners().filter((one) => one.textContent.includes('sync cop'));
    expect(shown.map(shownText)).toEqual([
      '2 sync copies of this boardThey are not loaded, so nothing is mixed up.Compare…',
    ]);
    await press('Compare…');
    expect(side.asked).toEqual([`compare ${copies.join()}`]);
    expect(side.manager.boards()).toHaveLength(2);
  });

  test('[SIDE28] up to two findings have a banner each, more have one that opens the list', async () => {
    const unknown = (n: number) => `- [ ] Task ${n} 🆔 k3f9-${n} ⛔ k3f9-9${n} ^k3f9-${n}\n`;
    await put(PATH, NOTE + unknown(3) + unknown(4));
    await side.loadBoards();
    expect(banners().map((one) => one.querySelector('.atb-banner-title')?.textContent)).toEqual([
      'A prerequisite is unknown',
      'A prerequisite is unknown',
    ]);
    await press('Open at line 13');
    await put(PATH, NOTE + unknown(3) + unknown(4) + unknown(5));
    await side.loadBoards();
    expect(banners().map(shownText)).toEqual([
      '3 places in this note need a lookEverything else can be edited as usual.Show…',
    ]);
    await press('Show…');
    expect(side.asked).toEqual(['open unknown-id 13', 'repairs']);
  });
});
