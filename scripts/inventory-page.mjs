// Lists what the plugin offers in the workbench's page; used by inventory.mjs.
import { chromium } from 'playwright-core';

/** Buttons of a run panel, each shown after the given action on the run. */
const RUN = [['Approve and run'], ['Open session', 'approve'], ['Resume', 'pause']];

/** Lists menus, buttons, settings and commands. @param plan the session whose board is the plan of a run */
export async function pluginLists(url, executablePath, plan) {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 3000 } });
    page.setDefaultTimeout(30_000);
    await page.addInitScript(noteCommands);
    await page.goto(url);
    await page.evaluate(() => window.workbench.ready);
    return { ...(await views(page, plan)), ...(await settings(page)), ...(await commands(page)) };
  } finally {
    await browser.close();
  }
}

/** Runs in the page before any other script: records the commands that plugins add. */
function noteCommands() {
  let app;
  window.commandsAdded = [];
  Object.defineProperty(window, 'app', {
    get: () => app,
    set: (made) => {
      app = made;
      // The first object is a mock.
      if (!Object.hasOwn(made, 'commands')) return;
      const add = app.commands.add.bind(app.commands);
      app.commands.add = (command) => {
        window.commandsAdded.push([command.id, command.name]);
        add(command);
      };
    },
  });
}

async function commands(page) {
  const added = await page.evaluate(() => window.commandsAdded);
  const own = added.filter(([id]) => id.startsWith('agent-task-boards:'));
  return { commands: own.map(([id]) => id), commandNames: own.map(([, name]) => name) };
}

/** Names of all settings rows, and the buttons in them. */
async function settings(page) {
  await page.evaluate(() => window.workbench.openSettings());
  const tab = page.locator('.vertical-tab-content-container');
  await tab.getByRole('tab').first().waitFor();
  const texts = (selector) => tab.locator(selector).allTextContents();
  const names = [...(await texts('[role="tab"]')), ...(await texts('.setting-item-name'))];
  const buttons = await tab.locator('button, [role="button"]').evaluateAll(namesOfButtons);
  // Sessions become options, too, once they are loaded.
  const choices = (await texts('option')).filter((one) => !/^(?:ses_.*|Made)$/.test(one));
  await page.keyboard.press('Escape');
  return { settings: names, settingButtons: buttons, settingChoices: choices };
}

/** Runs in the page. Returns the accessible names. */
function namesOfButtons(all) {
  return all.map((one) => one.getAttribute('aria-label') ?? one.textContent.trim());
}

/** Menu entries, each prefixed with the subject of its menu, and the buttons above each view. */
async function views(page, plan) {
  const menus = [];
  const buttons = [];
  const run = (name) =>
    page.evaluate((id) => window.workbench.runCommand(`agent-task-boards:${id}`), name);
  const read = async (about, target, click) => {
    await target.click(click);
    const menu = page.locator('.menu');
    await menu.waitFor({ timeout: 500 }).catch(() => undefined);
    const titles = await menu.locator('.menu-item-title').allTextContents();
    menus.push(...titles.map((title) => `${about}: ${title}`));
    if (titles.length > 0) await page.keyboard.press('Escape');
  };
  const button = (name) => page.getByRole('button', { name, exact: true });
  const readRows = async () => {
    await run('open-sidebar');
    await page.locator('[data-row="task"]').first().waitFor();
    for (const row of await page.locator('[data-row]').all()) {
      const click = { button: 'right', position: { x: 60, y: 8 } };
      await read(await row.getAttribute('data-row'), row, click);
    }
  };
  const readButtons = async () => {
    const all = page.locator('[role="toolbar"] button, .view-action');
    buttons.push(...(await all.evaluateAll(namesOfButtons)));
  };

  await run('connect');
  await page.getByText('OpenCode connected').waitFor();
  await readRows();
  await readButtons();
  await read('sidebar', button('More').first());
  await read('sidebar', button('Sort sessions').first());
  const id = await startRun(page, plan);
  await run('open-run');
  const panel = page.locator('.atb-run-app');
  for (const [name, action] of RUN) {
    if (action) await act(page, id, action);
    await panel.getByRole('button', { name, exact: true }).first().waitFor();
    await read('run', panel.getByRole('button', { name: 'More', exact: true }));
    await readButtons();
  }
  await readRows();
  const session = page.locator(`[data-row="session"][data-session="${plan}"]`);
  await session.click({ button: 'right', position: { x: 60, y: 8 } });
  await page.locator('.menu').getByText('Open conversation').click();
  await page.locator('.atb-conversation:visible').waitFor();
  await run('open-audit');
  await page.locator('.atb-audit:visible').waitFor();
  await readButtons();
  return { menus, buttons };
}

/** @returns the id of a run over an existing plan */
async function startRun(page, plan) {
  const run = await page.evaluate(async (session) => {
    const limits = { turns: 9, tokens: 9000, minutes: 9, attempts: 2, parallel: 1 };
    const wish = { goal: 'Search', agent: 'build', model: null, approve: true, limits };
    return (await window.workbench.plugin).runs.start(wish, { session });
  }, plan);
  if (!run.ok) throw new Error(run.message);
  return run.value;
}

async function act(page, run, type) {
  const done = await page.evaluate(
    async ([id, action]) => (await window.workbench.plugin).runs.act(id, action),
    [run, { type }],
  );
  if (!done.ok) throw new Error(done.message);
}
