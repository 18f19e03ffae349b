import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Op } from '../../src/core/board/op';
import type { BoardOperation, TaskBoards } from '../../src/obsidian/api/api';
import { loadBridge } from '../../soak/link/local-bridge';
import { AXE_VARIANTS, Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const GARDEN = {
  ...{ id: 'garden', name: 'Garden', version: '1.0.0', minAppVersion: '1.11.4' },
  ...{ author: 'A gardener', description: 'Plans the garden.' },
};

/** Fails to compile unless boards accept what the package's types allow. */
export const typed = (operation: BoardOperation): Op => operation;

/** A plugin that makes the calls that a test writes. */
const CALLER = `const { Plugin } = require('obsidian');
module.exports = class extends Plugin {
  onload() { (window.callers ??= {})[this.manifest.id] = this; }
  async connect() {
    const ours = () => this.app.plugins.plugins['agent-task-boards'].api;
    while (ours() === undefined) await new Promise((ready) => this.app.workspace.on('agent-task-boards:api', ready));
    this.boards = ours().connect(this);
  }
};`;

declare global {
  interface Window {
    callers: Record<string, { boards: TaskBoards; connect: () => Promise<void> }>;
    heard: unknown[];
  }
}

let rig: Rig;

afterEach(() => rig.close());

async function open(...[query, size]: Parameters<Rig['open']>): Promise<Page> {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', [BOARD_PATH]: OFFLINE }, process.cwd());
  const page = await rig.open(query, size);
  await page.evaluate(() => window.workbench.keepNotices());
  return page;
}

/** Enables a plugin and connects it to ours. */
async function caller(page: Page, id = 'garden', name = 'Garden'): Promise<void> {
  await page.evaluate(
    async ([manifest, code]) => {
      await window.workbench.enable(manifest, code);
      await window.callers[manifest.id]?.connect();
    },
    [{ ...GARDEN, id, name }, CALLER] as const,
  );
}

/** Runs the command of the documentation's plugin once it is connected. */
async function water(page: Page): Promise<void> {
  await page.waitForFunction(
    () => Reflect.get(window.app.plugins.plugins['garden'] ?? {}, 'boards') !== undefined,
  );
  await page.evaluate(() => window.workbench.runCommand('garden:water'));
}

/**
 * The result of a call: its answer, or `code: message`.
 * @param body with the plugin as `it`, its connection as `boards` and BOARD_PATH as `path`
 */
function call(page: Page, body: string, id = 'garden'): Promise<unknown> {
  const script = `(async () => {
    const it = window.callers[${JSON.stringify(id)}];
    const { boards } = it;
    const path = ${JSON.stringify(BOARD_PATH)};
    try { return await (async () => { ${body} })(); }
    catch (error) { return error.code + ': ' + error.message; }
  })()`;
  return page.evaluate(script);
}

const ADD = "return (await boards.boards.commit(path, [{ type: 'add', title: 'Water' }])).added;";

const text = () => readFile(join(rig.vault, BOARD_PATH), 'utf8');
const dialog = (page: Page) => page.locator('.modal', { hasText: 'change your boards?' });
const notice = (page: Page, words: string) => page.locator('.notice', { hasText: words });

async function answer(page: Page, button: string): Promise<void> {
  await dialog(page).getByRole('button', { name: button, exact: true }).click();
}

/** Answers the notice that asks whether to call the hooks of a plugin. */
async function decide(page: Page, name: string, button: string): Promise<void> {
  await notice(page, `“${name}” wants to take part`).getByRole('button').click();
  await hookDialog(page).getByRole('button', { name: button, exact: true }).click();
}

const hookDialog = (page: Page) => page.locator('.modal', { hasText: 'take part in sessions?' });

async function openSettings(page: Page): Promise<void> {
  await page.evaluate(() => window.workbench.openSettings());
  await page.getByRole('tab', { name: 'Permissions', exact: true }).click();
}

describe('the plugin of the documentation', () => {
  let folder: string;
  let code: string;
  let source: string;

  /** In its own project, which finds the package by its name. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atb-garden-'));
    const docs = await readFile(join(ROOT, 'docs/api.md'), 'utf8');
    source = /^```ts\n(.*?)^```$/ms.exec(docs)?.[1] ?? '';
    await writeFile(join(folder, 'main.ts'), source);
    await mkdir(join(folder, 'node_modules'));
    const link = (name: string, to: string) => symlink(to, join(folder, 'node_modules', name));
    await link('agent-task-boards', ROOT);
    await link('obsidian', join(ROOT, 'node_modules/obsidian'));
    const { outputFiles } = await build({
      ...{ entryPoints: [join(folder, 'main.ts')], bundle: true, write: false, format: 'cjs' },
      ...{ external: ['obsidian'], logLevel: 'error', absWorkingDir: folder },
    });
    code = outputFiles[0]?.text ?? '';
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('[API1] is short, and fits the types of the package, in both ways of finding modules', async () => {
    rig = await startRig({});
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    const wrong = source.replace("type: 'add'", "type: 'destroy'");
    await writeFile(join(folder, 'wrong.ts'), wrong);
    for (const modules of [
      { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
      { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ]) {
      const said = (file: string) =>
        ts
          .getPreEmitDiagnostics(
            ts.createProgram([join(folder, file)], {
              ...{ strict: true, noEmit: true, skipLibCheck: true, ...modules },
              ...{ target: ts.ScriptTarget.ES2022, types: [] },
            }),
          )
          .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
      expect(said('main.ts')).toEqual([]);
      expect(said('wrong.ts').join()).toContain('"destroy"');
    }
  });

  it('[API1] [API5] commits after consent, changes a prompt, cancels a call, and hears an event', async () => {
    const page = await open();
    process.env['AGENT_TASK_BOARDS_ORIGIN'] = new URL(rig.workbench.url).origin;
    const bridge = await loadBridge(rig.vault, ['ses_1']);
    const tasks = (callID: string, ...operations: object[]) =>
      bridge.hooks.tool.tasks?.execute(
        { operations },
        {
          ...{ sessionID: 'ses_1', messageID: 'msg_1', agent: 'build', callID },
          ...{ abort: new AbortController().signal, ask: () => Promise.resolve() },
        },
      );
    await page.evaluate(([manifest, main]) => window.workbench.enable(manifest, main), [
      GARDEN,
      code,
    ] as const);
    await page.locator('.status-bar', { hasText: 'OpenCode connected' }).waitFor();
    await decide(page, 'Garden', 'Allow');
    await water(page);
    await dialog(page).locator('.atb-diff', { hasText: 'Water the beds' }).waitFor();
    expect(await text()).toBe(OFFLINE);
    await answer(page, 'Allow');
    await notice(page, '“Garden” changed “Offline search for the vault”.').waitFor();
    expect(await text()).toContain('- [ ] Water the beds 🆔 k3f9-14 ^k3f9-14');

    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-conversation'));
    const talk = page.locator('.atb-conversation:visible');
    await talk.locator('textarea').fill('Plan the week');
    await page.keyboard.press('Enter');
    const sent: unknown[] = [];
    await expect
      .poll(() => sent.push(...bridge.opencode.takeEffects()) && JSON.stringify(sent))
      .toContain('Plan the week\\n\\nWater is scarce: plan with rain.');

    const removal = await tasks('call_1', { type: 'remove', id: 12 })?.catch(String);
    expect(removal).toContain(
      'a hook of Garden cancelled the call. In the garden nothing is removed',
    );
    expect(await text()).toContain('k3f9-12');
    await tasks('call_2', { type: 'add', title: 'Sow' });
    await notice(page, 'build changed 1 tasks.').waitFor();
    delete process.env['AGENT_TASK_BOARDS_ORIGIN'];
    await bridge.hooks.dispose();
  });

  it('[API1] is connected anew when ours is reloaded, and nothing of it stays when it is unloaded', async () => {
    const page = await open();
    await page.evaluate(([manifest, main]) => window.workbench.enable(manifest, main), [
      GARDEN,
      code,
    ] as const);
    await page.evaluate(() => window.workbench.reload());
    await water(page);
    await dialog(page).waitFor();
    await page.evaluate(() => window.workbench.disable('garden'));
    await dialog(page).waitFor({ state: 'detached' });
    await page.evaluate(() => window.workbench.reload());
    expect(await text()).toBe(OFFLINE);
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
  });
});

describe('consent', () => {
  it('[API2] is asked once, in one dialog, for all that comes meanwhile; the answer outlives the page', async () => {
    const page = await open();
    await caller(page);
    const both = call(
      page,
      `const add = (title) => boards.boards.commit(path, [{ type: 'add', title }]);
       const done = await Promise.all([add('One'), add('Two')]);
       return done.map(({ added }) => added);`,
    );
    await dialog(page).waitFor();
    expect(await dialog(page).count()).toBe(1);
    await answer(page, 'Allow');
    expect(await both).toEqual([['k3f9-14'], ['k3f9-15']]);
    expect(await call(page, ADD)).toEqual(['k3f9-16']);
    await page.reload();
    await page.evaluate(() => window.workbench.ready);
    await caller(page);
    expect(await call(page, ADD)).toEqual(['k3f9-17']);
    expect(await dialog(page).count()).toBe(0);
    const data = join(rig.vault, '.obsidian/plugins/agent-task-boards/data.json');
    expect(await readFile(data, 'utf8').catch(() => '')).not.toContain('garden');
  });

  it('[API2] two plugins are asked about one after the other, each for itself', async () => {
    const page = await open();
    await caller(page);
    await caller(page, 'weeds', 'Weeds');
    const calls = [call(page, ADD), call(page, ADD, 'weeds')];
    await dialog(page).getByText('Let “Garden”').waitFor();
    expect(await dialog(page).count()).toBe(1);
    await answer(page, 'Allow');
    await dialog(page).getByText('Let “Weeds”').waitFor();
    await answer(page, 'Don’t allow');
    const [garden, weeds] = await Promise.all(calls);
    expect(garden).toEqual(['k3f9-14']);
    expect(weeds).toMatch(/^not_allowed: .*Weeds/);
  });

  it('[API2] a change that became another one during the question is shown again', async () => {
    const page = await open();
    await caller(page);
    const added = call(page, ADD);
    await dialog(page).waitFor();
    await rig.put(BOARD_PATH, OFFLINE.replace('next: 14', 'next: 20'));
    await answer(page, 'Allow');
    await dialog(page).getByText('The plan has changed since').waitFor();
    await dialog(page).locator('.atb-diff').getByText('- [ ] Water 🆔 k3f9-20').waitFor();
    await answer(page, 'Allow');
    expect(await added).toEqual(['k3f9-20']);
  });

  it('[API3] without it nothing is written, and the words say what to do; a no is kept', async () => {
    const page = await open();
    await caller(page);
    const first = call(page, ADD);
    await dialog(page).waitFor();
    await answer(page, 'Don’t allow');
    const words =
      'not_allowed: Nothing was changed: the person has not allowed Garden to change boards. They can do so under Settings → Agent Task Boards → Permissions → Other plugins.';
    expect(await first).toBe(words);
    expect(await call(page, ADD)).toBe(words);
    expect(await dialog(page).count()).toBe(0);
    expect(await text()).toBe(OFFLINE);
  });

  it('[API2] [API3] “Not now” and Esc refuse until the plugin connects again', async () => {
    const page = await open();
    await caller(page);
    const first = call(page, ADD);
    await dialog(page).waitFor();
    await page.keyboard.press('Escape');
    expect(await first).toMatch(/^not_allowed/);
    expect(await call(page, ADD)).toMatch(/^not_allowed/);
    await page.evaluate(() => window.workbench.disable('garden'));
    await caller(page);
    const second = call(page, ADD);
    await dialog(page).waitFor();
    await answer(page, 'Not now');
    expect(await second).toMatch(/^not_allowed/);
    expect(await text()).toBe(OFFLINE);
  });

  it('[API3] what can’t be done is refused without asking', async () => {
    const page = await open();
    await caller(page);
    expect(
      await call(page, "return boards.boards.commit(path, [{ type: 'complete', id: 99 }]);"),
    ).toMatch(/^unknown_task: Nothing was changed\./);
    expect(await dialog(page).count()).toBe(0);
  });

  it('[API4] is revoked and given back in the settings, with an undo, and holds at once', async () => {
    const page = await open();
    await caller(page);
    const first = call(page, ADD);
    await dialog(page).waitFor();
    await answer(page, 'Allow');
    await first;
    await openSettings(page);
    const may = page.getByText('May change boards as you.', { exact: true });
    await page.getByRole('button', { name: 'Revoke for Garden' }).click();
    await page.getByText('May not change boards.', { exact: true }).waitFor();
    expect(await call(page, ADD)).toMatch(/^not_allowed/);
    await notice(page, '“Garden” may no longer change boards.')
      .getByRole('button', { name: 'Undo' })
      .click();
    await may.waitFor();
    expect(await call(page, ADD)).toEqual(['k3f9-15']);
    await page.getByRole('button', { name: 'Revoke for Garden' }).click();
    await page.getByRole('button', { name: 'Allow Garden' }).click();
    await may.waitFor();
  });

  it('[API12] waits while the person types: the notice, or leaving the field, opens it', async () => {
    const page = await open();
    await caller(page);
    // Like any field of the app.
    await page.evaluate(() => document.body.prepend(document.createElement('textarea')));
    const field = page.locator('body > textarea');
    await field.focus();
    const asks = notice(page, '“Garden” asks whether it may change your boards.');
    const first = call(page, ADD);
    await asks.waitFor();
    await page.keyboard.type('Plan the week');
    expect(await field.inputValue()).toBe('Plan the week');
    expect(await dialog(page).count()).toBe(0);
    await asks.getByRole('button', { name: 'Decide…' }).click();
    await answer(page, 'Not now');
    expect(await first).toMatch(/^not_allowed/);
    await caller(page, 'weeds', 'Weeds');
    await field.focus();
    const second = call(page, ADD, 'weeds');
    const weeds = notice(page, '“Weeds” asks');
    await weeds.waitFor();
    await page.evaluate(() => window.workbench.setPhone(true));
    await call(page, "boards.hooks.on('on-stop', () => undefined); return '';", 'weeds');
    const invites = notice(page, '“Weeds” wants to take part');
    await invites.waitFor();
    await field.evaluate((element) => (element as HTMLElement).blur());
    await dialog(page).waitFor();
    expect(await invites.isVisible()).toBe(false);
    await answer(page, 'Allow');
    expect(await second).toEqual(['k3f9-14']);
    expect(await weeds.count()).toBe(0);
    await invites.waitFor();
  });
});

describe('hooks of other plugins', () => {
  const HOOK = (event: string, priority: number) => `
    boards.hooks.on('${event}', () => void window.heard.push('${event}'), { priority: ${priority} });
    return 'registered';`;
  const heard = (page: Page) => page.evaluate(() => window.heard);
  /** Causes a fault, which is reported to the hooks for faults. */
  const fail = async (page: Page, words: string): Promise<void> => {
    await page.evaluate((message) => {
      navigator.clipboard.writeText = () => {
        throw new Error(message);
      };
      window.workbench.runCommand('agent-task-boards:copy-connection-details');
    }, words);
    await notice(page, 'Something failed unexpectedly.').first().waitFor();
  };

  it('[API11] are called only once the person allowed it, which holds at once; settings name and revoke them', async () => {
    const page = await open();
    await page.evaluate(() => {
      window.heard = [];
    });
    await caller(page);
    for (const [event, priority] of [
      ['on-error', 5],
      ['pre-prompt', 100],
    ] as const) {
      expect(await call(page, HOOK(event, priority))).toBe('registered');
    }
    expect(await notice(page, '“Garden” wants to take part').count()).toBe(1);
    expect(await hookDialog(page).count()).toBe(0);
    await fail(page, 'One');
    await openSettings(page);
    await page
      .getByText(
        'Waits for your answer; it asks to be called when something failed (priority 5) and before a prompt is sent (priority 100).',
      )
      .waitFor();
    expect(await heard(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await notice(page, '“Garden” wants to take part').getByRole('button').click();
    await hookDialog(page).getByText('before a prompt is sent').waitFor();
    await hookDialog(page).getByRole('button', { name: 'Allow', exact: true }).click();
    await notice(page, '“Garden” wants to take part').waitFor({ state: 'detached' });
    await fail(page, 'Another');
    await expect.poll(() => heard(page)).toEqual(['on-error']);
    await openSettings(page);
    await page.getByText('Takes part when something failed (priority 5)').waitFor();
    await page.getByRole('button', { name: 'Revoke hooks of Garden' }).click();
    await page.getByText('May not take part; it asked').waitFor();
    await page.keyboard.press('Escape');
    await fail(page, 'A third');
    await page.evaluate(() => window.workbench.disable('garden'));
    await openSettings(page);
    await page.getByText('May not take part in sessions.', { exact: true }).waitFor();
    expect(await heard(page)).toEqual(['on-error']);
  });

  it('[API11] a no is kept; “Not now” is asked again when the plugin connects again', async () => {
    const page = await open();
    await caller(page);
    await call(page, HOOK('on-stop', 1));
    await decide(page, 'Garden', 'Not now');
    await call(page, HOOK('pre-prompt', 1));
    expect(await notice(page, '“Garden” wants to take part').count()).toBe(0);
    await page.evaluate(() => window.workbench.disable('garden'));
    await caller(page);
    await call(page, HOOK('on-stop', 1));
    await decide(page, 'Garden', 'Don’t allow');
    await page.evaluate(() => window.workbench.disable('garden'));
    await caller(page);
    await call(page, HOOK('on-stop', 1));
    expect(await notice(page, '“Garden” wants to take part').count()).toBe(0);
    await openSettings(page);
    await page.getByRole('button', { name: 'Allow hooks of Garden' }).click();
    await notice(page, '“Garden” may take part in sessions.')
      .getByRole('button', { name: 'Undo' })
      .click();
    await page
      .getByText('May not take part; it asked to be called when a turn ended (priority 1).')
      .waitFor();
  });
});

describe('hostile calls', () => {
  const HUGE = "'x'.repeat(1_100_000)";
  const CALLS: readonly (readonly [string, string, RegExp])[] = [
    ['no array', "'add'", /^bad_call: .*Pass an array of 1 to 50/],
    ['nothing', 'undefined', /^bad_call/],
    ['an object with a length', '{ length: 1, 0: {} }', /^bad_call/],
    ['an empty array', '[]', /^bad_call/],
    ['51 operations', "Array(51).fill({ type: 'add', title: 'x' })", /^bad_call/],
    ['an array of a billion', 'new Array(1e9)', /^bad_call/],
    ['holes', 'new Array(2)', /^not_an_object: .*Operation 1/],
    ['a circle', '(() => { const a = []; a.push(a); return a; })()', /^bad_call: .*JSON/],
    ['a bigint', "[{ type: 'add', title: 1n }]", /^bad_call: .*JSON/],
    ['a getter that throws', "[{ get type() { throw new Error('trap'); } }]", /^bad_call: .*trap/],
    ['1 MB', `[{ type: 'add', title: 'x', body: ${HUGE} }]`, /^bad_call: .*1 MB/],
    ['a long title', "[{ type: 'add', title: 'x'.repeat(501) }]", /^\w+: Nothing was changed/],
    ['an unknown operation', "[{ type: 'destroy' }]", /^unknown_type: .*Operation 1/],
    ['a type of the prototype', "[{ type: '__proto__' }]", /^unknown_type/],
    ['a constructor', "[{ type: 'constructor' }]", /^unknown_type/],
    ['an operation of ours alone', "[{ type: 'replace', text: '' }]", /^unknown_type/],
    ['a read', "[{ type: 'list' }]", /^bad_call: .*use init, add/],
    ['an archive', "[{ type: 'archive' }]", /^bad_call/],
    ['a good one and a bad one', "[{ type: 'add', title: 'x' }, { type: 'complete', id: 99 }]", /^unknown_task/],
    ['a review', "[{ type: 'update', id: 3, review: null }]", /^not_yours/],
  ]; // prettier-ignore

  const PATHS = [
    "'Inbox.md'",
    "'../outside-tasks.md'",
    "'.opencode/todos/ses_1/../../x-tasks.md'",
    "'/etc/passwd'",
    "'.opencode/todos/../x-tasks.md'",
    "'.opencode/todos/ses_1/nobody-tasks.md'",
    "''",
    'undefined',
    '{ toString: () => path }',
    '[path]',
    '1',
  ];

  it('[API5] of commit are refused in words, allowed or not, and write nothing', async () => {
    const page = await open();
    await caller(page);
    const all = async () => {
      for (const [what, operations, wanted] of CALLS) {
        const said = await call(page, `return boards.boards.commit(path, ${operations});`);
        expect(said, what).toMatch(wanted);
      }
      for (const where of PATHS) {
        const said = await call(
          page,
          `return boards.boards.commit(${where}, [{ type: 'add', title: 'x' }]);`,
        );
        expect(said, where).toMatch(/^unknown_board/);
        expect(await call(page, `return boards.boards.read(${where});`), where).toBeUndefined();
      }
    };
    await all();
    expect(await dialog(page).count()).toBe(0);
    await page.evaluate(() =>
      window.app.saveLocalStorage('agent-task-boards-plugins', [
        { id: 'garden', name: 'Garden', may: true },
      ]),
    );
    await all();
    expect(await text()).toBe(OFFLINE);
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
  });

  it('[API5] pollute no prototype, write titles as text, and mean what was passed when it was passed', async () => {
    const page = await open();
    await caller(page);
    const said = call(
      page,
      `const operations = [JSON.parse('{"type":"add","title":"Dig 📅 2026-01-01 ⛔ k3f9-3","__proto__":{"owner":"me"},"constructor":{"prototype":{"bad":1}}}')];
       const done = boards.boards.commit(path, operations);
       operations[0].title = 'Changed';
       operations.push({ type: 'remove', id: 12 });
       const { tasks, added } = await done;
       const { title, owner, dependsOn } = tasks.find(({ id }) => id === added[0]);
       return [title, owner, dependsOn, ({}).bad, ({}).owner].map(String);`,
    );
    await dialog(page).waitFor();
    await answer(page, 'Allow');
    expect(await said).toEqual([
      ...['Dig 📅 2026-01-01 ⛔ k3f9-3', 'null', '', 'undefined', 'undefined'],
    ]);
    expect(await text()).toContain('k3f9-12');
    const { stdout } = await run(process.execPath, [
      ...[join(ROOT, 'dist/cli.js'), 'history', '--vault', rig.vault],
    ]);
    expect(stdout).toContain('By the plugin Garden: added');
  });

  it('[API1] connect takes a plugin only, and none under the id of another', async () => {
    const page = await open();
    await caller(page);
    const connect = (what: string) =>
      call(page, `return it.app.plugins.plugins['agent-task-boards'].api.connect(${what});`);
    for (const what of ['undefined', "'garden'", '{ manifest: it.manifest, register() {} }']) {
      expect(await connect(what), what).toMatch(/^bad_call: Pass your plugin/);
    }
    const made =
      "new it.constructor(it.app, { ...it.manifest, id: 'agent-task-boards', name: 'Ours' })";
    expect(await connect(made)).toMatch(/^bad_call: Another plugin is loaded/);
    expect(
      await call(page, `return it.app.plugins.plugins['agent-task-boards'].api.version;`),
    ).toBe(1);
    const again = 'it.app.plugins.plugins["agent-task-boards"].api.connect(it) === boards';
    expect(await call(page, `return ${again};`)).toBe(true);
  });

  it('[API7] of hooks and events are refused in words', async () => {
    const page = await open();
    await caller(page);
    for (const bad of [
      "boards.hooks.on('pre-everything', () => undefined)",
      "boards.hooks.on('__proto__', () => undefined)",
      "boards.hooks.on('pre-prompt', 'go')",
      "boards.hooks.on('pre-prompt', () => undefined, { within: Infinity })",
      "boards.hooks.on('pre-prompt', () => undefined, { within: 0 })",
      "boards.hooks.on('pre-prompt', () => undefined, { priority: NaN })",
      "boards.on('everything', () => undefined)",
      "boards.on('toString', () => undefined)",
      "boards.on('board-changed', null)",
    ]) {
      expect(await call(page, `return ${bad};`), bad).toMatch(/^bad_call/);
    }
  });
});

describe('the end of a plugin', () => {
  it('[API6] while the question is open closes it; nothing is written or kept, also by a late yes', async () => {
    const page = await open();
    await caller(page);
    const said = call(page, ADD);
    await dialog(page).waitFor();
    await page.evaluate(() => window.workbench.disable('garden'));
    expect(await said).toMatch(/^closed: .*Nothing was done/);
    expect(await dialog(page).count()).toBe(0);
    expect(await text()).toBe(OFFLINE);
    const kept = () =>
      page.evaluate(() => window.app.loadLocalStorage('agent-task-boards-plugins'));
    expect(await kept()).toBeNull();
  });

  it('[API6] ours closes the question too, and every call over the old connection says so', async () => {
    const page = await open();
    await caller(page);
    const said = call(page, ADD);
    await dialog(page).waitFor();
    await page.evaluate(() => window.workbench.reload());
    expect(await said).toMatch(/^closed/);
    expect(await dialog(page).count()).toBe(0);
    await page.evaluate(() =>
      window.app.saveLocalStorage('agent-task-boards-plugins', [
        { id: 'garden', name: 'Garden', may: true },
      ]),
    );
    for (const body of [
      ADD,
      'return boards.boards.list();',
      'return boards.boards.read(path);',
      'return boards.sessions.list();',
      "return boards.sessions.transcript('ses_1');",
      "return boards.hooks.on('pre-prompt', () => undefined);",
      "return boards.on('board-changed', () => undefined);",
    ]) {
      expect(await call(page, body), body).toMatch(/^closed: .*withTaskBoards/);
    }
    expect(await text()).toBe(OFFLINE);
    await call(page, 'await it.connect();');
    expect(await call(page, ADD)).toEqual(['k3f9-14']);
  });

  it('[API6] [API8] takes its listeners; one that fails hurts nobody and is noted by name', async () => {
    const page = await open();
    await caller(page);
    await caller(page, 'weeds', 'Weeds');
    await page.evaluate(() => {
      window.heard = [];
    });
    await call(page, "boards.on('board-changed', () => { throw new Error('a bug'); });");
    await call(page, "boards.on('board-changed', () => Promise.reject(new Error('another')));");
    await call(
      page,
      "boards.on('board-changed', (facts) => void window.heard.push(facts));",
      'weeds',
    );
    const heard = () => page.evaluate(() => window.heard.length);
    // What the first read of the boards finds is no change; a drawn board means that it is over.
    await page.waitForFunction(() => window.workbench.runCommand('agent-task-boards:open-board'));
    await page.locator('[data-card]').first().waitFor();
    await page.waitForFunction(() =>
      window.workbench.runCommand('agent-task-boards:open-problems'),
    );
    await rig.put(BOARD_PATH, OFFLINE.replace('- [ ] Ask for a look', '- [x] Ask for a look'));
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:check-again'));
    await expect.poll(heard).toBe(1);
    expect(await page.evaluate(() => window.heard[0])).toEqual({
      ...{ path: BOARD_PATH, session: 'ses_1', agent: 'build', by: 'disk', removed: false },
      tasks: ['k3f9-13'],
    });
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
    const fault = page.locator('.atb-problem:visible', { hasText: 'another plugin failed' });
    await expect.poll(() => fault.count()).toBe(2);
    await page.evaluate(() => window.workbench.disable('weeds'));
    await rig.put(BOARD_PATH, OFFLINE);
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:check-again'));
    await expect.poll(() => fault.getByText('2 times').count()).toBe(2);
    expect(await heard()).toBe(1);
  });
});

it('[API9] boards and sessions are read as copies, without what the model thought', async () => {
  const page = await open();
  await caller(page);
  expect(await call(page, 'return boards.boards.list();')).toEqual([
    {
      ...{ path: BOARD_PATH, file: BOARD_PATH, session: 'ses_1', agent: 'build' },
      ...{ title: 'Offline search for the vault', rev: 1, total: 13, completed: 3 },
    },
  ]);
  const task = 'return (await boards.boards.read(path)).tasks.find(({ id }) => id === "k3f9-6");';
  expect(await call(page, task)).toMatchObject({
    ...{ title: 'Score by field and recency', status: 'pending', ready: false },
    ...{ owner: null, dependsOn: ['k3f9-3'], blockedBy: ['k3f9-3'] },
  });
  expect(await call(page, "return boards.sessions.transcript('nobody');")).toMatch(
    /^unknown_session/,
  );
});

it('[API8] [API9] events and transcripts tell of sessions, without thinking and outputs', async () => {
  const page = await open();
  process.env['AGENT_TASK_BOARDS_ORIGIN'] = new URL(rig.workbench.url).origin;
  const bridge = await loadBridge(rig.vault, ['ses_1']);
  const tell = (type: string, properties: object) =>
    bridge.hooks.event({ event: { type, properties: { sessionID: 'ses_1', ...properties } } });
  await caller(page);
  await page.locator('.status-bar', { hasText: 'OpenCode connected' }).waitFor();
  await page.evaluate(() => {
    window.heard = [];
  });
  for (const event of ['session-created', 'session-ended', 'turn-ended']) {
    await call(
      page,
      `boards.on('${event}', (facts) => void window.heard.push(['${event}', facts]));`,
    );
  }
  const model = { providerID: 'p', modelID: 'm' };
  const user = { id: 'msg_0', role: 'user', agent: 'build', time: { created: 1 }, model };
  await tell('message.updated', { info: user });
  const asked = { id: 'prt_0', messageID: 'msg_0', type: 'text', text: 'Sow' };
  await tell('message.part.updated', { part: asked });
  await tell('session.status', { status: { type: 'busy' } });
  const message = { id: 'msg_1', role: 'assistant', parentID: 'msg_0', ...model };
  await tell('message.updated', { info: { ...message, time: { created: 2 } } });
  const part = (id: string, type: string, words: string) => ({
    part: { id, messageID: 'msg_1', type, text: words, time: { start: 2, end: 3 } },
  });
  await tell('message.part.updated', part('prt_1', 'reasoning', 'A secret thought'));
  await tell('message.part.updated', part('prt_2', 'text', 'y'.repeat(3_000)));
  await tell('message.updated', {
    info: { ...message, finish: 'stop', time: { created: 2, completed: 4 } },
  });
  await tell('session.status', { status: { type: 'idle' } });
  const heard = () => page.evaluate(() => window.heard);
  await expect.poll(heard).toEqual([['turn-ended', { sessionId: 'ses_1', reason: 'completed' }]]);
  expect(
    await call(page, "return boards.sessions.list().find(({ id }) => id === 'ses_1');"),
  ).toMatchObject({
    ...{ title: 'ses_1', parentId: null, state: 'idle' },
  });
  const entries = await call(page, "return boards.sessions.transcript('ses_1');");
  expect(entries).toEqual([
    { kind: 'prompt', at: expect.any(Number) as number, text: 'Sow' },
    { kind: 'answer', at: expect.any(Number) as number, text: `${'y'.repeat(1_999)}…` },
  ]);
  const second = { info: { id: 'ses_2', title: 'Second' }, sessionID: 'ses_2' };
  bridge.opencode.addSession('ses_2', 'Second');
  await tell('session.created', second);
  await tell('session.deleted', { info: { id: 'ses_1', title: 'ses_1' } });
  await expect
    .poll(async () => (await heard()).slice(1))
    .toEqual([
      ['session-created', { sessionId: 'ses_2', title: 'Second' }],
      ['session-ended', { sessionId: 'ses_1', reason: 'deleted' }],
    ]);
  delete process.env['AGENT_TASK_BOARDS_ORIGIN'];
  await bridge.hooks.dispose();
});

it.each(AXE_VARIANTS)(
  '[API10] axe finds nothing in dialog and settings, %s',
  async (look, query, size) => {
    const found = new Findings();
    const page = await open(query, size);
    const { SHOTS } = process.env;
    const shot = async (name: string) => {
      if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}-${look}.png` });
    };
    const section = page.locator('.atb-consents');
    await openSettings(page);
    await section.scrollIntoViewIfNeeded();
    await found.check(page, 'nobody', '.atb-consents');
    await shot('consents-none');
    await page.keyboard.press('Escape');
    await caller(page);
    await caller(page, 'weeds', 'Weeds');
    const said = call(page, ADD);
    await dialog(page)
      .getByRole('button', { name: 'Allow', exact: true, disabled: false })
      .waitFor();
    await found.check(page, 'dialog', '.modal');
    await shot('consent');
    await answer(page, 'Allow');
    await said;
    await call(page, "boards.hooks.on('pre-tool-use', () => undefined, { priority: 7 });");
    await notice(page, 'wants to take part').getByRole('button').click();
    await hookDialog(page)
      .getByRole('button', { name: 'Allow', exact: true, disabled: false })
      .waitFor();
    await found.check(page, 'hooks', '.modal');
    await shot('consent-hooks');
    await hookDialog(page).getByRole('button', { name: 'Allow', exact: true }).click();
    const other = call(page, ADD, 'weeds');
    await dialog(page).waitFor();
    await answer(page, 'Don’t allow');
    await other;
    await openSettings(page);
    // On a phone its notice would cover the tabs.
    await call(page, "boards.hooks.on('on-stop', () => undefined);", 'weeds');
    await section.scrollIntoViewIfNeeded();
    await found.check(page, 'plugins', '.atb-consents');
    await shot('consents');
    found.expectNone();
  },
);
