import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EditGuard, protectedFiles, protectedInVault } from '../../src/bridge/opencode/edit-guard';

let base = '';
let vault = '';
beforeEach(async () => {
  base = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-guard-')));
  vault = join(base, 'vault');
  await fs.mkdir(join(vault, '.opencode/plugin'), { recursive: true });
  await fs.mkdir(join(vault, 'Notes'));
  await fs.mkdir(join(vault, '.settings'));
  await fs.writeFile(join(vault, '.settings/app.json'), '{}');
});
afterEach(() => fs.rm(base, { recursive: true, force: true }));

function guardOf(directory = vault): EditGuard {
  const protectedFiles = (): Promise<readonly string[]> =>
    Promise.resolve(protectedInVault(vault, 'Boards'));
  return new EditGuard({ vault, directory, worktree: '/', protectedFiles });
}

async function check(
  tool: string,
  args: unknown,
  directory = vault,
  guard = guardOf(directory),
): Promise<string> {
  return guard.check(tool, args).then(
    () => 'let through',
    (error: unknown) => (error as Error).message,
  );
}

const patch = (...lines: string[]) => ({
  patchText: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});
const REFUSED = /^Nothing was done: .* is or leads to a protected file/;

test('[BRIDGE35] a patch does not move a file onto a protected one, which OpenCode would not ask about', async () => {
  for (const to of [
    '.opencode/agent-task-boards.json',
    'Notes/../.opencode/plugin/x.js',
    join(vault, 'Boards/s/build-tasks.md'),
    '.settings/app.json',
  ]) {
    const moved = patch('*** Update File: Notes/a.md', `*** Move to: ${to}`, '@@', '-a', '+b');
    expect([to, await check('apply_patch', moved)]).toEqual([to, expect.stringMatching(REFUSED)]);
  }
  const inside = patch('*** Update File: Notes/a.md', '*** Move to: Notes/b.md', '@@');
  expect(await check('apply_patch', inside)).toBe('let through');
});

test('[BRIDGE35] every configuration folder of Obsidian is protected, whatever its name', async () => {
  for (const [folder, file] of [
    ['.phone', 'core-plugins.json'],
    ['.desk', 'appearance.json'],
  ] as const) {
    await fs.mkdir(join(vault, folder));
    await fs.writeFile(join(vault, folder, file), '{}');
    expect(protectedInVault(vault, 'Boards')).toContain(`${folder}/*`);
  }
});

test('[BRIDGE35] a name in another case or form, on disks that tell none apart', async () => {
  for (const filePath of [
    '.OpenCode/agent-task-boards.json',
    '.opencode/Plugin/x.js',
    'boards/s/a.md',
    '.open\u200bcode/plugin/x.js',
  ]) {
    for (const tool of ['edit', 'write', 'multiedit']) {
      expect([filePath, await check(tool, { filePath })]).toEqual([
        filePath,
        expect.stringMatching(REFUSED),
      ]);
    }
  }
  expect(await check('patch', patch('*** Add File: .OPENCODE/plugin/x.js'))).toMatch(REFUSED);
});

test('[BRIDGE35] a link that leads to a protected file, and one that leads out of it', async () => {
  await fs.symlink('../.opencode', join(vault, 'Notes/link'));
  await fs.symlink(vault, join(base, 'beside'));
  expect(await check('write', { filePath: 'Notes/link/agent-task-boards.json' })).toMatch(REFUSED);
  expect(await check('write', { filePath: 'Notes/link/plugin/new.js' })).toMatch(REFUSED);
  const beside = join(base, 'beside/.opencode/plugin/x.js');
  expect(await check('write', { filePath: beside })).toMatch(REFUSED);
  expect(await check('write', { filePath: 'link/plugin/x.js' }, join(vault, 'Notes'))).toMatch(
    REFUSED,
  );
});

test('[BRIDGE35] what OpenCode asks about by itself, and what is not protected, is let through', async () => {
  const asked = [
    ['write', { filePath: '.opencode/agent-task-boards.json' }],
    ['edit', { filePath: join(vault, '.obsidian/app.json') }],
    ['apply_patch', patch('*** Delete File: .opencode/plugin/x.js')],
    ['write', { filePath: 'Notes/a.md' }],
    ['write', { filePath: '/elsewhere/.opencode/plugin/x.js' }],
    ['read', { filePath: '.OpenCode/plugin/x.js' }],
    ['bash', { command: 'ls' }],
    ['write', { filePath: 7 }],
    ['write', null],
    ['apply_patch', { patchText: '*** Move to:' }],
  ] as const;
  for (const [tool, args] of asked)
    expect([args, await check(tool, args)]).toEqual([args, 'let through']);
});

test('[BRIDGE35] once the person let all edits pass for good, OpenCode asks no more: protected files are not meant', async () => {
  const guard = guardOf();
  const settings = { filePath: '.opencode/agent-task-boards.json' };
  const asked = (id: string, permission: string, always: readonly string[]): void =>
    guard.handleEvent({
      type: 'permission.asked',
      properties: {
        id,
        sessionID: 's',
        permission,
        patterns: [],
        always: [...always],
        metadata: {},
      },
    });
  const replied = (requestID: string, reply: 'once' | 'always'): void =>
    guard.handleEvent({
      type: 'permission.replied',
      properties: { sessionID: 's', requestID, reply },
    });
  asked('1', 'edit', ['*']);
  replied('1', 'once');
  asked('2', 'bash', ['*']);
  replied('2', 'always');
  replied('3', 'always');
  asked('4', 'edit', ['elsewhere/*']);
  replied('4', 'always');
  expect(await check('write', settings, vault, guard)).toBe('let through');
  asked('5', 'edit', ['*']);
  expect(await check('write', settings, vault, guard)).toBe('let through');
  replied('5', 'always');
  expect(await check('write', settings, vault, guard)).toMatch(/^Nothing was done: .* protected/);
  expect(await check('write', { filePath: 'Notes/a.md' }, vault, guard)).toBe('let through');
});

test('[BRIDGE31] Obsidian’s settings are known by what is in them, whatever their folder', () => {
  expect(protectedFiles(vault, vault, 'Boards')).toContain('.settings/*');
  expect(protectedFiles(vault, vault, 'Boards')).toContain('.obsidian/*');
});
