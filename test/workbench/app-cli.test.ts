import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { EmbedRig } from './embed-rig';

let on: EmbedRig;

beforeEach(async () => {
  on = await EmbedRig.open('# Nothing\n', {
    [BOARD_PATH]: OFFLINE,
    '.opencode/todos/ses_2/plan-tasks.md': OFFLINE.replace('ses_1', 'ses_2')
      .replace('agent: build', 'agent: plan')
      .replaceAll('k3f9', 'p2p2'),
  });
  await expect.poll(() => cli('')).toContain('session=ses_1');
});

afterEach(() => on.close());

const cli = (verb: string, params: Readonly<Record<string, string>> = {}) =>
  on.page.evaluate(([command, given]) => window.workbench.runCli(command, given), [
    `agent-task-boards${verb === '' ? '' : `:${verb}`}`,
    { ...params },
  ] as const);

describe('the app’s command line', () => {
  it('[APPCLI1] lists plans, shows one and its ready tasks, for people and programs', async () => {
    expect(await cli('')).toBe(
      [
        'session=ses_1 agent=build  3 / 12  Offline search for the vault',
        'session=ses_2 agent=plan  3 / 12  Offline search for the vault',
      ].join('\n'),
    );
    expect(JSON.parse(await cli('', { json: 'true' }))).toMatchObject([
      { session: 'ses_1', agent: 'build', done: 3, total: 12 },
      { session: 'ses_2', agent: 'plan' },
    ]);
    expect(await cli('board')).toMatch(/^Several plans match\..*\nsession=ses_1 agent=build/);
    expect(await cli('board', { agent: 'me' })).toBe('No plan matches.');
    const hostile = OFFLINE.replace('title: Offline', 'title: "\\e[2J\\u202EOffline').replace(
      'vault\nprefix',
      'vault"\nprefix',
    );
    await on.rig.put(BOARD_PATH, hostile);
    await expect.poll(() => cli('')).toContain('3 / 12  \\u001b[2J\\u202eOffline');
    await on.rig.put(BOARD_PATH, OFFLINE);
    await expect.poll(() => cli('')).not.toContain('u001b');
    expect(await cli('board', { session: 'ses_1' })).toContain('Choose a sample vault');
    expect(await cli('ready', { session: 'ses_1' })).toBe(
      '#9 Choose a sample vault\n#13 Ask for a look',
    );
    expect(JSON.parse(await cli('ready', { agent: 'plan', json: 'true' }))).toMatchObject([
      { id: 'p2p2-9', ready: true },
      { id: 'p2p2-13' },
    ]);
  });

  it('[APPCLI2] adds and completes as the person; what is refused changes nothing', async () => {
    expect(await cli('complete', { id: 'k3f9-99' })).toBe('No task has the id k3f9-99.');
    expect(await cli('complete', { id: 'k3f9-6' })).toContain('Nothing was changed.');
    expect(await cli('complete', { id: 'k3f9-1' })).toBe('Choose the tokeniser is already done.');
    expect(await cli('add', { title: 'No session' })).toMatch(/^Several plans match/);
    expect(await cli('add', { session: 'ses_1', title: 'x'.repeat(900) })).toContain('at most 500');
    expect(await cli('add', { session: 'ses_1' })).toBe('Missing required flag: title');
    expect(await on.text()).toBe(OFFLINE);
    expect(await cli('complete', { id: 'k3f9-9' })).toBe('Choose a sample vault is done.');
    expect(await on.text()).toContain('- [x] Choose a sample vault');
    expect(await cli('add', { session: 'ses_1', title: 'Ask readers 📅 2026-11-28' })).toBe(
      'Added to Offline search for the vault.',
    );
    expect(await on.text()).toContain('- [ ] Ask readers 🆔 k3f9-14 📅 2026-11-28');
    await on.run('undo');
    await expect.poll(() => on.text()).not.toContain('Ask readers');
    expect(await cli('complete', { id: 'k3f9-6', force: 'true' })).toContain('is done.');
  });
});
