import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';
import { ifMissing } from '../../src/node/store-error';
import type { Turn } from '../../workbench/demo/turn-schema';
import { startEndpoint, type ModelEndpoint } from './model-endpoint';

const KEY = 'sk-workbench-0123456789abcdef';
const PHONE = { width: 390, height: 844 };

let rig: Rig;
let endpoint: ModelEndpoint;

afterEach(async () => {
  await rig.close();
  await endpoint.close();
});

async function open(key?: string, query?: string, size?: typeof PHONE): Promise<Page> {
  endpoint = await startEndpoint(key);
  return openPage(query, size);
}

async function openPage(query?: string, size?: typeof PHONE): Promise<Page> {
  rig = await startRig({}, process.cwd());
  const page = await rig.open(query, size);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return page;
}

const row = (page: Page, name: string) => page.locator('.setting-item', { hasText: name });

async function openSettings(page: Page): Promise<void> {
  await page.evaluate(() => window.workbench.openSettings());
  await page.getByRole('tab', { name: 'Connection', exact: true }).click();
}

/** Chooses a provider as a person does, with its address and key. */
async function choose(page: Page, provider: string, key?: string): Promise<void> {
  await openSettings(page);
  await page.getByLabel('Provider').selectOption({ label: provider });
  const type = async (label: string, text: string): Promise<void> => {
    const field = page.locator('.atb-in-connection input').and(page.getByLabel(label)).last();
    await field.fill(text);
    await field.press('Tab');
  };
  await type('Address', endpoint.url);
  if (key !== undefined) await type('Key', key);
}

async function test(page: Page): Promise<string> {
  const connection = row(page, 'Asks the model').or(
    page.locator('.setting-item:has([role=status])'),
  );
  await page.getByRole('button', { name: 'Test connection' }).click();
  const words = connection.locator('.setting-item-description').last();
  await expect.poll(() => words.innerText()).not.toMatch(/^(Asks|Testing)/);
  return words.innerText();
}

async function openSidebar(page: Page): Promise<void> {
  await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
  await page.locator('.atb-empty').getByText('Ollama connected').waitFor();
}

async function startSession(page: Page, words: string): Promise<void> {
  await page.evaluate(() => window.workbench.runCommand('agent-task-boards:start-session'));
  await page.getByLabel('What is to be done').fill(words);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

const task = (page: Page, title: string) => page.getByRole('treeitem', { name: title });

const more = (content: string) => {
  const args = { path: 'Menu.md', mode: 'append', content, dryRun: false };
  return { tools: [{ name: 'obsidian_update_note', args }] };
};

const note = (name: string) => {
  const args = { path: `${name}.md`, content: `# ${name}\n`, dryRun: false };
  return { tools: [{ name: 'obsidian_create_note', args }] };
};

/** Makes three notes and asks a question, then sends text that as HTML would load images. */
function person(prompt: string, results: readonly string[]): Turn {
  if (!prompt.startsWith('Write')) return { text: 'Nothing is left.' };
  const options = [{ label: 'Soup' }, { label: 'Cake' }];
  const questions = [{ question: 'Which dish?', options }];
  const turns: readonly Turn[] = [
    note('Menu'),
    note('Secret'),
    more('- Soup\n'),
    more('- Bread\n'),
    { tools: [{ name: 'question', args: { questions } }] },
  ];
  const { origin } = new URL(endpoint.url);
  const links = `![x](${origin}/a.png) <img src="${origin}/b.png"> [y](${origin}/c) ${origin}/d`;
  return turns[results.length] ?? { text: `Written. ${results.join(' | ')} ${links}` };
}

/** The text of every file below a folder. Skips journal entries that are deleted meanwhile. */
async function written(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) =>
    readFile(join(parentPath, name), 'utf8').catch(ifMissing('')),
  );
  return (await Promise.all(texts)).join('\n');
}

