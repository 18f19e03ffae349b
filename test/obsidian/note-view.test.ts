// @vitest-environment happy-dom
import type { App, Component } from 'obsidian';
import { setup, teardown } from 'obsidian-test-mocks/setup';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { Task } from '../../src/core/board/task';
import {
  NotePieces,
  readingPieces,
  ReadingPane,
  restoreOriginals,
  sanitise,
} from '../../src/obsidian/note/reading-pane';

const PATH = '.opencode/todos/s/build-tasks.md';

const NOTE = `---
board: 1
session: s
agent: build
title: A book
prefix: k3f9
next: 5
rev: 1
---

# A book

Words of a person.

## First

- [x] Read 🆔 k3f9-1 ✅ 2026-11-20 ^k3f9-1
- [ ] Write [owner:: me] 🆔 k3f9-2 ⛔ k3f9-3 ⏫ 📅 2026-11-28 ^k3f9-2
	body of it

## Last

- [/] Print 🆔 k3f9-3 ^k3f9-3
- [ ] typed just now
`;

beforeAll(() => setup());
afterAll(() => teardown());

/** Renders what the notes here contain, as the app does: headings, lists, paragraphs. */
function render(markdown: string, into: HTMLElement): Promise<void> {
  let item: HTMLElement | undefined;
  for (const line of markdown.split('\n')) {
    const [, title] = /^#+ (.*)/.exec(line) ?? [];
    const [, task] = /^\s*[-*] \[ \] (.*)/.exec(line) ?? [];
    if (title !== undefined) into.appendChild(document.createElement('h2')).textContent = title;
    else if (task !== undefined) {
      item = into.appendChild(document.createElement('li'));
      item.appendChild(document.createElement('input')).type = 'checkbox';
      item.append(task);
    } else if (/^\s+\S/.test(line)) item?.append(`\n${line.trim()}`);
    else if (line.trim() !== '') into.appendChild(document.createElement('p')).append(line);
  }
  return Promise.resolve();
}

function reader() {
  const root = document.createElement('div');
  const ticked: string[] = [];
  let drawn = 0;
  const pieces = new NotePieces(root, {
    render: (markdown, into) => {
      drawn += 1;
      return render(markdown, into);
    },
    onTick: (task: Task) => void ticked.push(task.title),
    today: () => '2026-11-21',
  });
  const show = (text: string, touched: ReadonlyMap<string, number> = new Map()) =>
    pieces.show(parseNote(PATH, text), touched);
  return { root, ticked, show, count: () => drawn };
}

describe('reading mode', () => {
  test('[PLUGIN20] the header is not shown, marks and tails leave a piece the same text', () => {
    const first = readingPieces(parseNote(PATH, NOTE));
    const other = NOTE.replace('- [/] Print', '- [x] Print').replace('⏫ 📅 2026-11-28', '🔽');
    const second = readingPieces(parseNote(PATH, other));
    expect(first.map((piece) => piece.source)).toEqual(second.map((piece) => piece.source));
    expect(first.map((piece) => restoreOriginals(piece.source)).join('\n')).not.toMatch(
      /rev:|🆔|\^k3f9|⛔/,
    );
    expect(first.map((piece) => piece.tasks.length)).toEqual([0, 2, 2]);
  });

  test('[SRC16] a fence inside code does not end it: the rest of the note stays a piece of its own', () => {
    const code = '````md\n```js\n# no heading\n```\n````\n\n```\n```js\n# none\n```\n';
    const text = NOTE.replace('## First', `${code}\n## First`);
    const starts = readingPieces(parseNote(PATH, text)).map(({ source }) => source.split('\n')[0]);
    expect(starts).toEqual(['# A book', '## First', '## Last']);
  });

  test('[SRC17] a link opens once, however often the mode was changed', () => {
    const root = document.createElement('div');
    const opened: string[] = [];
    const owner = {
      registerDomEvent: (element: HTMLElement, type: string, listener: () => void) =>
        element.addEventListener(type, listener),
    } as unknown as Component;
    const openLinkText = (link: string, path: string) => void opened.push(`${link} from ${path}`);
    const app = { workspace: { openLinkText } } as unknown as App;
    for (const path of ['old.md', 'now.md']) {
      new ReadingPane(root, { app, owner, path, today: () => '', onTick: () => undefined });
    }
    root.createEl('a', { cls: 'internal-link', text: 'Books', href: 'Books' }).click();
    expect(opened).toEqual(['Books from now.md']);
  });

  test('[PLUGIN25] a title is given to the renderer as it is written: with its escapes, for what has none', () => {
    const titles = [
      'a \\&#128640; rocket',
      '\\[x\\] no mark',
      'tail \\%\\% and \\<b\\> and \\$x\\$',
      '&#9989; **done**',
      'a\\\\b',
    ];
    const note = NOTE.replace(
      '- [/] Print',
      `${titles.map((title) => `- [ ] ${title}\n`).join('')}- [/] Print`,
    );
    const source = readingPieces(parseNote(PATH, note))
      .map((piece) => piece.source)
      .join('\n');
    const drawn = [...source.matchAll(/- \[ \] (.*?)\uE001/g)].map(([, title = '']) => title);
    expect(drawn).toEqual(
      expect.arrayContaining([
        'a \\&#128640; rocket',
        '\\[x\\] no mark',
        'tail \uE014\uE014 and \uE010b\\> and \uE012x\uE012',
        '&#9989; **done**',
        'a\\\\b',
      ]),
    );
  });

  test('[PLUGIN21] check boxes are real inputs, named by the task, and tell who ticks them', async () => {
    const { root, ticked, show } = reader();
    await show(NOTE);
    const boxes = [...root.querySelectorAll('input')];
    expect(boxes.map((box) => box.getAttribute('aria-label'))).toEqual([
      'Read',
      'Write',
      'Print',
      'typed just now',
    ]);
    expect(boxes.map((box) => [box.checked, box.indeterminate])).toEqual([
      [true, false],
      [false, false],
      [false, true],
      [false, false],
    ]);
    expect(boxes.map((box) => box.parentElement?.dataset['state'])).toEqual([
      'completed',
      'waiting',
      'in_progress',
      'ready',
    ]);
    boxes[1]?.click();
    expect(ticked).toEqual(['Write']);
  });

  test('[PLUGIN21] the tail stands as quiet facts, the body stays', async () => {
    const { root, show } = reader();
    await show(NOTE);
    const items = [...root.querySelectorAll('li')];
    const facts = [...(items[1]?.querySelectorAll('.atb-fact') ?? [])].map(
      (fact) => fact.textContent,
    );
    expect(facts).toEqual(['#2', 'Waits for #3', 'High', 'Critical path', 'You', '28 Nov']);
    expect(items[1]?.querySelector('.atb-note-title')?.textContent).toContain('Write');
    expect(items[1]?.textContent).toContain('body of it');
    expect(root.textContent).not.toMatch(/[\uE000-\uE0FF]/);
  });

  test('[PLUGIN22] a changed mark draws nothing anew; a changed title only its own piece', async () => {
    const { root, show, count } = reader();
    await show(NOTE);
    expect(count()).toBe(3);
    const elements = [...root.children];
    await show(NOTE.replace('- [/] Print', '- [x] Print'), new Map([['k3f9-3', 1]]));
    expect(count()).toBe(3);
    expect([...root.children]).toEqual(elements);
    const item = root.querySelector<HTMLElement>('[data-key="k3f9-3"]');
    expect(item?.dataset['state']).toBe('completed');
    expect(item?.dataset['touch']).toBe('odd');
    await show(NOTE.replace('Print', 'Print it'));
    expect(count()).toBe(4);
    expect([...root.children].slice(0, 2)).toEqual(elements.slice(0, 2));
  });
});

