import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config';
import { resolveAgent } from '../../src/core/config/resolve-agent';
import { StoreError } from '../../src/core/ports';
import { configFiles } from '../../src/node/config-files';

let base: string;
let vault: string;

beforeEach(async () => {
  base = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-config-')));
  vault = join(base, 'vault');
  await fs.mkdir(vault);
});
afterEach(() => fs.rm(base, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await fs.mkdir(dirname(join(vault, path)), { recursive: true });
  await fs.writeFile(join(vault, path), text);
}

const load = () => loadConfig(configFiles(vault), undefined);

/** All problems, as `file:line key message`. */
async function said(): Promise<string[]> {
  const { problems } = await load();
  return problems.map(({ file, line, key, message }) => `${file}:${line} ${key} ${message}`);
}

const AGENT = '.opencode/agent/a.md';
const matter = (yaml: string): string => `---\n${yaml}\n---\nBody`;
const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);
const notRead = (what: string): unknown =>
  expect.stringContaining(`is not read here, it has ${what}`);

const bomb = [
  'a0: &a0 [x,x,x,x,x,x,x,x,x]',
  ...Array.from({ length: 9 }, (_, n) => {
    const item = `*a${n}`;
    return `a${n + 1}: &a${n + 1} [${Array(9).fill(item).join(',')}]`;
  }),
].join('\n');

