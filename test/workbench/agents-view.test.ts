import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';

const REVIEWER = `---
description: Reads what was written and says what is missing.
mode: subagent
model: anthropic/claude-sonnet-4-6
color: "#2f9e6e"
permission:
  edit: deny
  bash:
    "*": ask
    "git log*": allow
skills: [release-notes]
---

You review. Say what is wrong, and where.
`;

const FILES = {
  'AGENTS.md': '# House rules\n\nWrite short sentences.\n',
  '.opencode/agents/reviewer.md': REVIEWER,
  '.opencode/agents/writer.md': '---\nmode: primry\n---\n\nYou write.\n',
  '.opencode/skills/release-notes/SKILL.md':
    '---\nname: release-notes\ndescription: Writes release notes from a list of changes.\n---\n\nOne line for each change.\n',
  'opencode.json': `{
  "agent": {
    "build": { "color": "warning", "steps": 40, "model": "no-provider" }
  },
  "instuctions": ["docs/*.md"]
}
`,
};

let rig: Rig;
let page: Page;

async function open(
  files: Readonly<Record<string, string>> = FILES,
  query?: string,
  size?: { width: number; height: number },
): Promise<void> {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', ...files }, process.cwd());
  page = await rig.open(query, size);
  await expect.poll(() => run('open-agents')).toBe(true);
  await view().waitFor();
}

const run = (id: string) =>
  page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const view = () => page.locator('.atb-agents-app');
const named = (name: string) =>
  page.locator('.atb-agents-name', { hasText: new RegExp(`^${name}$`) });
const row = (name: string) => view().locator('.atb-agents-row', { has: named(name) });
const head = (name: string) => row(name).locator('.atb-agents-head');
const read = (path: string) => readFile(join(rig.vault, path), 'utf8');
const dialog = () => page.locator('.modal');

afterEach(() => rig.close());

const names = () => view().locator('.atb-agents-name').allInnerTexts();
const editor = () => page.locator('.atb-note-view .cm-content:visible');
const create = () => dialog().getByRole('button', { name: 'Create' }).click();
const field = (name: string) => dialog().getByLabel(name);

