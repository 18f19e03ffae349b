import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput, runProgram } from './cli-run';

const cli = inProcessCli();
const NOTE = '.opencode/todos/s1/build-tasks.md';
const AS = ['--session', 's1', '--agent', 'build'];
/** Only the repository's own git configuration is used. */
const ENV = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

async function git(...args: readonly string[]): Promise<{ code: unknown; out: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)('git', args, { cwd: cli.vault, env: ENV });
    return { code: 0, out: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Record<'code' | 'stdout' | 'stderr', string>;
    return { code, out: stdout + stderr };
  }
}

const note = () => readFile(join(cli.vault, NOTE), 'utf8');
const attributes = () => readFile(join(cli.vault, '.gitattributes'), 'utf8');

async function run(...args: string[]): Promise<void> {
  expect(await cli.run([...args, ...AS])).toMatchObject({ code: 0 });
}

async function commit(): Promise<void> {
  await git('add', '-A');
  expect(await git('commit', '-qm', 'step')).toMatchObject({ code: 0 });
}

/** Merges the changes of two branches to a board of two tasks. */
async function merged(
  ours: () => Promise<void>,
  theirs: () => Promise<void>,
): Promise<{ code: unknown; out: string }> {
  await run('add', 'Read');
  await run('add', 'Write');
  await commit();
  await git('checkout', '-qb', 'theirs');
  await theirs();
  await commit();
  await git('checkout', '-q', 'main');
  await ours();
  await commit();
  return git('merge', '-qm', 'merged', 'theirs');
}

beforeEach(async () => {
  await git('init', '-qb', 'main');
  await writeFile(join(cli.vault, '.gitignore'), '.opencode/agent-task-boards/\n');
});

