import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { BRIDGE_PATH } from '../../src/core/bridge-file';
import type { Exit } from '../../src/cli/command';
import { INSTRUCTIONS } from '../../src/core/connect/plan-instructions';
import { temporaryPath } from '../../src/node/whole-file';
import { inProcessCli } from './in-process-cli';

const here = inProcessCli();
let home: string;
let printed: string;

beforeEach(async () => {
  home = join(here.vault, '../home');
  await fs.mkdir(home);
});

/** Runs `connect` with a home of its own. */
function connect(args: readonly string[], env: Record<string, string> = {}): Promise<Exit> {
  printed = '';
  const print = (text: string): void => void (printed += text);
  return here.run(['connect', ...args], '', { env: { HOME: home, ...env }, print });
}

const at = (path: string): string => join(home, path);
const text = (path: string): Promise<string> => fs.readFile(at(path), 'utf8');
const json = async (path: string): Promise<unknown> => JSON.parse(await text(path));

async function put(path: string, content: string): Promise<void> {
  await fs.mkdir(join(at(path), '..'), { recursive: true });
  await fs.writeFile(at(path), content);
}

/** Every file of the home with its contents, by path. */
async function files(): Promise<Record<string, string>> {
  const entries = await fs.readdir(home, { withFileTypes: true, recursive: true });
  const found = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    await Promise.all(
      found.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(home.length + 1), await fs.readFile(path, 'utf8')] as const;
      }),
    ),
  );
}

/** The arguments of the server after Node and the program. */
const tail = () => ['mcp', '--vault', here.vault];
const program = process.argv[1] ?? '';
const stdio = () => ({ command: process.execPath, args: [program, ...tail()] });
const inServers = (key: string, entry: object) => ({ [key]: { 'agent-task-boards': entry } });

/** Written by hand from each client's documentation: paths of its files, form of the entry. */
const CLIENTS: readonly (readonly [
  name: string,
  user: readonly string[],
  project: readonly string[],
  config: () => unknown,
])[] = [
  [
    'claude',
    ['.claude.json', '.claude/CLAUDE.md'],
    ['.mcp.json', 'CLAUDE.md'],
    () => inServers('mcpServers', { type: 'stdio', ...stdio() }),
  ],
  [
    'gemini',
    ['.gemini/settings.json', '.gemini/GEMINI.md'],
    ['.gemini/settings.json', 'GEMINI.md'],
    () => inServers('mcpServers', stdio()),
  ],
  [
    'cursor',
    ['.cursor/mcp.json'],
    ['.cursor/mcp.json', '.cursor/rules/agent-task-boards.mdc'],
    () => inServers('mcpServers', { type: 'stdio', ...stdio() }),
  ],
  [
    'vscode',
    ['.config/Code/User/mcp.json'],
    ['.vscode/mcp.json', '.github/copilot-instructions.md'],
    () => inServers('servers', { type: 'stdio', ...stdio() }),
  ],
  [
    'opencode',
    ['.config/opencode/opencode.json', '.config/opencode/AGENTS.md'],
    ['opencode.json', 'AGENTS.md'],
    () => inServers('mcp', { type: 'local', command: [process.execPath, program, ...tail()] }),
  ],
];

