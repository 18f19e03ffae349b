import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Findings } from './axe';
import { findOpencode, thisMachine } from '../../workbench/demo/find-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { fakePluginInstall } from '../bridge/opencode-run';
import { startRig, type Rig } from './workbench-rig';
import { startEndpoint } from './model-endpoint';

let folder: string;
let agent: string;
let commandLine: string;
let rig: Rig;
let page: Page;
const findings = new Findings();

async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atb-agents-'));
  agent = await program('my-agent', 'exit 0');
  // Runs until killed, unless its agent is given `--broken`.
  const script =
    'case "$*" in *--broken*) echo "no such model" >&2; exit 3;; esac\n' +
    'echo "Sessions of here run on it."\nexec sleep 1000';
  commandLine = await program('agent-boards', script);
  rig = await startRig({}, process.cwd(), [agent, commandLine]);
  page = await rig.open();
});

afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

async function openSettings(): Promise<void> {
  await page.evaluate(() => window.workbench.openSettings());
  await page.getByRole('tab', { name: 'Connection', exact: true }).click();
}

const row = (name: string) => page.getByRole('group', { name, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const choice = () => dialog().locator('select');
const dialog = () => page.locator('.atb-form-dialog');
const notice = (words: string | RegExp) => page.locator('.notice', { hasText: words }).last();

async function add(name: string, args: string): Promise<void> {
  await button('Add agent…').click();
  await choice().selectOption({ label: 'Another command' });
  await dialog().getByLabel('Name').fill(name);
  await dialog().getByLabel('Program').fill(agent);
  await dialog().getByLabel('Arguments').fill(args);
  await button('Add').click();
  await row(name).waitFor();
}

describe('agents that are started from the settings', () => {
  it('[START18] a preset that is not installed says what to type; a name and a program are needed', async () => {
    await openSettings();
    await button('Add agent…').click();
    await expect
      .poll(() => dialog().innerText())
      .toContain('npm install -g @agentclientprotocol/claude-agent-acp');
    await button('Add').click();
    await expect.poll(() => dialog().innerText()).toContain('Enter the full path');
    await choice().selectOption({ label: 'OpenCode (ACP)' });
    expect(await dialog().getByLabel('Arguments').inputValue()).toBe('acp');
    await choice().selectOption({ label: 'OpenCode that already runs' });
    await dialog().getByLabel('Address').fill('localhost');
    await button('Add').click();
    await expect.poll(() => dialog().innerText()).toContain('Enter an address like');
    await findings.check(page, 'form', '.atb-form-dialog');
    await dialog().getByLabel('Name').fill('There');
    await dialog().getByLabel('Address').fill('http://10.0.0.2:4096');
    await dialog().getByLabel('Folder there').fill('/srv/vault');
    await button('Add').click();
    await row('There').getByText('http://10.0.0.2:4096 /srv/vault').waitFor();
    await button('Edit There').click();
    expect(await dialog().getByLabel('Folder there').inputValue()).toBe('/srv/vault');
    await button('Cancel').click();
    await button('Remove There').click();
  });

  it('[START16] [START18] one that was added starts once that is allowed, and stops; one that breaks says why', async () => {
    await add('Mine', '--mode "a b"');
    expect(await button('Start Mine').isDisabled()).toBe(true);
    await page.getByLabel('Path of agent-boards').fill(commandLine);
    await page.getByLabel('Path of agent-boards').press('Tab');
    await page
      .locator('.setting-item', { hasText: 'Start agents from Obsidian' })
      .locator('.checkbox-container')
      .click();
    await button('Start Mine').click();
    await row('Mine').getByText('Mine is running').waitFor();
    await notice('Mine takes sessions now').waitFor();
    await button('Stop Mine').click();
    await row('Mine').getByText('was not started from here').waitFor();
    await add('Broken', '--broken');
    await button('Start Broken').click();
    await row('Broken').getByText('ended before it was ready (exit code 3)').waitFor();
    await notice('Its last error: no such model').waitFor();
    await findings.check(page, 'list', '.atb-agent-programs');
    findings.expectNone();
  });

  it('[START17] [START18] one that is removed comes back by undo; they outlive a reload, not started', async () => {
    await button('Remove Broken').click();
    await expect.poll(() => row('Broken').count()).toBe(0);
    await notice('Broken was removed').getByText('Undo').click();
    await row('Broken').waitFor();
    await button('Start Mine').click();
    await row('Mine').getByText('Mine is running').waitFor();
    await page.reload();
    await page.evaluate(() => window.workbench.ready);
    await openSettings();
    await row('Mine').getByText('was not started from here').waitFor();
    expect(await row('Broken').innerText()).toContain('--broken');
  });
});

describe('an agent of the settings at work', () => {
  it('[START19] [START21] the real OpenCode, over ACP: added, started, chosen by its name, and its plan is a board', async () => {
    const found = findOpencode(
      process.cwd(),
      thisMachine((path) => readFileSync(path, 'utf8')),
    );
    if (!found.ok) throw new Error(found.message);
    const endpoint = await startEndpoint();
    const own = join(folder, 'opencode');
    const cli = join(folder, 'real-agent-boards');
    const real = await startRig({}, process.cwd(), [own, cli]);
    fakePluginInstall(join(real.vault, '.opencode'));
    const env = isolatedEnvironment({ home: join(folder, 'home'), modelUrl: endpoint.url });
    const set = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
    await program('opencode', `${set.join('\n')}\nexec '${found.path}' "$@"`);
    const origin = `export AGENT_TASK_BOARDS_ORIGIN='${real.workbench.origin}'`;
    const run = `exec '${process.execPath}' '${join(process.cwd(), 'dist/cli.js')}' "$@"`;
    await program('real-agent-boards', `${origin}\n${run}`);
    page = await real.open();
    await page.evaluate(
      ([path]) =>
        window.workbench.plugin.then(({ app }) =>
          app.saveLocalStorage('agent-task-boards-device', {
            ...{ mayStartAgents: true, agentBoardsPath: path },
          }),
        ),
      [cli] as const,
    );
    await openSettings();
    await button('Add agent…').click();
    await choice().selectOption({ label: 'OpenCode (ACP)' });
    await dialog().getByLabel('Name').fill('Kitchen');
    await dialog().getByLabel('Program').fill(own);
    await button('Add').click();
    await button('Start Kitchen').click();
    const question = page.locator('.modal', { hasText: 'Start this program?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await row('Kitchen').getByText('you have not allowed this program').waitFor();
    await button('Start Kitchen').click();
    await expect.poll(() => question.innerText()).toContain(`--name Kitchen -- ${own} acp`);
    await question.getByRole('button', { name: 'Start', exact: true }).click();
    await row('Kitchen').getByText('Kitchen is running').waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
    await page.locator('.atb-empty').getByText('Kitchen connected').waitFor();
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:start-session'));
    await page.getByLabel('What is to be done').fill('Plan a dinner');
    await expect.poll(() => page.locator('.modal').innerText()).toContain('Kitchen');
    await button('Start').click();
    await page.getByText('Both are on the board').first().waitFor();
    const task = (title: string) => page.getByRole('treeitem', { name: title });
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
    await expect
      .poll(() => task('Collect the recipes').getAttribute('data-state'))
      .toBe('completed');
    await task('Write the menu').locator('.atb-mark').click();
    await expect.poll(() => task('Write the menu').getAttribute('data-state')).toBe('completed');
    await Promise.all([real.close(), endpoint.close()]);
  });
});
