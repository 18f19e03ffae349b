import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

/** The icons named in the interface specification. */
const ICONS = `square square-dashed square-dot square-check octagon-alert square-chevron-right
  square-minus hand rotate-cw circle-small check circle-alert unplug route hourglass lock-open
  triangle-alert user-round bot list-tree calendar list-checks kanban workflow messages-square goal
  scroll-text shield-question-mark message-circle-question-mark message-square-plus list-filter
  arrow-up-narrow-wide chevrons-down-up ellipsis lock git-merge plug-zap at-sign`;

let rig: Rig;
let page: Page;

beforeAll(async () => {
  rig = await startRig({
    'Note.md': '---\ntags: [x]\n---\n# Plan\n\n- [ ] one\n- [/] two\n',
  });
  page = await rig.open();
});

afterAll(() => rig.close());

const render = (markdown: string) =>
  page.evaluate(async (text) => {
    const el = document.createElement('div');
    const { MarkdownRenderer } = window.fixtureModules;
    await MarkdownRenderer.render(window.app, text, el, 'Note.md', window.fixture);
    return el.innerHTML;
  }, markdown);

describe('markdown', () => {
  it('[WB15] tasks have the app’s elements, marks and lines', async () => {
    const html = await render('# A\n\n- [ ] one ^t1\n  - [/] two\n- [x] three\n- four');
    const box = (line: number, checked = '') =>
      `<input class="task-list-item-checkbox" type="checkbox" data-line="${line}"${checked}>`;
    expect(html).toBe(
      '<h1 dir="auto" data-heading="A">A</h1>' +
        '<ul class="contains-task-list has-list-bullet">' +
        `<li data-line="2" dir="auto" class="task-list-item" data-task="">${box(2)}one` +
        '<ul class="contains-task-list">' +
        `<li data-line="3" dir="auto" class="task-list-item is-checked" data-task="/">${box(3)}two</li></ul></li>` +
        `<li data-line="4" dir="auto" class="task-list-item is-checked" data-task="x">${box(4)}three</li>` +
        '<li data-line="5" dir="auto">four</li></ul>',
    );
  });

  it('[WB15] links, emphasis and code are written; a bracket without a target is text', async () => {
    const html = await render(
      '[[A note|alias]] **b** *i* ~~s~~ ==m== `[x]` [x] #tag [l](http://a.b)',
    );
    const rel = 'target="_blank" rel="noopener nofollow"';
    expect(html).toBe(
      '<p dir="auto">' +
        `<a class="internal-link" href="A note" data-href="A note" ${rel}>alias</a> ` +
        '<strong>b</strong> <em>i</em> <del>s</del> <mark>m</mark> <code>[x]</code> [x] ' +
        `<a class="tag" href="#tag" ${rel}>#tag</a> ` +
        `<a class="external-link" href="http://a.b" ${rel}>l</a></p>`,
    );
  });

  it.each([
    '<script>window.hacked = 1</script>',
    '<img src=x onerror="window.hacked = 1">',
    '- [ ] <svg onload="window.hacked = 1">',
    '[a](javascript:window.hacked=1)',
    '![a](javascript:window.hacked=1)',
    '![a](http://127.0.0.1:9/x.png)',
    '<iframe src="http://127.0.0.1:9"></iframe>',
  ])('[WB15] nothing in %s runs or is fetched', async (markdown) => {
    const found = await page.evaluate(async (text) => {
      const el = document.body.createDiv();
      const { MarkdownRenderer } = window.fixtureModules;
      await MarkdownRenderer.render(window.app, text, el, 'Note.md', window.fixture);
      const live = el.querySelectorAll(
        'script, iframe, svg, img[src], [href^="javascript"]',
      ).length;
      return { live, hacked: 'hacked' in window, empty: el.childElementCount === 0 };
    }, markdown);
    expect(found).toEqual({ live: 0, hacked: false, empty: false });
  });

  it('[WB15] a box that is ticked in a note tab changes its line and no other byte', async () => {
    await page.locator('[data-path="Note.md"]').click();
    await page.locator('.mod-root .task-list-item-checkbox').first().click();
    const read = () => readFile(join(rig.vault, 'Note.md'), 'utf8');
    await expect.poll(read).toBe('---\ntags: [x]\n---\n# Plan\n\n- [x] one\n- [/] two\n');
  });
});

describe('icons', () => {
  it('[WB16] all that are named can be drawn', async () => {
    const names = ICONS.split(/\s+/);
    expect(names.length).toBeGreaterThan(35);
    const absent = await page.evaluate((all) => {
      const el = document.createElement('div');
      return all.filter((name) => {
        window.fixtureModules.setIcon(el, name);
        return el.querySelector(`svg.svg-icon.lucide-${name} > *`) === null;
      });
    }, names);
    expect(absent).toEqual([]);
  });

  it('[WB16] an unknown one leaves the place empty', async () => {
    const html = await page.evaluate(() => {
      const el = createDiv({ text: 'before' });
      window.fixtureModules.setIcon(el, 'no-such-icon');
      return el.innerHTML;
    });
    expect(html).toBe('');
  });
});