describe('agent-boards connect', () => {
  test.each(CLIENTS)(
    '[CLIENT1, CLIENT2, CLIENT3] %s: says what it writes, writes it once, and takes it back',
    async (name, user, project, config) => {
      await fs.mkdir(at('p'));
      for (const [scope, paths] of [
        [[], user],
        [['--project', at('p')], project.map((path) => `p/${path}`)],
      ] as const) {
        const shown = await connect([name, ...scope, '--dry-run']);
        expect(await files()).toEqual({});
        expect(await connect([name, ...scope])).toMatchObject({ code: 0 });
        expect(printed).toBe(shown.out);
        expect(Object.keys(await files()).sort()).toEqual([...paths].sort());
        expect(await json(paths[0] ?? '')).toEqual(config());
        for (const path of paths) expect(shown.out).toContain(`--- /dev/null\n+++ ${at(path)}\n`);
        if (paths[1] !== undefined) expect(await text(paths[1])).toContain(INSTRUCTIONS);
        const written = await files();
        const again = await connect([name, ...scope]);
        expect(again.out).toMatch(/ is connected to this vault already\.\n$/);
        expect([printed, await files()]).toEqual(['', written]);
        expect(await connect([name, ...scope, '--remove'])).toMatchObject({ code: 0 });
        expect(await files()).toEqual({});
        const { out } = await connect([name, ...scope, '--remove']);
        expect(out).toMatch(/^Nothing to remove: .+ is not connected by .+\/.+\. --project DIR/);
      }
    },
  );

  test('[CLIENT1, CLIENT3] codex: a marked table at the end of config.toml, taken back to the byte', async () => {
    for (const own of [
      'model = "o"\n\n[mcp_servers.other]\ncommand = "x"',
      '# é\r\nmodel = "o"\r\n',
    ]) {
      await put('.codex/config.toml', own);
      await put('.codex/AGENTS.md', own);
      expect(await connect(['codex'])).toMatchObject({ code: 0 });
      const eol = own.includes('\r') ? '\r\n' : '\n';
      expect(await text('.codex/config.toml')).toBe(
        [
          own,
          '# agent-task-boards: begin, written by agent-boards connect',
          '[mcp_servers.agent-task-boards]',
          `command = ${JSON.stringify(process.execPath)}`,
          `args = [${[program, ...tail()].map((word) => JSON.stringify(word)).join(', ')}]`,
          '# agent-task-boards: end',
          '',
        ].join(eol),
      );
      await connect(['codex', '--remove']);
      expect(await files()).toEqual({ '.codex/config.toml': own, '.codex/AGENTS.md': own });
    }
  });

  test('[CLIENT2, CLIENT3] codex: a vault of any name is one string of TOML, also after a second run', async () => {
    for (const name of ['q"u\'o\\te', 'two\nlines', 'line\u2028end', 'del\u007f', '\u2029']) {
      const vault = join(home, name);
      await fs.mkdir(join(vault, '.opencode'), { recursive: true });
      expect(await connect(['codex', '--vault', vault])).toMatchObject({ code: 0 });
      const config = await text('.codex/config.toml');
      const [, words = ''] = /^args = (.*)$/mu.exec(config) ?? [];
      expect(words).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect((JSON.parse(words) as string[]).at(-1)).toBe(vault);
      expect((await connect(['codex', '--vault', vault])).out).toContain('already');
      expect(await text('.codex/config.toml')).toBe(config);
      await connect(['codex', '--vault', vault, '--remove']);
    }
    expect(Object.keys(await files())).toEqual([]);
  });

  test('[CLIENT3] an instruction file whose last byte is a lone carriage return is given back', async () => {
    await put('.claude/CLAUDE.md', 'old\rMac\r');
    await connect(['claude']);
    await connect(['claude', '--remove']);
    expect(await files()).toEqual({ '.claude/CLAUDE.md': 'old\rMac\r' });
  });

  test('[CLIENT3] codex: what it keeps of our tools hinders no second run, and goes with the server', async () => {
    const own = 'model = "o"\n';
    await put('.codex/config.toml', own);
    await connect(['codex']);
    const approved = '[mcp_servers.agent-task-boards.tools.tasks]\napproval_mode = "approve"\n';
    const kept = '# mine\n[profiles.a]\nmodel = "p"\n';
    await put('.codex/config.toml', (await text('.codex/config.toml')) + approved + kept);
    expect((await connect(['codex'])).out).toContain('already');
    await connect(['codex', '--remove']);
    expect(await text('.codex/config.toml')).toBe(own + kept);
  });

  test('[CLIENT2] with --json the changes, and what to know, are one result', async () => {
    const { out, err } = await connect(['claude', '--json', '--dry-run']);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      client: 'claude',
      dryRun: true,
      changes: [{ path: at('.claude.json') }, { path: at('.claude/CLAUDE.md') }],
      hints: [expect.stringContaining('CLAUDE_CODE_ENABLE_TODO_TOOLS')],
    });
  });

  test('[CLIENT2] the difference has the lines around, as diff -u writes it', async () => {
    await put('.gemini/settings.json', '{\n  "k": 1,\n  "z": 2\n}');
    const before = await text('.gemini/settings.json');
    const { out } = await connect(['gemini', '--dry-run']);
    expect(out).toMatch(
      /^--- \/.*settings\.json\n\+\+\+ .*\n@@ -1,4 \+1,15 @@\n {\n {3}"k": 1,\n- {2}"z": 2\n\+ {2}"z": 2,\n(\+.*\n){11} }\n\\ No newline at end of file\n--- \/dev\/null\n/,
    );
    expect(await text('.gemini/settings.json')).toBe(before);
  });

  test('[CLIENT3] keeps comments, the mode of the file, and what other programs wrote', async () => {
    const own =
      '// mine\n{\n\t"inputs": [], // none\n\t"servers": {\n\t\t"other": { "command": "x" }, // keep\n\t},\n}\n';
    await put('.config/Code/User/mcp.json', own);
    await fs.chmod(at('.config/Code/User/mcp.json'), 0o600);
    expect(await connect(['vscode'])).toMatchObject({ code: 0 });
    const added = await text('.config/Code/User/mcp.json');
    expect(added).toContain(
      '\t\t"other": { "command": "x" }, // keep\n\t\t"agent-task-boards": {\n\t\t\t"type": "stdio",\n',
    );
    expect((await fs.stat(at('.config/Code/User/mcp.json'))).mode & 0o777).toBe(0o600);
    await connect(['vscode', '--remove']);
    expect(await text('.config/Code/User/mcp.json')).toBe(own);
  });

  test('[CLIENT3] a person who went on writing keeps that when it is taken back', async () => {
    await put('.claude.json', '{"a":1}');
    await connect(['claude']);
    await put(
      '.claude.json',
      (await text('.claude.json')).replace('"mcpServers"', '"b": 2, "mcpServers"'),
    );
    await put('.claude/CLAUDE.md', `${await text('.claude/CLAUDE.md')}Mine.\n`);
    await connect(['claude', '--remove']);
    expect(await files()).toEqual({
      '.claude.json': '{"a":1, "b": 2}',
      '.claude/CLAUDE.md': 'Mine.\n',
    });
  });

  test.each([
    [
      'no JSON',
      'claude',
      '.claude.json',
      '{"a": }',
      "can't be read as JSON, line 1: a value is missing",
    ],
    [
      'what is nested without end',
      'claude',
      '.claude.json',
      `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      'is nested too deep',
    ],
    ['empty', 'claude', '.claude.json', '', "can't be read as JSON, line 1: a value is missing"],
    ['a list', 'cursor', '.cursor/mcp.json', '[]', 'is not a JSON object'],
    [
      'no object of servers',
      'cursor',
      '.cursor/mcp.json',
      '{"mcpServers": 1}',
      'has no object above',
    ],
    [
      'a key twice',
      'gemini',
      '.gemini/settings.json',
      '{"mcpServers":{},"mcpServers":{}}',
      'twice',
    ],
    [
      'another server of this name',
      'gemini',
      '.gemini/settings.json',
      '{"mcpServers":{"agent-task-boards":{"command":"mine"}}}',
      'that does not start agent-boards mcp',
    ],
    ['half a block', 'codex', '.codex/config.toml', '# agent-task-boards: end\n', 'once each'],
    [
      'a table of this name',
      'codex',
      '.codex/config.toml',
      '[mcp_servers."agent-task-boards"]\ncommand = "mine"\n',
      'did not write',
    ],
    [
      'a table of this name, written otherwise',
      'codex',
      '.codex/config.toml',
      '[ "mcp_servers" . agent-task-boards ]\ncommand = "mine"\n',
      'did not write',
    ],
    ['servers in one line', 'codex', '.codex/config.toml', 'mcp_servers = { }\n', 'did not write'],
  ])('[CLIENT4] refuses %s, and writes nothing at all', async (_, name, path, own, why) => {
    await put(path, own);
    const { code, err } = await connect([name]);
    expect(code).toBe(1);
    expect(err).toContain(`${at(path)} `);
    expect(err).toContain(why);
    expect(await files()).toEqual({ [path]: own });
  });

  test.each([
    ['line 1: a value is missing, or a text has no quotes around it.', 'effort = high # x\n'],
    ['line 2: a value is missing, or a text has no quotes around it.', 'a = 1\nb = "o\nc = 1\n'],
    ['line 2: there is no "=" behind the key.', '\nmodel\n'],
    ['line 4: a comma or a closing bracket is missing.', 'a = [1,\n2\n\n[t]\n'],
    ['line 3: a table is neither [name] nor [[name]].', '[t]\na = 1\n[t.u\n'],
    ['line 2: the line goes on after its end.', '[t]\r\na = 1 b = 2\r\n'],
    ['line 2: a key is missing.', 'a = 1\n<<<<<<< ours\n'],
    ['line 1: it is nested too deep to be read.', `a = ${'['.repeat(20_000)}`],
  ])('[CLIENT4] codex: refuses what is no TOML, and writes nothing: %s', async (why, own) => {
    const path = '.codex/config.toml';
    await put(path, own);
    const { code, err } = await connect(['codex']);
    expect(code).toBe(1);
    expect(err).toContain(`${at(path)} can't be read as TOML, ${why} Repair it, then try again.`);
    expect(await files()).toEqual({ [path]: own });
  });

  test('[CLIENT4] codex: takes whatever TOML allows, and names the line also behind our entry', async () => {
    const path = '.codex/config.toml';
    const own = [
      '\ufeff# é\u2028',
      'a = """x"" \\""" y""""',
      `'b c'."d" . e = '''it's`,
      `''two'''''`,
      `n = [ +1_000, 0xDEAD, -1e-9, inf, 1979-05-27 07:32:00.9, 07:32:00, [], ["\\"]", ']\\'], # ]`,
      '\t{ x = { }, y.z = true, }, # 1.1',
      ']',
      '[[ t . "u" ]] # [',
      '[t.u]\r',
      '"" = ""',
    ].join('\n');
    await put(path, own);
    expect(await connect(['codex'])).toMatchObject({ code: 0 });
    const written = await text(path);
    expect(written.startsWith(own)).toBe(true);
    await put(path, `${written}half =\n`);
    const line = written.split('\n').length;
    expect((await connect(['codex'])).err).toContain(`line ${line}: a value is missing`);
    await put(path, written);
    await connect(['codex', '--remove']);
    expect(await text(path)).toBe(own);
  });

  test('[CLIENT4] refuses an instruction file whose marks are broken before the configuration is written', async () => {
    await put('.claude/CLAUDE.md', '<!-- agent-task-boards: end -->\n');
    expect(await connect(['claude'])).toMatchObject({ code: 1 });
    expect(Object.keys(await files())).toEqual(['.claude/CLAUDE.md']);
  });

  test('[CLIENT16] what another program writes while it runs stays, and the edit is made on that', async () => {
    await put('.claude.json', '{ "a": 1 }');
    let prints = 0;
    const print = (text: string): void => {
      prints += 1;
      printed += text;
      // After the file was read, before the write.
      if (prints === 1) writeFileSync(at('.claude.json'), '{ "a": 1, "theirs": true }');
    };
    printed = '';
    expect(await here.run(['connect', 'claude'], '', { env: { HOME: home }, print })).toMatchObject(
      {
        code: 0,
      },
    );
    expect(await json('.claude.json')).toEqual({
      ...{ a: 1, theirs: true },
      ...inServers('mcpServers', { type: 'stdio', ...stdio() }),
    });
    expect(printed).toMatch(/\n-\{ "a": 1, "theirs": true \}\n/);
    expect((await connect(['claude', '--remove'])).code).toBe(0);
    expect(await text('.claude.json')).toBe('{ "a": 1, "theirs": true }');
  });

  test.each([
    ['taken in', '{ "theirs": 1 }', 0],
    ['left alone where it can not be read', '{ half', 1],
  ])(
    '[CLIENT16] what comes into a file that was just replaced or removed is %s',
    async (_, theirs, code) => {
      for (const [args, before] of [
        [['claude'], '{}'],
        [['cursor', '--remove'], undefined],
      ] as const) {
        const path = before === undefined ? '.cursor/mcp.json' : '.claude.json';
        if (before === undefined) await connect(['cursor']);
        else await put(path, before);
        const handle = openSync(at(path), 'r+');
        const { ino } = fstatSync(handle);
        // Like a program that has the file open: it writes once the file has lost its name.
        const write = (): void => {
          if (statSync(at(path), { throwIfNoEntry: false })?.ino === ino) setImmediate(write);
          else {
            ftruncateSync(handle);
            writeSync(handle, theirs, 0);
            closeSync(handle);
          }
        };
        write();
        expect((await connect(args)).code).toBe(code);
        const now = await text(path);
        if (code === 1) expect(now).toBe(theirs);
        else expect(JSON.parse(now)).toHaveProperty('theirs', 1);
        await fs.rm(at(path));
      }
    },
  );

  test('[CLIENT17] what a killed run left beside the files is removed by the next one, also if that changes nothing', async () => {
    await connect(['claude']);
    const written = await files();
    const left = ['.claude.json', '.claude/CLAUDE.md'].map((path) => temporaryPath(at(path)));
    for (const path of left) await fs.writeFile(path, '{ "torn');
    await connect(['claude', '--remove', '--dry-run']);
    expect(Object.keys(await files())).toHaveLength(4);
    expect((await connect(['claude'])).out).toContain('already');
    expect(await files()).toEqual(written);
  });

  test('[CLIENT16] a program that goes on writing is left alone', async () => {
    let count = 0;
    const theirs = (): string => `{ "count": ${(count += 1)} }`;
    await put('.claude.json', theirs());
    const print = (): void => writeFileSync(at('.claude.json'), theirs());
    const { code, err } = await here.run(['connect', 'claude'], '', { env: { HOME: home }, print });
    expect(code).toBe(1);
    expect(err).toContain('.claude.json is being written by another program. Run it again.');
    expect(await json('.claude.json')).toEqual({ count });
  });

  test('[CLIENT5] follows a link to the file, and refuses one to nowhere', async () => {
    await put('dotfiles/claude.json', '{}');
    await fs.symlink(at('dotfiles/claude.json'), at('.claude.json'));
    expect(await connect(['claude'])).toMatchObject({ code: 0 });
    expect((await fs.lstat(at('.claude.json'))).isSymbolicLink()).toBe(true);
    expect(await json('dotfiles/claude.json')).toHaveProperty('mcpServers.agent-task-boards');
    await fs.rm(at('dotfiles/claude.json'));
    const { code, err } = await connect(['claude']);
    expect(code).toBe(1);
    expect(err).toContain('is a link to a file that is not there');
  });

  test.each([
    ['claude', '.claude.json'],
    ['codex', '.codex/config.toml'],
    ['opencode', '.config/opencode/opencode.json'],
  ])(
    '[CLIENT6] %s: another vault takes the place, and what a person added to the entry stays',
    async (name, path) => {
      await connect([name]);
      const own = await text(path);
      const added = own
        .replace(/("--vault",\s*"[^"]*")/, '$1, "--tools", "tasks"')
        .replace(/^(\s*)("type"|command = )/m, (_, blank: string, key: string) =>
          key === '"type"'
            ? `${blank}"timeout": 9,${blank}${key}`
            : `startup_timeout_sec = 9\n${key}`,
        );
      await put(path, added);
      const other = join(here.vault, '../other');
      await fs.mkdir(other);
      expect(await connect([name, '--vault', other])).toMatchObject({ code: 0 });
      const now = await text(path);
      if (name === 'codex') expect(now).toBe(added.replace(here.vault, other));
      else expect(now).toMatch(/"timeout": 9,[^]*other",\s*"--tools",\s*"tasks"/);
      expect(now).not.toContain(`"${here.vault}"`);
    },
  );

  test.each([
    ['without blanks', (list: string) => `args=${list}`],
    ['with a comment', (list: string) => `args = ${list} # mine`],
    [
      'in lines, with comments and a comma at the end',
      (list: string) =>
        `args = [ # "mine"\n  ${list.slice(1, -1).replace(', ', ', # ] mine\n  ')},\n]`,
    ],
    ['in single quotes', (list: string) => `args = ${list.replaceAll('"', "'")}`],
  ])('[CLIENT6] codex: arguments that a person wrote %s are found again', async (_, edit) => {
    const path = '.codex/config.toml';
    await connect(['codex']);
    const own = await text(path);
    const edited = own.replace(/^args = (.*)$/m, (_line, list: string) => edit(list));
    await put(path, edited);
    expect((await connect(['codex'])).out).toContain('already');
    expect(await text(path)).toBe(edited);
    const other = join(here.vault, '../other');
    await fs.mkdir(other);
    expect(await connect(['codex', '--vault', other])).toMatchObject({ code: 0 });
    const line = own.replace(here.vault, other).match(/^args = (.*)$/m)?.[1] ?? '';
    const after = /(?: # mine)?$/m.exec(edit(''))?.[0];
    expect(await text(path)).toBe(
      own.replace(
        /^args.*$/m,
        `${edit('').startsWith('args=') ? 'args=' : 'args = '}${line}${after}`,
      ),
    );
  });

  test('[CLIENT4] codex: an entry of ours whose arguments can not be read is refused', async () => {
    await connect(['codex']);
    const path = '.codex/config.toml';
    const own = (await text(path)).replace(/^args = .*$/m, 'args = WORDS');
    await put(path, own);
    const { code, err } = await connect(['codex']);
    expect(code).toBe(1);
    expect(err).toContain('has no "args" that this command can read');
    expect(await text(path)).toBe(own);
  });

  test('[CLIENT7] the instructions have at most 200 words', () => {
    expect(INSTRUCTIONS.split(/\s+/).length).toBeGreaterThan(50);
    expect(INSTRUCTIONS.split(/\s+/).length).toBeLessThanOrEqual(200);
  });

  test('[CLIENT7] they follow what stands in the file, in the one that Codex reads; a Cursor rule has its head', async () => {
    await put('.codex/AGENTS.md', 'Unread.\n');
    await put('.codex/AGENTS.override.md', 'Mine.\n');
    await connect(['codex']);
    expect(await text('.codex/AGENTS.md')).toBe('Unread.\n');
    expect(await text('.codex/AGENTS.override.md')).toMatch(
      /^Mine\.\n\n<!-- agent-task-boards: begin/,
    );
    await put('.codex/AGENTS.md', await text('.codex/AGENTS.override.md'));
    await fs.rm(at('.codex/AGENTS.override.md'));
    await fs.symlink(at('.codex/AGENTS.md'), at('.codex/AGENTS.override.md'));
    expect(await connect(['codex', '--remove'])).toMatchObject({ code: 0 });
    expect(await text('.codex/AGENTS.md')).toBe('Mine.\n');
    await connect(['cursor', '--project', home]);
    const rule = await text('.cursor/rules/agent-task-boards.mdc');
    expect(rule).toMatch(/^---\ndescription: .*\nalwaysApply: true\n---\n\n<!--/);
  });

  test('[CLIENT7] says where a client has no file for the instructions of all projects', async () => {
    expect((await connect(['cursor'])).err).toContain('with --project a rule file is written too');
    expect((await connect(['vscode'])).err).toContain(
      'with --project an instruction file is written too',
    );
  });

  test('[CLIENT8] an instruction file that names old tools and the old folder is shown and written in words of today', async () => {
    await put(
      '.claude/CLAUDE.md',
      'Call `tasks_init`, then tasks_add(title); `task_get(id)`.\nPlans: ./.tasks/, not a.tasks/ or my_tasks_list.\n',
    );
    const { out } = await connect(['claude', '--dry-run']);
    const today = `Call \`tasks\` operation \`init\`, then tasks operation add(title); \`tasks operation get(id)\`.\nPlans: ${here.vault}/.opencode/todos/, not a.tasks/ or my_tasks_list.\n`;
    for (const line of today.trimEnd().split('\n')) expect(out).toContain(`+${line}\n`);
    await connect(['claude']);
    expect((await text('.claude/CLAUDE.md')).startsWith(today)).toBe(true);
  });

  test('[CLIENT9] opencode is refused where the vault has the bridge, but can be taken back', async () => {
    for (const path of [BRIDGE_PATH, BRIDGE_PATH.replace('plugin/', 'plugins/')]) {
      await connect(['opencode']);
      await here.write(path, 'bridge');
      const { code, err } = await connect(['opencode']);
      expect(code).toBe(1);
      expect(err).toContain(`this vault has the bridge (${join(here.vault, path)})`);
      expect(await connect(['opencode', '--remove'])).toMatchObject({ code: 0 });
      expect(await files()).toEqual({});
      await fs.rm(join(here.vault, path));
    }
  });

  test('[CLIENT9] opencode: a file in the form of version 2 gets its server there, and opencode.jsonc is taken where it is', async () => {
    await put('.config/opencode/opencode.jsonc', '{"mcp": {"servers": {"a": {"type": "local"}}}}');
    await connect(['opencode']);
    expect(await json('.config/opencode/opencode.jsonc')).toHaveProperty(
      'mcp.servers.agent-task-boards.type',
      'local',
    );
    await put('.config/opencode/opencode.jsonc', '{"mcp": {"servers": {"type": "local"}}}');
    await connect(['opencode']);
    expect(await json('.config/opencode/opencode.jsonc')).toHaveProperty('mcp.agent-task-boards');
  });

  test.each([
    ['claude', 'CLAUDE_CONFIG_DIR', ['c/.claude.json', 'c/CLAUDE.md']],
    ['codex', 'CODEX_HOME', ['c/AGENTS.md', 'c/config.toml']],
    ['gemini', 'GEMINI_CLI_HOME', ['c/.gemini/GEMINI.md', 'c/.gemini/settings.json']],
    ['opencode', 'XDG_CONFIG_HOME', ['c/opencode/AGENTS.md', 'c/opencode/opencode.json']],
    ['vscode', 'XDG_CONFIG_HOME', ['c/Code/User/mcp.json']],
  ])('[CLIENT10] %s: %s says where the configuration is', async (name, variable, paths) => {
    await connect([name], { [variable]: at('c') });
    expect(Object.keys(await files()).sort()).toEqual(paths);
  });

  test('[CLIENT10] an unknown client, a folder that is none and options of others are refused with 2', async () => {
    expect((await connect(['claud'])).err).toContain(
      'connect takes claude, codex, gemini, cursor, vscode, opencode, git, not claud.',
    );
    expect(await connect(['claude', '--project', at('none')])).toMatchObject({ code: 2 });
    expect(await connect(['git', '--npx'])).toMatchObject({ code: 2 });
    expect(await connect(['claude', '--vault', at('none')])).toMatchObject({ code: 2 });
  });

  test('[CLIENT13] --remove needs no vault, whatever it is named', async () => {
    await connect(['claude']);
    const env = { HOME: home, AGENT_BOARDS_VAULT: at('gone') };
    const remove = (...more: string[]): Promise<Exit> =>
      here.run(['connect', 'claude', '--remove', ...more], '', {
        ...{ cwd: home, env, print: () => undefined },
      });
    expect((await remove('--dry-run')).out).toContain('-      "command"');
    expect(await remove()).toMatchObject({ code: 0 });
    expect(await files()).toEqual({});
    const again = await remove('--vault', at('gone'));
    expect(again.out).toContain(`is not connected by ${at('.claude.json')}.`);
    expect(await here.run(['connect', 'git', '--remove'], '', { cwd: home })).toMatchObject({
      code: 2,
    });
  });

  test('[CLI5] --remove works where the settings cannot be read', async () => {
    expect(await connect(['claude'])).toMatchObject({ code: 0 });
    await fs.writeFile(join(here.vault, '.opencode/agent-task-boards.json'), Buffer.from([0xff]));
    expect(await connect(['claude', '--remove'])).toMatchObject({ code: 0 });
    expect(await files()).toEqual({});
  });

  test('[CLIENT14] says that a folder looks like no vault, and connects to it', async () => {
    const named = ['cursor', '--vault', at('.')];
    for (const dry of [['--dry-run'], []]) {
      const { code, err } = await connect([...named, ...dry]);
      expect([code, err]).toEqual([
        0,
        expect.stringContaining(`${home} does not look like a vault`),
      ]);
    }
    await fs.mkdir(at('.obsidian'));
    expect((await connect(named)).err).not.toContain('no vault');
  });

  test('[CLIENT15] says what has to be done in Gemini CLI before it starts the server', async () => {
    const { err } = await connect(['gemini']);
    expect(err).toContain('starts no servers of MCP in a folder that you have not trusted');
    expect(err).toContain('/permissions');
  });
});