describe('the view of agents and skills', () => {
  it('[AGENTS2] lists each with what is wrong with it, and files that OpenCode leaves out', async () => {
    await open();
    await head('reviewer').waitFor();
    await expect
      .poll(names)
      .toEqual([
        ...['build', 'plan', 'general', 'explore', 'reviewer', '.opencode/agents/writer.md'],
        ...['release-notes', 'AGENTS.md', 'opencode.json'],
      ]);
    expect(await head('reviewer').innerText()).toMatch(
      /Other agents call it · anthropic\/claude-sonnet-4-6\s+Reads what was written/u,
    );
    const color = row('reviewer').locator('.atb-agent-color');
    expect(await color.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(
      'rgb(47, 158, 110)',
    );
    expect(await head('build').innerText()).toContain('1 problem');
    expect(await head('.opencode/agents/writer.md').innerText()).toContain('not "primry"');
    await head('opencode.json').click();
    await row('opencode.json').getByText('Write "instructions".').waitFor();
  });

  it('[AGENTS2] shows what an agent is made of, from where, its rules in words and its prompt', async () => {
    await open();
    await head('reviewer').click();
    const details = row('reviewer').locator('.atb-agents-details');
    const rules = () => details.locator('ol li').allInnerTexts();
    await expect
      .poll(rules)
      .toEqual([
        'Denied: change files .opencode/agents/reviewer.md, line 7',
        'Asks first: run commands .opencode/agents/reviewer.md, line 9',
        'Allowed: run commands, for git log* .opencode/agents/reviewer.md, line 10',
      ]);
    const prompt = await details.locator('.atb-agents-text').innerText();
    expect(prompt).toContain('You review. Say what is wrong, and where.');
    expect(prompt).toContain('Write short sentences.');
    expect(prompt).toContain('One line for each change.');
    await head('build').click();
    await row('build').getByText('The prompt is built into OpenCode and can’t be read.').waitFor();
  });

  it('[AGENTS8] shows what would turn the direction of writing, or not be seen, by its number; names without', async () => {
    const turned = (text: string) => text.replaceAll('~', '\u202e');
    await open({
      [turned('.opencode/agent/re~view.md')]: turned(
        '---\ndescription: Reads~ it\nmode: prim~ary\n---\nBe kind.\u200b Obey.',
      ),
      [turned('.opencode/agent/own~er.md')]: turned(
        '---\ndescription: Reads~ it\nmodel: lab/o~ne\npermission:\n  bash:\n    "git~*": allow\n---\nBe kind.\u200b Obey.',
      ),
      '.opencode/skills/cut/SKILL.md': turned('---\nname: c~ut\ndescription: Cuts~ it\n---\nCut~.'),
    });
    await head('own er').click();
    const details = row('own er').locator('.atb-agents-details');
    await details.getByText('Be kind.U+200B Obey.').waitFor();
    expect(await head('own er').innerText()).toMatch(/lab\/o ne\s+Reads it/u);
    await details.getByText('for git<U+202E>*').waitFor();
    await head('c ut').click();
    await row('c ut').getByText('CutU+202E.').waitFor();
    await page.evaluate(() => {
      const closed = document.querySelectorAll<HTMLElement>(
        '.atb-agents-head[aria-expanded=false]',
      );
      for (const one of closed) one.click();
    });
    await row('.opencode/agent/re view.md').locator('.atb-agents-details').waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(
      /[\u200b\u202a-\u202e\u2066-\u2069]/u,
    );
    await row('own er').getByRole('button', { name: 'Duplicate…' }).click();
    await dialog().getByText('own er').waitFor();
    await page.keyboard.press('Escape');
  });

  it('[AGENTS2] follows files that another program writes, hidden ones too', async () => {
    await open();
    await head('reviewer').waitFor();
    await rig.put('.opencode/agents/writer.md', '---\nmode: primary\n---\n\nYou write.\n');
    await head('writer').waitFor();
    await rig.put('.home/.config/opencode/agent/own.md', 'You are mine.\n');
    await head('own').click();
    await row('own').getByText('Outside of this vault.').waitFor();
    expect(await row('own').getByRole('button', { name: 'Open as note' }).count()).toBe(0);
  });

  it('[AGENTS2] arrow keys go from row to row, open and close', async () => {
    await open();
    await head('build').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await row('plan').locator('.atb-agents-details').waitFor();
    await page.keyboard.press('ArrowLeft');
    await row('plan').locator('.atb-agents-details').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await row('plan').locator('.atb-agents-details').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await row('opencode.json').locator('.atb-agents-details').waitFor();
  });
});

describe('a file of the configuration', () => {
  it('[AGENTS3] opens as text, is saved as it is typed, and the view follows', async () => {
    await open();
    await head('.opencode/agents/writer.md').click();
    await row('.opencode/agents/writer.md').getByText('writer.md, line 2').click();
    await editor().waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('ary');
    const saved = '---\nmode: primary\n---\n\nYou write.\n';
    await expect.poll(() => read('.opencode/agents/writer.md')).toBe(saved);
    await run('open-agents');
    await head('writer').waitFor();
  });

  it('[AGENTS3] takes in what another program writes meanwhile', async () => {
    await open();
    await head('reviewer').click();
    await row('reviewer').getByRole('button', { name: 'Open as note' }).click();
    await editor().waitFor();
    await rig.put('.opencode/agents/reviewer.md', `${REVIEWER}\nBe kind.\n`);
    await editor().getByText('Be kind.').waitFor();
    await editor().getByText('You review.').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' Always.');
    const both = `${REVIEWER.trimEnd()} Always.\n\nBe kind.\n`;
    await expect.poll(() => read('.opencode/agents/reviewer.md')).toBe(both);
  });

  it('[AGENTS3] that is no text says so, and opens as soon as another program mended it', async () => {
    await open();
    const file = '.opencode/agents/writer.md';
    await writeFile(join(rig.vault, file), Buffer.from([0x59, 0x6f, 0x75, 0xff]));
    await head('writer').click();
    await row('writer').getByRole('button', { name: 'Duplicate…' }).click();
    await create();
    await dialog().getByText('was not created').waitFor();
    await page.keyboard.press('Escape');
    await row('writer').getByRole('button', { name: 'Open as note' }).click();
    const banner = page.locator('.atb-note-view .atb-banner', { hasText: 'can’t be read' });
    await banner.getByRole('button', { name: 'Try again' }).click();
    await banner.getByText('UTF-8').waitFor();
    await rig.put(file, 'You write.\n');
    await editor().getByText('You write.').waitFor();
    await banner.waitFor({ state: 'detached' });
  });

  it('[AGENTS3] opens in the editor of the app where that shows it', async () => {
    await open();
    await head('AGENTS.md').click();
    await row('AGENTS.md').getByRole('button', { name: 'Open as note' }).click();
    await page.locator('.view-header-title:visible', { hasText: /^AGENTS$/u }).waitFor();
    expect(await page.locator('.atb-note-view:visible').count()).toBe(0);
  });
});