describe('hostile configuration', () => {
  const cases: readonly (readonly [name: string, files: Record<string, string>, says: unknown])[] =
    [
      ['a bomb of aliases', { [AGENT]: matter(bomb) }, notRead('more than')],
      [
        'an alias of itself',
        { [AGENT]: matter('options: &o\n  o: *o') },
        notRead('more than 10 levels'),
      ],
      [
        'many aliases',
        { [AGENT]: matter(`a: &a x\nb: [${Array(101).fill('*a').join(',')}]`) },
        notRead('too many aliases'),
      ],
      [
        'deep YAML',
        { [AGENT]: matter(`options: ${nested(5000, '[', ']')}`) },
        notRead('too many aliases or levels'),
      ],
      [
        'YAML of eleven levels',
        { [AGENT]: matter(`options: ${nested(10, '[', ']')}`) },
        notRead('more than 10 levels'),
      ],
      [
        'a prototype in YAML',
        { [AGENT]: matter('__proto__:\n  mode: all') },
        notRead('a key "__proto__"'),
      ],
      [
        'a program',
        { [AGENT]: '---js\n{mode: globalThis.hacked = "all"}\n---\nBody' },
        expect.stringContaining('runs this front matter as a program'),
      ],
      ['deep JSON', { 'opencode.json': nested(400_000, '[', ']') }, notRead('more than 10 levels')],
      [
        'JSON of eleven levels',
        { 'opencode.json': `{"a":${nested(10, '[', ']')}}` },
        notRead('more than 10 levels'),
      ],
      [
        'many values',
        { 'opencode.json': `{"instructions":[${Array(10_001).fill('"a"').join(',')}]}` },
        notRead('more than 10000 values'),
      ],
      [
        'a prototype in JSON',
        { 'opencode.json': '{"agent":{"__proto__":{"mode":"all"}}}' },
        notRead('a key "__proto__"'),
      ],
      [
        'a large configuration',
        { 'opencode.json': `{"model":"${'x'.repeat(1024 * 1024)}"}` },
        expect.stringContaining('is larger than 1 MB'),
      ],
      [
        'a long text',
        { [AGENT]: matter(`description: ${'x'.repeat(1024 * 1024 + 1)}`) },
        notRead('front matter of more than 1 MB'),
      ],
      [
        'a line of 10 MB',
        { [AGENT]: matter(`description: ${'x'.repeat(10_000_000)}`) },
        expect.stringContaining('is larger than 5 MB'),
      ],
      [
        'long instructions',
        { 'AGENTS.md': 'x'.repeat(10 * 1024 * 1024 + 1) },
        expect.stringContaining('is larger than 10 MB'),
      ],
      [
        'what is no text',
        { '.opencode/skill/a/SKILL.md': '\u0000' },
        expect.stringContaining('"name" is missing'),
      ],
    ];

  test.each(cases)('[CONFIG5] %s is one problem, and the rest is read', async (_, files, says) => {
    for (const [path, text] of Object.entries(files)) await write(path, text);
    await write('.opencode/opencode.json', '{"model":"a/b"}');
    expect(await said()).toEqual([says]);
    const { config } = await load();
    expect(config).toEqual({ model: 'a/b', agent: {} });
    expect('hacked' in globalThis).toBe(false);
    expect('mode' in {}).toBe(false);
  });

  test('[CONFIG5] no pattern, list of keys or run of characters takes long', async () => {
    const name = 'a'.repeat(200);
    await write(`${name}.md`, 'x');
    const hostile = {
      instructions: [
        '{a,b}'.repeat(800),
        `${'*a'.repeat(100)}b.md`,
        `${'[a-z]*'.repeat(100)}!.md`,
        '**/'.repeat(1000) + 'none.md',
        '{'.repeat(4000),
        ','.repeat(500_000),
      ],
      permission: { skill: { [`${'*s'.repeat(500)}!`]: 'deny' } },
    };
    await write('opencode.json', JSON.stringify(hostile));
    const keys = Array.from({ length: 9_000 }, (_, n) => `"descriptiox${n}":1`);
    await write(
      'opencode.jsonc',
      `{"agent":{"z":{"prompt":"${'{file:'.repeat(100_000)}"}},${keys.join(',\n')}}`,
    );
    await write('.opencode/agent/lines.md', matter('\n'.repeat(900_000)));
    await write('.opencode/agent/large.md', matter('#\n'.repeat(600_000) + 'mode: all'));
    await write('.opencode/agent/list.md', matter(`options: [${'x,'.repeat(400_000)}]`));
    await write(
      '.opencode/skill/s/SKILL.md',
      `---\nname: ${'s'.repeat(1_000)}\ndescription: d\n---\n`,
    );
    const loaded = await load();
    expect(resolveAgent(loaded, 'build')?.skills).toHaveLength(1);
    const told = loaded.problems.map(({ file, message }) => `${file} ${message}`);
    expect(Math.max(...told.map((one) => one.length))).toBeLessThan(500);
    const others = told.filter((one) => !one.includes('is ignored: there is no such key'));
    expect(told.length - others.length).toBe(9_000);
    expect(others.map((one) => one.slice(0, 50))).toEqual([
      '.opencode/agent/large.md is not read here, it has ',
      '.opencode/agent/list.md is not read here, it has m',
      '.opencode/skill/s/SKILL.md "name" has characters t',
      'opencode.json "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}',
      'opencode.json "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*',
      'opencode.json "[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[a-z]',
      'opencode.json Outside of git OpenCode looks for "*',
      'opencode.json "**/**/**/**/**/**/**/**/**/**/**/**',
      'opencode.json "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{',
      'opencode.json ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,',
    ]);
  });

  test('[CONFIG5] many files that are small enough are together too large', async () => {
    await write('big.md', 'x'.repeat(10 * 1024 * 1024));
    for (let n = 0; n < 12; n += 1) await fs.symlink('big.md', join(vault, `link${n}.md`));
    await write('opencode.json', '{"instructions":["*.md"]}');
    const { instructions } = await load();
    expect(instructions.length).toBe(9);
    expect(await said()).toHaveLength(4);
  });

  test('[CONFIG14] what is no UTF-8 is read as U+FFFD, and a warning says where', async () => {
    await write('opencode.json', '');
    await fs.writeFile(
      join(vault, 'opencode.json'),
      Buffer.from('{\n"agent":{"a":{"description":"Pr\u00fcft"}}}', 'latin1'),
    );
    const { problems, config } = await load();
    expect(config.agent?.['a']?.description).toBe('Pr\uFFFDft');
    expect(problems).toEqual([
      {
        ...{ file: 'opencode.json', line: 2, key: '', severity: 'warning' },
        message:
          'has "\uFFFD" where bytes are no UTF-8, or were none before. OpenCode reads it so.',
        fix: 'Write the character that was meant, and save the file as UTF-8.',
      },
    ]);
  });

  test('[CONFIG6] no link leads out of the vault, whatever it stands for', async () => {
    await fs.mkdir(join(base, 'out/agent'), { recursive: true });
    await fs.writeFile(join(base, 'out/opencode.json'), '{"model":"canary/model"}');
    await fs.writeFile(join(base, 'out/agent/b.md'), 'canary');
    await fs.writeFile(join(base, 'out/SKILL.md'), '---\nname: canary\n---\ncanary');
    await fs.mkdir(join(vault, '.opencode/agent'), { recursive: true });
    await fs.mkdir(join(vault, '.claude/skills'), { recursive: true });
    const links = {
      'opencode.json': 'out/opencode.json',
      'AGENTS.md': 'out/agent/b.md',
      docs: 'out/agent',
      '.opencode/agent/one.md': 'out/agent/b.md',
      '.opencode/agent/all': 'out/agent',
      '.opencode/agents': 'out/agent',
      '.claude/skills/s': 'out',
      'p.txt': 'out/agent/b.md',
    };
    for (const [path, to] of Object.entries(links)) {
      await fs.symlink(join(base, to), join(vault, path));
    }
    await write(
      'opencode.jsonc',
      '{"instructions":["docs/*.md","../out/*.md","~/x.md","/etc/*"],"agent":{"a":{"prompt":"{file:p.txt}","description":"{file:../out/SKILL.md}"}}}',
    );
    const loaded = await load();
    expect(JSON.stringify(loaded)).not.toContain('canary');
    const leads = (await said())
      .filter((one) => /leads out|outside/.test(one))
      .map((one) => one.split(' ', 2).join(' ').trim());
    expect(leads).toEqual([
      '.claude/skills/s:0',
      '.opencode/agent/all:0',
      '.opencode/agent/one.md:0',
      '.opencode/agents:0',
      'AGENTS.md:0',
      'docs:0',
      'opencode.json:0',
      'opencode.jsonc:1 agent.a.description',
      'opencode.jsonc:1 instructions.1',
      'opencode.jsonc:1 instructions.2',
      'opencode.jsonc:1 instructions.3',
      'p.txt:0',
    ]);
  });

  test('[CONFIG12] of links that go round each is told once, and nothing behind it is read again', async () => {
    await write(AGENT, 'Body');
    await write('.opencode/agent/deep/b.md', 'Body');
    await write('.opencode/agent/other/c.md', 'Body');
    await write('lib/d.md', 'Body');
    const links = {
      again: '.',
      up: '..',
      vault: '../..',
      loop: 'loop',
      'deep/other': '../other',
      'other/deep': '../deep',
      lib: '../../lib',
    };
    for (const [path, to] of Object.entries(links)) {
      await fs.symlink(to, join(vault, '.opencode/agent', path));
    }
    await fs.symlink('.', join(vault, 'lib/self'));
    const { config } = await load();
    expect(Object.keys(config.agent ?? {})).toEqual([
      'a',
      'deep/b',
      'deep/other/c',
      'lib/d',
      'other/c',
      'other/deep/b',
    ]);
    const round =
      'is a link to a folder that it stands in. OpenCode may follow it round and round; here it is not followed.';
    expect(await said()).toEqual([
      `.opencode/agent/again:0  ${round}`,
      `.opencode/agent/deep/other/deep:0  ${round}`,
      `.opencode/agent/lib/self:0  ${round}`,
      '.opencode/agent/loop:0  is a link to something that is not there.',
      `.opencode/agent/other/deep/other:0  ${round}`,
      `.opencode/agent/up:0  ${round}`,
      `.opencode/agent/vault:0  ${round}`,
    ]);
  });

  test('[CONFIG16] a link to nothing is told where a file is looked for, and hides nothing else', async () => {
    await write(AGENT, 'Body');
    await write('.opencode/skill/s/SKILL.md', '---\nname: s\ndescription: d\n---\n');
    await write('docs/a.md', 'Body');
    await write('opencode.jsonc', '{"instructions":["docs/*.md"]}');
    const links = {
      '.opencode/agent/b.md': join(base, 'nowhere'),
      '.opencode/commands': 'nowhere',
      '.opencode/skill/t': '../../nowhere',
      'AGENTS.md': 'nowhere.md',
      'docs/b.md': 'nowhere.md',
      'docs/b.txt': 'nowhere.txt',
      'opencode.json': 'nowhere.json',
    };
    for (const [path, to] of Object.entries(links)) await fs.symlink(to, join(vault, path));
    const { config, instructions } = await load();
    expect(Object.keys(config.agent ?? {})).toEqual(['a']);
    expect(instructions.map(({ file }) => file)).toEqual(['docs/a.md']);
    const leads = 'is a link to something that is not there.';
    expect(await said()).toEqual([
      `.opencode/agent/b.md:0  ${leads}`,
      `.opencode/commands:0  can't be read: it ${leads}`,
      `.opencode/skill/t:0  ${leads}`,
      `AGENTS.md:0  can't be read: it ${leads}`,
      `docs/b.md:0  ${leads}`,
      `opencode.json:0  can't be read: it ${leads}`,
    ]);
  });

  test('[CONFIG12] a pattern of instructions follows no link that goes round', async () => {
    await write('docs/a.md', 'Body');
    await fs.symlink('.', join(vault, 'docs/again'));
    await write('opencode.json', '{"instructions":["docs/**/*.md"]}');
    const { instructions } = await load();
    expect(instructions.map(({ file }) => file)).toEqual(['docs/a.md']);
  });

  test.skipIf(process.platform === 'win32')(
    '[CONFIG13] of pipes is told, and nothing waits for them',
    async () => {
      await write(AGENT, 'Body');
      await write('.opencode/opencode.json', '{"instructions":["docs/*.md"]}');
      await write('opencode.jsonc/within.txt', '');
      await fs.mkdir(join(vault, 'docs'));
      const pipes = ['.opencode/agent/pipe.md', 'opencode.json', 'AGENTS.md', 'docs/a.md'];
      execFileSync(
        'mkfifo',
        pipes.map((path) => join(vault, path)),
      );
      const { config } = await load();
      expect(Object.keys(config.agent ?? {})).toEqual(['a']);
      const isPipe = "can't be read: it is a pipe, where a file has to be.";
      const isOther = 'is neither a file nor a folder, but a pipe or the like, and is not read.';
      expect(await said()).toEqual([
        `.opencode/agent/pipe.md:0  ${isOther}`,
        '.opencode/opencode.json:1 instructions.0 "docs/*.md" names no file.',
        `AGENTS.md:0  ${isPipe}`,
        `docs/a.md:0  ${isOther}`,
        `opencode.json:0  ${isPipe}`,
        "opencode.jsonc:0  can't be read: it is a folder, where a file has to be.",
      ]);
    },
  );

  test.skipIf(process.platform === 'win32')(
    '[CONFIG13] a link to a pipe in the vault is told as that, not as one that leads out',
    async () => {
      await write(AGENT, 'Body');
      await write('.opencode/skill/s/SKILL.md', '---\nname: s\ndescription: d\n---\n');
      execFileSync('mkfifo', [join(vault, 'pipe')]);
      await fs.symlink('../../pipe', join(vault, '.opencode/agent/b.md'));
      await fs.symlink('../../../pipe', join(vault, '.opencode/skill/s/more.md'));
      await fs.symlink('pipe', join(vault, 'AGENTS.md'));
      const isLink =
        'is a link to pipe, which is neither a file nor a folder, but a pipe or the like, and is not read.';
      expect(await said()).toEqual([
        `.opencode/agent/b.md:0  ${isLink}`,
        `.opencode/skill/s/more.md:0  ${isLink}`,
        "AGENTS.md:0  can't be read: it is a pipe, where a file has to be.",
      ]);
    },
  );

  test('[CONFIG13] what the system does not allow is not told as a link', async () => {
    const files = configFiles(vault);
    const cause = new Error('EACCES');
    const refuses = { ...files, stat: refusing };
    function refusing(path: string): Promise<undefined> {
      const message = `${path}: the system does not allow it. Check who owns the file.`;
      return path === 'opencode.json'
        ? Promise.reject(new StoreError('denied', message, { cause }))
        : Promise.resolve(undefined);
    }
    const { problems } = await loadConfig(refuses, undefined);
    expect(problems).toEqual([
      {
        ...{ file: 'opencode.json', line: 0, key: '', severity: 'error' },
        message: "can't be read: the system does not allow it.",
        fix: 'Check who owns the file.',
      },
    ]);
  });
});