describe('sessions on the model of a provider, without OpenCode', () => {
  for (const [where, query, size] of [
    ['on a desktop', '', undefined],
    ['on a phone', '?phone=1', PHONE],
  ] as const) {
    it(`[PLUGIN91] [USAGE1] ${where}, a newcomer gets from an empty vault to a ticked board by settings alone`, async () => {
      const page = await open(undefined, query, size);
      await choose(page, 'Ollama');
      expect(await test(page)).toBe('It works: qwen3 of Ollama answers.');
      await page.keyboard.press('Escape');
      await openSidebar(page);
      await startSession(page, 'Plan a dinner');
      await page.getByText('Both are on the board').first().waitFor();
      await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
      await expect
        .poll(() => task(page, 'Collect the recipes').getAttribute('data-state'))
        .toBe('completed');
      await task(page, 'Write the menu').locator('.atb-mark').click();
      await expect
        .poll(() => written(join(rig.vault, '.opencode/todos')))
        .toMatch(/- \[x\] Collect the recipes[^]*- \[x\] Write the menu/);
      expect(new Set(endpoint.streamed)).toEqual(new Set([where === 'on a desktop']));
      // The turn's usage is recorded as a line of this device's file for the figures.
      const usage = join(rig.vault, '.opencode/agent-task-boards/usage');
      await expect
        .poll(() => readdir(usage).catch(() => []))
        .toEqual([expect.stringMatching(/^\d{4}-\d\d\.[\w-]+\.jsonl$/)]);
      expect(await written(usage)).toMatch(/"engine":"model".*"reason":"completed".*"calls":[1-9]/);
    });
  }

  it('[PLUGIN92] the test of the connection says exactly what failed and what to do', async () => {
    const page = await open(KEY);
    await choose(page, 'Ollama', 'sk-wrong');
    expect(await test(page)).toMatch(
      /^Ollama refuses the key \(status 401\)\. .* in the settings, under Connection\.$/,
    );
    const field = page.locator('.atb-in-connection input').and(page.getByLabel('Key'));
    await field.fill(KEY);
    await field.press('Tab');
    await page.getByLabel('Default model').fill('gone');
    await page.getByLabel('Default model').press('Tab');
    expect(await test(page)).toMatch(/knows no such model.*Choose another default model/);
    await page.getByLabel('Default model').fill('small');
    await page.getByLabel('Default model').press('Tab');
    expect(await test(page)).toMatch(/Choose a model that can call tools/);
    const { url } = endpoint;
    // An address that is refused is not kept, but it is what the person sees.
    const address = page.locator('.atb-in-connection input').and(page.getByLabel('Address')).last();
    await address.fill('127.0.0.1:11434');
    expect(await test(page)).toBe('The address is none. Write it as https://host/v1.');
    await address.fill(url);
    await endpoint.close();
    expect(await test(page)).toContain(`Nothing listens at ${new URL(url).host}. Start Ollama`);
    endpoint = await startEndpoint();
  });

  it('[PLUGIN93] a key is in nothing that is written or shown: vault, notices, problems, diagnostics, conversation', async () => {
    const page = await open(KEY);
    await choose(page, 'Ollama', KEY);
    expect(await test(page)).toContain('It works');
    await page.keyboard.press('Escape');
    await startSession(page, 'Plan a dinner');
    await page.getByText('Both are on the board').first().waitFor();
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-problems'));
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:copy-diagnostics'));
    await page.getByText('Diagnostics copied').first().waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const shown = await page.evaluate(() => document.documentElement.outerHTML);
    const kept = await page.evaluate(() => JSON.stringify({ ...window.localStorage }));
    const all = [await written(rig.vault), copied, shown, kept];
    expect(all.map((text) => text.length > 100)).toEqual([true, true, true, true]);
    expect(all.filter((text) => text.includes(KEY))).toEqual([]);
    expect(await written(rig.vault)).toContain('Plan a dinner');
  });

  it('[PLUGIN94] asks before notes are written, asks the person, and what it says loads nothing', async () => {
    endpoint = await startEndpoint(undefined, person);
    const page = await openPage();
    await choose(page, 'Ollama');
    await page.keyboard.press('Escape');
    await openSidebar(page);
    await startSession(page, 'Write the menu');
    const needs = page.locator('.atb-needs');
    await needs.getByRole('button', { name: 'Review' }).first().click();
    const modal = page.locator('.modal');
    await modal.getByText('# Menu').waitFor();
    await modal.locator('button[data-reply=once]:enabled').click();
    const answer = async (text: string, reply: string, words?: string): Promise<void> => {
      await modal.getByText(text).waitFor();
      await modal.locator(`button[data-reply=${reply}]:enabled`).click();
      if (words !== undefined) await modal.getByLabel('Tell the agent why (optional)').fill(words);
      await modal.locator(`button[data-reply=${reply}]:enabled`).click();
    };
    await answer('# Secret', 'reject', 'Keep it to yourself.');
    await answer('- Soup', 'always');
    await modal.getByText('Which dish?').first().waitFor();
    await modal.getByText('Cake').first().click();
    await modal.locator('button[data-reply=answer]:enabled').click();
    const talk = page.locator('.atb-conversation:visible');
    const said = talk.getByText('Written.').first();
    await said.waitFor();
    expect(await said.innerText()).toMatch(
      /Menu\.md[^]*Keep it to yourself\.[^]*“Which dish\?”: Cake/,
    );
    expect(await talk.locator('img').count()).toBe(0);
    expect(await readFile(join(rig.vault, 'Menu.md'), 'utf8')).toBe('# Menu\n- Soup\n- Bread\n');
    expect(await readdir(rig.vault)).not.toContain('Secret.md');
    await talk.locator('.atb-context-meter').click();
    await talk.getByText(/^[1-9]\d+ of 68,000 tokens used$/).waitFor();
    expect(endpoint.unknownPaths).toEqual([]);
  });

  it('[HOOK4] [HOOK5] [HOOK9] hooks of another plugin cancel, change and see calls on a model, and hear that the context is full', async () => {
    const add = (title: string): Turn => ({
      tools: [{ name: 'tasks', args: { operations: [{ type: 'add', title }] } }],
    });
    const turns = [add('Never'), add('Soup')];
    const play = (_: string, results: readonly string[]): Turn =>
      turns[results.length] ?? { text: `Heard: ${results.join(' | ')}` };
    endpoint = await startEndpoint(undefined, play, 67_000);
    const page = await openPage();
    await choose(page, 'Ollama');
    await page.keyboard.press('Escape');
    await openSidebar(page);
    const plugin = { id: 'garden', name: 'Garden', version: '1.0.0', minAppVersion: '1.11.4' };
    const about = { ...plugin, author: 'A gardener', description: 'Plans the garden.' };
    await page.evaluate(([one, code]) => window.workbench.enable(one, code), [
      about,
      GARDEN,
    ] as const);
    await page.locator('.notice', { hasText: 'wants to take part' }).getByRole('button').click();
    await page.locator('.modal').getByRole('button', { name: 'Allow', exact: true }).click();
    await startSession(page, 'Plan a dinner');
    const talk = page.locator('.atb-conversation:visible');
    await expect
      .poll(() => talk.allInnerTexts())
      .toEqual([
        expect.stringMatching(/Heard:.*Garden cancelled the call\. Never that\.[^]*Cake[^]*Seen\./),
      ]);
    const boards = await written(join(rig.vault, '.opencode/todos'));
    expect(boards).toMatch(/- \[ \] Cake/);
    expect(boards).not.toMatch(/Soup|Never/);
    const full = () => page.evaluate(() => window.full);
    await expect
      .poll(full)
      .toMatchObject([{ share: expect.closeTo(67_000 / 68_000, 1) as number }]);
  });

  it('[PLUGIN120] a session that a slow machine starts late gets its words, once, however often it is tried', async () => {
    const page = await open();
    await choose(page, 'Ollama');
    await page.keyboard.press('Escape');
    await openSidebar(page);
    await page.evaluate(makeHeld);
    await page.clock.install();
    const startHeld = async (words: string, seconds: number): Promise<void> => {
      await page.evaluate(() => void (window.held = []));
      await startSession(page, words);
      await expect.poll(() => page.evaluate(() => window.held?.length)).toBeGreaterThan(0);
      // In steps, so that the connection can send its heartbeats.
      for (let at = 0; at < seconds; at += 20) await page.clock.fastForward(20_000);
    };
    const release = () =>
      page.evaluate(() => {
        const all = window.held;
        window.held = undefined;
        all?.forEach((go) => go());
      });
    await startHeld('Plan a dinner', 40);
    expect(await page.locator('.notice').allInnerTexts()).toEqual([]);
    await release();
    await page.getByText('Both are on the board').first().waitFor();
    await startHeld('Plan a lunch', 60);
    const notice = page.locator('.notice', { hasText: 'not answer in time' });
    // What is held may be the end of the dinner, before the lunch was asked for.
    await expect
      .poll(async () => {
        await page.clock.fastForward(20_000);
        return notice.count();
      })
      .toBe(1);
    // It is available after all; a second try finds it.
    await release();
    await notice.getByRole('button', { name: 'Try again' }).click();
    const talk = page.locator('.atb-conversation:visible', { hasText: 'Plan a lunch' });
    await talk.getByText('Both are on the board').first().waitFor();
    const sessions = await written(join(rig.vault, '.opencode/agent-task-boards/model-sessions'));
    const prompts = [...sessions.matchAll(/"kind":"prompt".*?"text":"(.*?)"/g)];
    expect(prompts.map(([, text]) => text).sort()).toEqual(['Plan a dinner', 'Plan a lunch']);
    expect(sessions.match(/"v":1/g)).toHaveLength(2);
  });
});

