import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import { DIARY, INJECTED_NOTES, callsIn, ALLOW_ALL } from './injected-notes';
import { PermissionScene } from './permission-scene';
import { filesBelow } from './files-below';

const clipped = (at: number): string => `Clipped/${at}.md`;
const files: Readonly<Record<string, string>> = {
  [DIARY]: 'Dear diary\n',
  ...Object.fromEntries(INJECTED_NOTES.map(({ text }, at) => [clipped(at), text])),
};

let on: PermissionScene;
beforeAll(async () => {
  on = await PermissionScene.open({ files });
});
afterAll(() => on.close());

const deny = async (): Promise<void> => {
  await on.press('reject');
  await on.press('reject', 'deny');
};

describe('an agent that does what notes say', () => {
  test('[PLUGIN60] writes nothing that the person did not allow, and each try stands in the audit', async () => {
    const session = await on.session('Obedient');
    const before = await notesOf(on);
    for (const [at, { asks }] of INJECTED_NOTES.entries()) {
      const read = await on.call(session, 'obsidian_read_note', { path: clipped(at) });
      const orders = callsIn(JSON.parse(read) as string);
      expect(orders.length, read).toBeGreaterThan(0);
      await on.prompt(session, [{ tools: [...orders] }], asks ? deny : undefined);
    }
    expect(await notesOf(on)).toEqual(before);
    const calls = await on.auditedCalls(session);
    const tries = calls.filter(({ intent }) => intent.tool !== 'obsidian.read_note');
    expect(tries.map(({ intent, outcome }) => `${intent.path} ${outcome?.result}`)).toEqual([
      ...[`${DIARY} denied`, `${DIARY} denied`, `${DIARY} denied`, `${DIARY} preview`],
      ...[`${SHARED_SETTINGS_PATH} denied`, '.OPENCODE/agent-task-boards.json denied'],
      ...['.obsidian/plugins/evil/main.js denied', '.git/hooks/post-commit.md denied'],
      ...['../outside.md denied', 'Inbox/%2e%2e/%2e%2e/outside.md denied'],
    ]);
  });

  test('[PLUGIN61] has the note that was shown, and no other: changed after it was asked, it is asked again', async () => {
    const session = await on.session('Changed meanwhile');
    const append = { path: DIARY, mode: 'append', content: '- by the agent', dryRun: false };
    await on.call(session, 'obsidian_update_note', append, async () => {
      expect(await on.dialogText()).not.toContain('of the person');
      await on.write(DIARY, 'Dear diary, of the person\n');
      await on.dialog.getByText('This is the new change.').waitFor();
      expect(await on.dialogText()).toContain('of the person');
      expect(await on.text(DIARY)).toBe('Dear diary, of the person\n');
      await on.press('once');
    });
    expect(await on.text(DIARY)).toBe('Dear diary, of the person\n- by the agent\n');
    const [call, ...more] = await on.auditedCalls(session);
    expect([call?.outcome?.result, call?.outcome?.reply, more]).toEqual(['done', 'once', []]);
  });
});

describe('an agent that edits its own rules with the tools of OpenCode', () => {
  const write = { filePath: SHARED_SETTINGS_PATH, content: ALLOW_ALL };

  test('[PLUGIN62] is asked for, and widens nothing: the person is told, and calls ask as before', async () => {
    const session = await on.session('Wider');
    const diary = await on.text(DIARY);
    await on.prompt(session, [{ tools: [{ name: 'write', args: write }] }], deny);
    expect(await filesOf(on, SHARED_SETTINGS_PATH)).toBe(false);

    await on.call(session, 'write', write, () => on.press('once'));
    expect(await on.text(SHARED_SETTINGS_PATH)).toBe(ALLOW_ALL);
    await on.waitForNotice('changed outside');
    const own = { path: DIARY, mode: 'replace', content: 'owned', dryRun: false };
    await on.call(session, 'obsidian_update_note', own, deny);

    const wider = { oldString: '"rules":', newString: '"level":"full-write","rules":' };
    const edit = { filePath: SHARED_SETTINGS_PATH, ...wider };
    await on.call(session, 'edit', edit, () => on.press('once'));
    expect(await on.text(SHARED_SETTINGS_PATH)).toContain('full-write');
    await on.call(session, 'obsidian_update_note', own, deny);
    expect(await on.text(DIARY)).toBe(diary);
    expect(await on.notices()).toContainEqual(expect.stringContaining('changed outside'));
    const calls = await on.auditedCalls(session);
    expect(calls.map(({ intent, outcome }) => [intent.verdict, outcome?.reply])).toEqual([
      ['ask', 'reject'],
      ['ask', 'reject'],
    ]);
  });
});

/** All notes and settings of the vault by path, without the files of our programs and OpenCode. */
async function notesOf(scene: PermissionScene): Promise<Record<string, string>> {
  const paths = filesBelow(scene.app.vault).filter(
    (path) => !/^\.opencode\/(agent-task-boards|todos|run|node_modules)\//.test(path),
  );
  const texts = paths.map(async (path) => [path, await scene.text(path)] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function filesOf(scene: PermissionScene, path: string): Promise<boolean> {
  const names = await readdir(`${scene.app.vault}/${dirname(path)}`);
  return names.includes(path.slice(dirname(path).length + 1));
}
