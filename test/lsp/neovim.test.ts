import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installedProgram } from '../installed-program';
import { SAMPLE } from './sample';

const run = promisify(execFile);

let folder = '';
let neovim = '';

beforeAll(async () => {
  neovim = await installedProgram('nvim', 'neovim');
  folder = await realpath(await mkdtemp(join(tmpdir(), 'atb-nvim-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('[LSP15] the real Neovim edits a board: it is told, asks, completes, and makes our edits', async () => {
  const place = join(folder, '.opencode/todos/s1');
  const board = join(place, 'build-tasks.md');
  const result = join(folder, 'result.json');
  await mkdir(place, { recursive: true });
  await writeFile(board, `${SAMPLE}- [ ] Twice 🆔 k3f9-6 ^k3f9-6\n`);
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder },
    ...{ BOARD: board, RESULT: result, NODE: process.execPath },
    PROGRAM: join(import.meta.dirname, '../../dist/cli.js'),
  };
  const script = join(import.meta.dirname, 'neovim.lua');
  const { stderr } = await run(neovim, ['--clean', '--headless', '-c', `luafile ${script}`], {
    env,
  });
  const found = JSON.parse(await readFile(result, 'utf8')) as Record<string, unknown>;
  expect(found['fault'], stderr).toBeUndefined();
  expect(found).toMatchObject({
    diagnostic: 'Two tasks are #6. Give the second, "Twice", a new number.',
    hover: expect.stringMatching(/^#3 Segment 🎌 text: pending\nCan be started\./) as string,
    ...{
      definition: 19,
      references: 4,
      folds: 5,
      completion: expect.arrayContaining(['k3f9-2']) as string[],
    },
    symbols: expect.arrayContaining(['[Namespace] Release', '[Event] Publish']) as string[],
    completed: expect.stringMatching(/^- \[x\] Publish .* ✅ \d{4}-\d\d-\d\d \^k3f9-6$/) as string,
    renamed: '\t- [ ] Segment CJK 🎌 text 🆔 k3f9-3 ^k3f9-3',
    numbered: '- [ ] Twice 🆔 k3f9-8 ^k3f9-8',
  });
  // Neovim wrote three changes of a person and nothing else.
  const written = await readFile(board, 'utf8');
  expect(written).toContain('rev: 7\n');
  expect(written.split('\n')).toHaveLength(SAMPLE.split('\n').length + 1);
});