declare global {
  interface Window {
    held: (() => void)[] | undefined;
    full: unknown[];
  }
}

/** A plugin with hooks for sessions. */
const GARDEN = `module.exports = class extends require('obsidian').Plugin {
  async onload() {
    const ours = () => this.app.plugins.plugins['agent-task-boards'].api;
    while (ours() === undefined) await new Promise((ready) => this.app.workspace.on('agent-task-boards:api', ready));
    const { hooks } = ours().connect(this);
    window.full = [];
    hooks.on('pre-tool-use', ({ args }) => {
      const text = JSON.stringify(args);
      if (text.includes('Never')) return { cancel: 'Never that.' };
      return { change: { args: JSON.parse(text.replace('Soup', 'Cake')) } };
    });
    hooks.on('post-tool-use', ({ output }) => ({ change: { output: output + ' Seen.' } }));
    hooks.on('on-context-full', (facts) => void window.full.push(facts));
  }
};`;

/** Delays writes of session files while `window.held` is set. */
function makeHeld(): void {
  const { adapter } = (window as unknown as WithAdapter).app.vault;
  for (const name of ['write', 'writeBinary', 'append', 'process', 'rename']) {
    const call = adapter[name]?.bind(adapter);
    if (call === undefined) throw new Error(name);
    adapter[name] = async (path, ...rest) => {
      if (path.includes('model-sessions')) {
        await new Promise<void>((go) => (window.held === undefined ? go() : window.held.push(go)));
      }
      return call(path, ...rest);
    };
  }
}

interface WithAdapter {
  readonly app: {
    readonly vault: {
      readonly adapter: Record<string, (path: string, ...rest: unknown[]) => Promise<unknown>>;
    };
  };
}
