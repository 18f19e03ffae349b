import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMON_OPTIONS, type Command, type Exit } from '../../src/cli/command';
import { readCommandLine } from '../../src/cli/read-command-line';
import { COMMANDS } from '../../src/cli/whole-program';
import { defaultSettings } from '../../src/core/shared-settings';
import { readOptions } from '../../workbench/demo/options';
import { inProcessCli } from '../cli/in-process-cli';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const { scripts, files } = JSON.parse(textOf('package.json')) as {
  scripts: Record<string, string>;
  files: string[];
};

/** Whether the npm package has a file. npm adds the first two by itself; pictures are left out. */
function isPackaged(path: string): boolean {
  if (path.startsWith('docs/images/')) return true;
  const names = ['README.md', 'LICENSE', ...files];
  return names.some((name) => path === name || path.startsWith(`${name}/`));
}

/** Commands that are not run, each with the reason. Their words are still checked. */
const ONLY_READ: readonly (readonly [RegExp, string])[] = [
  [/^serve /, 'goes on until Ctrl C, over a model, an agent or a server: test/engine'],
  [/^mcp\b/, 'goes on as long as its client: test/mcp'],
  [/^models --/, 'asks a provider: test/cli/models.test.ts'],
];

/** Commands that exit with a code other than 0 in a vault that lacks what they need. */
const REFUSED: readonly (readonly [RegExp, number, string])[] = [
  [/^run (start|asks|answer)\b/, 1, 'no program that runs sessions is connected'],
  [/^run (approve|pause|resume)\b/, 2, 'the vault has no run'],
  [/^hooks (allow|forbid) /, 1, 'the vault has no such hook'],
  [/^audit explain /, 1, 'the audit has no such entry'],
  [/^undo /, 1, 'there is no such change'],
];

/** Programs of others. */
const OTHERS = {
  cd: 'of the shell',
  git: 'its output is what is read here',
  gh: 'asks GitHub',
  opencode: 'a server that goes on: test/engine',
  obsidian: 'the command line of the real app',
};

interface Line {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isPiped: boolean;
}

