import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PermissionScene } from './permission-scene';

const SETTINGS = '.opencode/agent-task-boards.json';
const PLAN = 'Projects/Plan.md';
const APP = '.obsidian/app.json';
const files = { [PLAN]: '# Plan\n\n- one\n', [APP]: '{}' };
const append = (content: string, path = PLAN) => ({
  ...{ path, mode: 'append', content, dryRun: false },
});

let on: PermissionScene;
beforeAll(async () => {
  on = await PermissionScene.open({ files, links: 'follow' });
});
afterAll(() => on.close());
beforeEach(() => on.write(PLAN, files[PLAN]));

// All tests share one app, in which rules accumulate: the order matters.

describe('an agent that writes notes', () => {
  test('[PLUGIN43] is asked about in the dialog; allowed once, the note has exactly what was shown, and the audit says so', async () => {
    const session = await on.session('Plan');
    const told = await on.call(session, 'obsidian_update_note', append('- two'), async () => {
      expect(await on.dialogText()).toContain('- two');
      expect(await on.text(PLAN)).toBe(files[PLAN]);
      await on.press('once');
    });
    expect(told).toContain('Plan.md');
    expect(await on.text(PLAN)).toBe('# Plan\n\n- one\n- two\n');
    const [call] = await on.auditedCalls(session);
    expect(call?.intent).toMatchObject({
      ...{ tool: 'obsidian.update_note', operation: 'update', path: PLAN, sessionId: session },
      ...{ verdict: 'ask', dryRun: false },
    });
    expect(call?.outcome).toMatchObject({ result: 'done', reply: 'once' });
    expect(on.app.faults.all).toEqual([]);
  });

  test('[PLUGIN43] hears why, where the person says no', async () => {
    const session = await on.session('Plan');
    const told = await on.call(session, 'obsidian_update_note', append('- two'), async () => {
      await on.press('reject');
      await on.dialog.locator('textarea').fill('Put it into Ideas.md.');
      await on.press('reject', 'deny');
    });
    expect(told).toContain('Put it into Ideas.md.');
    expect(await on.text(PLAN)).toBe(files[PLAN]);
    const [call] = await on.auditedCalls(session);
    expect(call?.outcome).toMatchObject({ result: 'denied', reply: 'reject' });
  });

  test('[PLUGIN43] is allowed from then on by the rule that the person saw: it stands in the settings, and the next call asks nobody', async () => {
    const session = await on.session('Plan');
    await on.call(session, 'obsidian_update_note', append('- two'), async () => {
      await on.press('always');
      await on.press('always', 'always');
    });
    const settings = JSON.parse(await on.text(SETTINGS)) as { permissions: { rules: unknown[] } };
    expect(settings.permissions.rules).toEqual([
      { permission: 'update', pattern: PLAN, action: 'allow', agent: 'build', session },
    ]);
    await on.call(session, 'obsidian_update_note', append('- three'));
    expect(await on.text(PLAN)).toBe('# Plan\n\n- one\n- two\n- three\n');
    const calls = await on.auditedCalls(session);
    expect(calls.map(({ intent, outcome }) => [intent.verdict, outcome?.reply])).toEqual([
      ['ask', 'always'],
      ['allow', undefined],
    ]);
    expect(await on.notices()).not.toContainEqual(expect.stringContaining('changed outside'));
  });

  test('[PLUGIN45] gains nothing by rules that were written into the settings from outside, until the person confirms them', async () => {
    const session = await on.session('Plan');
    const rules = [{ permission: 'write', pattern: '**', action: 'allow' }];
    await on.write(SETTINGS, JSON.stringify({ permissions: { rules } }));
    const told = await on.call(session, 'obsidian_update_note', append('- two'), async () => {
      await on.waitForNotice('changed outside');
      await on.press('reject');
      await on.press('reject', 'deny');
    });
    expect(told).toContain('denied');
    expect(await on.text(PLAN)).toBe(files[PLAN]);
    await on.write(
      SETTINGS,
      JSON.stringify({ permissions: { rules: [...rules, { ...rules[0], action: 'deny' }] } }),
    );
    expect(await on.call(session, 'obsidian_update_note', append('- two'))).toContain(
      'Not allowed',
    );
    expect(await on.text(PLAN)).toBe(files[PLAN]);
  });

  test('[PLUGIN45] gains by them what they say, once the person has confirmed them', async () => {
    const session = await on.session('Plan');
    const rules = [{ permission: '*', pattern: '**', action: 'allow' }];
    await on.write(SETTINGS, JSON.stringify({ permissions: { rules } }));
    await on.confirmRules('Added: * **, allow');
    await on.call(session, 'obsidian_update_note', append('- two'));
    expect(await on.text(PLAN)).toBe('# Plan\n\n- one\n- two\n');
  });

  test('[PLUGIN44] never reaches what is protected, nor what a link out of the vault leads to, though all is allowed; each call stands in the audit', async () => {
    const outside = await on.linkOut('Shared');
    const session = await on.session('Plan');
    const paths = [APP, 'Shared/secret.md', 'Shared/new.md'];
    const told: string[] = [];
    for (const path of paths) {
      told.push(await on.call(session, 'obsidian_update_note', append('x', path)));
      told.push(await on.call(session, 'obsidian_read_note', { path }));
    }
    expect(told.filter((text) => text.includes('CANARY'))).toEqual([]);
    expect(told[0]).toContain('Never allowed');
    expect(told[2]).toContain('leads out of the vault');
    expect(await on.text(APP)).toBe('{}');
    expect(await outside.text()).toEqual({ 'secret.md': 'CANARY' });
    const calls = await on.auditedCalls(session);
    expect(calls.map(({ intent }) => intent.path)).toEqual(paths.flatMap((path) => [path, path]));
    expect(new Set(calls.map(({ outcome }) => outcome?.result))).toEqual(new Set(['denied']));
  });
});