describe('a new one', () => {
  it('[AGENTS4] an agent becomes a note beside the others, which opens', async () => {
    await open();
    await page.getByRole('button', { name: 'New agent…' }).click();
    await create();
    await dialog().getByText('Enter a name.').waitFor();
    await field('Name').fill('Release Bot');
    await dialog().getByText('Use lowercase letters').waitFor();
    await field('Name').fill('com1');
    await dialog().getByText('Windows can’t hold a file called “com1”.').waitFor();
    await field('Name').fill('reviewer');
    await dialog().getByText('There is already an agent with this name.').waitFor();
    await field('Name').fill('release-bot');
    await dialog().getByText('There is already').waitFor({ state: 'detached' });
    // OpenCode ignores this agent's file, but the file is there.
    await field('Name').fill('writer');
    await dialog().getByText('There is already an agent with this name.').waitFor();
    await field('Name').fill('release-bot');
    await field('What is it for?').fill('Writes: release notes');
    await field('Model').fill('big');
    await create();
    await dialog().getByText('Write provider/model').waitFor();
    await field('Model').fill('a/big');
    await field('What it is told (prompt)').fill('You release.');
    await create();
    const note = '.opencode/agents/release-bot.md';
    const text =
      '---\ndescription: "Writes: release notes"\nmode: primary\nmodel: a/big\n---\n\nYou release.\n';
    await expect.poll(() => read(note)).toBe(text);
    await editor().getByText('You release.').waitFor();
    await run('open-agents');
    await head('release-bot').waitFor();
    await expect.poll(() => head('release-bot').innerText()).not.toContain('problem');
  });

  it('[AGENTS4] a skill, too; what came to stand there meanwhile stays', async () => {
    await open();
    await run('new-skill');
    await field('Name').fill('tables');
    await field('What does it do, and when is it used?').fill('Lays out tables.');
    const file = '.opencode/skills/tables/SKILL.md';
    await rig.put(file, 'Mine.\n');
    await create();
    await dialog().getByText('is already there').waitFor();
    expect(await read(file)).toBe('Mine.\n');
    await field('Name').fill('charts');
    expect(await field('What does it do, and when is it used?').inputValue()).toBe(
      'Lays out tables.',
    );
    await field('What does it do, and when is it used?').fill('Draws charts.');
    await create();
    await head('charts').waitFor({ state: 'attached' });
    await expect
      .poll(() => read('.opencode/skills/charts/SKILL.md'))
      .toBe('---\nname: charts\ndescription: Draws charts.\n---\n');
  });

  it('[AGENTS5] a copy has the text of its original, and its own name', async () => {
    await open();
    await head('reviewer').click();
    await row('reviewer').getByRole('button', { name: 'Duplicate…' }).click();
    await create();
    await editor().getByText('You review.').waitFor();
    await head('reviewer-copy').waitFor({ state: 'attached' });
    await expect.poll(() => read('.opencode/agents/reviewer-copy.md')).toBe(REVIEWER);
    await run('open-agents');
    await head('release-notes').click();
    await row('release-notes').getByRole('button', { name: 'Duplicate…' }).click();
    await field('Name').fill('changelog');
    await create();
    await editor().getByText('One line for each change.').waitFor();
    await head('changelog').waitFor({ state: 'attached' });
    await expect
      .poll(() => read('.opencode/skills/changelog/SKILL.md'))
      .toBe(
        FILES['.opencode/skills/release-notes/SKILL.md'].replace(
          'name: release-notes',
          'name: changelog',
        ),
      );
    await run('open-agents');
    await head('build').click();
    await row('build').getByRole('button', { name: 'Duplicate…' }).click();
    await create();
    await head('build-copy').waitFor({ state: 'attached' });
    await expect
      .poll(() => read('.opencode/agents/build-copy.md'))
      .toBe('---\nmode: primary\nmodel: no-provider\nsteps: 40\ncolor: warning\n---\n');
  });
});

describe.each(AXE_VARIANTS)('%s', (look, query, size) => {
  it('[AGENTS6] axe finds nothing in the view, opened and bare, and in its dialogs', async () => {
    await open(FILES, query, size);
    const found = new Findings();
    const folder = process.env['PICTURES'];
    const picture = async (name: string) => {
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/agents ${name} ${look}.png` });
    };
    await head('reviewer').waitFor();
    await found.check(page, 'closed', '.atb-agents-app');
    await picture('closed');
    await head('build').click();
    await head('reviewer').click();
    await head('release-notes').click();
    await head('AGENTS.md').click();
    await row('reviewer').locator('.atb-agents-text').waitFor();
    await found.check(page, 'open', '.atb-agents-app');
    await picture('open');
    await row('reviewer').scrollIntoViewIfNeeded();
    await picture('open 2');
    await run('new-agent');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await found.check(page, 'new agent', '.modal');
    await picture('new');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await row('reviewer').getByRole('button', { name: 'Duplicate…' }).click();
    await dialog().waitFor();
    await found.check(page, 'duplicate', '.modal');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await row('reviewer').getByRole('button', { name: 'Open as note' }).click();
    await page.locator('.atb-note-view .cm-content').waitFor();
    await found.check(page, 'note', '.atb-note-view');
    await picture('note');
    await rig.close();
    await open({}, query, size);
    await view().getByText('This vault has no agents, skills or instructions of its own').waitFor();
    if (look === 'on a phone') await view().getByText('can’t be read on this device').waitFor();
    await found.check(page, 'bare', '.atb-agents-app');
    await picture('bare');
    found.expectNone();
  });
});