/** The commands of a block, split as by a shell: quotes, comments, `&&`, `|`, leading variables. */
function commandsOf(block: string): Line[] {
  const token = /\s*(?:(#.*)|(&&|\||\n)|((?:"[^"]*"|'[^']*'|[^\s"'|&#]|(?<=\S)#)+))/y;
  const lines: Line[] = [];
  let [words, isPiped]: [string[], boolean] = [[], false];
  const end = (next: boolean) => {
    const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
    const env = Object.fromEntries(
      words.slice(0, first).map((word) => word.split('=') as [string, string]),
    );
    if (first !== -1) lines.push({ words: words.slice(first), env, isPiped });
    [words, isPiped] = [[], next];
  };
  // Redirections of the output are not arguments.
  for (const line of block.replace(/ > \S+/g, '').split('\n')) {
    token.lastIndex = 0;
    for (let found = token.exec(line); found !== null; found = token.exec(line)) {
      if (found[2] !== undefined) end(found[2] === '|');
      else if (found[3] !== undefined) words.push(found[3].replace(/["']/g, ''));
      if (token.lastIndex >= line.length) break;
    }
    end(false);
  }
  return lines;
}

const blocksOf = (page: string) =>
  [...textOf(page).matchAll(/^( *)```(?:sh|bash|console|shell)\n([^]*?)^\1```/gm)].map(
    ([, , block = '']) => block,
  );

const here = inProcessCli();

/** Creates what the pages assume to exist. */
async function furnish(): Promise<void> {
  await here.write('Projects/Plan.md', '# Plan\n\n## Goals\n\n- a quarterly budget\n');
  await here.write('tasks.json', '[{"title": "One"}]');
  expect(spawnSync('git', ['init', '--quiet', here.vault]).status).toBe(0);
  const add = (session: string) =>
    here.run(['add', 'First', '--session', session, '--agent', 'build']);
  for (const session of ['ses_1', 'imported'])
    expect(await add(session)).toMatchObject({ code: 0 });
}

async function runs({ words, env, isPiped }: Line): Promise<Exit> {
  const home = join(here.vault, '../home');
  await fs.mkdir(home, { recursive: true });
  return here.run(
    words.map((word) => word.replace(/^(\/path\/to\/your\/vault|DIR)$/, here.vault)),
    isPiped ? 'a line\n' : '',
    {
      env: { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, '.config'), ...env },
      print: () => undefined,
      confirm: () => Promise.resolve(true),
      // As if Ctrl C were pressed at once.
      untilStopped: () => AbortSignal.abort(),
    },
  );
}

const all = async () =>
  new Map(
    await Promise.all(
      [...COMMANDS.byName].map(async ([name, load]) => [name, await load()] as const),
    ),
  );

describe('[REL6] the commands of', () => {
  test.each(PAGES)('%s are what the programs know', async (page) => {
    const lines = blocksOf(page).flatMap(commandsOf);
    if (lines.some(({ words }) => words[0] === 'agent-boards')) await furnish();
    const commands = await all();
    for (const line of lines) {
      const [program = '', ...words] = line.words;
      const told = `${page}: ${line.words.join(' ')}`;
      if (program === 'npm') expect([told, isOfNpm(words)]).toEqual([told, true]);
      else if (program === 'agent-boards') {
        const typed = words.join(' ');
        const isOld = words.some((word) => word === '--action');
        const read = isOld ? undefined : readCommandLine(words, commands, {});
        expect({ told, read }).not.toMatchObject({ read: { kind: 'fault' } });
        if (ONLY_READ.some(([of]) => of.test(typed))) continue;
        const exit = await runs({ ...line, words });
        const code = REFUSED.find(([of]) => of.test(typed))?.[1] ?? 0;
        expect({ told, ...exit }).toMatchObject({ told, code });
      } else expect([told, program in OTHERS]).toEqual([told, true]);
    }
  });

  test('text are verbs and options that there are', async () => {
    const commands = await all();
    const faults: string[] = [];
    let seen = 0;
    for (const page of PAGES) {
      for (const [, typed = ''] of textOf(page).matchAll(/`(?:agent-boards|npm) ([^`\n]+)`/g)) {
        seen += 1;
        const [name = '', ...words] = commandsOf(typed.replace(/[[\]]/g, ''))[0]?.words ?? [];
        const isNpm = typed.startsWith('run ') && /`npm [^`]*`/.test(`\`npm ${typed}\``);
        const command = commands.get(name);
        const fine =
          (command !== undefined && knows(command, words)) ||
          (isNpm && isOfNpm([name, ...words])) ||
          /^(--action|link|ci\b|pack|test|install)/.test(typed);
        if (!fine) faults.push(`${page}: ${typed}`);
      }
    }
    expect(faults).toEqual([]);
    expect(seen).toBeGreaterThan(60);
  });

  test('each reason not to run one still has one', () => {
    const typed = PAGES.flatMap(blocksOf)
      .flatMap(commandsOf)
      .map(({ words }) => words.join(' '));
    const ours = typed.flatMap((line) => line.split('agent-boards ')[1] ?? []);
    for (const [of] of [...ONLY_READ, ...REFUSED])
      expect([of, ours.some((line) => of.test(line))]).toEqual([of, true]);
    for (const name of Object.keys(OTHERS))
      expect([name, typed.some((line) => line.split(' ')[0] === name)]).toEqual([name, true]);
  });
});

function knows({ options }: Command, words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const flags = words
    .slice(0, end === -1 ? undefined : end)
    .filter((word) => word.startsWith('--') && word !== '--');
  return flags.every((flag) => flag.slice(2) in { ...COMMON_OPTIONS, ...options, help: true });
}

/** Whether npm, and the script that it runs, accept these words. */
function isOfNpm(words: readonly string[]): boolean {
  const [verb = '', name = '', ...rest] = words;
  if (verb !== 'run') return ['ci', 'test', 'link', 'install', 'pack', 'publish'].includes(verb);
  if (scripts[name] === undefined) return false;
  return name !== 'demo' || readOptions(rest.filter((word) => word !== '--')).kind !== 'wrong';
}

test('[REL7] every shared setting is documented, with its default', () => {
  const rows = [...textOf('docs/settings-file.md').matchAll(/^\| `(\w+)` +\| (?:`([^`]+)`|–)/gm)];
  const shown = Object.fromEntries(rows.map(([, key = '', value]) => [key, value]));
  const { permissions: _permissions, runs, ...plain } = defaultSettings();
  const plainText = Object.entries(plain).map(([key, value]) => [key, JSON.stringify(value)]);
  expect(shown).toEqual({
    ...Object.fromEntries(plainText),
    ...{ permissions: undefined, hooks: undefined, runs: undefined },
  });
  const runRow = rows.find(([, key]) => key === 'runs')?.input ?? '';
  for (const [key, value] of Object.entries(runs))
    expect(runRow).toMatch(new RegExp(`\`${key}\` \\(\`?${value}`));
});

test('[REL7] README.md is one page, and every link of it and of docs leads somewhere', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(121);
  const pages = [...PAGES, 'CHANGELOG.md'];
  // Anchors as GitHub makes them from headings.
  const anchors = (page: string) =>
    [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/ /g, '-'),
    );
  const broken: string[] = [];
  let count = 0;
  for (const page of pages) {
    const text = textOf(page).replace(/^( *)(`{3,})[^]*?^\1\2|`[^`\n]*`/gm, '');
    for (const [, target = ''] of text.matchAll(/(?:\]\(|src(?:set)?=")([^)\s"]+)[)"]/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      count += 1;
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? page : join(dirname(page), path);
      const isThere = existsSync(join(ROOT, to)) && isPackaged(to);
      if (!isThere || (anchor !== undefined && !anchors(to).includes(anchor)))
        broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(100);
  const index = textOf('docs/README.md');
  const listed = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  expect(listed.filter((page) => !index.includes(`(${page.slice(5)})`))).toEqual([]);
});
