import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';

const here = inProcessCli();

const home = (): string => join(here.vault, '../home');

const config = (...args: string[]) =>
  here.run(['config', ...args], '', { env: { HOME: home(), USERPROFILE: home() } });

const SECRET = 'canary-secret';

/** Secrets everywhere a configuration can have them, some in an invalid form. */
const SECRETS = JSON.stringify({
  provider: {
    a: { options: { apiKey: SECRET, baseURL: `not an url ${SECRET}`, timeout: SECRET } },
    b: { options: { apiKey: [SECRET] }, models: { m: { status: SECRET, headers: { x: SECRET } } } },
  },
  mcp: {
    r: { type: 'remote', url: `ftp://${SECRET}/`, headers: { Authorization: SECRET } },
    l: { type: SECRET, command: [SECRET], environment: { KEY: SECRET } },
  },
  agent: { build: { options: { apiKey: SECRET }, apiKey: SECRET } },
});

describe('agent-boards config', () => {
  test('[CONFIG9] check says nothing is wrong, and exits with 0', async () => {
    await here.write('.opencode/agent/a.md', '---\ndescription: x\n---\nHi');
    expect(await config('check')).toEqual({ code: 0, out: 'All is well.\n', err: '' });
    const { code, out } = await config('check', '--json');
    expect([code, JSON.parse(out)]).toEqual([0, { ok: true, problems: [] }]);
  });

  test('[CONFIG9] check names file, line, key, what is wrong and what to write, and exits with 1 for errors', async () => {
    await here.write('.opencode/agent/a.md', '---\ndesciption: x\nmode: primry\n---\nHi');
    expect(await config('check')).toEqual({
      code: 1,
      out: [
        '.opencode/agent/a.md:2: warning in desciption: "desciption" is not a key here. Write "description".',
        '.opencode/agent/a.md:3: error in mode: "mode" has to be "subagent" or "primary" or "all", not "primry". OpenCode does not start with it. Write "primary".',
        '',
      ].join('\n'),
      err: '',
    });
    const { code, out } = await config('check', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      ok: false,
      problems: [
        {
          ...{ file: '.opencode/agent/a.md', line: 2, key: 'desciption', severity: 'warning' },
          ...{ message: '"desciption" is not a key here.', fix: 'Write "description".' },
        },
        {
          ...{ file: '.opencode/agent/a.md', line: 3, key: 'mode', severity: 'error' },
          message:
            '"mode" has to be "subagent" or "primary" or "all", not "primry". OpenCode does not start with it.',
          fix: 'Write "primary".',
        },
      ],
    });
  });

  test.skipIf(process.platform === 'win32')(
    '[CONFIG9] shared settings that are a pipe, a folder or no text are one of the problems',
    async () => {
      const path = '.opencode/agent-task-boards.json';
      const at = join(here.vault, path);
      const makes = {
        'it is a pipe, where a file has to be.': () => void execFileSync('mkfifo', [at]),
        'it is a folder, where a file has to be.': () => fs.mkdir(at),
        'it is no valid UTF-8 text.': () => fs.writeFile(at, Buffer.from([0x22, 0xff, 0x22])),
      };
      for (const [why, make] of Object.entries(makes)) {
        await fs.rm(at, { recursive: true, force: true });
        await make();
        const { code, out } = await config('check', '--json');
        expect(code).toBe(1);
        expect(JSON.parse(out)).toMatchObject({
          ok: false,
          problems: [{ file: path, severity: 'error', message: `can't be read: ${why}` }],
        });
      }
    },
  );

  test('[CONFIG9] warnings alone exit with 0', async () => {
    await here.write('opencode.json', '{"modle": "a/b"}');
    expect(await config('check')).toMatchObject({
      code: 0,
      out: expect.stringContaining('warning in modle') as string,
    });
  });

  test('[CONFIG9] wrong usage exits with 2', async () => {
    for (const args of [
      [],
      ['chek'],
      ['check', '--agent', 'a'],
      ['show'],
      ['show', 'build'],
      ['show', '--agent', 'biuld'],
    ]) {
      expect(await config(...args)).toMatchObject({ code: 2, out: '' });
    }
    const { err } = await config('show', '--agent', 'biuld');
    expect(err).toContain('there is no agent "biuld". Did you mean "build"?');
    expect(err).not.toContain('config check');
    await here.write('.opencode/agent/a.md', '---\nmode: x\n---\nHi');
    const broken = await config('show', '--agent', 'a');
    expect(broken.err).toContain('Files have errors: agent-boards config check names them.');
  });

  test('[CONFIG10] show tells what an agent is made of, and from which files', async () => {
    await here.write(
      'opencode.json',
      '{"model": "a/b",\n"permission": {"bash": "ask"},\n"instructions": ["docs/*.md", "https://example.com/x.md"]}',
    );
    await here.write('docs/one.md', '12345');
    await here.write('AGENTS.md', '123');
    await here.write(
      '.opencode/skills/s/SKILL.md',
      '---\nname: s\ndescription: What it does.\n---\nDo it.',
    );
    await here.write(
      '.opencode/agent/writer.md',
      '---\ndescription: Writes\nmode: subagent\ntemperature: 0.2\ncolor: info\ntools:\n  bash: false\n---\nYou write.\n\nWell.',
    );
    expect(await config('show', '--agent', 'writer')).toEqual({
      code: 0,
      out: [
        'writer       subagent  [.opencode/agent/writer.md:3]',
        'Description  Writes  [.opencode/agent/writer.md:2]',
        'Model        a/b  [opencode.json:1]',
        'Temperature  0.2  [.opencode/agent/writer.md:4]',
        "Top P        the model's own",
        'Steps        no limit',
        'Color        info  [.opencode/agent/writer.md:5]',
        'Tools        bash off  [.opencode/agent/writer.md:6]',
        "Permissions  OpenCode's own, then these; the last that matches counts",
        '  ask   bash *  [opencode.json:2]',
        '  deny  bash *  [.opencode/agent/writer.md:7]',
        'Skills',
        '  s: What it does.  [.opencode/skills/s/SKILL.md]',
        'Instructions',
        '  AGENTS.md  (3 characters)',
        '  docs/one.md  (5 characters)',
        '  https://example.com/x.md',
        'Prompt       [.opencode/agent/writer.md:9]',
        '  You write.',
        '',
        '  Well.',
        '',
      ].join('\n'),
      err: '',
    });
  });

  test('[CONFIG10] of a built-in agent no prompt can be read', async () => {
    const { out } = await config('show', '--agent', 'build');
    expect(out).toContain('build        primary, built into OpenCode\n');
    expect(out).toContain('Prompt       built into OpenCode, prompt not readable\n');
    const { agent } = JSON.parse((await config('show', '--agent', 'build', '--json')).out) as {
      agent: unknown;
    };
    expect(agent).toMatchObject({
      builtIn: true,
      prompt: { value: null, note: 'built into OpenCode, prompt not readable' },
    });
  });

  test("[CONFIG2] the person's own folder counts less than the vault, and is not written", async () => {
    await fs.mkdir(join(home(), '.config/opencode/agents'), { recursive: true });
    const own = join(home(), '.config/opencode/opencode.json');
    await fs.writeFile(own, '{"model": "own/model", "small_model": 3}');
    const { out } = await config('check');
    expect(out).toContain('~/.config/opencode/opencode.json:1: error in small_model');
    await fs.writeFile(own, '{"model": "own/model"}');
    await fs.writeFile(join(home(), '.config/opencode/agents/mine.md'), 'Mine.');
    expect((await config('show', '--agent', 'mine')).out).toContain(
      'own/model  [~/.config/opencode/opencode.json:1]',
    );
    await here.write('opencode.json', '{"model": "vault/model"}');
    expect((await config('show', '--agent', 'mine')).out).toContain(
      'vault/model  [opencode.json:1]',
    );
    expect(await fs.readFile(own, 'utf8')).toBe('{"model": "own/model"}');
    expect(await fs.readdir(here.vault)).toEqual(['.opencode', 'opencode.json']);
  });

  test('[CONFIG11] no secret is printed, in whatever form', async () => {
    await here.write('opencode.json', SECRETS);
    await here.write(
      '.opencode/opencode.json',
      `{"provider": {"c": {"options": {"apiKey": "${SECRET}"}}} x`,
    );
    await here.write('.opencode/key.txt', SECRET);
    await here.write(
      '.opencode/opencode.jsonc',
      '{"provider": {"d": {"options": {"apiKey": "{file:key.txt}"}}}, "agent": {"plan": {"options": {"apiKey": "{env:HOME}"}}}}',
    );
    const texts = [
      ...[await config('check'), await config('check', '--json')],
      ...[
        await config('show', '--agent', 'build'),
        await config('show', '--agent', 'build', '--json'),
      ],
      ...[
        await config('show', '--agent', 'plan'),
        await config('show', '--agent', 'plan', '--json'),
      ],
    ].map(({ out, err }) => out + err);
    for (const text of texts) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(home());
    }
    expect(texts[0]).toContain('provider.a.options.timeout');
  });
});
