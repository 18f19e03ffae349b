import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Findings } from './axe';
import { lines, STATE, turn } from '../metrics/recorded';
import { startRig, type Rig } from './workbench-rig';
import { RECENT } from './recent';

const PLAN = `---
board: 1
session: ses_1
agent: 太郎
title: 保管庫の検索
prefix: k3f9
next: 9
rev: 1
review: all
---

# 保管庫の検索

## 準備

- [x] 字句を選ぶ 🆔 k3f9-1 ✅ ${RECENT} ^k3f9-1
- [/] 索引を作る [risk:: high] 🔺 🆔 k3f9-2 ^k3f9-2
	- [/] 再起動に備える [owner:: me] 🆔 k3f9-3 ^k3f9-3

## 公開

- [ ] 順位を付ける ⏫ 📅 2099-12-01 🆔 k3f9-4 ⛔ k3f9-2 ^k3f9-4
- [ ] 一致を強調する 🆔 k3f9-5 ⛔ k3f9-4 🔽 ^k3f9-5
- [!] 計測する [reason:: 資料がない] 🆔 k3f9-6 ^k3f9-6
- [/] 見本を選ぶ [review:: ${RECENT}] 🆔 k3f9-7 ^k3f9-7
- [-] 古い索引を消す 🆔 k3f9-8 ❌ ${RECENT} ^k3f9-8
`;

const VIEWS = {
  sidebar: '.atb-sidebar',
  board: '.atb-board',
  graph: '.atb-graph-app',
  timeline: '.atb-timeline-app',
  audit: '.atb-audit-app',
  run: '.atb-run-app',
  agents: '.atb-agents-app',
  metrics: '.atb-metrics-app:has(.atb-chart)',
} as const;

/** Names, keys, paths and signs that are the same in all languages. */
const SAME =
  /[\w.:-]*\/[\w.:/-]*|\d+(kB|MB)|\b(Sync|ToDo|todowrite|Conversations|Projects|OpenCode|opencode|agent-boards|Claude Code|Codex|Gemini|Obsidian|MCP|CSV|SVG|PNG|Mermaid|Markdown|Enter|Esc|Space|Home|End|Page (Up|Down)|Shift|Ctrl|Alt|F\d+|Ollama|LM Studio|OpenAI|Anthropic|Google|ZenMux|OpenRouter|ses_1|k3f9(-\d+)?|Success|taro|build|plan|general|explore|ms|min|[A-Z])\b/g;

let rig: Rig;
let page: Page;

beforeAll(async () => {
  rig = await startRig(
    {
      '.opencode/todos/ses_1/taro-tasks.md': PLAN,
      'Inbox.md': '# 受信箱\n',
      [`${STATE}/usage/2026-01.jsonl`]: lines([turn({ end: Date.now() })]),
    },
    process.cwd(),
  );
  page = await rig.open(undefined, { width: 1_900, height: 1_200 });
  await page.evaluate(() => localStorage.setItem('language', 'ja'));
  await page.reload();
  await page.evaluate(() => window.workbench.ready);
});

afterAll(() => rig.close());

const run = (command: string) =>
  page.waitForFunction((id) => window.workbench.runCommand(`agent-task-boards:${id}`), command);

/** The visible and accessible texts of a part of the page. */
function textsIn(part: string): Promise<readonly string[]> {
  return page.evaluate((selector) => {
    const found: string[] = [];
    for (const root of document.querySelectorAll(selector)) {
      const walker = document.createTreeWalker(
        root,
        NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
      );
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        if (node instanceof Text) found.push(node.data);
        if (!(node instanceof Element)) continue;
        for (const name of ['aria-label', 'title', 'placeholder', 'aria-roledescription']) {
          const value = node.getAttribute(name);
          if (value !== null) found.push(value);
        }
      }
    }
    return [...new Set(found.map((text) => text.trim()).filter((text) => text !== ''))];
  }, part);
}

async function expectJapanese(name: string, part: string): Promise<void> {
  await page.locator(part).first().waitFor();
  const texts = await textsIn(part);
  const japanese = /\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Han}/u;
  expect(texts.some((text) => japanese.test(text))).toBe(true);
  expect(texts.filter((text) => /[A-Za-z]{2,}/.test(text.replace(SAME, '')))).toEqual([]);
  const axe = new Findings();
  await axe.check(page, name, part);
  axe.expectNone();
}

describe('in Japanese', () => {
  it.each(Object.keys(VIEWS) as (keyof typeof VIEWS)[])(
    '[LANG5] the view %s shows no English, and axe finds nothing',
    async (view) => {
      await run(`open-${view}`);
      await expectJapanese(view, VIEWS[view]);
    },
  );

  it('[LANG5] so do the bar above the note of a plan, and the menu of a task', async () => {
    await run('open-note');
    await expectJapanese('note', '.atb-note-bar');
    await run('open-sidebar');
    await page.locator('.atb-sidebar [data-row="task"]').first().click({ button: 'right' });
    await expectJapanese('menu', '.menu');
    await page.keyboard.press('Escape');
  });

  it('[LANG5] so do the settings, each part', async () => {
    await page.evaluate(() => window.workbench.openSettings());
    const tabs = page.getByRole('tab');
    for (let at = 0; at < (await tabs.count()); at += 1) {
      await tabs.nth(at).click();
      await expectJapanese(`settings ${at}`, '.vertical-tab-content');
    }
  });
});
