import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput, runProgram } from './cli-run';

const cli = inProcessCli();
const AS = ['--session', 'ses_example1', '--agent', 'build'];
const ROOT = '.opencode/todos';
const NAMED = `${ROOT}/The guide (ample1)/The guide - build-tasks.md`;
const PLAIN = `${ROOT}/ses_example1/build-tasks.md`;

async function run(...args: string[]): Promise<string> {
  const done = await cli.run(args);
  expect(done).toMatchObject({ code: 0 });
  return done.out;
}

test('[CLI45] names the notes of all boards by title and back; a dry run only tells', async () => {
  await run('init', 'The guide', ...AS);
  await run('add', 'Collect', ...AS);
  expect(await run('name-by-title', '--dry-run')).toBe(`${PLAIN} → ${NAMED}\n`);
  expect(await readdir(join(cli.vault, ROOT))).toEqual(['ses_example1']);
  expect(await run('name-by-title')).toBe(`${PLAIN} → ${NAMED}\n1 file was renamed.\n`);
  expect(await readdir(join(cli.vault, ROOT))).toEqual(['The guide (ample1)']);
  await run('complete', '1', ...AS);
  expect(await readFile(join(cli.vault, NAMED), 'utf8')).toContain('- [x] Collect');
  const { boards } = parseOutput({ out: await run('list', '--json', ...AS) }) as {
    boards: readonly object[];
  };
  expect(boards).toMatchObject([{ path: PLAIN, file: NAMED }]);
  expect(parseOutput({ out: await run('name-by-title', '--back', '--json') })).toEqual({
    ...{ ok: true, dryRun: false, kept: [] },
    renames: [{ from: NAMED, to: PLAIN }],
  });
  expect(await run('name-by-title', '--back')).toBe('All files have these names already.\n');
});

test('[PATH12] the shared setting names new boards, and git still merges them by task', async () => {
  await writeFile(
    join(cli.vault, '.opencode/agent-task-boards.json'),
    JSON.stringify({ nameByTitle: true }),
  );
  await promisify(execFile)('git', ['init', '-q'], { cwd: cli.vault });
  await run('init', 'The guide', ...AS);
  expect(await runProgram(cli.vault, ['connect', 'git'])).toMatchObject({ code: 0 });
  const archive = NAMED.replace('.md', '.archive.md');
  const { stdout } = await promisify(execFile)(
    'git',
    ['check-attr', '-z', 'merge', NAMED, archive],
    { cwd: cli.vault },
  );
  expect(stdout.split('\0').slice(0, -1)).toEqual([
    ...[NAMED, 'merge', 'agent-boards'],
    ...[archive, 'merge', 'agent-boards'],
  ]);
});

test('[PATH15] doctor tells of a renaming that was broken off, and the next naming finishes it', async () => {
  await run('init', 'The guide', ...AS);
  const journal = join(cli.vault, '.opencode/agent-task-boards/naming.json');
  const outside = { from: 'note.md', to: `${ROOT}/ses_example1/note.md` };
  await writeFile(join(cli.vault, 'note.md'), 'mine');
  await writeFile(journal, JSON.stringify({ renames: [outside, { from: PLAIN, to: NAMED }] }));
  expect((await cli.run(['doctor'])).out).toContain('A renaming of board files was interrupted');
  expect(await run('name-by-title')).toBe('All files have these names already.\n');
  expect(await readFile(join(cli.vault, NAMED), 'utf8')).toContain('# The guide');
  expect(await readFile(join(cli.vault, 'note.md'), 'utf8')).toBe('mine');
  expect((await cli.run(['doctor'])).out).toBe('All is well.\n');
});