describe('what a note may not do', () => {
  const hostile = (line: string) => restorable(NOTE.replace('Words of a person.', line));

  function restorable(text: string): string {
    return readingPieces(parseNote(PATH, text))
      .map((piece) => piece.source)
      .join('\n');
  }

  test.each([
    ['raw HTML', '<img src=x onerror=alert(1)>', /</],
    ['an image', '![x](http://example.com/x.png)', /!\[/],
    ['an embed', '![[Secret]]', /!\[/],
    ['math', '$\\href{javascript:alert(1)}{x}$', /\$/],
    ['an inline query', '`$= dv.view("x")`', /`\$?=/],
    ['HTML in a task', '- [ ] <b onclick=alert(1)>x</b>', /</],
  ])('[PLUGIN23] %s never reaches the renderer', (_, line, pattern) => {
    expect(hostile(line)).not.toMatch(pattern);
    expect(restoreOriginals(hostile(line))).toContain(line.replace('- [ ] ', ''));
  });

  test('[PLUGIN23] no block of code has a language that a plugin could run; fences still close', () => {
    const source = hostile('```dataviewjs\nalert(1)\n```\nafter\n~~~query\nx\n~~~');
    expect(source).not.toMatch(/(```|~~~)(dataviewjs|query)/);
    expect(source).toMatch(/^```$/m);
    expect(source).toMatch(/^~~~$/m);
  });

  test('[PLUGIN23] what the renderer makes of it loses all that runs, loads or sends', () => {
    const root = document.createElement('div');
    const html = [
      '<iframe></iframe><script>1</script><style>*{}</style>',
      '<img src="https://example.com/x.png"><video src="x"></video><object data="x"></object>',
      '<form action="https://example.com"><input></form><svg><use href="x"></use></svg>',
      '<a href="javascript:alert(1)" onclick="alert(1)">a</a><a href=" java\tscript:alert(1)">b</a>',
      '<a href="app://local/etc/passwd">c</a><a href="file:///etc/passwd">d</a>',
      '<a href="data:text/html,x">e</a><p style="background:url(https://example.com)">f</p>',
      '<a href="https://example.com">good</a><a class="internal-link" href="Index format">note</a>',
    ].join('');
    root.append(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
    sanitise(root);
    expect(root.innerHTML).not.toMatch(
      /<(iframe|script|style|img|video|object|form|use)|onclick|app:|file:|data:|url\(/,
    );
    const hrefs = [...root.querySelectorAll('a')].map((link) => link.getAttribute('href'));
    expect(hrefs).toEqual([null, null, null, null, null, 'https://example.com', 'Index format']);
  });
});