describe('git after agent-boards connect git', () => {
  beforeEach(async () => {
    expect(await runProgram(cli.vault, ['connect', 'git'])).toMatchObject({ code: 0 });
  });

  test('[GIT8] merges boards by task, and says which lines and numbers it settled', async () => {
    const { code, out } = await merged(
      async () => {
        await run('complete', '1');
        await run('update', '2', '--title', 'Write the guide');
        await run('add', 'Sell');
      },
      async () => {
        await run('update', '2', '--title', 'Write the book');
        await run('add', 'Print', '--depends-on', '1');
      },
    );
    expect(code).toBe(0);
    expect(out).toContain(`${NOTE}:15: both sides changed "Write".`);
    expect(out).toMatch(/both sides added a task \w{4}-3\. That of theirs is \w{4}-4 now\./);
    const text = await note();
    const id = (n: number) => `${/^prefix: (\w+)$/m.exec(text)?.[1] ?? ''}-${n}`;
    const tail = (n: number) => `🆔 ${id(n)} ^${id(n)}`;
    expect(text.replace(/ ✅ \S+/, '')).toMatch(
      [
        `- [x] Read ${tail(1)}`,
        `- [ ] Write the guide ${tail(2)}`,
        '- [ ] Write the book [conflict:: theirs]',
        `- [ ] Sell ${tail(3)}`,
        `- [ ] Print 🆔 ${id(4)} ⛔ ${id(1)} ^${id(4)}\n`,
      ].join('\n'),
    );
    const doctor = await cli.run(['doctor', '--json']);
    expect(parseOutput(doctor)).toMatchObject({
      findings: [{ kind: 'two-versions', path: NOTE, line: 15 }],
    });
  });

  test('[CLI5] [GIT8] settings that cannot be read keep git from nothing', async () => {
    const broken = () =>
      writeFile(join(cli.vault, '.opencode/agent-task-boards.json'), Buffer.from([0xff]));
    const done = await merged(
      async () => {
        await run('complete', '1');
        await broken();
      },
      () => run('complete', '2'),
    );
    expect(done.code).toBe(0);
    expect(done.out).not.toContain('agent-task-boards.json:');
    expect((await note()).match(/^- \[x\]/gm)).toHaveLength(2);
  });

  test('[GIT12] a program that is gone leaves the merge to git, with its marks: neither side is lost', async () => {
    const { out } = await git('config', 'merge.agent-boards.driver');
    const retitled = async (title: string) =>
      writeFile(join(cli.vault, NOTE), (await note()).replace('] Read', `] ${title}`));
    const driver = out.trim().replaceAll('cli.js', 'gone.js');
    expect(await git('config', 'merge.agent-boards.driver', driver)).toMatchObject({ code: 0 });
    const { code } = await merged(
      () => retitled('Ours'),
      () => retitled('Theirs'),
    );
    expect(code).toBe(1);
    expect(await note()).toMatch(/<<<<<<<[^]*Ours[^]*=======[^]*Theirs[^]*>>>>>>>/);
  });

  test('[GIT6] a board that is none on one side is merged by git itself, and needs the person', async () => {
    const { code, out } = await merged(
      () => run('complete', '1'),
      async () => {
        await writeFile(join(cli.vault, NOTE), (await note()).replace('board: 1', 'board: ['));
      },
    );
    expect(code).toBe(1);
    expect(out).toContain(`${NOTE}: one of its versions can't be read as a board`);
    expect(await note()).toMatch(/board: \[[^]*\[x\] Read/);
  });

  test('[GIT8] merges archives as well, and the doctor names their lines', async () => {
    const archive = NOTE.replace('.md', '.archive.md');
    const rename = async (to: string) => {
      const text = await readFile(join(cli.vault, archive), 'utf8');
      await writeFile(join(cli.vault, archive), text.replace('] Old', `] ${to}`));
    };
    await run('add', 'Old');
    await run('complete', '1');
    await run('archive', '1');
    const { code, out } = await merged(
      async () => {
        await rename('Older');
        await run('complete', '2');
        await run('archive', '2');
      },
      async () => {
        await rename('Oldest');
        await run('complete', '3');
        await run('archive', '3');
      },
    );
    expect(code).toBe(0);
    expect(out).toContain(`${archive}:14: both sides changed "Old".`);
    const text = await readFile(join(cli.vault, archive), 'utf8');
    expect(text.match(/(?<=^- \[x\] )\w+/gm)).toEqual(['Older', 'Oldest', 'Read', 'Write']);
    expect(parseOutput(await cli.run(['doctor', '--json']))).toMatchObject({
      findings: [{ kind: 'two-versions', path: archive, line: 14 }],
    });
  });

  test('[GIT8] a board of any folder is merged, whatever its name', async () => {
    const root = '-a \'b" %O [c]*';
    const path = join(root, 's1/build-tasks.md');
    const board = (title: string) =>
      `---\nboard: 1\nsession: s1\nagent: build\ntitle: T\nprefix: k3f9\nnext: 3\nrev: 1\n---\n\n${title} 🆔 k3f9-1 ^k3f9-1\n- [ ] B 🆔 k3f9-2 ^k3f9-2\n`;
    const put = async (text: string) => {
      await writeFile(join(cli.vault, path), text);
      await commit();
    };
    await writeFile(join(cli.vault, '.opencode/agent-task-boards.json'), JSON.stringify({ root }));
    expect(await runProgram(cli.vault, ['connect', 'git'])).toMatchObject({ code: 0 });
    await mkdir(join(cli.vault, root, 's1'), { recursive: true });
    await put(board('- [ ] A'));
    await git('checkout', '-qb', 'theirs');
    await put(board('- [ ] A').replace('] B', '] C'));
    await git('checkout', '-q', 'main');
    await put(board('- [x] A'));
    expect(await git('merge', '-qm', 'merged', 'theirs')).toMatchObject({ code: 0 });
    expect(await readFile(join(cli.vault, path), 'utf8')).toMatch(/\[x\] A .*\n- \[ \] C /);
  });
});

describe('agent-boards merge-driver', () => {
  test('[GIT6] says where git did not merge the lines either, and which file it could not read', async () => {
    const files = ['base', 'ours', 'theirs'].map((name) => join(cli.vault, name));
    for (const file of files) await writeFile(file, '\0');
    const binary = await cli.run(['merge-driver', ...files, 'a-tasks.md']);
    expect(binary).toMatchObject({ code: 1 });
    expect(binary.err).toContain('and git did not merge its lines:');
    expect(binary.err).not.toContain('Look for conflict marks');
    const folder = await cli.run(['merge-driver', ...files.slice(0, 2), cli.vault]);
    expect(folder).toMatchObject({ code: 1 });
    expect(folder.err).toContain(`${cli.vault}: the file system reported an error. (EISDIR)`);
  });
});

describe('agent-boards connect git', () => {
  const LINE = '.opencode/todos/**/*-tasks*.md merge=agent-boards\n';

  test('[GIT9] shows what it changes, keeps all other bytes, and takes it back', async () => {
    const own = '# mine\r\n*.png binary';
    await writeFile(join(cli.vault, '.gitattributes'), own);
    const shown = await runProgram(cli.vault, ['connect', 'git', '--dry-run']);
    expect(shown.out).toContain(`.gitattributes: + ${LINE.trim()}\n`);
    expect(shown.out).toMatch(
      /git config: \+ merge\.agent-boards\.driver = if test -x '\/.*' && test -f '\/.*cli\.js'; then /,
    );
    expect(await attributes()).toBe(own);
    expect(await runProgram(cli.vault, ['connect', 'git'])).toEqual(shown);
    expect(await attributes()).toBe(`${own}\r\n${LINE.replace('\n', '\r\n')}`);
    const { out } = await runProgram(cli.vault, ['connect', 'git']);
    expect(out).toBe('git merges boards here already.\n');
    expect(await runProgram(cli.vault, ['connect', 'git', '--remove'])).toMatchObject({ code: 0 });
    expect(await attributes()).toBe(`${own}\r\n`);
    expect(await git('config', '--get-regexp', '^merge')).toMatchObject({ code: 1 });
    await rm(join(cli.vault, '.gitattributes'));
    await runProgram(cli.vault, ['connect', 'git']);
    await runProgram(cli.vault, ['connect', 'git', '--remove']);
    await expect(attributes()).rejects.toThrow('ENOENT');
  });

  test.each(['#boards', '!boards', 'my "boards"', 'a[b]*'])(
    '[GIT9] git knows the boards below %s',
    async (root) => {
      const settings = join(cli.vault, '.opencode/agent-task-boards.json');
      await writeFile(settings, JSON.stringify({ root }));
      const { code, err } = await runProgram(cli.vault, ['connect', 'git']);
      expect([code, err]).toEqual([0, '']);
      const shown = await git('check-attr', '-z', 'merge', `${root}/s1/build-tasks.md`);
      expect(shown.out).toBe(`${root}/s1/build-tasks.md\0merge\0agent-boards\0`);
    },
  );

  test('[GIT9] a comment that names the driver is no line of its own, and one of the person stays', async () => {
    const comment = '# boards have merge=agent-boards\nNotes/*.md text merge=agent-boards\n';
    await writeFile(join(cli.vault, '.gitattributes'), comment);
    await runProgram(cli.vault, ['connect', 'git']);
    expect(await attributes()).toBe(comment + LINE);
    await runProgram(cli.vault, ['connect', 'git', '--remove']);
    expect(await attributes()).toBe(comment);
  });

  test('[GIT10] doctor looks on where there is no repository, and where .gitattributes is a folder', async () => {
    await mkdir(join(cli.vault, '.gitattributes'));
    expect(await cli.run(['doctor'])).toMatchObject({ code: 0, err: '' });
    await rm(join(cli.vault, '.gitattributes'), { recursive: true });
    await writeFile(join(cli.vault, '.gitattributes'), LINE);
    await rm(join(cli.vault, '.git'), { recursive: true });
    expect(await cli.run(['doctor'])).toMatchObject({ code: 0 });
  });

  test('[GIT11] a git that is not there, or refuses, is said in its own words', async () => {
    await writeFile(join(cli.vault, '.git/config'), '[broken');
    const refused = await runProgram(cli.vault, ['connect', 'git']);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toMatch(/git does not work in .*: fatal: bad config/);
  });

  test('[GIT10] doctor names a clone that does not know how, until it does', async () => {
    await writeFile(join(cli.vault, '.gitattributes'), LINE);
    const { code, out } = await cli.run(['doctor']);
    expect(code).toBe(3);
    expect(out).toContain('Run agent-boards connect git.');
    await runProgram(cli.vault, ['connect', 'git']);
    expect(await cli.run(['doctor'])).toMatchObject({ code: 0 });
  });

  test('[GIT11] a folder without a repository, and a client that is none, are said', async () => {
    const none = await cli.run(['connect', 'svn']);
    expect(none).toMatchObject({ code: 2 });
    expect(none.err).toContain(
      'connect takes claude, codex, gemini, cursor, vscode, opencode, git, not svn.',
    );
    await rm(join(cli.vault, '.git'), { recursive: true });
    const refused = await runProgram(cli.vault, ['connect', 'git']);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toContain('is in no git repository. Run git init there');
  });
});
